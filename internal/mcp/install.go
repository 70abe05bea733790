package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/verb"
)

// entryName is the server's name in a client's configuration.
const entryName = "usher"

// clientConfig is where a client configures its MCP servers.
type clientConfig struct {
	path string
	// key is the member with the object of servers by name.
	key string
	// fields are members of an entry besides command and args.
	fields tool.Object
	toml   bool
}

// system is the environment on which the paths depend.
type system struct {
	os, home, cwd string
	getenv        func(string) string
}

// settingsDir returns the directory of per-user application settings.
func (s *system) settingsDir() string {
	switch s.os {
	case "darwin":
		return filepath.Join(s.home, "Library", "Application Support")
	case "windows":
		if dir := s.getenv("APPDATA"); dir != "" {
			return dir
		}
		return filepath.Join(s.home, "AppData", "Roaming")
	}
	if dir := s.getenv("XDG_CONFIG_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(s.home, ".config")
}

// configOf returns the configuration file of a client. The paths are from the clients' documentation as of November
// 2026.
func (s *system) configOf(client string, project bool) (clientConfig, error) {
	stdio := tool.Object{{Name: "type", Value: "stdio"}}
	user, inProject := map[string]clientConfig{
		"claude":         {path: filepath.Join(s.home, ".claude.json"), key: "mcpServers", fields: stdio},
		"claude-desktop": {path: filepath.Join(s.settingsDir(), "Claude", "claude_desktop_config.json"), key: "mcpServers"},
		"codex":          {path: filepath.Join(s.home, ".codex", "config.toml"), key: "mcp_servers", toml: true},
		"cursor":         {path: filepath.Join(s.home, ".cursor", "mcp.json"), key: "mcpServers"},
		"vscode":         {path: filepath.Join(s.settingsDir(), "Code", "User", "mcp.json"), key: "servers", fields: stdio},
		"windsurf":       {path: filepath.Join(s.home, ".codeium", "windsurf", "mcp_config.json"), key: "mcpServers"},
		"gemini":         {path: filepath.Join(s.home, ".gemini", "settings.json"), key: "mcpServers"},
		"zed":            {path: filepath.Join(s.settingsDir(), "zed", "settings.json"), key: "context_servers"},
	}, map[string]string{
		"claude": ".mcp.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json", "vscode": ".vscode/mcp.json",
		"gemini": ".gemini/settings.json", "zed": ".zed/settings.json",
	}
	p, ok := user[client]
	if !ok {
		return clientConfig{}, api.Errorf(api.InvalidArgument, "mcp install needs --client: the program to add usher to").
			WithHint("Run `usher mcp install --help` for the list.")
	}
	if project {
		if inProject[client] == "" {
			return clientConfig{}, api.Errorf(api.InvalidArgument, "%s has no project configuration; omit --project", client)
		}
		p.path = filepath.Join(s.cwd, filepath.FromSlash(inProject[client]))
	}
	return p, nil
}

// Install implements `mcp install`.
func Install(req *api.Request, call *verb.Call) (data any, text string, err error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, "", api.Errorf(api.FileNotFound, "find the home directory: %w", err)
	}
	s := system{runtime.GOOS, home, req.Cwd, os.Getenv}
	p, err := s.configOf(call.Str("client"), call.Bool("project"))
	if err != nil {
		return nil, "", err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, "", api.Errorf(api.Internal, "find this program's own file: %w", err)
	}
	args := []string{}
	if session := call.Str("session"); call.Has("session") {
		args = append(args, "--session", session)
	}
	if err := requireSiteGuard(call); err != nil {
		return nil, "", err
	}
	args = append(args, absolutePaths(call.Globals.Without("session", "json"), req.Cwd).Argv()...)
	args = append(args, "mcp")
	for _, flag := range []string{"results", "images", "platform"} {
		if given := call.Str(flag); given != "" {
			args = append(args, "--"+flag, given)
		}
	}
	if names := call.List("toolsets"); len(names) > 0 {
		args = append(args, "--toolsets", strings.Join(names, ","))
	}
	before, err := files.Read(context.Background(), p.path, 32<<20) // files.Read has its own time limit
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", api.Errorf(api.FileNotFound, "read the configuration of %s: %w", call.Str("client"), err)
	}
	after, err := p.withEntry(before, program, args)
	if err != nil {
		return nil, "", err
	}
	out := Installed{Client: call.Str("client"), Path: p.path}
	switch {
	case call.Bool("print"):
		out.Text = string(after)
		return out, fmt.Sprintf("# %s\n%s", p.path, bytes.TrimRight(after, "\n")), nil
	case bytes.Equal(before, after):
		return out, "✓ " + p.path + " has it already", nil
	}
	if err := replace(p.path, after); err != nil {
		return nil, "", err
	}
	out.Written = true
	return out, "✓ Added usher to " + p.path + "\n  Restart " + call.Str("client") + ", or reload its servers", nil
}

// withEntry returns the file with the entry added or replaced. Everything else is unchanged, comments included.
func (p *clientConfig) withEntry(file []byte, program string, args []string) ([]byte, error) {
	if p.toml {
		return p.withTOML(string(file), program, args)
	}
	entry := append(append(tool.Object{}, p.fields...), tool.Member{Name: "command", Value: program}, tool.Member{Name: "args", Value: args})
	if len(bytes.TrimSpace(file)) == 0 {
		file = []byte("{}\n")
	}
	doc, err := hujson.Parse(file)
	if err != nil {
		return nil, p.invalidFile(err)
	}
	steps := []tool.Object{}
	if doc.Find("/"+p.key) == nil {
		steps = append(steps, patch("/"+p.key, tool.Object{}))
	}
	steps = append(steps, patch("/"+p.key+"/"+entryName, entry))
	raw, err := json.Marshal(steps)
	if err != nil {
		return nil, fmt.Errorf("describe the change: %w", err)
	}
	if err := doc.Patch(raw); err != nil {
		return nil, p.invalidFile(err)
	}
	p.formatEntry(&doc)
	out := doc.Pack()
	if len(out) == 0 || out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return out, nil
}

// formatEntry puts added members on lines of their own, indented as in the rest of the file.
func (p *clientConfig) formatEntry(doc *hujson.Value) {
	root, ok := doc.Value.(*hujson.Object)
	if !ok {
		return
	}
	indent := "  "
	if len(root.Members) > 0 {
		if before := string(root.Members[0].Name.BeforeExtra); strings.Contains(before, "\n") {
			indent = before[strings.LastIndexByte(before, '\n')+1:]
		}
	}
	onOwnLine(root, p.key, indent, "")
	if servers, ok := doc.Find("/" + p.key).Value.(*hujson.Object); ok {
		onOwnLine(servers, entryName, indent+indent, indent)
		if entry, ok := doc.Find("/" + p.key + "/" + entryName).Value.(*hujson.Object); ok {
			for i := range entry.Members {
				if i > 0 {
					entry.Members[i].Name.BeforeExtra = hujson.Extra(" ")
				}
				entry.Members[i].Value.BeforeExtra = hujson.Extra(" ")
			}
		}
	}
}

// onOwnLine puts a member that was added without whitespace, and the closing brace, on lines of their own.
func onOwnLine(o *hujson.Object, name, indent, outer string) {
	for i := range o.Members {
		m := &o.Members[i]
		if lit, ok := m.Name.Value.(hujson.Literal); !ok || lit.String() != name || len(m.Name.BeforeExtra) > 0 {
			continue
		}
		m.Name.BeforeExtra, m.Value.BeforeExtra = hujson.Extra("\n"+indent), hujson.Extra(" ")
		if len(o.AfterExtra) == 0 || !bytes.Contains(o.AfterExtra, []byte("\n")) {
			o.AfterExtra = append(o.AfterExtra, "\n"+outer...)
		}
	}
}

func patch(path string, value any) tool.Object {
	return tool.Object{{Name: "op", Value: "add"}, {Name: "path", Value: path}, {Name: "value", Value: value}}
}

func (p *clientConfig) invalidFile(err error) error {
	return api.Errorf(api.InvalidArgument, "%s is not valid, so it was not changed: %w", p.path, err).
		WithHint("Fix the file, or add the server by hand: --print with an empty file shows how.")
}

// withTOML replaces the entry's table in a TOML file, or appends it.
func (p *clientConfig) withTOML(file, program string, args []string) ([]byte, error) {
	var parsed map[string]any
	if err := toml.Unmarshal([]byte(file), &parsed); err != nil {
		return nil, p.invalidFile(err)
	}
	quoted := []string{}
	for _, a := range args {
		quoted = append(quoted, strconv.Quote(a))
	}
	head := "[" + p.key + "." + entryName + "]"
	table := head + "\ncommand = " + strconv.Quote(program) + "\nargs = [" + strings.Join(quoted, ", ") + "]\n"
	lines := strings.SplitAfter(file, "\n")
	var out strings.Builder
	replaced := false
	for i := 0; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) != head {
			out.WriteString(lines[i])
			continue
		}
		for i+1 < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[i+1]), "[") {
			i++
		}
		out.WriteString(table)
		if i+1 < len(lines) {
			out.WriteString("\n")
		}
		replaced = true
	}
	if !replaced {
		if file != "" && !strings.HasSuffix(file, "\n") {
			out.WriteString("\n")
		}
		if file != "" {
			out.WriteString("\n")
		}
		out.WriteString(table)
	}
	if err := toml.Unmarshal([]byte(out.String()), &parsed); err != nil {
		return nil, p.invalidFile(err)
	}
	return []byte(out.String()), nil
}

// replace writes a file atomically. If path is a symbolic link, its target is replaced and the link stays.
func replace(path string, content []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return api.Errorf(api.FileWriteFailed, "write %s: %w", path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".usher-*")
	if err != nil {
		return api.Errorf(api.FileWriteFailed, "write %s: %w", path, err)
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return api.Errorf(api.FileWriteFailed, "write %s: %w", path, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// absolutePaths makes paths in flags absolute, because clients start the server in any directory.
func absolutePaths(flags verb.Globals, cwd string) verb.Globals {
	for _, f := range verb.GlobalFlags() {
		if f.Kind == verb.Path && flags.Has(f.Name) {
			flags = flags.Replaced(f.Name, func(path string) string {
				if filepath.IsAbs(path) || strings.HasPrefix(path, "~") {
					return path
				}
				return filepath.Join(cwd, path)
			})
		}
	}
	return flags
}
