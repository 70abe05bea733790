package doctor

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/device"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

//go:embed stealth.html
var stealthPage []byte

// The categories of doctor --stealth.
const (
	seenAsUsual   = "A page sees, without --stealth"
	seenInStealth = "A page sees, with --stealth"
)

// maxSeen bounds what the page sends.
const maxSeen = 1 << 20

// observation is one thing the page looked at.
type observation struct {
	ID        string `json:"id"`
	Revealing bool   `json:"telling"`
	Failed    bool   `json:"failed"`
	Says      string `json:"says"`
}

// wantsStealth reports whether the flag is on the command line: there it requests the check of what pages can detect.
// From the environment or a file it is about sessions.
func (d *doctor) wantsStealth() bool {
	return d.set != nil && d.set.Bool("stealth") && d.set.From("stealth") == config.Flags
}

// stealth runs our detection page in two browsers, one without stealth and one with it, and reports what it detects in
// each.
func (d *doctor) stealth(ctx context.Context) {
	for _, hidden := range []bool{false, true} {
		category := seenAsUsual
		if hidden {
			category = seenInStealth
		}
		limited, cancel := context.WithTimeout(ctx, launchLimit)
		err := d.look(limited, category, hidden)
		cancel()
		if err != nil {
			d.fail(category, "look", "Run `usher doctor` to see whether the browser works at all.", "%v", err)
		}
	}
}

// look carries one examination out.
func (d *doctor) look(ctx context.Context, category string, hidden bool) (err error) {
	reports := make(chan []observation, 1)
	address, stop, err := servePage(ctx, reports)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	process, err := chrome.Launch(ctx, chrome.Options{
		Executable: d.str("executable-path"), Headed: d.set.Bool("headed"), Args: d.set.List("args"),
		Proxy: d.str("proxy"), ProxyBypass: d.str("proxy-bypass"), HideScrollbars: d.set.Bool("hide-scrollbars"), NoWebMCP: hidden, NoUTC: hidden,
	})
	if err != nil {
		return err
	}
	log := journal.New(journal.DefaultLimits)
	opts := supervisor.Options{Stealth: hidden, Observers: []supervisor.Observer{log}}
	if hidden {
		opts.Reporter = log.Reporter()
	}
	r, w := process.Conn()
	browser := supervisor.New(wire.Pipe(r, w), opts)
	defer func() {
		// The examination may have been interrupted; what was started ends anyway.
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(err, browser.Close(), process.Close(closing))
	}()
	init := []model.InitCommand{{Method: "Emulation.setFocusEmulationEnabled", Params: map[string]any{"enabled": true}}}
	if hidden && !d.set.Bool("headed") { // as sessions do, see host.Pages
		name, version, _ := strings.Cut(process.Product(), "/")
		if own := device.LaunchedChrome(chrome.UserAgent(runtime.GOOS, name, version), version); own != nil && name == "Chrome" {
			init = append(init, model.InitCommand{Method: "Emulation.setUserAgentOverride", Params: own.Override(runtime.GOARCH), Frames: true, Workers: true})
		}
	}
	tab, err := openSupervised(ctx, browser, address, init)
	if err != nil {
		return err
	}
	select {
	case seen := <-reports:
		d.seen(category, hidden, seen)
	case <-ctx.Done():
		return fmt.Errorf("the page at %s has sent nothing: %w", address, context.Cause(ctx))
	}
	d.checkReports(ctx, category, browser, log, tab)
	return nil
}

// openSupervised opens a page as a session does.
func openSupervised(ctx context.Context, browser *supervisor.Browser, address string, init []model.InitCommand) (model.TargetID, error) {
	root := browser.Session("")
	own, err := cdp.Do(ctx, root, target.CreateBrowserContext, target.CreateBrowserContextParams{DisposeOnDetach: new(true)})
	if err != nil {
		return "", fmt.Errorf("make a browser context: %w", err)
	}
	browser.SetInit(model.ContextID(own.BrowserContextID), init)
	made, err := cdp.Do(ctx, root, target.CreateTarget, target.CreateTargetParams{
		URL: "about:blank", BrowserContextID: own.BrowserContextID})
	if err != nil {
		return "", fmt.Errorf("open a tab: %w", err)
	}
	id := model.TargetID(made.TargetID)
	if err := browser.Wait(ctx, func(s *model.State) (bool, error) {
		return s.Tabs[id] != nil && s.Tabs[id].Ready, s.Closed
	}); err != nil {
		return "", fmt.Errorf("open a tab: %w", err)
	}
	gone, err := cdp.Do(ctx, browser.Session(browser.State().Tabs[id].Session), page.Navigate, page.NavigateParams{URL: address})
	if err != nil {
		return "", fmt.Errorf("open a page: %w", err)
	}
	if gone.ErrorText != "" {
		return "", fmt.Errorf("open a page: %s", gone.ErrorText)
	}
	return id, nil
}

// seen notes what the page found.
func (d *doctor) seen(category string, hidden bool, list []observation) {
	for _, s := range list {
		says := strings.ToValidUTF8(s.Says, "\uFFFD")
		switch {
		case s.Failed:
			d.warn(category, s.ID, "", "the check in the page failed: %s", says)
		case s.Revealing:
			fix := ""
			if !hidden && strings.HasPrefix(s.ID, "runtime-") {
				fix = "Launch the session with --stealth."
			}
			d.warn(category, s.ID, fix, "%s", says)
		default:
			d.pass(category, s.ID, "%s", says)
		}
	}
}

// checkReports checks whether the page's console message and error arrived: stealth is of little use if they do not.
func (d *doctor) checkReports(ctx context.Context, category string, browser *supervisor.Browser, log *journal.Journal, tab model.TargetID) {
	// The page wrote both before it sent its report; its reply comes after them.
	err := browser.Session(browser.State().Tabs[tab].Session).Call(ctx, "Runtime.evaluate", map[string]any{"expression": "0"}, nil)
	if err != nil {
		d.fail(category, "heard", "", "ask the page: %v", err)
		return
	}
	lines, _ := log.Console(tab)
	thrown, _ := log.Errors(tab)
	if len(lines) == 0 || len(thrown) == 0 {
		d.fail(category, "heard", "", "the page wrote to the console and threw an error; %s and %s arrived", count(len(lines), "line"), count(len(thrown), "error"))
		return
	}
	d.pass(category, "heard", "console messages and errors arrive: %s and %s", count(len(lines), "line"), count(len(thrown), "uncaught error"))
}

// servePage serves the page on this machine only, and hands on what it sends.
func servePage(ctx context.Context, reports chan<- []observation) (address string, stop func() error, err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("serve the page: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(stealthPage) // a browser that ended is reported elsewhere
	})
	mux.HandleFunc("POST /seen", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, maxSeen))
		var seen []observation
		if err == nil {
			err = jsonv2.Unmarshal(body, &seen)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		select {
		case reports <- seen:
		default: // it has sent one already
		}
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	return "http://" + listener.Addr().String() + "/", func() error {
		err := server.Close()
		if serving := <-ended; !errors.Is(serving, http.ErrServerClosed) {
			err = errors.Join(err, serving)
		}
		return err
	}, nil
}
