package console

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Stack is a call stack, Runtime.StackTrace of the protocol.
type Stack struct {
	CallFrames []Frame `json:"callFrames"`
}

// Frame is one line of a [Stack].
type Frame struct {
	Function string `json:"functionName"`
	URL      string `json:"url"`
	Line     int    `json:"lineNumber"`   // from 0
	Column   int    `json:"columnNumber"` // from 0
}

// ErrorText returns the line and the stack of an uncaught exception. head is Chromium's "Uncaught" or "Uncaught (in
// promise)", or for some errors already the whole line.
func ErrorText(head string, exception jsontext.Value, trace *Stack) (text, stack string) {
	if len(exception) == 0 {
		return head, trace.String()
	}
	o := Read(exception)
	if o.Subtype == "error" {
		line, _, _ := strings.Cut(o.Description, "\n    at ")
		return joinHead(head, line), o.Description
	}
	return joinHead(head, o.show(false)), trace.String()
}

// joinHead joins Chromium's head of an error with its line, unless the one has the other already.
func joinHead(head, line string) string {
	switch {
	case line == "", head == line, strings.HasSuffix(head, " "+line):
		return head
	case head == "", strings.HasPrefix(line, head+" "):
		return line
	}
	return head + " " + line
}

// String writes a call stack as V8 does.
func (s *Stack) String() string {
	if s == nil {
		return ""
	}
	var b strings.Builder
	for i := range s.CallFrames {
		s.CallFrames[i].write(&b)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// write adds one line of a call stack.
func (f *Frame) write(b *strings.Builder) {
	if f.Function == "" {
		fmt.Fprintf(b, "    at %s:%d:%d\n", f.URL, f.Line+1, f.Column+1)
		return
	}
	fmt.Fprintf(b, "    at %s (%s:%d:%d)\n", f.Function, f.URL, f.Line+1, f.Column+1)
}
