package journal

import (
	"unique"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Frame is a place in a script that ran, or in a document that was parsed. Line and Column begin at 0, as in the protocol.
type Frame struct {
	Function string
	// URL is the address of the script; the same text is kept once for all requests.
	URL unique.Handle[string]
	// ScriptID is the browser's id of the script; empty for a document.
	ScriptID     string
	Line, Column int
}

const (
	maxFrames   = 10
	frameWeight = 48
)

// initiator is what the browser says of the cause of a request.
type initiator struct {
	Type  string  `json:"type"`
	URL   string  `json:"url"`
	Line  float64 `json:"lineNumber"`
	Col   float64 `json:"columnNumber"`
	Stack *stack  `json:"stack"`
}

type stack struct {
	CallFrames []struct {
		Function string `json:"functionName"`
		ScriptID string `json:"scriptId"`
		URL      string `json:"url"`
		Line     int    `json:"lineNumber"`
		Column   int    `json:"columnNumber"`
	} `json:"callFrames"`
	Parent *stack `json:"parent"`
}

// frames returns the frames, those of the code that scheduled the call after those of the call.
func (i *initiator) frames() []Frame {
	var out []Frame
	for s := i.Stack; s != nil && len(out) < maxFrames; s = s.Parent {
		for _, f := range s.CallFrames {
			if len(out) == maxFrames {
				break
			}
			out = append(out, Frame{Function: model.Cut(f.Function, 200), URL: unique.Make(cut(f.URL)), ScriptID: model.Cut(f.ScriptID, 40), Line: f.Line, Column: f.Column})
		}
	}
	if out == nil && i.Type == "parser" && i.URL != "" {
		out = []Frame{{URL: unique.Make(cut(i.URL)), Line: int(i.Line), Column: int(i.Col)}}
	}
	return out
}
