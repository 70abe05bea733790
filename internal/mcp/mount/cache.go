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

// cacheFile returns the file that caches the tools of a server, so that it need not be started to list them. Its name
// depends on the server's configuration.
func cacheFile(dir string, s *config.Server) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", s.Command, s.Args, s.Dir, s.URL))
	return filepath.Join(dir, "mcp", fmt.Sprintf("%s-%x.json", s.Name, sum[:6]))
}

// maxCache bounds the cache of one server, in bytes.
const maxCache = 16 << 20

// loadCache loads the cached tools.
func (m *Mount) loadCache() {
	raw, err := files.Read(context.Background(), m.cache, maxCache) // files.Read has its own time limit
	var tools []*mcp.Tool
	if err == nil {
		err = json.Unmarshal(raw, &tools)
	}
	if err == nil {
		m.setTools(tools)
	} // if the file is missing or damaged, the server is started and writes it again
}

// saveCache writes the tools to the cache. Errors are ignored: the next run then starts the server to list its tools.
func (m *Mount) saveCache(tools []*mcp.Tool) {
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
