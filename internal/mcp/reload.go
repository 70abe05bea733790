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

// reloader is the tools configuration, read again when its file has changed. Changes by `usher tools`, and servers and
// plugins that are added or removed, take effect for connected clients.
type reloader struct {
	load       func() (*config.Tools, error)
	change     func(*config.Tools) (*toolset.Setup, error)
	stampTrust func() string // returns another value after the person has agreed to a server or plugin
	log        *slog.Logger

	refreshing sync.Mutex
	modTime    time.Time // guarded by refreshing: the file's modification time when last checked; zero if it does not exist
	size       int64     // guarded by refreshing
	trustStamp string    // guarded by refreshing: the last value of stampTrust

	mu    sync.Mutex
	conf  *config.Tools  // guarded by mu
	setup *toolset.Setup // guarded by mu
}

// start sets the initial configuration.
func (r *reloader) start(conf *config.Tools, setup *toolset.Setup) {
	r.conf, r.setup = conf, setup
	r.modTime, r.size = stampFile(conf.Path)
	r.trustStamp = r.stampTrust()
}

func stampFile(path string) (changed time.Time, size int64) {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}, 0
	}
	return info.ModTime(), info.Size()
}

// refresh reads the file again if it has changed. A file that is unreadable or invalid is logged, and the previous
// configuration stays. If another refresh is running, this one returns at once: a server that starts during a refresh
// calls refresh, too.
func (r *reloader) refresh() {
	if !r.refreshing.TryLock() {
		return
	}
	defer r.refreshing.Unlock()
	r.reload()
}

// reload reads the file until it no longer changes. The caller holds refreshing.
func (r *reloader) reload() {
	for { // until the file has not changed meanwhile
		before, _ := r.current()
		changed, size := stampFile(before.Path)
		agreed := r.stampTrust()
		if changed.Equal(r.modTime) && size == r.size && agreed == r.trustStamp {
			return
		}
		r.modTime, r.size, r.trustStamp = changed, size, agreed
		if err := r.apply(); errors.Is(err, toolset.ErrClosed) {
			return // the server is closing
		} else if err != nil {
			r.log.Warn("the changed configuration cannot be used; the previous one stays in effect", "file", before.Path, "error", err)
		}
	}
}

// apply loads the file and applies it. The caller holds refreshing.
func (r *reloader) apply() error {
	conf, err := r.load()
	if err != nil {
		return err
	}
	setup, err := r.change(conf)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.conf, r.setup = conf, setup
	r.mu.Unlock()
	return nil
}

func (r *reloader) current() (*config.Tools, *toolset.Setup) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.conf, r.setup
}

// tools returns the tools that are selected at present.
func (r *reloader) tools() []tool.Tool {
	_, setup := r.current()
	return setup.Tools()
}

// needsConfirmation reports whether the person must confirm calls of a tool. It waits for a running refresh, so that no
// call avoids a new confirm_tools entry.
func (r *reloader) needsConfirmation(name string) bool {
	r.refreshing.Lock()
	r.reload()
	r.refreshing.Unlock()
	conf, _ := r.current()
	return conf.Confirms(name)
}

// watchDelay is how long a file must be unchanged before it is read: editors may write it in several steps.
const watchDelay = 50 * time.Millisecond

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
					later = time.After(watchDelay)
				}
			case err, open := <-w.Errors:
				if open {
					log.Debug("watching the configuration", "file", path, "error", err)
				}
			case <-later:
				later = nil
				func() {
					defer fault.Recover(func(e *fault.Error) { logPanic(log, "the configuration", e) })
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
