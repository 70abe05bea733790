package network_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/verb"
)

func TestMain(m *testing.M) { cdptest.Run(m) }

// parseError returns the error of parsing a command line.
func parseError(words []string) error {
	_, err := verb.NewTable(command.Grammar()...).Parse(words, verb.Usher)
	return err
}
