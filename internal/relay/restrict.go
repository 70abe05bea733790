package relay

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/pagescript"
	"github.com/usher-browser/usher/internal/wire"
)

// Settings are what the user of the browser allows, as the extension's popup has it.
type Settings struct {
	Mode         string `json:"mode"` // auto, manual or attached-only: which tabs clients see
	ReadOnly     bool   `json:"readOnly"`
	LockURL      bool   `json:"lockUrl"`
	NoNewTabs    bool   `json:"noNewTabs"`
	Instructions string `json:"instructions"`
	GhostCursor  bool   `json:"ghostCursor"`
	Idle         int    `json:"idleDetachMinutes"`
	Shared       []int  `json:"shared"`
}

func (r *Relay) applySettings(text []byte) {
	s := Settings{Mode: "auto"}
	if len(text) > 0 && !decode(text, &s) {
		s = Settings{Mode: "attached-only", ReadOnly: true} // what cannot be read allows nothing
	}
	r.settings = s
}

// refusesTabs returns why no tab may be opened; "" if it may.
func (r *Relay) refusesTabs() string {
	switch {
	case r.settings.NoNewTabs:
		return r.explain("the user allows no new tabs")
	case r.settings.Mode == "attached-only":
		return r.explain("the user allows only the tabs that they share")
	}
	return ""
}

// explain adds the user's own words to a refusal.
func (r *Relay) explain(why string) string {
	why += " (settings of usher's extension in Chrome)"
	if r.settings.Instructions != "" {
		why += ". The user's instructions: " + r.settings.Instructions
	}
	return why
}

// acting.json is what both the relay and the extension (extension/src/restrict.ts) refuse while the user allows reading only.
//
//go:embed acting.json
var actingText []byte

// actingRules are the rules of acting.json.
type actingRules struct {
	// Commands change a page, its data, or what it sends; so do those whose method begins with one of Prefixes, but the Harmless ones.
	Commands []string `json:"commands"`
	Prefixes []string `json:"prefixes"`
	Harmless []string `json:"harmless"`
	// Navigations leave a page's address.
	Navigations []string `json:"navigations"`
}

var rules = sync.OnceValue(func() (r actingRules) {
	if !decode(actingText, &r) {
		panic("acting.json cannot be read") // it is part of the program
	}
	return r
})

// acts reports whether the command, whatever its parameters are, changes something.
func (r *actingRules) acts(method string) bool {
	return !slices.Contains(r.Harmless, method) && (slices.Contains(r.Commands, method) ||
		slices.ContainsFunc(r.Prefixes, func(p string) bool { return strings.HasPrefix(method, p) }))
}

// navigates reports whether a command leaves a page's address.
func navigates(method string) bool {
	r := rules()
	return slices.Contains(r.Navigations, method)
}

// acts reports whether a command changes something of a page.
func acts(s *session, cmd *wire.Command) bool {
	switch cmd.Method {
	case "Page.addScriptToEvaluateOnNewDocument":
		var p struct {
			Source string `json:"source"`
		}
		decode(cmd.Params, &p)
		return strings.TrimSpace(p.Source) != "" && !pagescript.Reading(p.Source) // an empty one only makes an isolated world
	case "Page.handleJavaScriptDialog":
		var p struct {
			Accept bool `json:"accept"`
		}
		decode(cmd.Params, &p)
		return p.Accept
	case "Fetch.continueRequest":
		var p struct {
			URL      jsontext.Value `json:"url"`
			Method   jsontext.Value `json:"method"`
			PostData jsontext.Value `json:"postData"`
			Headers  jsontext.Value `json:"headers"`
		}
		decode(cmd.Params, &p)
		return len(p.URL)+len(p.Method)+len(p.PostData)+len(p.Headers) > 0
	}
	r := rules()
	return r.acts(cmd.Method) || navigates(cmd.Method) && s.kind == ofDebuggee
}

// refuses returns why the user's settings do not allow a command; "" if they do. While the user allows reading only, scripts run without
// side effects.
func (r *Relay) refuses(s *session, cmd *wire.Command) string {
	set := &r.settings
	switch {
	case set.LockURL && navigates(cmd.Method):
		return r.explain("the user allows no navigation")
	case isClearing(cmd) && !r.options.AllowClearing:
		return cmd.Method + " clears data of all sites in the user's own profile, and is refused; clear one site with Storage.clearDataForOrigin"
	case !set.ReadOnly:
		return ""
	case acts(s, cmd):
		return r.explain(cmd.Method + " is refused: the user allows reading only")
	case cmd.Method == "Runtime.evaluate" && isActingCall(cmd):
		return r.explain("acting on the page is refused: the user allows reading only")
	case !reads(cmd):
		params := cmd.Params
		if len(params) == 0 {
			params = []byte("{}")
		}
		cmd.Params = withMember(params, "throwOnSideEffect", []byte("true"))
	}
	return ""
}

// reads reports whether a command runs no script, or one of usher's own that only reads.
func reads(cmd *wire.Command) bool {
	var p struct {
		Expression  string `json:"expression"`
		Declaration string `json:"functionDeclaration"`
	}
	switch cmd.Method {
	case "Runtime.evaluate":
		return decode(cmd.Params, &p) && pagescript.Reading(p.Expression)
	case "Runtime.callFunctionOn":
		return decode(cmd.Params, &p) && pagescript.ReadingFunction(p.Declaration)
	case "Debugger.evaluateOnCallFrame":
		return false
	}
	return true
}

// isActingCall reports whether a command calls a function of usher's own script in the page that does not only read.
func isActingCall(cmd *wire.Command) bool {
	var p struct {
		Expression string `json:"expression"`
	}
	decode(cmd.Params, &p)
	return pagescript.Acting(p.Expression)
}

// sideEffect is what V8 says of a script that it ended because the script would change something.
var sideEffect = []byte("EvalError: Possible side-effect in debug-evaluate")

// explained adds to the result of a script that V8 ended that it was the user's setting.
func (r *Relay) explained(payload []byte) []byte {
	if !bytes.Contains(payload, sideEffect) || !bytes.Contains(payload, []byte(`"exceptionDetails"`)) {
		return payload
	}
	why := encode(r.explain(string(sideEffect) + ": the script would change something, and the user allows reading only"))
	return bytes.ReplaceAll(payload, sideEffect, why[1:len(why)-1])
}
