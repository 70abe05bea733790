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

// Host is what the calls of one agent share: the session they work in, and what the
// program that the agent talks through can do.
type Host struct {
	// Daemon carries commands out.
	Daemon *client.Client
	// Session names the browser session; the command line's --session reaches the same.
	Session string
	// Globals are global flags for every command, such as blocked-sites; of the session and the site guard none.
	Globals verb.Values
	// Reader tells this agent from others in the session: what changed is told since it last looked itself.
	Reader string
	// Env holds NAME=value of the environment that counts, Cwd is where relative paths
	// start.
	Env []string
	Cwd string
	// Roots are the directories open to the file tools, absolute and clean. Opened says that the client named them: pages are
	// then given files from there alone, unless OwnUploads says that the person settled that with --upload-root.
	Roots              []string
	Opened, OwnUploads bool
	// Protected gives what the file tools do not touch, whatever the roots; nil for what every agent leaves alone.
	Protected func(*Host) *protect.Paths
	// State is the directory of what is kept across sessions.
	State string
	// Artifacts is the directory of what is too long for a result.
	Artifacts string
	// Person asks the person at the other end; nil where the client cannot.
	Person Person
	// Model asks a model through the client; nil where the client cannot.
	Model Model
	// Fallback is the model that is asked where the client has none; nil for none.
	Fallback Model
	// Sees says that images of results are for the agent's model; without it Model or Fallback
	// is asked about them.
	Sees bool
	// Progress is told what a long call is doing; nil for nobody.
	Progress func(text string)
	// Told is what the agent was told last of what changes seldom; nil tells it each time.
	Told *Told
}

// Told remembers what an agent was told last, so that it is not told the same again.
type Told struct {
	mu     sync.Mutex
	last   map[string]string // guarded by mu, by name
	closed float64           // guarded by mu: until when dialogs were closed that were told, or were not the agent's concern, in seconds since 1970
}

// NewTold is the memory of an agent that comes now: dialogs that were closed before are not its concern.
func NewTold() *Told { return &Told{closed: float64(time.Now().UnixMicro()) / 1e6} }

// closedDialogs are those of a list of closed dialogs, oldest first, that the agent was not told of.
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

// fresh says whether something is not as it was told last, and remembers it.
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

// Person is somebody who can be asked.
type Person interface {
	// Ask shows a question with named answers to fill in and returns them. ok is false
	// when the person declined.
	Ask(ctx context.Context, question string, answers []Param) (given map[string]any, ok bool, err error)
}

// Model is a language model that can be asked.
type Model interface {
	// Ask puts a question about an image, or without one.
	Ask(ctx context.Context, question string, image *Image) (string, error)
}

// protected are the files that no tool touches.
func (h *Host) protected() *protect.Paths {
	if h.Protected != nil {
		return h.Protected(h)
	}
	return protect.New(os.Getenv, protect.Extra{Opened: h.Roots})
}

// Failure is the result that tells a model of an error.
func Failure(err error) *Result {
	e := api.AsError(err)
	message := cut(inTools(e.Sentence()), maxError)
	value := &failure{Error: message, Code: e.Code}
	if e.Code == api.URLBlocked {
		value.Blocked = &blocked{Host: e.Data["host"], Rule: e.Data["rule"], Source: e.Data["source"]}
	}
	return &Result{Value: value, Data: membersOf(value), Text: "error: " + message, Failed: true}
}

// inOutline says in tools how to see what an outline leaves out.
func inOutline(text string) string {
	for _, command := range [...]string{": snapshot -c -s ", ": snapshot -s "} {
		text = strings.ReplaceAll(text, command, ": browser_snapshot with scope ")
	}
	return wholePage().ReplaceAllString(text, "$1: browser_find or browser_snapshot")
}

// wholePage is the line behind an outline that says how to see all of the page.
var wholePage = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^(- … .*): snapshot(?: -c)?$`) })

// maxError bounds the text of an error, in bytes.
const maxError = 2048

// cut shortens a text to at most n bytes, at a rune's boundary, and says so.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n] + "…"
}
