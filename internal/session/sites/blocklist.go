package sites

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/policy"
)

// Blocklists caches the last blocklist that was read, while its files are unchanged.
type Blocklists struct {
	mu   sync.Mutex
	key  string            // guarded by mu
	list *policy.Blocklist // guarded by mu
}

// maxList bounds a blocklist file, in bytes.
const maxList = 32 << 20

// Of returns the blocklist of the settings. An unreadable file or an invalid line is an error: an incomplete list would
// not block what the user expects.
func (b *Blocklists) Of(ctx context.Context, set *config.Settings) (*policy.Blocklist, error) {
	hosts, paths := set.List("blocked-sites"), set.List("blocked-sites-file")
	if len(hosts)+len(paths) == 0 {
		return nil, nil
	}
	where := set.Value("blocked-sites").Where
	parts := append([]string{where}, hosts...)
	for _, path := range paths {
		fi, err := files.Stat(ctx, path)
		if err != nil {
			return nil, err
		}
		parts = append(parts, fmt.Sprint(path, fi.Size(), fi.ModTime().UnixNano()))
	}
	key := strings.Join(parts, "\x00")
	b.mu.Lock()
	defer b.mu.Unlock()
	if key == b.key && b.list != nil {
		return b.list, nil
	}
	list := &policy.Blocklist{}
	for _, h := range hosts {
		if err := list.Add(where, h); err != nil {
			return nil, err
		}
	}
	for _, path := range paths {
		text, err := files.Read(ctx, path, maxList)
		if err != nil {
			return nil, err
		}
		if err := list.Add(path, strings.Split(string(text), "\n")...); err != nil {
			return nil, err
		}
	}
	b.key, b.list = key, list
	return list, nil
}
