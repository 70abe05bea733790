package config

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"github.com/usher-browser/usher/internal/verb"
)

// The key plugins has two kinds of plugins. Those that provide tools to agents are members of a mapping, and are read by
// [LoadTools]. Those that speak agent-browser.plugin.v1 declare capabilities, and are values of the setting plugins: the
// items of a list, as in agent-browser's file, or members of the mapping with the key capabilities.
const pluginsKey = "plugins"

// pluginWords returns the plugins with capabilities that the value of the key plugins has, each as JSON; nil for none.
func pluginWords(value *yaml.Node) (words []string, bad *Error) {
	value = resolved(value)
	add := func(name string, n *yaml.Node) {
		text, err := objectOf(name, resolved(n))
		if err != nil && bad == nil {
			bad = &Error{Code: invalidConfig, Message: pluginsKey + ": " + err.Error(), Line: n.Line}
		}
		words = append(words, text)
	}
	switch value.Kind {
	case yaml.SequenceNode:
		for _, item := range value.Content {
			add("", item)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(value.Content); i += 2 {
			if hasCapabilities(value.Content[i+1]) {
				add(value.Content[i].Value, value.Content[i+1])
			}
		}
	}
	return words, bad
}

// hasCapabilities reports whether a member of the mapping is a plugin with capabilities, and not one with tools.
func hasCapabilities(n *yaml.Node) bool {
	n = resolved(n)
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if plain(n.Content[i].Value) == "capabilities" {
			return true
		}
	}
	return false
}

// objectOf returns a mapping as JSON, with its name added.
func objectOf(name string, n *yaml.Node) (string, error) {
	var b strings.Builder
	if err := encodeNode(jsontext.NewEncoder(&b), n); err != nil {
		return "", err
	}
	text := strings.TrimSpace(b.String())
	if rest, ok := strings.CutPrefix(text, "{"); ok && name != "" {
		quoted, err := json.Marshal(name)
		if err != nil {
			return "", err
		}
		comma := ","
		if strings.TrimSpace(rest) == "}" {
			comma = ""
		}
		text = `{"name":` + string(quoted) + comma + rest
	}
	return text, nil
}

// placed returns the definition of a plugin with the path of its program made absolute. A bare name is looked for in PATH
// when it is started.
func placed(word, base string, src Source) (string, error) {
	p, err := verb.ParsePlugin(word)
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(p.Command, `/\`) {
		if p.Command, err = resolvePath("", p.Command, base, src); err != nil {
			return "", err
		}
		p.Command = filepath.Clean(p.Command)
	}
	text, err := json.Marshal(p, json.Deterministic(true), json.FormatNilSliceAsNull(false))
	return string(text), err
}

// Plugins returns the plugins with capabilities, in the order of the configuration.
func (s *Settings) Plugins() []verb.PluginDef {
	var out []verb.PluginDef
	for _, word := range s.List(pluginsKey) {
		p, err := verb.ParsePlugin(word)
		if err != nil {
			panic("config: " + err.Error()) // it was checked
		}
		out = append(out, p)
	}
	return out
}

// AddPlugin writes a plugin to the user's configuration file, or to the file that --config names, or, with project, to that of
// the working directory. One of the same name is replaced. It returns the path of the file. The error is an *Error.
func AddPlugin(src Source, p verb.PluginDef, project bool) (path string, err error) {
	if path, err = pluginsFile(src, project); err != nil {
		return "", err
	}
	value, bad := pluginNode(p)
	if bad != nil {
		return "", bad
	}
	edit := func(old *yaml.Node) *yaml.Node {
		list := old.Kind == yaml.SequenceNode || src.Mode == verb.AgentBrowser && len(old.Content) == 0
		return withPlugin(old, value, p.Name, list)
	}
	return path, Apply(path, []Edit{{Path: []string{pluginsKey}, Value: edit}})
}

func pluginsFile(src Source, project bool) (string, error) {
	if project {
		name := "usher.yaml"
		if src.Mode == verb.AgentBrowser {
			name = "agent-browser.json"
		}
		return filepath.Join(src.Cwd, name), nil
	}
	if path, err := namedFile(src); path != "" || err != nil {
		return path, err
	}
	candidates, err := userFiles(src)
	if err != nil {
		return "", &Error{Code: invalidConfig, Message: err.Error()}
	}
	for _, path := range candidates {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return candidates[0], nil
}

// pluginNode returns the definition of a plugin as a mapping.
func pluginNode(p verb.PluginDef) (*yaml.Node, *Error) {
	text, err := json.Marshal(p, json.Deterministic(true), json.FormatNilSliceAsNull(false))
	if err != nil {
		return nil, &Error{Code: invalidConfig, Message: err.Error()}
	}
	n, bad := yamlValue(text)
	if bad == nil {
		n.Style &^= yaml.FlowStyle
		for _, c := range n.Content {
			c.Style &^= yaml.DoubleQuotedStyle
			for _, item := range c.Content {
				item.Style &^= yaml.DoubleQuotedStyle
			}
		}
	}
	return n, bad
}

// withPlugin returns the value of the key plugins with a plugin added, as an item of a list or a member of a mapping.
func withPlugin(old, p *yaml.Node, name string, list bool) *yaml.Node {
	out := *old
	out.Content = nil
	if list {
		out.Kind, out.Tag = yaml.SequenceNode, "!!seq"
		for _, item := range old.Content {
			if member(resolved(item), "name") != name {
				out.Content = append(out.Content, item)
			}
		}
		out.Content = append(out.Content, p)
		return &out
	}
	out.Kind, out.Tag = yaml.MappingNode, "!!map"
	for i := 0; i+1 < len(old.Content); i += 2 {
		if old.Content[i].Value != name {
			out.Content = append(out.Content, old.Content[i], old.Content[i+1])
		}
	}
	body := *p
	body.Content = nil
	for i := 0; i+1 < len(p.Content); i += 2 {
		if p.Content[i].Value != "name" {
			body.Content = append(body.Content, p.Content[i], p.Content[i+1])
		}
	}
	out.Content = append(out.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, &body)
	return &out
}

// member returns the text of a member of a mapping; empty if there is none.
func member(n *yaml.Node, key string) string {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1].Value
		}
	}
	return ""
}
