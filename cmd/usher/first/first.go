// Package first runs before the other packages of the program, and may end the
// process there. Package main imports it for that.
//
// usher is one binary, and before main starts, the packages linked into it are
// initialised: HTTP, TLS, YAML, images and the browser protocol, none of which a
// command needs whose daemon runs. The Go specification initialises packages in the
// order of their import paths, each as soon as everything it imports is ready.
// This one imports little, so its turn comes ahead of nearly all of them, and a
// command that needs no more ends there. What that saves, and what else was tried,
// is in docs/decisions/2026-11-23-local-protocol.md.
package first

import (
	"github.com/usher-browser/usher/internal/api/exchange"
	"github.com/usher-browser/usher/internal/cli/fastpath"
)

// Result is what came of the command of this process, where that did not end it.
var Result exchange.Result

func init() { Result = fastpath.First() }
