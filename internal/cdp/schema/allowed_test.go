package schema

import (
	"slices"
	"strings"
	"testing"
)

// outdated are allowed methods that the description of the protocol leaves out, though browsers know them.
var outdated = []string{"DOM.getFlattenedDocument", "Emulation.canEmulate", "Network.emulateNetworkConditions", "Network.getAllCookies",
	"Network.setUserAgentOverride", "Schema.getDomains"}

// TestAllowedTable: what is allowed exists, with these parameters, once each; and no line can be read in two ways.
func TestAllowedTable(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(allowedText) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		name := words[0]
		if seen[name] {
			t.Errorf("%s stands there twice", name)
		}
		seen[name] = true
		rule := Allowed(name)
		if rule == nil {
			t.Errorf("%q is not understood", line)
			continue
		}
		if !slices.Contains([]Scope{ScopeFree, ScopeFrame, ScopeScript, ScopePage}, rule.Scope) || strings.Contains(words[1], "/") != rule.Browser {
			t.Errorf("%s has the scope %q", name, words[1])
		}
		known := Find(name)
		if known == nil {
			if !slices.Contains(outdated, name) {
				t.Errorf("the protocol has no %s", name)
			}
			continue
		}
		for _, p := range rule.Params {
			if !slices.ContainsFunc(known.Params, func(k Param) bool { return k.Name == p }) {
				t.Errorf("%s takes no %s", name, p)
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("only %d methods are allowed", len(seen))
	}
}

// TestAllowedIsJudged: what names a node, which belongs to no origin, is for methods that judge every frame; numbers of
// nodes that hold in a whole process, paths, headers and scripts for every frame are for none.
func TestAllowedIsJudged(t *testing.T) {
	for name, rule := range allowed() {
		for _, p := range rule.Params {
			lower := strings.ToLower(p)
			switch {
			case strings.HasPrefix(lower, "backendnodeid"), strings.Contains(lower, "file"), lower == "path" && !strings.Contains(name, "ookie"),
				lower == "downloadpath", lower == "headers", lower == "scripttoevaluateonload", lower == "includecommandlineapi",
				lower == "generatepreview", lower == "serializationoptions", lower == "headertemplate", lower == "referrer", lower == "commands":
				t.Errorf("%s may be given %s", name, p)
			case strings.HasPrefix(lower, "nodeid") && rule.Scope != ScopePage:
				t.Errorf("%s takes nodes, and does not judge every frame", name)
			}
		}
	}
}

// TestRefused are methods that were used to get past the guard, and some like them.
func TestRefused(t *testing.T) {
	for _, name := range strings.Fields(`
		DOM.setFileInputFiles DOM.getFileInfo Page.setDownloadBehavior Browser.setDownloadBehavior Target.sendMessageToTarget
		Target.attachToBrowserTarget Target.exposeDevToolsProtocol Target.createBrowserContext Target.disposeBrowserContext Target.createTarget
		Target.setRemoteLocations Target.setAutoAttach Target.autoAttachRelated Target.getBrowserContexts Target.openDevTools
		Network.loadNetworkResource Network.setExtraHTTPHeaders Network.getResponseBody Network.getRequestPostData Network.replayXHR
		Page.createIsolatedWorld Page.addScriptToEvaluateOnNewDocument Page.getResourceContent Page.searchInResource Page.setBypassCSP
		Page.getAnnotatedPageContent Page.startScreencast Page.startScreenRecording Page.disable Page.addCompilationCache Page.crash
		Runtime.queryObjects Runtime.addBinding Runtime.compileScript Runtime.runScript Runtime.setCustomObjectFormatterEnabled
		Fetch.enable Fetch.fulfillRequest IO.read Tracing.start HeapProfiler.takeHeapSnapshot HeapProfiler.getObjectByHeapObjectId
		Debugger.enable Debugger.evaluateOnCallFrame Profiler.start Extensions.loadUnpacked PWA.install Tethering.bind
		Browser.executeBrowserCommand Browser.getBrowserCommandLine Browser.close SystemInfo.getInfo Security.setIgnoreCertificateErrors
		WebAuthn.getCredentials Autofill.trigger FileSystem.getDirectory BackgroundService.startObserving ServiceWorker.deliverPushMessage
		Storage.setCookies Storage.clearCookies DOMStorage.getDOMStorageItems IndexedDB.requestData CacheStorage.requestCachedResponse
		Overlay.highlightNode LayerTree.loadSnapshot Input.dispatchDragEvent Input.setInterceptDrags Inspector.enable WebMCP.enable
		runtime.evaluate Runtime.Evaluate RUNTIME.EVALUATE`) {
		if Allowed(name) != nil {
			t.Errorf("%s is allowed", name)
		}
	}
}

// TestInstead: what is said of a refused method is about one that is refused.
func TestInstead(t *testing.T) {
	for name, text := range hints() {
		if Allowed(name) != nil {
			t.Errorf("%s is allowed, and refused with %q", name, text)
		}
		domain, _, method := strings.Cut(name, ".")
		if method && Find(name) == nil && !strings.Contains("Page.setDownloadBehavior Target.sendMessageToTarget", name) || len(Names(domain)) == 0 {
			t.Errorf("the protocol has no %s", name)
		}
		if !strings.HasSuffix(text, ".") {
			t.Errorf("%s: %q is no sentence", name, text)
		}
	}
	if Hint("Debugger.pause") != Hint("Debugger") || Hint("Nothing.known") != "" {
		t.Error("the domain does not stand for its methods")
	}
}
