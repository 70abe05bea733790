package vm

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/script/message"
)

// promiseRejected is a state of promises in the engine, JS_PROMISE_REJECTED.
const promiseRejected = 2

// frame is a place in the agent's code.
type frame struct {
	function     string
	line, column int // from 1
}

// maxFrames is how many frames of a stack are shown.
const maxFrames = 20

// frames returns those frames of a stack that are in the agent's code.
func (m *machine) frames(stack string) (found []frame) {
	if m.run == nil {
		return nil
	}
	lines := 1 + strings.Count(m.run.Code, "\n")
	for line := range strings.Lines(stack) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "at ")
		if !ok {
			continue
		}
		f := frame{}
		if i := strings.LastIndex(text, " ("); i >= 0 {
			f.function, text = text[:i], strings.TrimSuffix(text[i+2:], ")")
		}
		rest, ok := strings.CutPrefix(text, m.run.Name+":")
		if !ok {
			continue
		}
		l, c, _ := strings.Cut(rest, ":")
		f.line, _ = strconv.Atoi(l)
		f.column, _ = strconv.Atoi(c)
		if f.line == 1 {
			f.column = max(f.column-m.lead, 1)
		}
		if f.line > lines { // in what follows the code: it ends too early
			last := m.run.Code[strings.LastIndexByte(m.run.Code, '\n')+1:]
			f.line, f.column = lines, len([]rune(last))+1
		}
		if found = append(found, f); len(found) == maxFrames {
			break
		}
	}
	for i := range found {
		if found[i].function == "<anonymous>" || found[i].function == "<eval>" {
			found[i].function = ""
		}
		found[i].function = strings.ReplaceAll(found[i].function, "\n", " ")
	}
	return found
}

// locate keeps the frames of the code of an error's stack, and sets the error's place to the first.
func (m *machine) locate(e *message.Error) {
	frames := m.frames(e.Stack)
	var b strings.Builder
	for _, f := range frames {
		b.WriteString(f.text(m.run.Name))
	}
	if e.Stack = b.String(); len(frames) > 0 {
		e.Line, e.Column = frames[0].line, frames[0].column
	}
}

func (f *frame) text(name string) string {
	if f.function == "" {
		return fmt.Sprintf("    at %s:%d:%d\n", name, f.line, f.column)
	}
	return fmt.Sprintf("    at %s (%s:%d:%d)\n", f.function, name, f.line, f.column)
}
