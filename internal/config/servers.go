package config

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/settings"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

func (t *Tools) readServers(p pair, src Source) (out []Server, bad *Error) {
	bad = each(p, func(q pair) *Error {
		if plain(p.key) == pluginsKey && hasCapabilities(q.value) {
			return nil
		}
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
		if bad := s.define(p.key, t.Path, q.value); bad != nil {
			return bad
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

// name checks the name against the characters of tool names.
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
		r.s.Timeout, bad = parseSeconds(p, what)
	case "connecttimeout", "starttimeout":
		r.s.StartTimeout, bad = parseSeconds(p, what)
	default:
		r.unknown(p, settings.Under("mcp_servers.NAME"))
	}
	return bad
}

func (r *serverReader) unknown(p pair, known []string) {
	hint := ""
	if near := spelling.Nearest(p.key, known); len(near) > 0 {
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

// expand replaces ${NAME} by variables of the environment, so that keys need not be in the file. A server with an unset
// variable is not used; the error is reported when the server would be started.
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

// parseSeconds reads a time as Hermes writes it, a number of seconds, or with a unit.
func parseSeconds(p pair, what string) (time.Duration, *Error) {
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
