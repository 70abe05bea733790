package settings

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/verb"
)

// A node is a JSON schema.
type node = map[string]any

// Schema returns the JSON schema (draft 7) of the configuration files of a mode: usher's own, or the agent-browser.json
// of that tool. A key may be spelled user-agent, user_agent or userAgent in usher's; agent-browser ignores unknown keys.
func Schema(mode verb.Mode) ([]byte, error) {
	properties, patterns := node{"$schema": node{"type": "string", "description": "the address of this schema; ignored"}}, node{}
	root := node{
		"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": properties,
		"title": "configuration of " + mode.Program(),
	}
	if mode == verb.AgentBrowser {
		for i := range verb.GlobalFlags() {
			if f := &verb.GlobalFlags()[i]; f.Key != "" {
				properties[f.Key] = ofFlag(f)
			}
		}
	} else {
		for i := range verb.GlobalFlags() {
			f := &verb.GlobalFlags()[i]
			if f.Name == "config" { // a file cannot name another in its place
				continue
			}
			for _, key := range []string{f.Name, f.Section} {
				if key != "" && f.Kind != verb.Plugin { // see plugins
					put(root, strings.Split(key, "."), ofFlag(f))
				}
			}
			if strings.Contains(f.Name, "-") {
				spelled := spellings(f.Name)
				patterns[spelled] = ofFlag(f)
			}
		}
		for _, s := range OfTools() {
			put(root, strings.Split(s.Key, "."), ofTools(&s))
		}
		plugins(child(properties, "plugins"))
		root["patternProperties"] = patterns
		root["additionalProperties"] = false
	}
	text, err := json.Marshal(root, json.Deterministic(true), jsontext.WithIndent("  "), jsontext.EscapeForHTML(false))
	if err != nil {
		return nil, fmt.Errorf("encode the schema of the configuration: %w", err)
	}
	return append(text, '\n'), nil
}

// plugins completes the schema of the key plugins, which has two kinds of them: those with tools, whose schema is there, are
// members of a mapping; those with capabilities are members or items of a list.
func plugins(at node) {
	i := slices.IndexFunc(verb.GlobalFlags(), func(f verb.Flag) bool { return f.Kind == verb.Plugin })
	whole := ofFlag(&verb.GlobalFlags()[i])
	members := node{"type": "object", "additionalProperties": node{"anyOf": []any{at["additionalProperties"], withCapabilities("capabilities")}}}
	at["anyOf"], at["description"] = append([]any{members}, whole["anyOf"].([]any)...), whole["description"]
	delete(at, "additionalProperties")
	delete(at, "type")
}

// withCapabilities returns the schema of a plugin with capabilities.
func withCapabilities(required ...string) node {
	text := node{"type": "string"}
	list := node{"type": "array", "items": text}
	return node{"type": "object", "required": required, "properties": node{
		"name": text, "command": text, "args": list, "capabilities": list, "source": text}}
}

// spellings returns a pattern of the other spellings of a key: user_agent and userAgent for user-agent.
func spellings(key string) string {
	words := strings.Split(key, "-")
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
		if i > 0 {
			words[i] = "[-_]?[" + w[:1] + strings.ToUpper(w[:1]) + "]" + regexp.QuoteMeta(w[1:])
		}
	}
	return "^" + strings.Join(words, "") + "$"
}

// put adds the schema of a key with the given parts; NAME stands for any name.
func put(at node, parts []string, leaf node) {
	for i, part := range parts {
		if i == len(parts)-1 && part != "NAME" {
			child(at, "properties")[part] = leaf
			return
		}
		if part == "NAME" {
			if i == len(parts)-1 {
				at["additionalProperties"] = leaf
				return
			}
			at = child(at, "additionalProperties")
			if at["properties"] == nil && at["additionalProperties"] == nil && parts[i+1] != "NAME" {
				at["additionalProperties"] = false
			}
			at["type"] = "object"
			continue
		}
		at = child(child(at, "properties"), part)
		at["type"] = "object"
	}
}

func child(at node, name string) node {
	next, ok := at[name].(node)
	if !ok {
		next = node{}
		at[name] = next
	}
	return next
}

// ofFlag returns the schema of the values of a flag.
func ofFlag(f *verb.Flag) node {
	out := valueOf(f)
	if f.Multi != verb.Once {
		one := out
		out = node{"anyOf": []any{one, node{"type": "array", "items": one}}}
	}
	out["description"] = f.Doc
	switch {
	case f.Kind == verb.Bool:
		out["default"] = f.BuiltIn() == "true"
	case f.Default != "":
		out["default"] = f.Default
	case f.Unset != "":
		out["description"] = f.Doc + "; default: " + f.Unset
	}
	return out
}

// valueOf returns the schema of one value of a flag. What is written as a number or a switch in YAML may be text, too.
func valueOf(f *verb.Flag) node {
	text := node{"type": "string"}
	switch {
	case len(f.Choices) > 0:
		var all []any
		for _, c := range f.Choices {
			all = append(all, c)
		}
		return node{"enum": all}
	case f.Optional:
		return node{"type": []any{"string", "boolean"}}
	}
	switch f.Kind {
	case verb.Bool:
		return node{"type": "boolean"}
	case verb.Int:
		out := node{"type": "integer", "minimum": f.Min}
		if f.Max > 0 {
			out["maximum"] = f.Max
		}
		return out
	case verb.Float:
		return node{"type": "number"}
	case verb.Duration:
		return node{"anyOf": []any{node{"type": "number", "minimum": 0, "description": "milliseconds"},
			node{"type": "string", "pattern": `^([0-9.]+|([0-9.]+(ms|s|m|h))+)$`}}}
	case verb.JSON:
		return node{"anyOf": []any{node{"type": "object", "additionalProperties": text}, node{"type": "string", "pattern": `^\s*\{`}}}
	case verb.Plugin:
		return withCapabilities("name", "command", "capabilities")
	case verb.Endpoint:
		return node{"anyOf": []any{node{"type": "integer", "minimum": 1, "maximum": 65535}, text}}
	}
	return text
}

// ofTools returns the schema of a key of [OfTools].
func ofTools(s *Setting) node {
	text := node{"type": "string"}
	list := node{"type": "array", "items": text}
	var out node
	switch kind := s.Type; {
	case kind == "true or false":
		out = node{"type": "boolean"}
	case strings.HasPrefix(kind, "list of names, or names with"):
		out = node{"anyOf": []any{list, node{"type": "object", "additionalProperties": text}}}
	case strings.HasPrefix(kind, "list of"):
		out = node{"anyOf": []any{list, text}}
	case strings.HasPrefix(kind, "names with texts"):
		out = node{"type": "object", "additionalProperties": text}
	case strings.HasPrefix(kind, "time"):
		out = node{"type": []any{"number", "string"}}
	default:
		out = text
	}
	out["description"] = s.Doc + "; default: " + s.Default
	return out
}
