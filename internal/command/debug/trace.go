package debug

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	stream "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/tracing"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/traces"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/verb"
)

// TraceStarted is the result of `trace start` and `profiler start`.
type TraceStarted struct {
	Started bool `json:"started"`
}

// TraceSaved is the result of `trace stop` and `profiler stop`.
type TraceSaved struct {
	EventCount int    `json:"eventCount"`
	Path       string `json:"path"`
}

// ofTimeline are the categories that the Performance panel of DevTools records (Chromium 156, TimelineController).
func ofTimeline() []string {
	return []string{
		"devtools.timeline", "disabled-by-default-devtools.timeline", "disabled-by-default-devtools.timeline.frame", "disabled-by-default-devtools.timeline.stack",
		"disabled-by-default-v8.cpu_profiler", "disabled-by-default-v8.compile", "v8.execute", "v8", "blink.user_timing", "blink.console", "loading", "latencyInfo",
		"toplevel", "cppgc", "disabled-by-default-v8.inspector",
	}
}

func traceStart(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[TraceStarted], error) {
	return start(ctx, e, "trace", "✓ Recording started", append([]string{"*"}, ofTimeline()...))
}

func profilerStart(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[TraceStarted], error) {
	categories := ofTimeline()
	if c.Has("categories") {
		categories = c.List("categories")
	}
	return start(ctx, e, "profiler", "✓ Profiling started", append([]string{"-*"}, categories...))
}

// start begins to record trace events, on the CDP session of the tab: that restricts them to the processes of the page, the
// browser and the GPU.
func start(ctx context.Context, e *run.Env, kind, text string, categories []string) (run.Reply[TraceStarted], error) {
	doing := kind + " start"
	if e.Sites != nil {
		return run.Reply[TraceStarted]{}, api.Errorf(api.GuardRefused, "%s: trace events have addresses of every page of the browser process, and cannot be checked", doing)
	}
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[TraceStarted]{}, err
	}
	if other := e.Traces.Begin(traces.Recording{Kind: kind, Tab: tab.ID, Session: tab.Session}); other != nil && e.Browser.State().Tabs[other.Tab] != nil {
		return run.Reply[TraceStarted]{}, api.Errorf(api.TraceActive, "%s: this session is recording already; it was started with `%s start`", doing, other.Kind).
			WithHint("End it with `%s stop`.", other.Kind)
	} else if other != nil { // its tab is gone, and it with that
		e.Traces.End()
		e.Traces.Begin(traces.Recording{Kind: kind, Tab: tab.ID, Session: tab.Session})
	}
	_, err = cdp.Do(ctx, e.Browser.Session(tab.Session), tracing.Start, tracing.StartParams{
		TransferMode: tracing.StartTransferModeReturnAsStream, StreamFormat: tracing.StreamFormatJSON,
		TraceConfig: &tracing.TraceConfig{IncludedCategories: included(categories), ExcludedCategories: excluded(categories)},
	})
	if err != nil {
		e.Traces.End()
		if refused := (*cdp.Error)(nil); errors.As(err, &refused) {
			return run.Reply[TraceStarted]{}, api.Errorf(api.TraceActive, "%s: the browser refuses: %w", doing, err)
		}
		return run.Reply[TraceStarted]{}, e.Explain(err, doing)
	}
	return run.Reply[TraceStarted]{Data: TraceStarted{Started: true}, Text: text}, nil
}

func included(categories []string) []string {
	var out []string
	for _, c := range categories {
		if c != "-*" {
			out = append(out, c)
		}
	}
	return out
}

func excluded(categories []string) []string {
	if len(categories) > 0 && categories[0] == "-*" {
		return []string{"*"}
	}
	return nil
}

func traceStop(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*TraceSaved], error) {
	saved, warning, err := stop(ctx, e, c, "trace", "traces")
	if err != nil {
		return run.Reply[*TraceSaved]{}, err
	}
	return run.Reply[*TraceSaved]{Data: saved, Text: "✓ Trace saved to " + saved.Path, Warning: warning}, nil
}

func profilerStop(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*TraceSaved], error) {
	saved, warning, err := stop(ctx, e, c, "profiler", "profiles")
	if err != nil {
		return run.Reply[*TraceSaved]{}, err
	}
	return run.Reply[*TraceSaved]{Data: saved, Text: fmt.Sprintf("✓ Profile saved to %s (%s)", saved.Path, run.Plural(saved.EventCount, "event")), Warning: warning}, nil
}

// stopLimit is how long the browser may take to collect the events of its processes.
const stopLimit = 60 * time.Second

// stop ends a recording and saves it. If there can be no file at the path, the recording goes on.
func stop(ctx context.Context, e *run.Env, c *verb.Call, kind, dir string) (*TraceSaved, string, error) {
	doing := kind + " stop"
	trace := e.Traces.Now()
	switch {
	case trace == nil:
		return nil, "", api.Errorf(api.NoTrace, "%s: none was started in this session", doing).WithHint("Begin with `%s start`.", kind)
	case trace.Kind != kind:
		return nil, "", api.Errorf(api.NoTrace, "%s: what is being recorded was started with `%s start`", doing, trace.Kind).WithHint("End it with `%s stop`.", trace.Kind)
	}
	own, path, err := traceAt(e, c, doing, kind, dir)
	if err != nil {
		return nil, "", err
	}
	if !e.Limited {
		e.Limit = stopLimit
	}
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	session := e.Browser.Session(trace.Session)
	complete, forget := e.Browser.NextEvent(trace.Session, "Tracing.tracingComplete")
	defer forget()
	if _, err := cdp.Do(ctx, session, tracing.End, protocol.Empty{}); err != nil {
		if refused := (*cdp.Error)(nil); errors.As(err, &refused) || errors.Is(err, cdp.ErrDetached) {
			e.Traces.End()
			return nil, "", api.Errorf(api.NoTrace, "%s: the recording ended early, as when its tab was closed or the connection broke: %w", doing, err)
		}
		return nil, "", e.Explain(err, doing)
	}
	e.Traces.End()
	var done tracing.EventTracingComplete
	select {
	case raw := <-complete:
		if err := jsonv2.Unmarshal(raw, &done); err != nil {
			return nil, "", api.Errorf(api.ProtocolError, "%s: decode Tracing.tracingComplete: %w", doing, err)
		}
	case <-ctx.Done():
		return nil, "", e.Explain(context.Cause(ctx), doing+": the browser did not deliver the events")
	case <-e.Browser.Done():
		return nil, "", e.Explain(cdp.ErrClosed, doing)
	}
	n, err := save(ctx, session, done.Stream, own)
	if err != nil {
		if api.CodeOf(err) == api.FileWriteFailed {
			return nil, "", err
		}
		return nil, "", e.Explain(err, doing)
	}
	if path != own {
		if err := media.MoveOwn(own, path); err != nil {
			return nil, "", fmt.Errorf("%w; the %s is in %s", err, nameOf(kind), own)
		}
	}
	warning := ""
	if done.DataLossOccurred {
		warning = "the browser's buffer was full: later events are missing. Record a shorter time, or fewer categories with `profiler start --categories`"
	}
	return &TraceSaved{EventCount: n, Path: path}, warning, nil
}

// traceAt returns a file of usher's own for a recording, and where it is to be saved in the end, and checks that. The browser
// gives the events once, so they go to the first file, which stays when the other cannot be written.
func traceAt(e *run.Env, c *verb.Call, doing, kind, dir string) (own, path string, err error) {
	if c.Has("path") {
		path = e.Path(c.Str("path"))
		if err := e.MaySave(doing, path); err != nil {
			return "", "", err
		}
		if err := media.CheckOutputPath(path); err != nil {
			return "", "", err
		}
	}
	if dir, err = e.OwnDir(dir); err != nil {
		return "", "", err
	}
	own = filepath.Join(dir, nameOf(kind)+time.Now().Format("-20060102-150405.000")+".json")
	if path == "" {
		path = own
	}
	return own, path, nil
}

// nameOf names what a kind of recording makes.
func nameOf(kind string) string {
	return map[string]string{"trace": "trace", "profiler": "profile"}[kind]
}

// save writes a stream of the browser to a file that only its owner can read, as it comes, and returns the number of
// trace events in it.
func save(ctx context.Context, s *cdp.Session, handle stream.StreamHandle, path string) (events int, err error) {
	err = media.WriteOwn(path, func(w io.Writer) error {
		copied, counter := io.Pipe()
		counted := make(chan error, 1)
		go func() { // ends with the pipe
			n, err := countEvents(copied)
			events = n
			copied.CloseWithError(err) // nothing more is read: if it is broken, writing fails with that
			counted <- err
		}()
		err := media.CopyStream(ctx, s, handle, io.MultiWriter(w, counter))
		counter.CloseWithError(err)
		if failed := <-counted; err == nil {
			err = failed
		}
		return err
	})
	return events, err
}

// countEvents reads a trace to its end and returns the number of its events. The error is also for a trace that is no JSON.
func countEvents(r io.Reader) (n int, err error) {
	in := jsontext.NewDecoder(r, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	broken := func(err error) (int, error) { return 0, fmt.Errorf("read the trace: %w", err) }
	if t, err := in.ReadToken(); err != nil || t.Kind() != '{' {
		return broken(errors.Join(err, errors.New("it is no JSON object")))
	}
	for in.PeekKind() == '"' {
		name, err := in.ReadToken()
		if err != nil {
			return broken(err)
		}
		if name.String() != "traceEvents" || in.PeekKind() != '[' {
			if err := in.SkipValue(); err != nil {
				return broken(err)
			}
			continue
		}
		if _, err := in.ReadToken(); err != nil {
			return broken(err)
		}
		for ; in.PeekKind() != ']'; n++ {
			if err := in.SkipValue(); err != nil {
				return broken(err)
			}
		}
		if _, err := in.ReadToken(); err != nil {
			return broken(err)
		}
	}
	if _, err := in.ReadToken(); err != nil {
		return broken(err)
	}
	if _, err := in.ReadToken(); !errors.Is(err, io.EOF) {
		return broken(errors.Join(err, errors.New("there is something behind it")))
	}
	return n, nil
}
