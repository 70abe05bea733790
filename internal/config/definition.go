package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// define sets the definition of a server: the text of the file before variables are expanded, because their values
// differ from shell to shell, and may be secret.
func (s *Server) define(kind, file string, n *yaml.Node) *Error {
	members, bad := pairs(n, kind+"."+s.Name)
	if bad != nil {
		return bad
	}
	slices.SortFunc(members, func(a, b pair) int { return strings.Compare(plain(a.key), plain(b.key)) })
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %q %q\n", plain(kind), s.Name, filepath.Dir(file)) // paths start there
	s.Written = nil
	for _, m := range members {
		key := plain(m.key)
		switch key {
		case "command", "args", "env", "cwd", "url", "headers", "provides":
		default:
			continue
		}
		fmt.Fprintf(sum, "%s ", key)
		writeCanonical(sum, m.value, 0)
		words := []string{m.value.Value}
		if m.value.Kind != yaml.ScalarNode {
			words = nil
			for i, item := range m.value.Content {
				if m.value.Kind == yaml.SequenceNode || i%2 == 0 || key == "provides" {
					words = append(words, resolved(item).Value)
				}
			}
		}
		s.Written = append(s.Written, Written{key, words})
	}
	s.Digest = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// writeCanonical writes a value in a canonical form, so that different values differ. Levels deeper than any definition
// are an error of the reader of the definition.
func writeCanonical(to io.Writer, n *yaml.Node, depth int) {
	n = resolved(n)
	fmt.Fprintf(to, "%d %d %q\n", depth, n.Kind, n.Value)
	if depth == 3 {
		return
	}
	for _, c := range n.Content {
		writeCanonical(to, c, depth+1)
	}
	fmt.Fprintf(to, "%d end\n", depth)
}
