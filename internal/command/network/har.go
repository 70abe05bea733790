package network

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/har"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/verb"
)

// HAR is the result of `network har`.
type HAR struct {
	Started bool `json:"started,omitzero"` // of start
	// Path is the file: of start, if one was given, and of stop.
	Path     string `json:"path,omitzero"`
	Requests *int   `json:"requestCount,omitzero"` // of stop
	// Unfinished is how many of these requests had not ended.
	Unfinished int `json:"unfinished,omitzero"`
	// Replaying is the file of replay, with Responses that can be given, and Unusable entries.
	Replaying string `json:"replaying,omitzero"`
	Responses int    `json:"responses,omitzero"`
	Unusable  int    `json:"unusable,omitzero"`
}

func harCommand(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*HAR], error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	switch c.Str("action") {
	case "start":
		return startHAR(ctx, e, c)
	case "stop":
		return stopHAR(ctx, e, c)
	}
	return replayHAR(ctx, e, c)
}

func startHAR(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*HAR], error) {
	path, err := harPath(e, c.Str("path"))
	if err != nil {
		return run.Reply[*HAR]{}, err
	}
	is, err := cdp.Do(ctx, e.Browser.Session(""), browser.GetVersion, protocol.Empty{})
	if err != nil {
		return run.Reply[*HAR]{}, e.Explain(err, "read the browser's version")
	}
	name, version, _ := strings.Cut(is.Product, "/")
	_, own, _ := strings.Cut(e.Settings.Agent, "/")
	err = e.Journal.StartHAR(e.Browser, e.Context, journal.HAROptions{
		Path: path, Content: journal.HARContent(c.Str("content")),
		Creator: har.Tool{Name: "usher", Version: own}, Browser: har.Tool{Name: name, Version: version},
	})
	switch {
	case errors.Is(err, journal.ErrRecording):
		return run.Reply[*HAR]{}, api.Errorf(api.InvalidArgument, "network har start: %w", err).WithHint("End it with `network har stop` first.")
	case err != nil:
		return run.Reply[*HAR]{}, media.WriteError(path, err)
	}
	data := &HAR{Started: true}
	if c.Has("path") {
		data.Path = path
	}
	return run.Reply[*HAR]{Data: data, Text: "✓ HAR recording started"}, nil
}

// harPath checks that a file can be written at a path, and returns it absolute. Without a path it is a file of the
// session's.
func harPath(e *run.Env, given string) (string, error) {
	if given == "" {
		dir, err := e.OwnDir("har")
		return filepath.Join(dir, "har-"+time.Now().Format("20060102-150405.000")+".har"), err
	}
	path := e.Path(given)
	if err := e.MaySave("network har", path); err != nil {
		return "", err
	}
	return path, media.CheckOutputPath(path)
}

// endingSoon is how long `network har stop` waits for requests that have not ended.
const endingSoon = time.Second

func stopHAR(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*HAR], error) {
	path := e.Journal.HARPath(e.Context)
	if path == "" {
		return run.Reply[*HAR]{}, api.Errorf(api.InvalidArgument, "network har stop: %w", journal.ErrNoRecording).
			WithHint("Begin with `network har start [path]`.")
	}
	if c.Str("path") != "" {
		var err error
		if path, err = harPath(e, c.Str("path")); err != nil {
			return run.Reply[*HAR]{}, err
		}
	}
	// The reply comes after the events of what the browser had done before. A browser that does not answer sends no
	// events any more, and what was recorded is saved all the same.
	wait, cancel := context.WithTimeout(ctx, endingSoon)
	defer cancel()
	_, _ = cdp.Do(wait, e.Browser.Session(""), browser.GetVersion, protocol.Empty{})
	done, err := e.Journal.StopHAR(wait, e.Context)
	if errors.Is(err, journal.ErrNoRecording) {
		return run.Reply[*HAR]{}, api.Errorf(api.InvalidArgument, "network har stop: %w", err)
	}
	if err != nil {
		return run.Reply[*HAR]{}, api.Errorf(api.FileWriteFailed, "write %s: %w", path, err).With("path", done.File).
			WithHint("What could be written is in %s.", done.File)
	}
	if err := media.MoveOwn(done.File, path); err != nil {
		return run.Reply[*HAR]{}, fmt.Errorf("%w; the HAR is in %s", err, done.File)
	}
	return run.Reply[*HAR]{
		Data: &HAR{Path: path, Requests: &done.Entries, Unfinished: done.Unfinished},
		Text: fmt.Sprintf("✓ HAR saved to %s (%d requests)", path, done.Entries),
	}, nil
}
