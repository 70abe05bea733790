package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/usher-browser/usher/internal/api"
)

var pid = os.Getpid()

// status describes the daemon for `usher daemon status`.
func (s *server) status(req *api.Request, streams *Streams) int {
	sessions := s.handler.Sessions()
	slices.Sort(sessions)
	s.mu.Lock()
	active := s.active
	s.mu.Unlock()
	text, err := api.DaemonStatus{
		PID: pid, Build: s.Build, Version: s.Version, Up: time.Since(s.started), Sessions: sessions, Active: active,
		Socket: s.socket, Log: filepath.Join(s.RunDir, LogName),
	}.Append(nil, req.WantsJSON())
	if err != nil {
		return streams.Fail(req, true, err)
	}
	_, _ = streams.Out.Write(text) // the client may have left
	return 0
}
