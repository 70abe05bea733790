package mcp

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/config/protect"
	"github.com/usher-browser/usher/internal/tool"
)

// protectedPaths returns a function for [tool.Host].Protected: usher's own directories, paths named in the settings,
// and the programs of the configured servers and plugins. An agent that can overwrite a plugin's program can run any
// program.
func (p *Process) protectedPaths(set *config.Settings, current func() *config.Tools) func(*tool.Host) *protect.Paths {
	return func(h *tool.Host) *protect.Paths {
		conf := current()
		x := protect.Extra{Own: []string{conf.Path, p.Places.Home, p.Places.Run, filepath.Dir(p.Places.Socket), p.Places.Cache}, Opened: h.Roots,
			Output: []string{p.Places.Artifacts, filepath.Join(p.Places.Home, "downloads", set.Str("namespace"), h.Session)}}
		for _, name := range []string{"profile", "record", "config"} {
			x.Own = append(x.Own, set.List(name)...)
		}
		for _, name := range []string{"blocked-sites-file", "executable-path"} {
			x.Files = append(x.Files, set.List(name)...)
		}
		for _, servers := range [][]config.Server{conf.Servers, conf.Plugins} {
			for i := range servers {
				x.Files = append(x.Files, commandFiles(&servers[i], p.Request.Cwd)...)
			}
		}
		return protect.New(p.Request.Getenv, x)
	}
}

// commandFiles returns the files that a server's command names: the executable, and arguments that are paths, because
// one may be a script.
func commandFiles(s *config.Server, cwd string) (files []string) {
	dir := s.Dir
	if dir == "" {
		dir = cwd
	}
	words := append([]string{s.Command}, s.Args...)
	for _, w := range words {
		for _, part := range []string{w, w[strings.LastIndexByte(w, '=')+1:]} {
			if part == "" {
				continue
			}
			if !filepath.IsAbs(part) {
				part = filepath.Join(dir, part)
			}
			if info, err := os.Stat(part); err == nil && info.Mode().IsRegular() {
				files = append(files, part)
			}
		}
	}
	return files
}
