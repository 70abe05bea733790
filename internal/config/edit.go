package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

// Edit changes values of a configuration file and leaves everything else in it unchanged: comments, the order, other
// entries. Each element of the path is a key; a nil value removes the entry. A value is a []string, a bool, or
// a function that returns the new value from the old one, an empty mapping if there is none.
type Edit struct {
	Path  []string
	Value any
}

// attempts bounds how often an edit starts again because another process wrote the file in the meantime.
const attempts = 5

// Apply applies edits to the file at path, which is created if there is none. The file is replaced atomically. The
// error is an *Error.
func Apply(path string, edits []Edit) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // a symbolic link is kept, and its target replaced
	}
	for range attempts {
		before, err := read(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &Error{Code: invalidConfig, Message: "read the configuration file: " + cause(err), Path: path}
		}
		after := before
		for _, e := range edits {
			var bad *Error
			if after, bad = edited(after, e, strings.EqualFold(filepath.Ext(path), ".json")); bad != nil {
				bad.Path = path
				return bad
			}
		}
		if bytes.Equal(before, after) {
			return nil
		}
		if done, err := replace(path, before, after); err != nil {
			return &Error{Code: "file_write_failed", Message: "write the configuration file: " + cause(err), Path: path}
		} else if done {
			return nil
		}
	}
	return &Error{Code: "file_write_failed", Message: "another program keeps writing the configuration file", Path: path, Hint: "Try again."}
}

// replace replaces the old text by the new. done is false when the file has other content by now.
func replace(path string, before, after []byte) (done bool, err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, err
	}
	mode := fs.FileMode(0o600) // there may be keys in it
	if fi, err := os.Stat(path); err == nil {
		mode = fi.Mode().Perm()
	}
	temp, err := os.CreateTemp(dir, ".config-*")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.Remove(temp.Name()) }() // removed already if there was no error
	_, err = temp.Write(after)
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return false, err
	}
	if err := os.Chmod(temp.Name(), mode); err != nil {
		return false, err
	}
	now, err := read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if !bytes.Equal(now, before) {
		return false, nil
	}
	return true, os.Rename(temp.Name(), path)
}

// edited returns the text with one edit applied. Of YAML only the lines of the top-level key are rewritten; comments
// inside them are kept.
func edited(text []byte, e Edit, asJSON bool) ([]byte, *Error) {
	root, bad := parseNode(text)
	if bad != nil {
		return nil, bad
	}
	if root == nil {
		root = &yaml.Node{Kind: yaml.MappingNode}
	}
	for i := 0; i < len(root.Content); i += 2 {
		if key := root.Content[i].Value; plain(key) == plain(e.Path[0]) {
			e.Path = append([]string{key}, e.Path[1:]...) // as it is spelled there
		}
	}
	if bad := set(root, e.Path, e.Value); bad != nil {
		return nil, bad
	}
	var inJSON []byte
	if asJSON { // before render, which takes tags from the tree that it writes
		if inJSON, bad = renderJSON(root); bad != nil {
			return nil, bad
		}
	}
	same, bad := parseNode(text)
	switch {
	case bad != nil:
		return nil, bad
	case same == nil && len(root.Content) == 0, same != nil && bytes.Equal(render(same), render(root)):
		return text, nil
	case asJSON:
		return inJSON, nil
	case root.Style&yaml.FlowStyle != 0 && len(text) > 0:
		return render(root), nil
	}
	return splice(text, root, e.Path[0]), nil
}

// set puts a value into a mapping, or takes it out; mappings on the way are made.
func set(n *yaml.Node, path []string, value any) *Error {
	if n.Kind != yaml.MappingNode {
		return wrong(n, strings.Join(path, "."), "inside a list of names, each with its value")
	}
	at := -1
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == path[0] {
			at = i
		}
	}
	if len(path) == 1 && value == nil {
		if at >= 0 {
			n.Content = append(n.Content[:at:at], n.Content[at+2:]...)
		}
		return nil
	}
	if at < 0 {
		if value == nil {
			return nil
		}
		at = len(n.Content)
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: path[0]}, &yaml.Node{Kind: yaml.MappingNode})
	}
	child := resolved(n.Content[at+1])
	if len(path) > 1 {
		if null(child) || child.Kind == 0 {
			child = &yaml.Node{Kind: yaml.MappingNode}
		}
		n.Content[at+1] = child
		if bad := set(child, path[1:], value); bad != nil {
			return bad
		}
		if value == nil && len(child.Content) == 0 { // nothing is left in it
			n.Content = append(n.Content[:at:at], n.Content[at+2:]...)
		}
		return nil
	}
	n.Content[at+1] = changed(child, value)
	return nil
}

// changed returns the node of a value. Of a list, the items that stay keep their comments.
func changed(old *yaml.Node, value any) *yaml.Node {
	if edit, ok := value.(func(*yaml.Node) *yaml.Node); ok {
		return edit(old)
	}
	if on, ok := value.(bool); ok {
		word := "false"
		if on {
			word = "true"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: word, LineComment: old.LineComment}
	}
	out := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if old.Kind == yaml.SequenceNode {
		out.Style, out.HeadComment, out.LineComment, out.FootComment = old.Style, old.HeadComment, old.LineComment, old.FootComment
	} else {
		out.Style = yaml.FlowStyle
	}
	for _, word := range value.([]string) {
		item := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: word}
		for _, o := range old.Content {
			if old.Kind == yaml.SequenceNode && o.Value == word {
				item = o
			}
		}
		out.Content = append(out.Content, item)
	}
	return out
}

// render writes a mapping as YAML, nothing for an empty one.
func render(root *yaml.Node) []byte {
	if len(root.Content) == 0 {
		return nil
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(root); err != nil {
		panic("config: " + err.Error()) // what was read can be written
	}
	return out.Bytes()
}

// splice replaces the lines of a top-level key by the encoding of the tree. Comment lines above the next key belong to
// that.
func splice(text []byte, root *yaml.Node, key string) []byte {
	lines := strings.SplitAfter(string(text), "\n")
	from, to := len(lines), len(lines)
	fresh := []byte(nil)
	old, _ := parseNode(text)
	if old != nil {
		for i := 0; i < len(old.Content); i += 2 {
			if old.Content[i].Value != key {
				continue
			}
			from = old.Content[i].Line - 1
			if i+2 < len(old.Content) {
				to = old.Content[i+2].Line - 1
			}
			for to > from+1 && foreign(lines[to-1]) {
				to--
			}
		}
	}
	for i := 0; i < len(root.Content); i += 2 {
		if k := root.Content[i]; k.Value == key {
			alone := *k
			alone.HeadComment, alone.FootComment = "", "" // they stay where they are
			fresh = render(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{&alone, root.Content[i+1]}})
		}
	}
	head, tail := strings.Join(lines[:from], ""), strings.Join(lines[to:], "")
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return []byte(head + string(fresh) + tail)
}

// foreign returns a line that belongs to nothing before it: empty, or a comment that begins
// at the margin.
func foreign(line string) bool { return strings.TrimSpace(line) == "" || line[0] == '#' }

// renderJSON writes a tree as JSON.
func renderJSON(root *yaml.Node) ([]byte, *Error) {
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out, jsontext.WithIndent("  "))
	if err := encodeNode(enc, root); err != nil {
		return nil, &Error{Code: invalidConfig, Message: "the file cannot be written as JSON: " + err.Error()}
	}
	return out.Bytes(), nil
}

func encodeNode(enc *jsontext.Encoder, n *yaml.Node) error {
	n = resolved(n)
	begin, end := jsontext.BeginObject, jsontext.EndObject
	switch {
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str":
		return enc.WriteToken(jsontext.String(n.Value))
	case n.Kind == yaml.ScalarNode:
		return enc.WriteValue(jsontext.Value(n.Value))
	case n.Kind == yaml.SequenceNode:
		begin, end = jsontext.BeginArray, jsontext.EndArray
	}
	if err := enc.WriteToken(begin); err != nil {
		return err
	}
	for _, c := range n.Content {
		if err := encodeNode(enc, c); err != nil {
			return err
		}
	}
	return enc.WriteToken(end)
}
