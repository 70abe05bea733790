package tool

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/client"
	"github.com/usher-browser/usher/internal/config/protect"
	"github.com/usher-browser/usher/internal/verb"
)

// Host is what the calls of one agent share: the browser session, and the capabilities of the MCP client.
type Host struct {
	// Daemon runs the commands.
	Daemon *client.Client
	// Session is the name of the browser session; `usher --session` reaches the same one.
	Session string
	// Globals are global flags for every command, such as blocked-sites. session and site-guard are always set by
	// [Host.Command].
	Globals verb.Values
	// Reader identifies this agent in the session: deltas are relative to the last snapshot with the same reader.
	Reader string
	// Env are NAME=value pairs of the caller's environment. Cwd is the directory for relative paths.
	Env []string
	Cwd string
	// Roots are the directories open to the file tools, as absolute clean paths. Opened reports that the MCP client named
	// them; uploads are then limited to them, unless OwnUploads reports that the person set --upload-root.
	Roots              []string
	Opened, OwnUploads bool
	// Protected returns the paths that the file tools must not touch even below a root. If nil, the defaults of package
	// protect apply.
	Protected func(*Host) *protect.Paths
	// State is the directory of data that persist across sessions: task lists and memory.
	State string
	// Artifacts is the directory of files with content that is too long for a result.
	Artifacts string
	// Person asks the user of the client; nil if the client does not support elicitation.
	Person Person
	// Model asks the client's model; nil if the client does not support sampling.
	Model Model
	// Fallback is the configured vision model, used if Model is nil; nil if none is configured.
	Fallback Model
	// Sees reports that the agent's model accepts images in results. If false, Model or Fallback is asked about them.
	Sees bool
	// Progress, if not nil, is called with status lines of long calls.
	Progress func(text string)
	// Told suppresses frame trees and closed dialogs that the agent has seen already; if nil, they are reported each
	// time.
	Told *Told
}

// Told records what was last reported to an agent. It is safe for concurrent use; a nil Told records nothing.
type Told struct {
	mu     sync.Mutex
	last   map[string]string // guarded by mu, by name
	closed float64           // guarded by mu: dialogs closed up to this time, in seconds since 1970, are not reported (again)
}

// NewTold returns a Told for a new agent. Dialogs that were closed before now are never reported to it.
func NewTold() *Told { return &Told{closed: float64(time.Now().UnixMicro()) / 1e6} }

// closedDialogs returns those of recent, a list of closed dialogs with the oldest first, that were not reported, and
// records them as reported.
func (t *Told) closedDialogs(recent []jsontext.Value) []jsontext.Value {
	if t == nil {
		return recent
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	fresh := slices.DeleteFunc(recent, func(d jsontext.Value) bool { return closedAt(d) <= t.closed })
	for _, d := range fresh {
		t.closed = max(t.closed, closedAt(d))
	}
	return fresh
}

// fresh reports whether value differs from the last one of that name, and records it.
func (t *Told) fresh(name string, value jsontext.Value) bool {
	if t == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last[name] == string(value) {
		return false
	}
	if t.last == nil {
		t.last = map[string]string{}
	}
	t.last[name] = string(value)
	return true
}

// Person asks the user of an MCP client.
type Person interface {
	// Ask shows a question with form fields and returns the values by name. ok is false if the person declined.
	Ask(ctx context.Context, question string, answers []Param) (given map[string]any, ok bool, err error)
}

// Model asks a language model.
type Model interface {
	// Ask sends a question, with an image unless that is nil, and returns the answer.
	Ask(ctx context.Context, question string, image *Image) (string, error)
}

// protected returns the paths that no file tool may touch.
func (h *Host) protected() *protect.Paths {
	if h.Protected != nil {
		return h.Protected(h)
	}
	return protect.New(os.Getenv, protect.Extra{Opened: h.Roots})
}

// Failure returns the result that reports an error to the model. The message is at most maxError bytes and names tools in
// place of commands.
func Failure(err error) *Result {
	e := api.AsError(err)
	message := cut(inTools(e.Sentence()), maxError)
	value := &failure{Error: message, Code: e.Code}
	if e.Code == api.URLBlocked {
		value.Blocked = &blocked{Host: e.Data["host"], Rule: e.Data["rule"], Source: e.Data["source"]}
	}
	return &Result{Value: value, Data: membersOf(value), Text: "error: " + message, Failed: true}
}

// inOutline replaces commands by tools in the lines of an outline that say how to read what was left out.
func inOutline(text string) string {
	for _, command := range [...]string{": snapshot -c -s ", ": snapshot -s "} {
		text = strings.ReplaceAll(text, command, ": browser_snapshot with scope ")
	}
	return wholePage().ReplaceAllString(text, "$1: browser_find or browser_snapshot")
}

// wholePage matches the last line of an outline that was cut, which names the command for the whole page.
var wholePage = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^(- … .*): snapshot(?: -c)?$`) })

// maxError bounds the text of an error, in bytes.
const maxError = 2048

// cut returns at most n bytes of text, ending at a rune boundary, and appends … if it shortened it.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n] + "…"
}
