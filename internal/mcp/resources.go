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

// resource is an MCP resource that clients may read and subscribe to.
type resource struct {
	uri, name, doc string
	verb           string // the command whose data it is; run under the site guard
	// events are the families of events that change it.
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

// artifactTemplate is the URI template of a saved file; path is relative to the directory of artifacts.
const artifactTemplate = "usher://artifact/{+path}"

// maxArtifact bounds a file that is read as a resource, in bytes.
const maxArtifact = 20 << 20

func (s *Server) readArtifact(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	return s.artifact(ctx, req.Params.URI, strings.TrimPrefix(req.Params.URI, "usher://artifact/"))
}

// artifact reads a file below the directory of artifacts as the resource uri.
func (s *Server) artifact(ctx context.Context, uri, path string) (*mcp.ReadResourceResult, error) {
	root, err := os.OpenRoot(s.opts.Host.ArtifactDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, mcp.ResourceNotFoundError(uri)
	} else if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // used for lookups only
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
				if err != nil { // "no browser" is a valid state of a resource
					text = string(tool.Failure(err).Data.JSON())
				} else {
					text = string(tool.Sanitize(reply.Data))
				}
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: text}}}, nil
			})
	}
}

// feed follows the events of the session while a client is subscribed, and notifies clients of resources that changed.
type feed struct {
	s *Server

	mu            sync.Mutex
	uris          map[string]int     // guarded by mu: subscriptions by resource
	stop          context.CancelFunc // guarded by mu: ends the goroutine follow
	done          chan struct{}      // guarded by mu: closed when follow has ended
	closed        bool               // guarded by mu
	notifyContext context.Context    // of notifications
	cancelNotify  context.CancelFunc // ends notifyContext
	restart       bool               // guarded by mu: follow again after the running follow has ended
	changed       map[string]bool    // guarded by mu: changed resources whose notification is due
	timer         *time.Timer        // guarded by mu: sends the notifications; nil if none is due
	timers        sync.WaitGroup     // timers that are running or pending
}

// notifyDelay is how long changes are collected before a notification: a page can cause thousands per second.
const notifyDelay = 30 * time.Millisecond

func newFeed(s *Server) *feed {
	f := &feed{s: s, uris: map[string]int{}, changed: map[string]bool{}}
	f.notifyContext, f.cancelNotify = context.WithCancel(context.Background())
	return f
}

func (f *feed) subscribe(_ context.Context, req *mcp.SubscribeRequest) error {
	if !slices.ContainsFunc(f.s.resources, func(r resource) bool { return r.uri == req.Params.URI }) {
		return mcp.ResourceNotFoundError(req.Params.URI)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.uris[req.Params.URI]++
	f.start(true) // starts a daemon, so that a browser started later is noticed
	return nil
}

// resume follows again if a client is subscribed and follow is not running: the daemon was stopped, and a call has
// started another.
func (f *feed) resume() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.uris) > 0 {
		f.restart = true // the running follow may be about to end
		f.start(false)
	}
}

// start runs follow unless it is running. daemon says whether follow starts a daemon. The caller holds mu.
func (f *feed) start(daemon bool) {
	if f.stop != nil || f.closed {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	f.stop, f.done, f.restart = stop, make(chan struct{}), false
	go func(done chan struct{}) {
		defer fault.Recover(f.s.logPanic)
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

// close ends follow, and waits.
func (f *feed) close() {
	f.cancelNotify()
	f.mu.Lock()
	f.closed = true
	stop, done := f.stop, f.done
	if f.timer != nil && f.timer.Stop() {
		f.timers.Done()
	}
	f.timer = nil
	f.mu.Unlock()
	if stop != nil {
		stop()
		<-done
	}
	f.timers.Wait()
}

// follow reads the events of the session, beginning with the retained ones, and goes on from one browser to the next
// until the daemon ends. It does not restart a daemon that was stopped; the agent's next call does.
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
	cancelled := ctx.Err() != nil
	f.stop()
	f.stop = nil
	if f.restart && !cancelled {
		f.start(false)
	}
}

// stream reads the events of one browser. It reports whether they ended because the browser or session closed.
func (f *feed) stream(ctx context.Context, daemon *client.Client) (closed bool) {
	read, write := io.Pipe()
	streamed := make(chan struct{})
	go func() {
		defer close(streamed)
		defer fault.Recover(func(e *fault.Error) { f.s.logPanic(e); write.CloseWithError(e) })
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
			f.markChanged(kind)
		}
	}
	_ = read.Close() // ends the writer, if it has not ended already
	<-streamed
	return closed
}

// kindOf returns the type of an event or marker.
func kindOf(event string) string {
	_, kind, _ := strings.Cut(event, `"type":"`)
	kind, _, _ = strings.Cut(kind, `"`)
	return kind
}

// markChanged marks the resources that an event of this kind changes, and schedules their notification.
func (f *feed) markChanged(kind string) {
	family, _, _ := strings.Cut(kind, "_")
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.s.resources {
		if f.uris[r.uri] > 0 && (r.events == nil || slices.Contains(r.events, family)) {
			f.changed[r.uri] = true
		}
	}
	if len(f.changed) > 0 && f.timer == nil && !f.closed {
		f.timers.Add(1)
		f.timer = time.AfterFunc(notifyDelay, f.notify)
	}
}

// notify sends the notifications that are due.
func (f *feed) notify() {
	defer f.timers.Done()
	defer fault.Recover(f.s.logPanic)
	f.mu.Lock()
	changed := slices.Sorted(maps.Keys(f.changed))
	clear(f.changed)
	f.timer = nil
	f.mu.Unlock()
	for _, uri := range changed {
		// An error means that the client has disconnected.
		_ = f.s.sdk.ResourceUpdated(f.notifyContext, &mcp.ResourceUpdatedNotificationParams{URI: uri})
	}
}
