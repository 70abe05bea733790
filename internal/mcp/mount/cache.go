package mount

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/files"
)

// cacheFile is where the tools of a server are remembered, so that it need not be
// started to be listed. A server that is configured otherwise has another file.
func cacheFile(dir string, s *config.Server) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", s.Command, s.Args, s.Dir, s.URL))
	return filepath.Join(dir, "mcp", fmt.Sprintf("%s-%x.json", s.Name, sum[:6]))
}

// maxCache bounds what is remembered of one server.
const maxCache = 16 << 20

// remember takes the tools the server had when it last ran.
func (m *Mount) remember() {
	raw, err := files.Read(context.Background(), m.cache, maxCache) // bounded in time by itself
	var tools []*mcp.Tool
	if err == nil {
		err = json.Unmarshal(raw, &tools)
	}
	if err == nil {
		m.take(tools)
	} // a file that is not there or damaged costs a start, and is written anew by it
}

// save keeps the tools for the next run. Where that fails, the next run asks.
func (m *Mount) save(tools []*mcp.Tool) {
	if m.cache == "" {
		return
	}
	raw, err := json.Marshal(tools)
	if err != nil || os.MkdirAll(filepath.Dir(m.cache), 0o700) != nil {
		return
	}
	temp := m.cache + fmt.Sprintf(".%d", os.Getpid())
	if os.WriteFile(temp, raw, 0o600) == nil {
		_ = os.Rename(temp, m.cache)
	}
}
