package emulation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/device"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// environment is the answer of environment.ts.
type environment struct {
	Width             int      `json:"width"`
	Height            int      `json:"height"`
	DeviceScaleFactor float64  `json:"deviceScaleFactor"`
	Touch             bool     `json:"touch"`
	Online            bool     `json:"online"`
	UserAgent         string   `json:"userAgent"`
	Platform          string   `json:"platform"`
	Timezone          string   `json:"timezone"`
	Locale            string   `json:"locale"`
	Languages         []string `json:"languages"`
	Media             string   `json:"media"`
	ColorScheme       string   `json:"colorScheme"`
	ReducedMotion     string   `json:"reducedMotion"`
	ForcedColors      string   `json:"forcedColors"`
	Contrast          string   `json:"contrast"`
}

// look returns what the page of the command's tab sees.
func look(ctx context.Context, e *run.Env) (seen environment, err error) {
	return seen, ask(ctx, e, "environment", nil, &seen)
}

// ask calls a function of our script in the page.
func ask(ctx context.Context, e *run.Env, function string, arg, result any) error {
	ctx, stop := e.Guard(ctx)
	defer stop()
	tab, err := e.CurrentTab()
	if err != nil {
		return err
	}
	return e.Explain(e.Worlds.Call(ctx, tab.Main, function, arg, result), "read what the page sees")
}

// option returns the session's value of an option; empty for none.
func option(e *run.Env, name string) string {
	if e.Option == nil {
		return ""
	}
	return e.Option(name)
}

// done returns a reply whose text says what holds now, except under the name agent-browser.
func done[T any](e *run.Env, data T, now string) run.Reply[T] {
	if e.Settings.Compatible || now == "" {
		return run.Reply[T]{Data: data, Text: run.Done}
	}
	return run.Reply[T]{Data: data, Text: run.Done + "\n  " + now}
}

func (s *environment) viewport(e *run.Env) Viewport {
	return Viewport{Width: s.Width, Height: s.Height, DeviceScaleFactor: s.DeviceScaleFactor, Mobile: option(e, "mobile") != ""}
}

// String returns the size as --viewport has it.
func (v Viewport) String() string {
	text := fmt.Sprintf("%dx%d@%s", v.Width, v.Height, degrees(v.DeviceScaleFactor))
	if v.Mobile {
		text += ", mobile"
	}
	return text
}

// changeTime is how long a page may take to see what was changed.
const changeTime = 2 * time.Second

// until returns what the page sees as soon as that is what was asked for, or when it does not come. Size, touch screen and
// connection reach the page through the browser's process, and some with the next frame.
func until(ctx context.Context, e *run.Env, asked func(environment) bool) (seen environment, err error) {
	for end := time.Now().Add(min(changeTime, e.Limit)); ; {
		if seen, err = look(ctx, e); err != nil || asked(seen) || time.Now().After(end) {
			return seen, err
		}
		e.Show(e.Tab)
		if err = ask(ctx, e, "drawn", nil, nil); err != nil {
			return seen, err
		}
	}
}

// resized waits until the page has the size and touch screen of the session, or a size that it keeps if the session gives
// none. The warning says that it has another.
func resized(ctx context.Context, e *run.Env) (seen environment, warning string, err error) {
	touch := option(e, "touch") != ""
	if option(e, "viewport") == "" {
		var before *environment
		seen, err = until(ctx, e, func(now environment) bool {
			kept := before != nil && before.Width == now.Width && before.Height == now.Height && before.DeviceScaleFactor == now.DeviceScaleFactor
			before = &now
			return kept && now.Touch == touch
		})
		return seen, "", err
	}
	want, err := verb.ParseViewport(option(e, "viewport"))
	if err != nil {
		return seen, "", err
	}
	fits := func(now environment) bool {
		return want == verb.Viewport{Width: now.Width, Height: now.Height, Scale: now.DeviceScaleFactor}
	}
	seen, err = until(ctx, e, func(now environment) bool { return fits(now) && now.Touch == touch })
	if err == nil && !fits(seen) {
		warning = fmt.Sprintf("the page is %s, not %s", seen.viewport(e), option(e, "viewport"))
	}
	return seen, warning, err
}

func setViewport(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[Viewport], error) {
	seen, warning, err := resized(ctx, e)
	if err != nil {
		return run.Reply[Viewport]{}, err
	}
	res := done(e, seen.viewport(e), seen.viewport(e).String())
	res.Warning = warning
	return res, nil
}

func setDevice(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Device], error) {
	seen, warning, err := resized(ctx, e)
	if err != nil {
		return run.Reply[Device]{}, err
	}
	data := Device{Device: c.Globals.List("device")[0], Viewport: seen.viewport(e), Touch: seen.Touch, UserAgent: seen.UserAgent}
	text := data.String()
	if data.Touch {
		text += ", touch"
	}
	res := done(e, data, data.Device+": "+text+"\n  "+run.Printable(data.UserAgent))
	res.Warning = warning
	return res, nil
}

func listDevices(context.Context, *run.Env, *verb.Call) (run.Reply[Devices], error) {
	names := device.Names()
	return run.Reply[Devices]{Data: Devices{names}, Text: strings.Join(names, "\n")}, nil
}

func setGeolocation(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Geolocation], error) {
	data := Geolocation{}
	text := "the browser's own position"
	if value := c.Globals.List("geolocation")[0]; value != verb.Unemulated {
		at, err := verb.ParseGeolocation(value)
		if err != nil {
			return run.Reply[Geolocation]{}, err
		}
		data.Latitude, data.Longitude, data.Accuracy = &at.Latitude, &at.Longitude, &at.Accuracy
		text = degrees(at.Latitude) + ", " + degrees(at.Longitude)
	}
	states, err := permissions(ctx, e, "geolocation")
	if err != nil {
		return run.Reply[Geolocation]{}, err
	}
	data.Permission = states["geolocation"]
	if data.Permission != "" {
		text += " (permission: " + data.Permission + ")"
	}
	res := done(e, data, text)
	switch data.Permission {
	case "":
		res.Warning = "this page cannot read the position, because it is not secure: https, localhost and 127.0.0.1 are"
	case "denied":
		res.Warning = "the page may not read the position: a permission policy denies it (`set permissions geolocation=allow`)"
	}
	return res, nil
}

// permissions returns the states of permissions in the page.
func permissions(ctx context.Context, e *run.Env, names ...string) (states map[string]string, err error) {
	return states, ask(ctx, e, "permissions", map[string]any{"names": names}, &states)
}

// setOffline cuts the network off. What `network throttle` set otherwise is kept for later.
func setOffline(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Offline], error) {
	off := c.Str("switch") != "off"
	err := func() error {
		ctx, cancel := e.WithLimit(ctx, func() {})
		defer cancel()
		return e.Browser.UpdateNetworkConditions(ctx, e.Context, func(now *model.NetworkConditions) {
			now.Offline = off
			if !off && now.Preset == offlinePreset {
				now.Preset = ""
			}
		})
	}()
	if err != nil {
		return run.Reply[Offline]{}, e.Explain(err, "set offline")
	}
	text := "the network is connected"
	if off {
		text = "the network is cut off"
	}
	if i := e.Browser.State().PendingInterruption(e.Tab); i != nil {
		res := done(e, Offline{Offline: off}, text)
		res.Warning = fmt.Sprintf("the page is blocked and learns of it when %s is answered: %s", i.ID, i.Message)
		return res, nil
	}
	seen, err := until(ctx, e, func(now environment) bool { return now.Online != off })
	if err != nil {
		return run.Reply[Offline]{}, err
	}
	res := done(e, Offline{Offline: !seen.Online}, text)
	if seen.Online == off {
		res.Warning = fmt.Sprintf("navigator.onLine of the page is %v", seen.Online)
	}
	return res, nil
}

// offlinePreset is the name of the throttling preset that is nothing but offline.
const offlinePreset = "offline"

func setHeaders(_ context.Context, e *run.Env, c *verb.Call) (run.Reply[Headers], error) {
	var headers map[string]string
	if err := json.Unmarshal([]byte(c.Str("object")), &headers); err != nil {
		return run.Reply[Headers]{}, err
	}
	data := Headers{Set: true, Headers: slices.AppendSeq([]string{}, maps.Keys(headers))}
	slices.Sort(data.Headers)
	text := "no extra headers"
	if len(headers) > 0 {
		text = strings.Join(data.Headers, ", ") + " to every origin"
	}
	return done(e, data, run.Printable(text)), nil
}

func setCredentials(context.Context, *run.Env, *verb.Call) (run.Reply[Credentials], error) {
	return run.Reply[Credentials]{Data: Credentials{Set: true}, Text: run.Done}, nil
}

func setMedia(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[Media], error) {
	seen, err := look(ctx, e)
	if err != nil {
		return run.Reply[Media]{}, err
	}
	data := Media{Set: true, Media: seen.Media, ColorScheme: seen.ColorScheme, ReducedMotion: seen.ReducedMotion, ForcedColors: seen.ForcedColors, Contrast: seen.Contrast}
	return done(e, data, fmt.Sprintf("%s, %s, reduced-motion=%s, forced-colors=%s, contrast=%s", data.Media, data.ColorScheme, data.ReducedMotion, data.ForcedColors, data.Contrast)), nil
}

func setTimezone(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[Timezone], error) {
	seen, err := look(ctx, e)
	return done(e, Timezone{Set: true, Timezone: seen.Timezone}, seen.Timezone), err
}

func setLocale(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[Locale], error) {
	seen, err := look(ctx, e)
	return done(e, Locale{Set: true, Locale: seen.Locale, Languages: seen.Languages}, seen.Locale+" (navigator.languages: "+strings.Join(seen.Languages, ", ")+")"), err
}

func setUserAgent(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[UserAgent], error) {
	seen, err := look(ctx, e)
	return done(e, UserAgent{Set: true, UserAgent: seen.UserAgent, Platform: seen.Platform}, run.Printable(seen.UserAgent)), err
}

func setPermissions(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Permissions], error) {
	var names []string
	for _, word := range c.Globals.List("permissions") {
		if name, _, named := strings.Cut(word, "="); named {
			names = append(names, name)
		}
	}
	states, err := permissions(ctx, e, names...)
	if err != nil {
		return run.Reply[Permissions]{}, err
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(states)) {
		lines = append(lines, name+": "+states[name])
	}
	return done(e, Permissions{Set: true, Permissions: states}, strings.Join(lines, ", ")), nil
}
