package source_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
)

func TestMain(m *testing.M) { cdptest.Run(m) }
