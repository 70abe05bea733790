package vm

import (
	"regexp"
	"strings"
)

// Code often ends with a call of a function that does the work and that nothing awaits, main() or (async () => {…})(): Node runs it all the
// same, because it ends when there is nothing left to do. A run ends when its code has returned, so the last call is awaited.

// begun matches a statement that is a call, or a function that is called at once.
var begun = regexp.MustCompile(`^(?:void |!|;)?(?:\(|[A-Za-z_$][\w$.]*\()`)

// comments matches those that end the code, lines of their own or behind the last statement.
var comments = regexp.MustCompile(`(?:(?:^|\s)//[^\n]*\s*)+$`)

// maxLast is how many lines are looked at, from the end, for the start of the last statement: only those that are not indented count.
const maxLast = 20

const (
	awaits  = "await("
	awaited = "\n)"
)

// awaitLast returns a script that awaits the last statement of the code if that is a call, and how long what stands before the code is. The
// lines and columns of the code stay what they are. ok is false for other code.
func (m *machine) awaitLast(code string) (source string, lead int, ok bool) {
	text := strings.TrimRight(comments.ReplaceAllString(code, ""), "; \t\r\n")
	if !strings.HasSuffix(text, ")") || !m.parses(head+code+tail) || !m.parses(head+text+tail) {
		return "", 0, false
	}
	start := len(text)
	for range maxLast {
		start = strings.LastIndexByte(text[:max(start-1, 0)], '\n') + 1
		before, last := text[:start], text[start:]
		if begun.MatchString(last) && m.parses(head+before+tail) && m.parses(head+returned+last+closed+tail) {
			source, lead = head+awaits+last+awaited+tail, len(head)+len(awaits)
			if start > 0 { // the call is awaited from the end of the line before it
				source, lead = head+before[:start-1]+";"+awaits+"\n"+last+awaited+tail, len(head)
			}
			return source, lead, m.parses(source)
		}
		if start == 0 {
			break
		}
	}
	return "", 0, false
}
