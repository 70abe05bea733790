// Package schema has the protocol's own description of its commands: their names, their parameters, and which of those
// refer to a frame, a script context or an element. It is data, generated from the sources of cdproto (methods.txt),
// with measurements on Chromium (direct.txt). A newer browser may have more commands; they are sent, too.
package schema

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:generate go test -run TestTable -update

//go:embed methods.txt
var methodsText string

// direct.txt lists the commands that the browser's own process answers. The others are answered by the process of the page,
// which is silent while a dialog is open.
//
//go:embed direct.txt
var directText string

// Kind is what a parameter refers to.
type Kind byte

// Kinds of parameters.
const (
	Plain          Kind = 0
	Frame          Kind = 'f' // a frame's id
	Context        Kind = 'c' // a script context, by its number in its process
	UniqueContext  Kind = 'u' // a script context, by its unique id
	RemoteObject   Kind = 't' // an object, node, script or style sheet, which belongs to one frame
	BrowserContext Kind = 'j' // a browser context
)

// Param is one parameter of a command.
type Param struct {
	Name     string
	Kind     Kind
	Required bool
}

// Method is one command.
type Method struct {
	Name   string
	Params []Param
	// Binary are the fields of the result with bytes in base64, unless a field base64Encoded beside them is false.
	Binary []string
	// Direct reports whether the browser process answers, so that a page that is busy or held by a dialog does not
	// block it.
	Direct bool
}

// Param returns the first parameter of a kind, or nil.
func (m *Method) Param(k Kind) *Param {
	for i := range m.Params {
		if m.Params[i].Kind == k {
			return &m.Params[i]
		}
	}
	return nil
}

// Find returns a command by its full name, nil if the description has none of that name.
func Find(name string) *Method { return table()[name] }

// Domains returns the domains in order.
func Domains() []string {
	var out []string
	for name := range table() {
		domain, _, _ := strings.Cut(name, ".")
		out = append(out, domain)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Names returns the commands of a domain, with its name in front, in order.
func Names(domain string) []string {
	var out []string
	for name := range table() {
		if strings.HasPrefix(name, domain+".") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

var table = sync.OnceValue(func() map[string]*Method {
	all := map[string]*Method{}
	for line := range strings.Lines(methodsText) {
		if m := parse(line); m != nil {
			all[m.Name] = m
		}
	}
	for line := range strings.Lines(directText) {
		if m := all[strings.TrimSpace(line)]; m != nil {
			m.Direct = true
		}
	}
	return all
})

// parse reads a line such as
//
//	Network.getResponseBody requestId! > body
//	DOM.getFrameOwner frameId!f
//
// where ! marks a required parameter and ~ another, the letter after it its kind, and after the arrow come the binary
// fields of the result. A line that begins with # is a comment.
func parse(line string) *Method {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] == "#" {
		return nil
	}
	m := &Method{Name: words[0]}
	results := false
	for _, w := range words[1:] {
		switch {
		case w == ">":
			results = true
		case results:
			m.Binary = append(m.Binary, w)
		default:
			m.Params = append(m.Params, parseParam(w))
		}
	}
	return m
}

func parseParam(w string) Param {
	name, kind, required := strings.Cut(w, "!")
	if !required {
		name, kind, _ = strings.Cut(w, "~")
	}
	p := Param{Name: name, Required: required}
	if kind != "" {
		p.Kind = Kind(kind[0])
	}
	return p
}
