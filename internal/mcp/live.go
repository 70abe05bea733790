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

// live is what the configuration says of tools, read again when the file has changed: what `usher tools` switches, and which
// servers and plugins somebody writes down or takes out, reaches the agents that are being served.
type live struct {
	load   func() (*config.Tools, error)
	change func(*config.Tools) (*toolset.Setup, error)
	agreed func() string // changes when the person agrees to a server or plugin
	log    *slog.Logger

	refreshing sync.Mutex
	changed    time.Time // guarded by refreshing: when the file was, as of the last look; zero where there is none
	size       int64     // guarded by refreshing
	stamped    string    // guarded by refreshing: what agreed was

	mu    sync.Mutex
	conf  *config.Tools  // guarded by mu
	setup *toolset.Setup // guarded by mu
}

// start takes what the configuration said first.
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

// refresh reads the file again if it has changed. A file that cannot be read, or says what makes no sense, changes nothing.
// Where that is going on already it does not wait: what a server does while it starts leads here, too.
func (l *live) refresh() {
	if !l.refreshing.TryLock() {
		return
	}
	defer l.refreshing.Unlock()
	l.catchUp()
}

// catchUp reads what has changed. It needs refreshing.
func (l *live) catchUp() {
	for { // until it has not changed meanwhile
		before, _ := l.now()
		changed, size := stamp(before.Path)
		agreed := l.agreed()
		if changed.Equal(l.changed) && size == l.size && agreed == l.stamped {
			return
		}
		l.changed, l.size, l.stamped = changed, size, agreed
		if err := l.read(); errors.Is(err, toolset.ErrClosed) {
			return // nobody will use what it says
		} else if err != nil {
			l.log.Warn("the changed configuration cannot be used; the previous one stays in effect", "file", before.Path, "error", err)
		}
	}
}

// read takes what the file says now. It needs refreshing.
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

// tools are those selected now.
func (l *live) tools() []tool.Tool {
	_, setup := l.now()
	return setup.Tools()
}

// confirms says whether the person is asked before a tool is called. It waits for what the file says now: a call does not
// slip through while a new configuration is being taken.
func (l *live) confirms(name string) bool {
	l.refreshing.Lock()
	l.catchUp()
	l.refreshing.Unlock()
	conf, _ := l.now()
	return conf.Confirms(name)
}

// settled is how long a file must be left alone before it is read: an editor may write it in several steps.
const settled = 50 * time.Millisecond

// watch has changed called after every change of a file, which need not exist, and in a directory, "" for none, until stop is called, which waits. Where the
// system cannot watch, nothing is called: the file is looked at with every call of an agent besides.
func watch(path, dir string, log *slog.Logger, changed func()) (stop func()) {
	w, err := fsnotify.NewWatcher()
	if err == nil {
		if err = w.Add(filepath.Dir(path)); err != nil { // the directory, for editors put another file in its place
			_ = w.Close() // it watches nothing
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
		_ = w.Close() // it ends the goroutine, whatever else fails
		<-done
	}
}
