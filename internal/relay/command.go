package relay

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/wire"
)

// command takes a command of a client's session.
func (r *Relay) command(s *session, cmd wire.Command) {
	domain, _, _ := strings.Cut(cmd.Method, ".")
	switch {
	case cmd.Method == "Target.setAutoAttach" && r.waitsForPage(s, cmd):
		return
	case domain == "Target":
		r.targetCommand(s, cmd)
		return
	case s.kind == ofBrowser || domain == "Browser":
		r.browserCommand(s, cmd)
		return
	case cmd.Method == "Page.setDownloadBehavior":
		r.setDownloads(s, cmd)
		return
	case s.kind == ofTab:
		if cmd.Method == "Runtime.runIfWaitingForDebugger" {
			s.client.answer(cmd, empty{})
			return
		}
		s.client.fail(cmd, codeNotFound, "'"+cmd.Method+"' wasn't found")
		return
	}
	if why := r.refuses(s, &cmd); why != "" {
		s.client.fail(cmd, cdp.CodeUserRefused, why)
		return
	}
	if to := unreachable(cmd); to != "" {
		s.client.fail(cmd, codeServer, "Chrome lets no extension debug "+to+", so the tab stays where it is")
		return
	}
	if (cmd.Method == "Page.createIsolatedWorld" || cmd.Method == "Page.addScriptToEvaluateOnNewDocument") && r.options.OwnWorld != "" && worldOf(cmd.Params) == r.options.OwnWorld {
		s.client.usher = true
	}
	t := s.tab
	t.last = time.Now()
	if s.waits(cmd) {
		cmd.Params = bytes.Clone(cmd.Params)
		s.unkept = append(s.unkept, cmd)
		return
	}
	if r.waitsForPage(s, cmd) {
		return
	}
	if s.of.id != "" || t.phase == attached || t.phase == replaying && cmd.Method == dialogAnswer {
		r.direct(s, cmd)
		return
	}
	cmd.Params = bytes.Clone(cmd.Params)
	switch {
	case t.phase != replaying && r.early(s, cmd):
	default:
		s.queue = append(s.queue, cmd)
		if t.phase == idle {
			t.retries = 0
		}
		r.attach(t)
	}
}

// dialogAnswer is the command that a page may need before it answers others: it does not wait for the end of a replay.
const dialogAnswer = "Page.handleJavaScriptDialog"

// recordable are the commands that make state of a tab's CDP session, besides those that enable domains. They are answered before the tab is
// attached, and sent when it is.
var recordable = map[string]bool{
	lifecycleMethod: true, "Page.setInterceptFileChooserDialog": true, "Page.setPrerenderingAllowed": true, "Page.setBypassCSP": true,
	"Page.setFontFamilies": true, "Page.setFontSizes": true, "Page.setAdBlockingEnabled": true, "Page.addScriptToEvaluateOnNewDocument": true,
	"Runtime.addBinding": true, "Runtime.setAsyncCallStackDepth": true, "Runtime.setMaxCallStackSizeToCapture": true,
	"Network.setBypassServiceWorker": true, "Network.setExtraHTTPHeaders": true, "Network.setCacheDisabled": true, "Network.setUserAgentOverride": true,
	"Network.emulateNetworkConditions": true, "Network.setBlockedURLs": true, "Network.setAttachDebugStack": true, "Network.emulateNetworkConditionsByRule": true,
	"Network.overrideNetworkState": true, "Input.setInterceptDrags": true, "Debugger.setAsyncCallStackDepth": true, "Debugger.setSkipAllPauses": true,
	"Emulation.setEmulatedMedia": true, "Emulation.setDeviceMetricsOverride": true, "Emulation.setTouchEmulationEnabled": true,
	"Emulation.setDefaultBackgroundColorOverride": true, "Emulation.setAutomationOverride": true, "Emulation.setFocusEmulationEnabled": true,
	"Emulation.setScriptExecutionDisabled": true, "Emulation.setLocaleOverride": true, "Emulation.setTimezoneOverride": true,
	"Emulation.setUserAgentOverride": true, "Emulation.setGeolocationOverride": true, "Emulation.setCPUThrottlingRate": true,
	"Emulation.setEmitTouchEventsForMouse": true, "Emulation.setHardwareConcurrencyOverride": true,
}

// enables are the domains whose enable command is answered before the tab is attached. The reply of others has content.
var enables = map[string]bool{
	"Page": true, "Runtime": true, "Network": true, "Log": true, "Console": true, "DOM": true, "CSS": true, "Overlay": true, "Inspector": true,
	"Performance": true, "Accessibility": true, "Fetch": true, "DOMDebugger": true, "Audits": true, "WebAuthn": true, "DeviceAccess": true, "WebMCP": true,
}

// absent are the domains that chrome.debugger does not offer (measured on Chromium 156): clients are told so before a tab is attached, too.
var absent = map[string]bool{
	"SystemInfo": true, "Schema": true, "Profiler": true, "HeapProfiler": true, "Memory": true, "Security": true, "ServiceWorker": true, "DOMStorage": true,
	"IndexedDB": true, "BackgroundService": true, "PerformanceTimeline": true, "Media": true, "Animation": true, "LayerTree": true, "Autofill": true,
	"Preload": true, "FedCm": true, "PWA": true, "Extensions": true, "FileSystem": true, "Cast": true, "Tethering": true, "EventBreakpoints": true,
}

// early answers a command to a tab that is not attached from what is known of it. It reports whether it could.
func (r *Relay) early(s *session, cmd wire.Command) bool {
	domain, name, _ := strings.Cut(cmd.Method, ".")
	switch {
	case absent[domain]:
		s.client.fail(cmd, codeNotFound, "'"+cmd.Method+"' wasn't found")
		return true
	case cmd.Method == "Page.getFrameTree":
		s.document().tree = true
		s.client.answer(cmd, map[string]any{"frameTree": map[string]any{"frame": s.frame()}})
		return true
	case cmd.Method == "Page.createIsolatedWorld":
		var p struct {
			Frame string `json:"frameId"`
			World string `json:"worldName"`
		}
		if decode(cmd.Params, &p); p.Frame != s.tab.target || p.World == "" {
			return false
		}
		s.keepWorld(cmd.Params, p.World)
		s.client.answer(cmd, map[string]int64{"executionContextId": r.context(s, p.World)})
		return true
	case cmd.Method == "Runtime.runIfWaitingForDebugger":
		s.client.answer(cmd, empty{})
		return true
	case name == "enable" && enables[domain], recordable[cmd.Method]:
	case name == "disable" && enables[domain]:
	case cmd.Method == "Page.removeScriptToEvaluateOnNewDocument" || cmd.Method == "Runtime.removeBinding":
	default:
		return false
	}
	n, refused := r.note(s, cmd)
	switch {
	case refused != "":
		s.client.fail(cmd, codeServer, refused)
	case n.script != nil:
		s.client.answer(cmd, map[string]string{"identifier": n.script.id})
	default:
		if cmd.Method == "Runtime.enable" && n.fresh {
			for _, c := range s.document().contexts {
				s.contextEvent(c)
			}
			r.context(s, "")
		}
		s.client.answer(cmd, empty{})
		if cmd.Method == lifecycleMethod && s.lifecycle && s.tab.info.Status == "complete" {
			s.loaded()
		}
	}
	return true
}

// keepWorld remembers a world that the session made, for frames that it does not know yet.
func (s *session) keepWorld(params jsontext.Value, world string) {
	s.worlds = slices.DeleteFunc(s.worlds, func(w jsontext.Value) bool { return worldOf(w) == world })
	s.worlds = append(s.worlds, bytes.Clone(params))
}

// noted is what a command changed in its session.
type noted struct {
	fresh  bool    // a domain was not enabled before
	last   bool    // a domain, or binding, that no other session wants either was switched off
	script *script // that was added or removed
}

// note takes a command that makes state into the record of its session.
func (r *Relay) note(s *session, cmd wire.Command) (n noted, refused string) {
	domain, name, _ := strings.Cut(cmd.Method, ".")
	switch {
	case name == "enable":
		if domain == "Fetch" {
			if refused = r.enableFetch(s, cmd.Params); refused != "" {
				return n, refused
			}
		} else {
			s.keep(recorded{key: cmd.Method, method: cmd.Method, params: bytes.Clone(cmd.Params)})
		}
		n.fresh = !s.enabled[domain]
		s.enabled[domain] = true
	case name == "disable":
		s.discard(domain + ".enable")
		delete(s.enabled, domain)
		if domain == "Debugger" && s.of.pauser == s {
			s.of.pauser = nil
		}
		if domain == "Fetch" {
			s.fetch = nil
		}
		n.last = !s.of.wants(domain, s)
	case cmd.Method == "Page.addScriptToEvaluateOnNewDocument":
		r.lastID++
		n.script = &script{id: "usher-" + strconv.FormatInt(r.lastID, 10)}
		s.record = append(s.record, recorded{key: cmd.Method + " " + n.script.id, method: cmd.Method, params: bytes.Clone(cmd.Params), script: n.script})
	case cmd.Method == "Page.removeScriptToEvaluateOnNewDocument":
		var p struct {
			Identifier string `json:"identifier"`
		}
		decode(cmd.Params, &p)
		for _, e := range s.record {
			if e.script != nil && e.script.id == p.Identifier {
				n.script = e.script
			}
		}
		s.discard("Page.addScriptToEvaluateOnNewDocument " + p.Identifier)
	case cmd.Method == "Runtime.addBinding" || cmd.Method == "Runtime.removeBinding":
		var p struct {
			Name string `json:"name"`
		}
		decode(cmd.Params, &p)
		if name == "removeBinding" {
			delete(s.bindings, p.Name)
			s.discard("Runtime.addBinding " + p.Name)
			n.last = !slices.ContainsFunc(s.of.views, func(o *session) bool { return o.bindings[p.Name] })
			break
		}
		if s.bindings == nil {
			s.bindings = map[string]bool{}
		}
		s.bindings[p.Name] = true
		params := cmd.Params
		if id, ok := numberOf(params, "executionContextId"); ok && id != 0 {
			break // for one context, which ends with its document
		}
		s.keep(recorded{key: "Runtime.addBinding " + p.Name, method: cmd.Method, params: bytes.Clone(params)})
	case recordable[cmd.Method]:
		if cmd.Method == lifecycleMethod {
			s.lifecycle = bytes.Contains(cmd.Params, []byte("true"))
		}
		s.keep(recorded{key: cmd.Method, method: cmd.Method, params: bytes.Clone(cmd.Params)})
	}
	return n, ""
}

// keep adds a command to the record, or puts it in the place of an earlier one.
func (s *session) keep(e recorded) {
	for i := range s.record {
		if s.record[i].key == e.key {
			s.record[i] = e
			return
		}
	}
	s.record = append(s.record, e)
}

// discard removes a command from the record.
func (s *session) discard(key string) {
	s.record = slices.DeleteFunc(s.record, func(e recorded) bool { return e.key == key })
}

// direct sends a command to the browser, unless another session decides that it must not have an effect.
func (r *Relay) direct(s *session, cmd wire.Command) {
	domain, name, _ := strings.Cut(cmd.Method, ".")
	d := s.of
	switch {
	case name == "enable" || name == "disable" || recordable[cmd.Method] || cmd.Method == "Page.removeScriptToEvaluateOnNewDocument" || cmd.Method == "Runtime.removeBinding":
		r.directState(s, cmd, domain, name)
		return
	case cmd.Method == "Runtime.runIfWaitingForDebugger":
		s.local(func() { s.client.answer(cmd, empty{}) })
		if s.waiting {
			s.waiting = false
			r.runIfNobodyWaits(d)
		}
		return
	case cmd.Method == startScreencast || cmd.Method == stopScreencast:
		r.screencast(s, cmd)
		return
	case domain == "Fetch":
		r.forgetRequest(s, cmd)
	case cmd.Method == treeMethod:
		r.tree(s, cmd)
		return
	case s.toData(cmd):
		r.load(s, cmd, abortedData)
		return
	case cmd.Method == navigateMethod && d.id == "":
		r.navigate(s, cmd, 0)
		return
	case loads[cmd.Method]:
		r.load(s, cmd, nil)
		return
	case discards[cmd.Method]:
		r.forward(s, cmd, func(payload []byte, failed bool) []byte {
			if !failed {
				r.dropMessages(d, domain)
			}
			return payload
		})
		return
	case domain == "DOM":
		s.enabled["DOM"] = true // DOM.getDocument enables it
	case cmd.Method == "Page.createIsolatedWorld":
		if world := worldOf(cmd.Params); world != "" && d.id == "" {
			s.keepWorld(cmd.Params, world)
			if r.promise(s, cmd, world) {
				return
			}
		}
	case !enables[domain] && !s.enabled[domain]:
		s.enabled[domain] = true // a domain without enable, such as Tracing
	}
	if cmd.Method == "Page.captureScreenshot" && d.id == "" && !s.tab.info.Active {
		_ = r.link.Start("tabs.update", map[string]any{"tabId": s.tab.id, "active": true}, ignore) // Chrome draws no tab in the background
	}
	if pauses(cmd) {
		if d.pauser != nil && d.pauser != s && d.pauser.client != s.client {
			s.client.fail(cmd, codeServer, "conflict: another CDP client debugs this tab; it must disable its Debugger domain first")
			return
		}
		d.pauser = s
	}
	if bytes.Contains(cmd.Params, []byte(`"objectGroup"`)) {
		cmd.Params = s.ownGroup(cmd.Params)
	}
	r.forward(s, cmd, nil)
}

// pauses reports whether a command makes scripts pause.
func pauses(cmd wire.Command) bool {
	switch cmd.Method {
	case "Debugger.pause", "Debugger.setBreakpoint", "Debugger.setBreakpointByUrl", "Debugger.setBreakpointOnFunctionCall", "Debugger.setInstrumentationBreakpoint",
		"DOMDebugger.setDOMBreakpoint", "DOMDebugger.setEventListenerBreakpoint", "DOMDebugger.setXHRBreakpoint":
		return true
	case "Debugger.setPauseOnExceptions":
		return !bytes.Contains(cmd.Params, []byte(`"none"`))
	}
	return false
}

// ownGroup gives a group of objects a name of the session's own.
func (s *session) ownGroup(params []byte) []byte {
	var p struct {
		Group string `json:"objectGroup"`
	}
	if !decode(params, &p) || p.Group == "" {
		return params
	}
	name := s.id[:8] + ":" + p.Group
	if s.groups == nil {
		s.groups = map[string]bool{}
	}
	if len(s.groups) < 1000 {
		s.groups[name] = true
	}
	return withMember(params, "objectGroup", encode(name))
}

// directState is direct for commands that make state.
func (r *Relay) directState(s *session, cmd wire.Command, domain, name string) {
	d := s.of
	before := d.wants(domain, s) || d.lingers[domain]
	n, refused := r.note(s, cmd)
	switch {
	case refused != "":
		s.client.fail(cmd, codeServer, refused)
	case domain == "Fetch":
		r.forwardFetch(s, cmd)
	case name == "enable" && n.fresh && before:
		// What was announced before is repeated with the reply, so that it comes behind the replies to earlier commands, as from Chromium:
		// Playwright ignores contexts of frames of which it has not been told yet.
		delete(s.enabled, domain)
		r.change(s, cmd, func() {
			s.enabled[domain] = true
			r.repeat(s, domain)
		})
	case name == "disable":
		if !n.last || domain == "Page" {
			s.local(func() { s.client.answer(cmd, empty{}) })
			return
		}
		r.forget(d, domain)
		r.forward(s, cmd, nil)
	case name == "removeBinding" && !n.last:
		s.local(func() { s.client.answer(cmd, empty{}) })
	case cmd.Method == "Page.addScriptToEvaluateOnNewDocument":
		r.addScript(s, cmd, n.script)
	case cmd.Method == "Page.removeScriptToEvaluateOnNewDocument":
		switch {
		case n.script == nil:
			s.client.fail(cmd, codeServer, "Script not found")
			return
		case n.script.real == "": // the browser has not answered yet
			n.script.dropped = true
			s.local(func() { s.client.answer(cmd, empty{}) })
			return
		}
		cmd.Params = encode(map[string]string{"identifier": n.script.real})
		r.forward(s, cmd, nil)
	case cmd.Method == lifecycleMethod:
		r.setLifecycle(s, cmd)
	default:
		r.change(s, cmd, nil)
	}
}

// addScript adds a script for new documents.
func (r *Relay) addScript(s *session, cmd wire.Command, added *script) {
	identifier := map[string]string{"identifier": added.id}
	if s.of.id == "" && assured(cmd) {
		r.assure(s, cmd, identifier, func(payload []byte, failed bool) {
			if added.real == "" { // else a replay has sent it
				r.learned(s, added, payload, failed)
			}
		})
		return
	}
	r.forward(s, cmd, func(payload []byte, failed bool) []byte {
		if added.real == "" { // else a replay has sent it
			r.learned(s, added, payload, failed)
		}
		if failed {
			return payload
		}
		return encode(identifier)
	})
}

// learned takes the browser's id of a script, and takes the script away if its client has gone meanwhile.
func (r *Relay) learned(s *session, added *script, payload []byte, failed bool) {
	added.learn(payload, failed)
	if added.dropped && added.real != "" && !s.tab.gone && s.tab.phase != idle {
		_ = r.link.CDP(s.tab.id, s.of.id, "Page.removeScriptToEvaluateOnNewDocument", encode(map[string]string{"identifier": added.real}), ignore)
	}
}

// repeat sends a session what was announced before it enabled a domain that another session had enabled.
func (r *Relay) repeat(s *session, domain string) {
	switch domain {
	case "Runtime":
		for _, c := range s.of.contexts {
			if s.hides(c) {
				continue
			}
			s.event("Runtime.executionContextCreated", c.event)
		}
		s.repeatMessages(domain)
	case "Log":
		s.repeatMessages(domain)
	case "Debugger":
		for _, event := range s.of.scripts {
			s.event("Debugger.scriptParsed", event)
		}
	case "CSS":
		for _, sh := range s.of.sheets {
			s.event("CSS.styleSheetAdded", sh.event)
		}
	}
}

// forward sends a command to the browser. then, if any, is called under the lock with the reply's payload, and returns what the client
// gets. It returns false if the command was not sent.
func (r *Relay) forward(s *session, cmd wire.Command, then func(payload []byte, failed bool) []byte) bool {
	f := &forwarded{session: s, at: wire.Command{ID: cmd.ID, SessionID: cmd.SessionID, Method: cmd.Method}, then: then}
	if s.loader[0] != "" && cmd.Method == "Page.getResourceTree" && then == nil {
		f.then = func(payload []byte, _ bool) []byte { return s.ownLoader(payload) }
	}
	if r.settings.ReadOnly && then == nil && (cmd.Method == "Runtime.evaluate" || cmd.Method == "Runtime.callFunctionOn") {
		f.then = func(payload []byte, _ bool) []byte { return r.explained(payload) }
	}
	if f.track = tracked(cmd); f.track {
		f.number = s.track()
	}
	if s.of.id == "" && len(cmd.Params) <= resendLimit {
		f.again = append(make([]byte, 0, len(cmd.Params)), cmd.Params...)
	}
	return r.submit(f, cmd.Params)
}
