package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	logFile := filepath.Join(s.RunDir, LogName)
	up := time.Since(s.started).Round(time.Second)
	var text []byte
	if req.WantsJSON() {
		var err error
		text, err = api.Envelope{Data: map[string]any{
			"active": active, "build": s.Build, "log": logFile, "pid": pid, "sessions": append([]string{}, sessions...),
			"socket": s.socket, "uptimeSeconds": int(up.Seconds()), "version": s.Version,
		}}.Append(nil)
		if err != nil {
			return streams.fail(req, true, err)
		}
		text = append(text, '\n')
	} else {
		names := strings.Join(sessions, ", ")
		if names == "" {
			names = "none"
		}
		text = fmt.Appendf(nil, "running:  pid %d, version %s, for %s\nsessions: %s\ncommands: %d\nsocket:   %s\nlog:      %s\n",
			pid, s.Version, up, names, active, s.socket, logFile)
	}
	_, _ = streams.Out.Write(text) // a client that left does not mind
	return 0
}
