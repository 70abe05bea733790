package mcp

import (
	"log/slog"
	"os"
	"reflect"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/toolset"
)

// live is what the configuration says of tools, read again when the file has changed: what `usher tools` switches reaches
// the agents that are being served. Which programs bring tools is settled when the serving begins.
type live struct {
	load  func() (*config.Tools, error)
	setUp func(*config.Tools) (*toolset.Setup, error)
	log   *slog.Logger

	mu      sync.Mutex
	conf    *config.Tools  // guarded by mu
	setup   *toolset.Setup // guarded by mu
	changed time.Time      // guarded by mu: when the file was, as of the last look; zero where there is none
	size    int64          // guarded by mu
}

// start reads the configuration for the first time.
func (l *live) start(conf *config.Tools, setup *toolset.Setup) {
	l.conf, l.setup = conf, setup
	l.changed, l.size = stamp(conf.Path)
}

func stamp(path string) (changed time.Time, size int64) {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}, 0
	}
	return info.ModTime(), info.Size()
}

// look reads the file again if it has changed. A file that cannot be read, or says what makes no sense, changes nothing.
func (l *live) look() (*config.Tools, *toolset.Setup) {
	l.mu.Lock()
	defer l.mu.Unlock()
	changed, size := stamp(l.conf.Path)
	if changed.Equal(l.changed) && size == l.size {
		return l.conf, l.setup
	}
	l.changed, l.size = changed, size
	conf, err := l.load()
	if err == nil {
		var setup *toolset.Setup
		if setup, err = l.setUp(conf); err == nil {
			if !reflect.DeepEqual(conf.Servers, l.conf.Servers) || !reflect.DeepEqual(conf.Plugins, l.conf.Plugins) {
				l.log.Warn("the configuration names other servers or plugins now; they are used at the next start", "file", conf.Path)
				conf.Servers, conf.Plugins = l.conf.Servers, l.conf.Plugins
			}
			l.conf, l.setup = conf, setup
		}
	}
	if err != nil {
		l.log.Warn("the configuration was changed and cannot be used; what it said before holds", "file", l.conf.Path, "error", err)
	}
	return l.conf, l.setup
}

// tools are those selected now.
func (l *live) tools() []tool.Tool {
	_, setup := l.look()
	return setup.Tools()
}

// confirms says whether the person is asked before a tool is called.
func (l *live) confirms(name string) bool {
	conf, _ := l.look()
	return conf.Confirms(name)
}
