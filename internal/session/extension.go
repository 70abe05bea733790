package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/extension"
	"github.com/usher-browser/usher/internal/session/host"
	"github.com/usher-browser/usher/internal/session/results"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/mistakes"
)

// extensionDoctor says what is missing before agents can use the user's own Chrome, in the order in which it is to be done.
func (s *Session) extensionDoctor(_ context.Context, cmd Command) (run.Result, error) {
	places, err := dirs.Of(func(name string) string { v, _ := cmd.Env(name); return v }, "", cmd.Settings.Mode == verb.AgentBrowser)
	if err != nil {
		return run.Result{}, err
	}
	program := cmd.Settings.Mode.Program()
	r := &results.ExtensionReport{Ready: true, Path: filepath.Join(places.Home, extension.DirName)}
	checkWritten(r, program)
	state := s.reg.relayState()
	switch port := relayPort(cmd.Settings); {
	case !state.Running:
		r.Add("relay", "fail", "no relay is running", fmt.Sprintf("Run `%s relay start`, or any command with --browser mine.", program))
		return run.Result{Data: r, Text: r.Text()}, nil
	case state.Port != port:
		r.Add("relay", "warn", fmt.Sprintf("the relay runs on port %d; the settings say %d", state.Port, port),
			fmt.Sprintf("Run `%s relay stop` and `%[1]s relay start`, or correct --relay-port.", program))
	default:
		r.Add("relay", "pass", fmt.Sprintf("the relay listens at 127.0.0.1:%d", state.Port), "")
	}
	switch state.Paired {
	case "":
		r.Add("paired", "fail", "no extension has paired", fmt.Sprintf("Load the extension in chrome://extensions (Developer mode, Load unpacked, %s), run `%s extension pair`, and type the code into its popup.", r.Path, program))
	case extension.ID():
		r.Add("paired", "pass", "usher's extension has paired", "")
	default:
		r.Add("paired", "warn", "another extension than usher's has paired: "+state.Paired, fmt.Sprintf("If that is not meant, run `%s extension pair` and type the code into the popup of usher's.", program))
	}
	if !state.Connected {
		r.Add("connected", "fail", "the extension is not connected",
			fmt.Sprintf("Open the browser, and the popup of usher's icon: it says why. The address of the relay in it must be ws://127.0.0.1:%d.", state.Port))
		return run.Result{Data: r, Text: r.Text()}, nil
	}
	r.Add("connected", "pass", fmt.Sprintf("%s is connected, with %d tabs for agents", state.Browser, state.Tabs), "")
	if state.ExtensionVersion != extension.Version() {
		r.Add("version", "warn", fmt.Sprintf("the browser runs extension %s; this program has %s", state.ExtensionVersion, extension.Version()),
			fmt.Sprintf("Run `%s extension install`, and press the reload button of usher in chrome://extensions.", program))
	} else {
		r.Add("version", "pass", "the browser runs extension "+state.ExtensionVersion, "")
	}
	settings := "mode " + state.Mode
	if len(state.Restrictions) > 0 {
		settings += ", " + strings.Join(state.Restrictions, ", ")
	}
	r.Add("settings", "pass", "the user allows: "+settings, "")
	return run.Result{Data: r, Text: r.Text()}, nil
}

// checkWritten compares the written extension with that of this program.
func checkWritten(r *results.ExtensionReport, program string) {
	install := fmt.Sprintf("Run `%s extension install`.", program)
	switch version, err := extension.Written(r.Path); {
	case errors.Is(err, fs.ErrNotExist):
		r.Add("written", "fail", "the extension is not written to "+r.Path, install)
	case err != nil:
		r.Add("written", "fail", err.Error(), install)
	case version != extension.Version():
		r.Add("written", "warn", fmt.Sprintf("%s has extension %s; this program has %s", r.Path, version, extension.Version()), install)
	default:
		r.Add("written", "pass", fmt.Sprintf("extension %s is in %s", version, r.Path), "")
	}
}

// extensionTry is `open` in a throw-away Chromium that is reached through the extension. If it fails, nothing of it stays.
func (s *Session) extensionTry(ctx context.Context, cmd Command) (run.Result, error) {
	if s.hasBrowser() {
		return run.Result{}, api.Errorf(api.LaunchConflict, "session %s has a browser already", s.name).
			WithHint("`close` ends it (the page is lost); or use another --session.")
	}
	words := []string{"open"}
	if url := cmd.Call.Str("url"); url != "" {
		words = append(words, url)
	}
	call, err := mistakes.Parse(s.reg.opts.Table, words, cmd.Settings.Mode)
	if err != nil {
		return run.Result{}, err
	}
	open := cmd
	open.Call = call
	open.Settings = cmd.Settings.With("browser", "try", "extension try").With("headed", strconv.FormatBool(!cmd.Call.Bool("headless")), "extension try")
	res, err := s.run(ctx, open)
	h, _ := s.browserContext()
	if err != nil || h == nil {
		cctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*host.CloseGrace)
		defer cancel()
		return run.Result{}, errors.Join(err, s.Close(cctx))
	}
	data := &results.Tried{Session: s.name, CDPURL: h.Browser.Address(), URL: cmd.Call.Str("url")}
	end := cmd.Settings.Mode.Program()
	if cmd.Call.Globals.Has("session") {
		end += " --session " + s.name
	}
	res.Data, res.Text = data, fmt.Sprintf("✓ A Chromium with usher's extension runs in session %s; `%s close` ends it\n  CDP clients: %s", s.name, end, data.CDPURL)
	return res, nil
}
