package config

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

// entry is one key of a file with its values as text.
type entry struct {
	key   string
	words []string
	line  int
	// tools marks a key that [LoadTools] reads.
	tools bool
}

// maxFile is the size over which a file is not taken for configuration.
const maxFile = 1 << 20

// addFiles reads the named file alone, or else the user's and the project's.
func (s *Settings) addFiles(src Source) error {
	if path, err := namedFile(src); err != nil {
		return err
	} else if path != "" {
		data, err := read(path)
		if err != nil {
			return &Error{Code: invalidConfig, Message: "read the configuration file: " + cause(err), Path: path,
				Hint: "Give an existing file with --config, or omit the flag."}
		}
		return s.addFile(src, path, data, NamedFile)
	}
	candidates, err := userFiles(src)
	if err != nil {
		return &Error{Code: invalidConfig, Message: err.Error(), Hint: dirs.Remedy}
	}
	if err := s.addFirst(src, candidates, UserFile); err != nil {
		return err
	}
	if src.Cwd == "" {
		return nil
	}
	project := []string{"usher.yaml", ".usher.yaml"}
	if src.Mode == verb.AgentBrowser {
		project = []string{"agent-browser.json"}
	}
	for i := range project {
		project[i] = filepath.Join(src.Cwd, project[i])
	}
	err = s.addFirst(src, project, ProjectFile)
	// A directory one happens to stand in must not be able to stop every command.
	var bad *Error
	if errors.As(err, &bad) && bad.Code == invalidConfig {
		s.warn("ignored the project file: ", bad.Error())
		return nil
	}
	return err
}

func namedFile(src Source) (string, error) {
	given := ""
	if list := src.Flags.List("config"); len(list) > 0 {
		given = list[len(list)-1]
	} else {
		for _, name := range names(verb.GlobalFlag("config"), src.Mode) {
			if given, _ = src.Env(name); given != "" {
				break
			}
		}
	}
	if given == "" {
		return "", nil
	}
	path, err := resolvePath("config", given, src.Cwd, src)
	if err != nil {
		return "", &Error{Code: invalidConfig, Message: "--config: " + err.Error()}
	}
	return path, nil
}

func userFiles(src Source) ([]string, error) {
	env := func(name string) string { v, _ := src.Env(name); return v }
	d, err := dirs.Of(env, "", src.Mode == verb.AgentBrowser)
	if err != nil {
		return nil, err
	}
	if src.Mode == verb.AgentBrowser {
		return []string{filepath.Join(d.Config, "config.json")}, nil
	}
	return []string{filepath.Join(d.Config, "config.yaml"), filepath.Join(d.Config, "config.json")}, nil
}

// addFirst reads the first of the files that exists.
func (s *Settings) addFirst(src Source, paths []string, layer Layer) error {
	for _, path := range paths {
		data, err := read(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return &Error{Code: invalidConfig, Message: "read the " + layer.String() + ": " + cause(err), Path: path}
		}
		return s.addFile(src, path, data, layer)
	}
	return nil
}

func read(path string) ([]byte, error) {
	return files.Read(context.Background(), path, maxFile) // bounded in time by itself
}

// cause returns the error without the path, which the message names already.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

func (s *Settings) addFile(src Source, path string, data []byte, layer Layer) error {
	parse := parseYAML
	if strings.EqualFold(filepath.Ext(path), ".json") {
		parse = parseJSON
	}
	entries, bad := parse(data)
	if bad != nil {
		bad.Path = path
		return bad
	}
	var dropped []string
	seen := map[string]int{}
	for _, e := range entries {
		if e.tools && src.Mode != verb.AgentBrowser {
			if layer == ProjectFile && !slices.Contains(dropped, e.key) { // it could start programs, or switch on what its owner switched off
				dropped = append(dropped, e.key)
			}
			continue
		}
		if e.key == "$schema" { // for editors
			continue
		}
		if e.words == nil { // null: as if the key were not there
			continue
		}
		f := s.known(src, path, e)
		if f == nil {
			continue
		}
		if layer == ProjectFile && !f.ProjectMaySet {
			if !slices.Contains(dropped, e.key) {
				dropped = append(dropped, e.key)
			}
			continue
		}
		if first, twice := seen[f.Name]; twice {
			return &Error{Code: invalidConfig, Message: f.Name + " is set twice, first in line " + strconv.Itoa(first), Path: path, Line: e.line}
		}
		seen[f.Name] = e.line
		words, err := valuesOf(f, e, path, src.Mode)
		if err != nil {
			return err
		}
		if len(words) == 0 {
			continue
		}
		v := Value{Name: f.Name, Words: words, From: layer, Where: path + ":" + strconv.Itoa(e.line)}
		if err := s.add(f, v, src, filepath.Dir(path)); err != nil {
			return err
		}
	}
	if len(dropped) > 0 {
		s.warn("ignored ", strings.Join(dropped, ", "), " in ", path,
			": a project file can set only keys marked \"project file\"; use your own configuration file, or --config")
	}
	return nil
}

// valuesOf returns the checked values of an entry in their stored form.
func valuesOf(f *verb.Flag, e entry, path string, mode verb.Mode) ([]string, error) {
	var words []string
	for _, w := range e.words {
		if f.Kind == verb.Bool && mode == verb.AgentBrowser {
			w = boolWord(w)
		}
		part, err := f.Check(w)
		if err != nil {
			return nil, fromCheck(err, e.key, path, e.line)
		}
		words = append(words, part...)
	}
	if f.Multi == verb.Once && len(words) > 1 {
		return nil, &Error{Code: invalidConfig, Message: e.key + " accepts one value, and a list is given", Path: path, Line: e.line}
	}
	return words, nil
}

// known returns the setting of a key. An unknown key gives a warning; under the program name agent-browser it is
// ignored as that tool does, and the result is nil.
func (s *Settings) known(src Source, path string, e entry) *verb.Flag {
	flags := verb.GlobalFlags()
	if src.Mode == verb.AgentBrowser {
		for i := range flags {
			if flags[i].Key != "" && flags[i].Key == e.key {
				return &flags[i]
			}
		}
		return nil
	}
	all := make([]string, 0, len(flags))
	for i := range flags {
		if flags[i].Name == "config" { // a file cannot name another in its place
			continue
		}
		if plain(flags[i].Name) == plain(e.key) || flags[i].Section != "" && plain(flags[i].Section) == plain(e.key) {
			return &flags[i]
		}
		all = append(all, flags[i].Name)
	}
	all = append(all, toolKeys()...)
	hint := ""
	if near := spelling.Nearest(e.key, all); len(near) > 0 {
		hint = "; did you mean " + near[0] + "?"
	}
	s.warn("unknown setting ", strconv.Quote(e.key), " in ", path, ":", strconv.Itoa(e.line), hint)
	return nil
}

// plain lets user-agent, userAgent and user_agent be the same key.
func plain(key string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(key))
}

// fromCheck turns the error of a value's check into an error with its position.
func fromCheck(err error, place, path string, line int) *Error {
	e := &Error{Code: invalidConfig, Message: place + ": " + err.Error(), Path: path, Line: line}
	var v *verb.Error
	if errors.As(err, &v) {
		e.Message, e.Hint = place+": "+v.Message, v.NextStep()
	}
	return e
}

func parseYAML(data []byte) ([]entry, *Error) {
	root, bad := yamlRoot(data)
	if bad != nil || root == nil {
		return nil, bad
	}
	return yamlEntries("", root)
}

// yamlRoot returns the mapping that a file is; nil for an empty file.
func yamlRoot(data []byte) (*yaml.Node, *Error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		line, text := cutLine(strings.TrimPrefix(err.Error(), "yaml: "))
		return nil, &Error{Code: invalidConfig, Message: "this is not YAML: " + text, Line: line}
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, &Error{Code: invalidConfig, Message: "a configuration file is a list of settings, each written as name: value", Line: root.Line}
	}
	return root, nil
}

// yamlValue reads one value of JSON, which YAML contains, as YAML.
func yamlValue(raw []byte) (*yaml.Node, *Error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil || len(doc.Content) == 0 {
		return nil, &Error{Code: invalidConfig, Message: pluginsKey + " cannot be read"}
	}
	return doc.Content[0], nil
}

// yamlEntries reads a mapping; one that stands under the name of a section is read as settings of its own.
func yamlEntries(section string, mapping *yaml.Node) (out []entry, bad *Error) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		name := section + key.Value
		if value.Kind == yaml.MappingNode && isSection(name) {
			inner, bad := yamlEntries(name+".", value)
			if bad != nil {
				return nil, bad
			}
			out = append(out, inner...)
			continue
		}
		if section == "" && toolKey(key.Value) {
			out = append(out, entry{key: key.Value, line: key.Line, tools: true})
			if plain(key.Value) == pluginsKey {
				words, bad := pluginWords(value)
				if bad != nil {
					return nil, bad
				}
				out = append(out, entry{key: key.Value, words: words, line: key.Line})
			}
			continue
		}
		words, err := wordsOf(value)
		if err != nil {
			return nil, &Error{Code: invalidConfig, Message: name + ": " + err.Error(), Line: value.Line}
		}
		out = append(out, entry{key: name, words: words, line: key.Line})
	}
	return out, nil
}

// isSection reports whether settings stand under a name.
func isSection(name string) bool {
	flags := verb.GlobalFlags()
	for i := range flags {
		if strings.HasPrefix(plain(flags[i].Section), plain(name)+".") {
			return true
		}
	}
	return false
}

func wordsOf(n *yaml.Node) ([]string, error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return nil, nil
		}
		return []string{n.Value}, nil
	case yaml.SequenceNode:
		out := []string{}
		for _, c := range n.Content {
			if c.Kind != yaml.ScalarNode {
				return nil, errors.New("a list of values may hold only plain values")
			}
			out = append(out, c.Value)
		}
		return out, nil
	}
	m := map[string]string{}
	if err := n.Decode(&m); err != nil {
		return nil, errors.New("the value is not a list of names and texts")
	}
	text, err := json.Marshal(m, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	return []string{string(text)}, nil
}

// cutLine takes the number off a message that begins with "line 7: ", as the parser writes it; 0 when there is none.
func cutLine(message string) (line int, text string) {
	number, text, ok := strings.Cut(strings.TrimPrefix(message, "line "), ": ")
	if line, err := strconv.Atoi(number); ok && err == nil && line > 0 {
		return line, text
	}
	return 0, message
}

func parseJSON(data []byte) ([]entry, *Error) {
	// A name that stands there twice is refused later, with the line of the first.
	dec := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	lineAt := func(offset int64) int { return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n")) }
	line := func() int { return lineAt(dec.InputOffset()) }
	bad := func(err error) *Error {
		at := line()
		var syntax *jsontext.SyntacticError
		if errors.As(err, &syntax) {
			at, err = lineAt(syntax.ByteOffset), syntax.Err // whose text has no offset in it
		}
		return &Error{Code: invalidConfig, Message: "this is not JSON: " + err.Error(), Line: at}
	}
	if t, err := dec.ReadToken(); err != nil {
		return nil, bad(err)
	} else if t.Kind() != '{' {
		return nil, &Error{Code: invalidConfig, Message: "a configuration file is a JSON object", Line: line()}
	}
	var out []entry
	var members func(section string) error
	members = func(section string) error { // what follows a { that was read
		for dec.PeekKind() != '}' {
			t, err := dec.ReadToken()
			if err != nil {
				return err
			}
			e := entry{key: section + t.String(), line: line()}
			if dec.PeekKind() == '{' && isSection(e.key) {
				if _, err := dec.ReadToken(); err != nil {
					return err
				}
				if err := members(e.key + "."); err != nil {
					return err
				}
				continue
			}
			raw, err := dec.ReadValue()
			if err != nil {
				return err
			}
			if e.tools = section == "" && toolKey(e.key); !e.tools {
				e.words = jsonWords(raw.Clone())
			}
			out = append(out, e)
			if e.tools && plain(e.key) == pluginsKey {
				root, invalid := yamlValue(raw)
				if invalid == nil {
					e.tools = false
					e.words, invalid = pluginWords(root)
				}
				if invalid != nil {
					return errors.New(invalid.Message)
				}
				out = append(out, e)
			}
		}
		_, err := dec.ReadToken()
		return err
	}
	if err := members(""); err != nil {
		return nil, bad(err)
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, &Error{Code: invalidConfig, Message: "unexpected text after the JSON object", Line: line()}
	}
	return out, nil
}

// jsonWords reads a value as text: null as nothing, a list as its elements, an object as JSON.
func jsonWords(raw jsontext.Value) []string {
	var list []jsontext.Value
	if json.Unmarshal(raw, &list) == nil {
		if list == nil {
			return nil
		}
		out := []string{}
		for _, item := range list {
			out = append(out, jsonText(item))
		}
		return out
	}
	return []string{jsonText(raw)}
}

func jsonText(raw jsontext.Value) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
