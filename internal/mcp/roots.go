package mcp

import (
	"context"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// roots caches the directories that a client opened to its tools. They are requested once, and again after the client's
// notification that they changed.
type roots struct {
	mu     sync.Mutex
	cached bool     // guarded by mu
	list   []string // guarded by mu
}

// rootsTimeout is how long a client may take to list its roots. Without an answer, the directory that the server runs
// in is used.
const rootsTimeout = 5 * time.Second

// directories returns the client's roots. If the client does not list any it returns fallback; fromClient reports which.
func (r *roots) directories(ctx context.Context, input *questions, fallback []string) (list []string, fromClient bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cached {
		return r.list, true
	}
	ctx, cancel := context.WithTimeout(ctx, rootsTimeout)
	defer cancel()
	var res *mcp.ListRootsResult //nolint:staticcheck // served where it is there
	var err error
	if input.repeated {
		res, err = requestInput[*mcp.ListRootsResult](input, "roots", &mcp.ListRootsParams{}) //nolint:staticcheck // as above
	} else {
		res, err = input.session.ListRoots(ctx, nil) //nolint:staticcheck // as above
	}
	if err != nil {
		return fallback, false
	}
	r.cached, r.list = true, nil
	for _, root := range res.Roots {
		if dir, ok := localDirectory(root.URI); ok {
			r.list = append(r.list, dir)
		}
	}
	return r.list, true
}

func (r *roots) invalidate() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cached = false
}

// localDirectory returns the path of a directory from its file: URL.
func localDirectory(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return "", false
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // file:///C:/x
	}
	path = filepath.Clean(filepath.FromSlash(path))
	return path, filepath.IsAbs(path)
}
