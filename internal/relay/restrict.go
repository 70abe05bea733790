package relay

import (
	"bytes"
	"slices"
	"strings"

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

// acting are the commands that change a page, its data, or what it sends, besides those with a prefix of actingPrefixes.
// extension/src/restrict.ts has the same list.
var acting = map[string]bool{
	"CSS.addRule": true, "CSS.createStyleSheet": true, "CacheStorage.deleteCache": true, "CacheStorage.deleteEntry": true,
	"DOM.copyTo": true, "DOM.focus": true, "DOM.moveTo": true, "DOM.redo": true, "DOM.removeAttribute": true, "DOM.removeNode": true,
	"DOM.scrollIntoViewIfNeeded": true, "DOM.setAttributeValue": true, "DOM.setAttributesAsText": true, "DOM.setFileInputFiles": true,
	"DOM.setNodeName": true, "DOM.setNodeValue": true, "DOM.setOuterHTML": true, "DOM.undo": true,
	"Debugger.setReturnValue": true, "Debugger.setScriptSource": true, "Debugger.setVariableValue": true, "Fetch.fulfillRequest": true,
	"Network.clearBrowserCache": true, "Network.clearBrowserCookies": true, "Network.deleteCookies": true, "Network.replayXHR": true,
	"Network.setCookie": true, "Network.setCookies": true, "Page.close": true, "Page.reload": true, "Page.setDocumentContent": true,
	"Runtime.runScript": true, "Runtime.setProtocolObject": true,
}

var actingPrefixes = []string{"Input.", "CSS.set", "Storage.clear", "Storage.delete", "Storage.set", "WebAuthn.", "WebMCP.invoke"}

// navigating are the commands that leave a page's address.
var navigating = map[string]bool{"Page.navigate": true, "Page.navigateToHistoryEntry": true, "Page.resetNavigationHistory": true}

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
	case "Input.setInterceptDrags", "Input.setIgnoreInputEvents":
		return false
	}
	return acting[cmd.Method] || navigating[cmd.Method] && s.kind == ofDebuggee ||
		slices.ContainsFunc(actingPrefixes, func(p string) bool { return strings.HasPrefix(cmd.Method, p) })
}

// refuses returns why the user's settings do not allow a command; "" if they do. While the user allows reading only, scripts run without
// side effects.
func (r *Relay) refuses(s *session, cmd *wire.Command) string {
	set := &r.settings
	switch {
	case set.LockURL && navigating[cmd.Method]:
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
