package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/usher-browser/usher/internal/verb"
)

// Tools is what the configuration file says of the tools that agents are offered. Only
// the user's own file counts, or the one named with --config: a file that lies in a
// project could start programs.
type Tools struct {
	// Path is the file that was read, or that would be: it need not exist.
	Path string
	// Toolsets is the selection for platforms without one of their own; nil where the
	// key is absent, which is something else than an empty list.
	Toolsets []string
	// Platforms are the selections of single platforms.
	Platforms map[string][]string
	// Custom are toolsets of the user's making, in the order of the file.
	Custom []CustomToolset
	// Disabled are the toolsets that are off on every platform.
	Disabled []string
	// Switches are single tools on or off everywhere; PlatformSwitches, which win, on
	// one platform.
	Switches         map[string]bool
	PlatformSwitches map[string]map[string]bool
	// Servers and Plugins are programs that bring tools, in the order of the file.
	Servers, Plugins []Server
	// Confirm are patterns of the names of tools that are called only after the person has allowed it.
	Confirm []string
	// Vision is the model that looks at images for clients that have none; nil for none.
	Vision *VisionModel
	// Warnings are what was passed over and why.
	Warnings []string
}

// CustomToolset is a toolset of the user's making.
type CustomToolset struct {
	Name  string
	Parts []string
	Line  int
}

// Server is a program, or an address, that brings tools.
type Server struct {
	Name string
	// Command with Args is started in Dir, with Env besides the variables that every
	// program needs; or else URL is called, with Headers.
	Command string
	Args    []string
	Env     map[string]string
	Dir     string
	URL     string
	Headers map[string]string
	// Off says that it is configured and not to be used.
	Off bool
	// Include and Exclude are patterns of the names of its tools; none means all.
	Include, Exclude []string
	// Provides says which built-in names it stands in for, each with its own name for
	// the tool. The name of a toolset means all of its tools under the same names.
	Provides map[string]string
	// Timeout bounds a call, StartTimeout the start.
	Timeout, StartTimeout time.Duration
	Line                  int
}

// The bounds of a server that says nothing else.
const (
	callTimeout  = 2 * time.Minute
	startTimeout = time.Minute
)

// toolKeys are the keys that [LoadTools] reads; they are no settings.
func toolKeys() []string {
	return []string{"toolsets", "platform_toolsets", "custom_toolsets", "disabled_toolsets", "tools", "platform_tools", "mcp_servers", "plugins",
		"confirm_tools", "vision_model"}
}

func toolKey(key string) bool {
	return slices.ContainsFunc(toolKeys(), func(k string) bool { return plain(k) == plain(key) })
}

// LoadTools reads what the configuration says of tools. The error is an *Error.
func LoadTools(src Source) (*Tools, error) {
	path, data, err := toolsFile(src)
	if err != nil {
		return nil, err
	}
	t := &Tools{Path: path}
	root, bad := parseNode(data)
	if bad == nil {
		bad = t.read(root, src)
	}
	if bad != nil {
		bad.Path = path
		return nil, bad
	}
	return t, nil
}

// toolsFile finds the file and reads it; no data where there is none yet.
func toolsFile(src Source) (path string, data []byte, err error) {
	if path, err = namedFile(src); err != nil {
		return "", nil, err
	}
	candidates := []string{path}
	if path == "" {
		own := src
		own.Mode = verb.Usher
		if candidates, err = userFiles(own); err != nil {
			return "", nil, &Error{Code: invalidConfig, Message: err.Error()}
		}
	}
	for _, c := range candidates {
		data, err := read(c)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", nil, &Error{Code: invalidConfig, Message: "read the configuration file: " + cause(err), Path: c}
		}
		return c, data, nil
	}
	return candidates[0], nil, nil
}

// parseNode reads YAML, of which JSON is a part; nil for an empty file.
func parseNode(data []byte) (*yaml.Node, *Error) {
	root, bad := yamlRoot(data)
	if bad != nil || root == nil {
		return nil, bad
	}
	if _, bad := yamlEntries("", root); bad != nil {
		return nil, bad
	}
	return root, nil
}

// pair is a key and a value of a mapping.
type pair struct {
	key   string
	line  int
	value *yaml.Node
}

// pairs are the members of a mapping. A key may not stand there twice.
func pairs(n *yaml.Node, what string) ([]pair, *Error) {
	n = resolved(n)
	if null(n) {
		return nil, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, wrong(n, what, "a list of names, each with its value")
	}
	var out []pair
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if slices.ContainsFunc(out, func(p pair) bool { return p.key == k.Value }) {
			return nil, &Error{Code: invalidConfig, Message: what + ": " + k.Value + " is there twice", Line: k.Line}
		}
		out = append(out, pair{k.Value, k.Line, resolved(n.Content[i+1])})
	}
	return out, nil
}

func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func wrong(n *yaml.Node, what, wanted string) *Error {
	return &Error{Code: invalidConfig, Message: what + " should be " + wanted, Line: n.Line}
}

// list reads names; one name alone will do. nil for null.
func list(n *yaml.Node, what string) ([]string, *Error) {
	if null(n) {
		return nil, nil
	}
	out := []string{}
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	for _, item := range items {
		if item = resolved(item); item.Kind != yaml.ScalarNode || null(item) {
			return nil, wrong(item, what, "a list of plain words")
		}
		out = append(out, item.Value)
	}
	return out, nil
}

// truthOf reads on and off.
func truthOf(n *yaml.Node, what string) (bool, *Error) {
	if n.Kind == yaml.ScalarNode {
		switch strings.ToLower(n.Value) {
		case "true", "on", "yes":
			return true, nil
		case "false", "off", "no":
			return false, nil
		}
	}
	return false, wrong(n, what, "true or false")
}

func (t *Tools) read(root *yaml.Node, src Source) (bad *Error) {
	if root == nil {
		return nil
	}
	top, bad := pairs(root, "the file")
	if bad != nil {
		return bad
	}
	for _, p := range top {
		switch plain(p.key) {
		case "toolsets":
			t.Toolsets, bad = list(p.value, p.key)
		case "disabledtoolsets":
			t.Disabled, bad = list(p.value, p.key)
		case "platformtoolsets":
			bad = t.readPlatforms(p)
		case "customtoolsets":
			bad = t.readCustom(p)
		case "tools":
			t.Switches, bad = switches(p.value, p.key)
		case "platformtools":
			t.PlatformSwitches = map[string]map[string]bool{}
			bad = each(p, func(q pair) (bad *Error) {
				t.PlatformSwitches[q.key], bad = switches(q.value, p.key+"."+q.key)
				return bad
			})
		case "mcpservers":
			t.Servers, bad = t.readServers(p, src)
		case "plugins":
			t.Plugins, bad = t.readServers(p, src)
		case "confirmtools":
			bad = t.readConfirm(p)
		case "visionmodel":
			bad = t.readVision(p, src)
		}
		if bad != nil {
			return bad
		}
	}
	return nil
}

func each(p pair, do func(pair) *Error) *Error {
	members, bad := pairs(p.value, p.key)
	for _, q := range members {
		if bad == nil {
			bad = do(q)
		}
	}
	return bad
}

// readPlatforms reads a list for each platform. null means what it means everywhere:
// as if the key were not there.
func (t *Tools) readPlatforms(p pair) *Error {
	t.Platforms = map[string][]string{}
	return each(p, func(q pair) *Error {
		names, bad := list(q.value, p.key+"."+q.key)
		if names != nil {
			t.Platforms[q.key] = names
		}
		return bad
	})
}

func (t *Tools) readCustom(p pair) *Error {
	return each(p, func(q pair) *Error {
		parts, bad := list(q.value, p.key+"."+q.key)
		t.Custom = append(t.Custom, CustomToolset{q.key, parts, q.line})
		return bad
	})
}

func switches(n *yaml.Node, what string) (map[string]bool, *Error) {
	out := map[string]bool{}
	bad := each(pair{what, n.Line, n}, func(q pair) (bad *Error) {
		out[q.key], bad = truthOf(q.value, what+"."+q.key)
		return bad
	})
	return out, bad
}

func (t *Tools) readServers(p pair, src Source) (out []Server, bad *Error) {
	bad = each(p, func(q pair) *Error {
		s := Server{Name: q.key, Line: q.line, Timeout: callTimeout, StartTimeout: startTimeout}
		r := serverReader{t: t, s: &s, src: src, what: p.key + "." + q.key}
		if bad := r.name(); bad != nil {
			return bad
		}
		if bad := each(pair{r.what, q.line, q.value}, r.member); bad != nil {
			return bad
		}
		if (s.Command == "") == (s.URL == "") {
			return &Error{Code: invalidConfig, Message: r.what + " needs either a command or a url", Line: q.line}
		}
		out = append(out, s)
		return nil
	})
	return out, bad
}

// serverReader reads one server.
type serverReader struct {
	t    *Tools
	s    *Server
	src  Source
	what string
}

// name holds the name to what the names of tools are made of.
func (r *serverReader) name() *Error {
	ok := r.s.Name != "" && !strings.Contains(r.s.Name, "__") && len(r.s.Name) <= 40
	for _, c := range r.s.Name {
		ok = ok && (c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z')
	}
	if ok {
		return nil
	}
	return &Error{Code: invalidConfig, Message: fmt.Sprintf("%q cannot be the name of a server: it is part of the names of its tools", r.s.Name),
		Line: r.s.Line, Hint: "Use at most 40 letters, digits, - and single _."}
}

func (r *serverReader) member(p pair) (bad *Error) {
	what := r.what + "." + p.key
	switch plain(p.key) {
	case "command":
		if r.s.Command, bad = r.word(p, what); bad == nil && strings.ContainsAny(r.s.Command, `/\`) { // a bare name is looked for in PATH
			r.s.Command, bad = r.path(p, r.s.Command, what)
		}
	case "args":
		r.s.Args, bad = r.words(p, what)
	case "env":
		r.s.Env, bad = r.texts(p, what)
	case "cwd":
		if r.s.Dir, bad = r.word(p, what); bad == nil {
			r.s.Dir, bad = r.path(p, r.s.Dir, what)
		}
	case "url":
		r.s.URL, bad = r.address(p, what)
	case "headers":
		r.s.Headers, bad = r.texts(p, what)
	case "enabled":
		r.s.Off, bad = truthOf(p.value, what)
		r.s.Off = !r.s.Off
	case "include":
		r.s.Include, bad = list(p.value, what)
	case "exclude":
		r.s.Exclude, bad = list(p.value, what)
	case "tools":
		bad = each(pair{what, p.line, p.value}, func(q pair) *Error {
			if plain(q.key) == "include" || plain(q.key) == "exclude" {
				return r.member(q)
			}
			r.unknown(q, []string{"include", "exclude"})
			return nil
		})
	case "provides":
		r.s.Provides, bad = provides(p, what)
	case "timeout":
		r.s.Timeout, bad = span(p, what)
	case "connecttimeout", "starttimeout":
		r.s.StartTimeout, bad = span(p, what)
	default:
		r.unknown(p, []string{"command", "args", "env", "cwd", "url", "headers", "enabled", "include", "exclude", "provides", "timeout", "start_timeout"})
	}
	return bad
}

func (r *serverReader) unknown(p pair, known []string) {
	hint := ""
	if near := verb.Nearest(p.key, known); len(near) > 0 {
		hint = "; did you mean " + near[0] + "?"
	}
	r.t.Warnings = append(r.t.Warnings, fmt.Sprintf("unknown key %q of %s in %s:%d%s", p.key, r.what, r.t.Path, p.line, hint))
}

func (r *serverReader) word(p pair, what string) (string, *Error) {
	if p.value.Kind != yaml.ScalarNode || p.value.Value == "" {
		return "", wrong(p.value, what, "a text")
	}
	return r.expand(p.value, what)
}

// path makes a path absolute, from the directory of the file.
func (r *serverReader) path(p pair, path, what string) (string, *Error) {
	full, err := resolvePath("", path, filepath.Dir(r.t.Path), r.src)
	if err != nil {
		return "", &Error{Code: invalidConfig, Message: what + ": " + err.Error(), Line: p.line}
	}
	return full, nil
}

func (r *serverReader) words(p pair, what string) ([]string, *Error) {
	out, bad := list(p.value, what)
	for i := range out {
		if bad == nil {
			out[i], bad = r.expand(&yaml.Node{Value: out[i], Line: p.line}, what)
		}
	}
	return out, bad
}

func (r *serverReader) texts(p pair, what string) (map[string]string, *Error) {
	out := map[string]string{}
	bad := each(pair{what, p.line, p.value}, func(q pair) (bad *Error) {
		if q.value.Kind != yaml.ScalarNode {
			return wrong(q.value, what+"."+q.key, "a text")
		}
		out[q.key], bad = r.expand(q.value, what+"."+q.key)
		return bad
	})
	return out, bad
}

// expand puts variables of the environment in the place of ${NAME}, so that keys need
// not stand in the file. One that is not set leaves the server out of use; that it is
// missing is told where the server is started.
func (r *serverReader) expand(n *yaml.Node, what string) (string, *Error) {
	var out strings.Builder
	rest := n.Value
	for {
		before, after, found := strings.Cut(rest, "${")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, tail, closed := strings.Cut(after, "}")
		if !closed || name == "" {
			return "", &Error{Code: invalidConfig, Message: what + " has a ${ without a name and a }", Line: n.Line}
		}
		value, ok := r.src.Env(name)
		if !ok {
			r.t.Warnings = append(r.t.Warnings, fmt.Sprintf("%s needs the environment variable %s, which is not set", what, name))
		}
		out.WriteString(value)
		rest = tail
	}
}

// span reads a time as Hermes writes it, a number of seconds, or with a unit.
func span(p pair, what string) (time.Duration, *Error) {
	text := p.value.Value
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		text = strconv.FormatFloat(n, 'f', -1, 64) + "s"
	}
	d, err := verb.ParseDuration(text)
	if err != nil || d <= 0 || p.value.Kind != yaml.ScalarNode {
		return 0, wrong(p.value, what, "a time: a number of seconds, or with a unit such as 500ms or 2m")
	}
	return d, nil
}

// provides reads names of the reference, or pairs of such a name and the server's own.
func provides(p pair, what string) (map[string]string, *Error) {
	out := map[string]string{}
	if p.value.Kind == yaml.MappingNode {
		bad := each(pair{what, p.line, p.value}, func(q pair) *Error {
			if q.value.Kind != yaml.ScalarNode {
				return wrong(q.value, what+"."+q.key, "the name of a tool of the server")
			}
			out[q.key] = q.value.Value
			return nil
		})
		return out, bad
	}
	names, bad := list(p.value, what)
	for _, name := range names {
		out[name] = name
	}
	return out, bad
}

// SwitchesOf are the switches in force on a platform.
func (t *Tools) SwitchesOf(platform string) map[string]bool {
	out := maps.Clone(t.Switches)
	if out == nil {
		out = map[string]bool{}
	}
	maps.Copy(out, t.PlatformSwitches[platform])
	return out
}
