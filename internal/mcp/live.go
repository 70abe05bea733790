package mcp

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/toolset"
)

// live is the tools configuration, read again when its file has changed. Changes by `usher tools`, and servers and
// plugins that are added or removed, take effect for connected clients.
type live struct {
	load   func() (*config.Tools, error)
	change func(*config.Tools) (*toolset.Setup, error)
	agreed func() string // returns another value after the person has agreed to a server or plugin
	log    *slog.Logger

	refreshing sync.Mutex
	changed    time.Time // guarded by refreshing: the file's modification time when last checked; zero if it does not exist
	size       int64     // guarded by refreshing
	stamped    string    // guarded by refreshing: the last value of agreed

	mu    sync.Mutex
	conf  *config.Tools  // guarded by mu
	setup *toolset.Setup // guarded by mu
}

// start sets the initial configuration.
func (l *live) start(conf *config.Tools, setup *toolset.Setup) {
	l.conf, l.setup = conf, setup
	l.changed, l.size = stamp(conf.Path)
	l.stamped = l.agreed()
}

func stamp(path string) (changed time.Time, size int64) {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}, 0
	}
	return info.ModTime(), info.Size()
}

// refresh reads the file again if it has changed. A file that is unreadable or invalid is logged, and the previous
// configuration stays. If another refresh is running, this one returns at once: a server that starts during a refresh
// calls refresh, too.
func (l *live) refresh() {
	if !l.refreshing.TryLock() {
		return
	}
	defer l.refreshing.Unlock()
	l.catchUp()
}

// catchUp reads the file until it no longer changes. The caller holds refreshing.
func (l *live) catchUp() {
	for { // until the file has not changed meanwhile
		before, _ := l.now()
		changed, size := stamp(before.Path)
		agreed := l.agreed()
		if changed.Equal(l.changed) && size == l.size && agreed == l.stamped {
			return
		}
		l.changed, l.size, l.stamped = changed, size, agreed
		if err := l.read(); errors.Is(err, toolset.ErrClosed) {
			return // the server is closing
		} else if err != nil {
			l.log.Warn("the changed configuration cannot be used; the previous one stays in effect", "file", before.Path, "error", err)
		}
	}
}

// read loads the file and applies it. The caller holds refreshing.
func (l *live) read() error {
	conf, err := l.load()
	if err != nil {
		return err
	}
	setup, err := l.change(conf)
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.conf, l.setup = conf, setup
	l.mu.Unlock()
	return nil
}

func (l *live) now() (*config.Tools, *toolset.Setup) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conf, l.setup
}

// tools returns the tools that are selected at present.
func (l *live) tools() []tool.Tool {
	_, setup := l.now()
	return setup.Tools()
}

// confirms reports whether the person must confirm calls of a tool. It waits for a running refresh, so that no call
// avoids a new confirm_tools entry.
func (l *live) confirms(name string) bool {
	l.refreshing.Lock()
	l.catchUp()
	l.refreshing.Unlock()
	conf, _ := l.now()
	return conf.Confirms(name)
}

// settled is how long a file must be unchanged before it is read: editors may write it in several steps.
const settled = 50 * time.Millisecond

// watch calls changed after each change of the file at path, which need not exist, and of files in dir, unless that is
// "". It returns stop, which ends the watch and waits. If the system cannot watch files, changed is never called; the
// file is then only checked at each call of a tool.
func watch(path, dir string, log *slog.Logger, changed func()) (stop func()) {
	w, err := fsnotify.NewWatcher()
	if err == nil {
		if err = w.Add(filepath.Dir(path)); err != nil { // watch the directory, because editors replace the file
			_ = w.Close() // it watches nothing yet
		}
	}
	if err == nil && dir != "" {
		if err = w.Add(dir); err != nil {
			_ = w.Close() // as above
		}
	}
	if err != nil {
		log.Debug("the configuration is not watched; it is checked at every call", "file", path, "error", err)
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		var later <-chan time.Time
		for {
			select {
			case e, open := <-w.Events:
				if !open {
					return
				}
				if filepath.Clean(e.Name) == filepath.Clean(path) || dir != "" && filepath.Dir(e.Name) == dir {
					later = time.After(settled)
				}
			case err, open := <-w.Errors:
				if open {
					log.Debug("watching the configuration", "file", path, "error", err)
				}
			case <-later:
				later = nil
				func() {
					defer fault.Recover(func(e *fault.Error) { panicked(log, "the configuration", e) })
					changed()
				}()
			}
		}
	}()
	return func() {
		_ = w.Close() // ends the goroutine, even with an error
		<-done
	}
}
