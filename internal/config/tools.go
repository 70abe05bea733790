package config

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/settings"
)

// Tools are the settings of the configuration file for the tools that agents are offered. Only the user's own file is
// read, or the one named with --config: a file in a project could start programs.
type Tools struct {
	// Path is the file that was read, or that would be: it need not exist.
	Path string
	// Toolsets is the selection for platforms without one of their own; nil if the key is absent, which differs from an
	// empty list.
	Toolsets []string
	// Platforms are the selections of single platforms.
	Platforms map[string][]string
	// Custom are the user's own toolsets, in the order of the file.
	Custom []CustomToolset
	// Disabled are the toolsets that are off on every platform.
	Disabled []string
	// Switches are single tools on or off everywhere; PlatformSwitches, which take precedence, on one platform.
	Switches         map[string]bool
	PlatformSwitches map[string]map[string]bool
	// Servers and Plugins are programs that provide tools, in the order of the file.
	Servers, Plugins []Server
	// Confirm are patterns of the names of tools that need the person's permission for each call.
	Confirm []string
	// Vision is the model that describes images for clients without one; nil for none.
	Vision *VisionModel
	// Warnings are the ignored entries, with reasons.
	Warnings []string
}

// CustomToolset is a toolset of the user's own.
type CustomToolset struct {
	Name  string
	Parts []string
	Line  int
}

// Server is a program, or an address, that provides tools.
type Server struct {
	Name string
	// Command with Args is started in Dir, with Env besides the variables that every program needs; or else URL is
	// called, with Headers.
	Command string
	Args    []string
	Env     map[string]string
	Dir     string
	URL     string
	Headers map[string]string
	// Off reports whether it is configured but disabled.
	Off bool
	// Include and Exclude are patterns of the names of its tools; none means all.
	Include, Exclude []string
	// Provides are the built-in names that it replaces, each with its own name for the tool. The name of a toolset
	// means all of its tools under the same names.
	Provides map[string]string
	// Timeout bounds a call, StartTimeout the start.
	Timeout, StartTimeout time.Duration
	Line                  int
	// Digest identifies the definition as written in the file: another command, argument, variable, address, header or
	// directory gives another digest. Written is that definition for people to read, without the values of variables
	// and headers.
	Digest  string
	Written []Written
}

// Written is a key of a server's definition with its text in the file.
type Written struct {
	Key   string
	Words []string
}

// The default bounds of a server.
const (
	callTimeout  = 2 * time.Minute
	startTimeout = time.Minute
)

// toolKeys returns the keys that [LoadTools] reads; they are no settings.
func toolKeys() []string { return settings.Under("") }

func toolKey(key string) bool {
	return slices.ContainsFunc(toolKeys(), func(k string) bool { return plain(k) == plain(key) })
}

// LoadTools reads the configuration of tools. The error is an *Error.
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

// pairs returns the members of a mapping. A key may not stand there twice.
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
			return nil, &Error{Code: invalidConfig, Message: what + ": " + k.Value + " is listed twice", Line: k.Line}
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
		case pluginsKey:
			if p.value.Kind == yaml.SequenceNode { // all have capabilities: see pluginWords
				continue
			}
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

// SwitchesOf returns the switches that apply to a platform.
func (t *Tools) SwitchesOf(platform string) map[string]bool {
	out := maps.Clone(t.Switches)
	if out == nil {
		out = map[string]bool{}
	}
	maps.Copy(out, t.PlatformSwitches[platform])
	return out
}
