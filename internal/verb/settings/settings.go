// Package settings lists the keys of configuration files, as help and docs/CONFIG.md print them.
package settings

import (
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/verb"
)

// Setting is one key of a configuration file.
type Setting struct {
	Key     string // with a dot for each level; NAME stands for a name of the user's choice
	Type    string // the type of the value, as text
	Default string // the default
	Example string // a value, in YAML
	Env     string // the environment variable; empty if there is none
	Flag    string // the flag on a command line, with its dashes; empty if there is none
	Scope   string // when a change takes effect
	Project bool   // a project file may set it
	Doc     string
}

// YAML returns the example as a line of a configuration file.
func (s *Setting) YAML() string {
	parts := strings.Split(s.Key, ".")
	text := parts[len(parts)-1] + ": " + s.Example
	for i := len(parts) - 2; i >= 0; i-- {
		text = parts[i] + ": {" + text + "}"
	}
	return text
}

// All returns every key of a configuration file: those that are flags, too, in the order of help, then those about
// tools and agents.
func All() []Setting {
	var out []Setting
	for i := range verb.GlobalFlags() {
		if f := &verb.GlobalFlags()[i]; f.Name != "config" { // a file cannot name another in its place
			out = append(out, settingOf(f))
		}
	}
	return append(out, OfTools()...)
}

// settingOf returns the key of a flag.
func settingOf(f *verb.Flag) Setting {
	s := Setting{Key: f.Name, Type: typeName(f), Default: f.BuiltIn(), Example: f.Example, Env: f.UsherEnv(), Flag: "--" + f.Name,
		Scope: phrase(f.Scope), Project: f.ProjectMaySet, Doc: f.Doc}
	if f.Section != "" {
		s.Key = f.Section
	}
	if f.Own {
		s.Env = ""
	}
	if f.Own || f.NotOnLine {
		s.Flag = ""
	}
	if s.Default == "" {
		s.Default = f.Unset
	}
	if f.Kind == verb.Bool && s.Example == "" {
		s.Example = strconv.FormatBool(s.Default == "false")
	}
	return s
}

// phrase returns when a changed setting takes effect, as text.
func phrase(s verb.Scope) string {
	return [...]string{"this command", "the session, at once", "when the browser starts", "the session", "the program"}[s]
}

// typeName returns the type of a flag's values, as text.
func typeName(f *verb.Flag) string {
	var name string
	switch {
	case len(f.Choices) > 0:
		name = strings.Join(f.Choices, ", ")
	case f.Kind == verb.Int && f.Max > 0:
		name = "number from " + strconv.Itoa(f.Min) + " to " + strconv.Itoa(f.Max)
	default:
		name = [...]string{"text", "true or false", "whole number", "number", "time (500ms, 30s, 5m, 1h; a bare number is ms)", "address",
			"selector", "key", "path", "names with texts", "port or address", "WIDTHxHEIGHT, WIDTHxHEIGHT@SCALE or default", "name", "rule",
			"accept, accept=TEXT, dismiss or ask", "NAME=allow, deny or ask", "host, *.host or host:port", "USER:PASSWORD@ORIGIN",
			"name of a device, or default", "LATITUDE,LONGITUDE, LATITUDE,LONGITUDE,ACCURACY or default", "name of a time zone, or default",
			"language tag, or default", "plugin", "name of a plugin"}[f.Kind]
	}
	if f.Multi != verb.Once {
		name = "list: " + name
	}
	return name
}

// OfTools returns the keys that have no flag: about the tools that agents are offered. Only the user's own file,
// or one named with --config, may have them.
func OfTools() []Setting {
	const list, texts, span = "list of names", "names with texts; ${NAME} is replaced from the environment", "time (a bare number is seconds)"
	out := []Setting{
		{Key: "toolsets", Type: list, Default: "those of the platform", Example: "[browser, web]", Doc: "toolsets on platforms without a list of their own"},
		{Key: "platform_toolsets.NAME", Type: list, Default: "toolsets", Example: "[hermes-acp]", Doc: "toolsets of one platform: mcp, cli, acp, api-server, ..."},
		{Key: "custom_toolsets.NAME", Type: list, Default: "none", Example: "[file, web, vision]", Doc: "a toolset of your own: the toolsets and tools in it"},
		{Key: "disabled_toolsets", Type: list, Default: "none", Example: "[terminal]", Doc: "toolsets that are off on every platform"},
		{Key: "tools.NAME", Type: "true or false", Default: "as the toolsets say", Example: "false", Doc: "one tool on or off, on every platform"},
		{Key: "platform_tools.NAME.NAME", Type: "true or false", Default: "as tools says", Example: "true", Doc: "one tool on or off, on one platform (the first name)"},
		{Key: "confirm_tools", Type: "list of patterns", Default: "none", Example: "[browser_cdp, \"mcp__github__*\"]", Doc: "tools whose calls a person must allow"},
		{Key: "vision_model.url", Type: "address", Default: "none", Example: "http://localhost:11434/v1", Doc: "OpenAI chat completions service that describes images for clients without a vision model"},
		{Key: "vision_model.model", Type: "text", Default: "none", Example: "llava", Doc: "its model; needed with url"},
		{Key: "vision_model.key", Type: "text", Default: "none", Example: "\"${TOKEN}\"", Doc: "its key, sent as a bearer token"},
		{Key: "vision_model.timeout", Type: span, Default: "2m", Example: "60", Doc: "how long it may take per image"},
	}
	for _, kind := range [...]struct{ key, what string }{{"mcp_servers", "the MCP server"}, {"plugins", "the plugin"}} {
		for _, s := range [...]Setting{
			{Key: "command", Type: "program", Default: "none", Example: "npx", Doc: "the program that is " + kind.what + "; this or url is needed"},
			{Key: "args", Type: "list of texts", Default: "none", Example: "[-y, some-server]", Doc: "its arguments"},
			{Key: "env", Type: texts, Default: "none", Example: "{KEY: \"${TOKEN}\"}", Doc: "its environment variables, besides PATH, HOME and the like"},
			{Key: "cwd", Type: "directory", Default: "the working directory", Example: "~/notes", Doc: "its working directory"},
			{Key: "url", Type: "address", Default: "none", Example: "https://example.com/mcp", Doc: "instead of command: address of " + kind.what + " over HTTP"},
			{Key: "headers", Type: texts, Default: "none", Example: "{Authorization: \"Bearer ${TOKEN}\"}", Doc: "headers of requests to url"},
			{Key: "enabled", Type: "true or false", Default: "true", Example: "false", Doc: "whether it is used"},
			{Key: "include", Type: "list of patterns", Default: "all", Example: "[\"read_*\"]", Doc: "its tools to use, by its own names"},
			{Key: "exclude", Type: "list of patterns", Default: "none", Example: "[\"*_file\"]", Doc: "its tools to leave out; overrides include"},
			{Key: "provides", Type: "list of names, or names with its own names", Default: "none", Example: "{read_file: read_text_file}", Doc: "names of usher's tools that it provides"},
			{Key: "timeout", Type: span, Default: "2m", Example: "300", Doc: "how long a call may take"},
			{Key: "start_timeout", Type: span, Default: "1m", Example: "30s", Doc: "how long its start may take"},
		} {
			s.Key = kind.key + ".NAME." + s.Key
			out = append(out, s)
		}
	}
	for i := range out {
		out[i].Scope = "agents that are served, at once"
	}
	return out
}

// Under returns the keys one level below a key of [OfTools], or the first level for "".
func Under(key string) []string {
	var out []string
	for _, s := range OfTools() {
		rest := s.Key
		if key != "" {
			var below bool
			if rest, below = strings.CutPrefix(s.Key, key+"."); !below {
				continue
			}
		}
		name, _, _ := strings.Cut(rest, ".")
		if len(out) == 0 || out[len(out)-1] != name {
			out = append(out, name)
		}
	}
	return out
}
