// Package axe has axe-core, the accessibility engine of Deque Systems, as a script for pages. It is the file axe.min.js of
// the npm package, unchanged and compressed; `make axe` fetches it. Its licence is the Mozilla Public License 2.0, in
// LICENSE; the source is at https://github.com/dequelabs/axe-core.
package axe

import (
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
)

//go:embed axe.js.gz
var compressed string

// Source returns the script. Evaluated in a script context it defines the global axe there.
var Source = sync.OnceValues(func() (string, error) {
	in, err := gzip.NewReader(strings.NewReader(compressed))
	if err != nil {
		return "", fmt.Errorf("unpack axe-core: %w", err)
	}
	script, err := io.ReadAll(in)
	if err != nil {
		return "", fmt.Errorf("unpack axe-core: %w", err)
	}
	return string(script), nil
})
