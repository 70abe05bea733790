package mcp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"mime"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/api/client"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/verb"
)

// resource is something a client may read, and be told of when it changes.
type resource struct {
	uri, name, doc string
	verb           string // read by that command, under the site guard as every call of an agent
	// events are the families of changes after which it reads otherwise.
	events []string
}

func resources() []resource {
	return []resource{
		{"usher://session/status", "status", "Open dialogs, closed dialogs, the frame tree, console errors", "status",
			[]string{"dialog", "frame", "tab", "console", "error", "browser"}},
		{"usher://session/interruptions", "interruptions", "What the browser waits for: choosers, logins, permissions, and notices", "interrupt list",
			[]string{"interruption", "dialog", "download", "tab", "browser"}},
		{"usher://session/tabs", "tabs", "The open tabs", "tab list", []string{"tab", "browser"}},
		{"usher://session/console", "console", "Console messages", "console", []string{"console"}},
		{"usher://session/errors", "errors", "Uncaught errors of pages", "errors", []string{"error"}},
		{"usher://session/events", "events", "What happened in the browser, in order", "events", nil},
	}
}

// artifactTemplate names a file that a command saved, by its path below the directory
// of artifacts.
const artifactTemplate = "usher://artifact/{+path}"

// maxArtifact bounds what is read of one.
const maxArtifact = 20 << 20

func (s *Server) readArtifact(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	return s.artifact(ctx, req.Params.URI, strings.TrimPrefix(req.Params.URI, "usher://artifact/"))
}

// artifact reads a file below the directory of artifacts, for the resource that it is.
func (s *Server) artifact(ctx context.Context, uri, path string) (*mcp.ReadResourceResult, error) {
	root, err := os.OpenRoot(s.opts.Host.Artifacts)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, mcp.ResourceNotFoundError(uri)
	} else if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // it only looked things up
	raw, err := files.ReadIn(ctx, root, path, maxArtifact)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	contents := &mcp.ResourceContents{URI: uri, MIMEType: mime.TypeByExtension(filepath.Ext(path))}
	if utf8.Valid(raw) {
		contents.Text = string(raw)
	} else {
		contents.Blob = raw
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
}

func (s *Server) addResources() {
	s.sdk.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: artifactTemplate, Name: "artifact",
		Description: "A file that a command saved, by its path below the directory of artifacts: a screenshot, a text too long for a result"}, s.readArtifact)
	for _, r := range s.resources {
		s.sdk.AddResource(&mcp.Resource{URI: r.uri, Name: r.name, Description: r.doc, MIMEType: "application/json"},
			func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				reply, err := s.opts.Host.Daemon.Run(ctx, s.opts.Host.Command(r.verb, nil))
				var text string
				if err != nil { // no browser yet is a state, too
					text = string(tool.Failure(err).Data.JSON())
				} else {
					text = string(tool.Harmless(reply.Data))
				}
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: text}}}, nil
			})
	}
}

// feed follows the events of the session while somebody is subscribed, and tells which
// resources changed.
type feed struct {
	s *Server

	mu     sync.Mutex
	uris   map[string]int     // guarded by mu: subscriptions by resource
	stop   context.CancelFunc // guarded by mu: ends the goroutine that follows
	done   chan struct{}      // guarded by mu: closed when it has ended
	closed bool               // guarded by mu
	life   context.Context    // of what is told
	die    context.CancelFunc // ends life
	again  bool               // guarded by mu: there is something to follow when what is followed now has ended
	dirty  map[string]bool    // guarded by mu: resources that changed and nobody has been told of
	timer  *time.Timer        // guarded by mu: tells of them; nil while there are none
	tells  sync.WaitGroup     // timers that run or will run
}

// breather is how long changes are gathered before a client is told: a page can cause thousands in a second.
const breather = 30 * time.Millisecond

func newFeed(s *Server) *feed {
	f := &feed{s: s, uris: map[string]int{}, dirty: map[string]bool{}}
	f.life, f.die = context.WithCancel(context.Background())
	return f
}

func (f *feed) subscribe(_ context.Context, req *mcp.SubscribeRequest) error {
	if !slices.ContainsFunc(f.s.resources, func(r resource) bool { return r.uri == req.Params.URI }) {
		return mcp.ResourceNotFoundError(req.Params.URI)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.uris[req.Params.URI]++
	f.start(true) // a daemon in which to wait for a browser, whoever starts it
	return nil
}

// resume follows anew, if somebody is subscribed and nothing is followed: the daemon
// was stopped, and a call has started another.
func (f *feed) resume() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.uris) > 0 {
		f.again = true // what is followed now may be about to end
		f.start(false)
	}
}

// start follows unless that goes on already, and starts a daemon for it or not. It needs mu.
func (f *feed) start(daemon bool) {
	if f.stop != nil || f.closed {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	f.stop, f.done, f.again = stop, make(chan struct{}), false
	go func(done chan struct{}) {
		defer fault.Recover(f.s.panicked)
		f.follow(ctx, done, daemon)
	}(f.done)
}

func (f *feed) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.uris[req.Params.URI]--; f.uris[req.Params.URI] <= 0 {
		delete(f.uris, req.Params.URI)
	}
	return nil
}

// close ends the following, and waits.
func (f *feed) close() {
	f.die()
	f.mu.Lock()
	f.closed = true
	stop, done := f.stop, f.done
	if f.timer != nil && f.timer.Stop() {
		f.tells.Done()
	}
	f.timer = nil
	f.mu.Unlock()
	if stop != nil {
		stop()
		<-done
	}
	f.tells.Wait()
}

// follow reads the events of the session: those from before, for something may have happened since the browser was started,
// and those of a browser that somebody starts later. It goes on from one browser to the next for as long as there is a
// daemon: one that was stopped is started again by the next call of the agent, and not by this.
func (f *feed) follow(ctx context.Context, done chan struct{}, start bool) {
	defer close(done)
	daemon := *f.s.opts.Host.Daemon
	if !start {
		daemon.Start = nil
	}
	for f.stream(ctx, &daemon) && ctx.Err() == nil {
		daemon.Start = nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	over := ctx.Err() != nil
	f.stop()
	f.stop = nil
	if f.again && !over {
		f.start(false)
	}
}

// stream reads the events of one browser. It says whether their end was that of a browser or session.
func (f *feed) stream(ctx context.Context, daemon *client.Client) (closed bool) {
	read, write := io.Pipe()
	streamed := make(chan struct{})
	go func() {
		defer close(streamed)
		defer fault.Recover(func(e *fault.Error) { f.s.panicked(e); write.CloseWithError(e) })
		cmd := f.s.opts.Host.Command("events", verb.Values{"follow": {"true"}, "wait": {"true"}, "json": {"true"}, "since": {"0"}})
		write.CloseWithError(daemon.Stream(ctx, cmd, write))
	}()
	lines := bufio.NewScanner(read)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		switch kind := kindOf(lines.Text()); kind {
		case "waiting":
		case "closed":
			closed = true
			fallthrough
		default:
			f.note(kind)
		}
	}
	_ = read.Close() // ends the writing side, if that has not ended already
	<-streamed
	return closed
}

// kindOf is the type of an event or marker.
func kindOf(event string) string {
	_, kind, _ := strings.Cut(event, `"type":"`)
	kind, _, _ = strings.Cut(kind, `"`)
	return kind
}

// note takes note of the resources that an event of a kind changes.
func (f *feed) note(kind string) {
	family, _, _ := strings.Cut(kind, "_")
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.s.resources {
		if f.uris[r.uri] > 0 && (r.events == nil || slices.Contains(r.events, family)) {
			f.dirty[r.uri] = true
		}
	}
	if len(f.dirty) > 0 && f.timer == nil && !f.closed {
		f.tells.Add(1)
		f.timer = time.AfterFunc(breather, f.tell)
	}
}

// tell notifies of what has changed.
func (f *feed) tell() {
	defer f.tells.Done()
	defer fault.Recover(f.s.panicked)
	f.mu.Lock()
	changed := slices.Sorted(maps.Keys(f.dirty))
	clear(f.dirty)
	f.timer = nil
	f.mu.Unlock()
	for _, uri := range changed {
		// Whom it does not reach has left.
		_ = f.s.sdk.ResourceUpdated(f.life, &mcp.ResourceUpdatedNotificationParams{URI: uri})
	}
}
