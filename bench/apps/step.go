package main

import (
	"fmt"
	"regexp"
)

// element is what a step acts on: a line of a snapshot, known by role and name.
type element struct {
	name string // what a model would call it, and look for
	line *regexp.Regexp
	// before, if there is one, is what follows it: of several that look alike the nearest before this line is meant.
	before *regexp.Regexp
	// selector is for what no snapshot shows, such as a drawing area; line is nil then.
	selector string
}

// above is the element in front of another one.
func (e element) above(next element) element {
	e.before = next.line
	return e
}

// at is an element that somebody who knows the application names by a CSS selector.
func at(name, selector string) element { return element{name: name, selector: selector} }

// el is the element whose role and name match these regular expressions. Names stand in quotes in both servers' snapshots;
// text that an element only contains stands behind a colon.
func el(role, name string) element {
	return element{name: plain(name), line: regexp.MustCompile(fmt.Sprintf(`(?:^|[\s'])(?:%s)\b(?: "(?:%s)"|(?: "[^"]*")?(?: \[[^\]]*\])*: "?(?:%s)"?$)`, role, name, name))}
}

// unnamed is the first element of a role that has no name and holds no text.
func unnamed(role string) element {
	return element{line: regexp.MustCompile(fmt.Sprintf(`(?:^|[\s'])(?:%s)(?: \[[^\]]*\])*$`, role))}
}

// first is the first element of a role, whatever its name.
func first(role string) element {
	return element{line: regexp.MustCompile(fmt.Sprintf(`(?:^|[\s'])(?:%s)\b`, role))}
}

var operators = regexp.MustCompile(`\\x\{[^}]*\}|\\[a-zA-Z]|\\|[^\w\s,:'/-]+`)

// plain is the longest part of a regular expression that is plain text: what a search tool is asked for.
func plain(expression string) string {
	longest := ""
	for _, part := range operators.Split(expression, -1) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// step is one thing a model decides to do.
type step struct {
	verb string
	on   element // what it acts on; the zero element is none
	to   element // where a drag ends
	text string  // what is typed, chosen, pressed, awaited; the address; the file
}

func navigate(url string) step            { return step{verb: "navigate", text: url} }
func click(on element) step               { return step{verb: "click", on: on} }
func doubleClick(on element) step         { return step{verb: "doubleClick", on: on} }
func rightClick(on element) step          { return step{verb: "rightClick", on: on} }
func fill(on element, text string) step   { return step{verb: "fill", on: on, text: text} }
func choose(on element, text string) step { return step{verb: "select", on: on, text: text} }

// add types at the end of what a field holds.
func add(on element, text string) step { return step{verb: "add", on: on, text: text} }

func press(key string) step               { return step{verb: "press", text: key} }
func drag(on, to element) step            { return step{verb: "drag", on: on, to: to} }
func upload(on element, file string) step { return step{verb: "upload", on: on, text: file} }
func accept() step                        { return step{verb: "accept"} }

// see ends when the model has read the text: at once if the last answer had it.
func see(text string) step { return step{verb: "see", text: text} }

func (s step) String() string {
	out := s.verb
	for _, e := range []element{s.on, s.to} {
		if e.line != nil {
			out += " " + e.line.String()
		}
	}
	if s.text != "" {
		out += fmt.Sprintf(" %.60q", s.text)
	}
	return out
}
