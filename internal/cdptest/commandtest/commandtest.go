// Package commandtest runs commands in tests as a session does, without a daemon.
package commandtest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/media/video"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/world"
)

// Session is a browser context of its own in the shared browser.
type Session struct {
	Context *run.BrowserContext
	// Dir is the caller's working directory.
	Dir      string
	Settings run.Settings
	// Stdin is the standard input of the next commands.
	Stdin string
	// Notes are the progress notes of all commands.
	Notes []string
}

// New returns a session with one tab. It ends with the test.
func New(t *testing.T) *Session {
	t.Helper()
	return NewIn(t, cdptest.Shared(t))
}

// NewIn is New in a browser.
func NewIn(t *testing.T, in *cdptest.Browser) *Session {
	t.Helper()
	conn := in.Dial(t)
	seen, films := journal.New(journal.DefaultLimits), video.NewRecorder()
	b := supervisor.New(conn, supervisor.Options{Observers: []supervisor.Observer{seen, films}})
	t.Cleanup(func() { _ = b.Close() })
	made, err := cdp.Do(t.Context(), b.Session(""), target.CreateBrowserContext, target.CreateBrowserContextParams{DisposeOnDetach: new(true)})
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{Dir: t.TempDir()}
	s.Context = run.NewBrowserContext(b, world.New(b), media.NewCamera(), films, seen, model.ContextID(made.BrowserContextID), t.TempDir())
	s.Context.Files = browserhost.SharedFiles{}
	s.Settings.Artifacts = filepath.Join(t.TempDir(), "artifacts")
	if err := s.Context.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Context.NewTab(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	return s
}

// Try runs a command line.
func (s *Session) Try(t *testing.T, words ...string) (run.Result, error) {
	t.Helper()
	c, err := verb.NewTable(command.Grammar()...).Parse(words, verb.Usher)
	if err != nil {
		t.Fatal(err)
	}
	tab, _ := s.Context.Active()
	e := &run.Env{
		BrowserContext: s.Context, Tab: tab, Limit: 20 * time.Second, Cwd: s.Dir, Settings: s.Settings, Stdin: strings.NewReader(s.Stdin),
		Progress: func(note string) { s.Notes = append(s.Notes, note) },
	}
	if c.Has("timeout") {
		e.Limit, e.Limited = c.Dur("timeout"), true
	}
	return command.Find(c.Verb.Name)(context.Background(), e, c)
}

// Run runs a command line that must succeed.
func (s *Session) Run(t *testing.T, words ...string) run.Result {
	t.Helper()
	res, err := s.Try(t, words...)
	if err != nil {
		t.Fatalf("%s: %v", strings.Join(words, " "), err)
	}
	return res
}

// Data decodes the data of a result, as a reader of --json does.
func Data[T any](t *testing.T, res run.Result) T {
	t.Helper()
	var out T
	raw, err := json.Marshal(res.Data)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Eval returns the result of page JavaScript as JSON.
func (s *Session) Eval(t *testing.T, script string) string {
	t.Helper()
	return string(Data[struct {
		Result jsontext.Value `json:"result"`
	}](t, s.Run(t, "eval", script)).Result)
}

// Holds fails the test unless a file in Dir has this content.
func (s *Session) Holds(t *testing.T, name, want string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.Dir, name))
	if err != nil || string(b) != want {
		t.Errorf("%s holds %.60q (%v), want %.60q", name, b, err, want)
	}
}

// Names lists the files in Dir, with spaces between.
func (s *Session) Names(t *testing.T) string {
	t.Helper()
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}
