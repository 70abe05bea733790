package web_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/reader"
)

func TestMain(m *testing.M) {
	if reader.Child() {
		return
	}
	cdptest.Run(m)
}
