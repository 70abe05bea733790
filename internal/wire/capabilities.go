package wire

// Capabilities say what can be done over a connection besides driving the pages that
// are there. Chromium's own pipe and WebSocket can do all of it; what speaks the
// protocol in its place, for a single tab or from inside the browser, may lack some.
type Capabilities struct {
	// Contexts is making and disposing of browser contexts (Target.createBrowserContext,
	// Target.disposeBrowserContext). Without it every page lives in the default one.
	Contexts bool
	// Downloads is choosing where downloads go, and hearing of them
	// (Browser.setDownloadBehavior).
	Downloads bool
	// BrowserOutlives reports whether the browser lives on when the connection ends, so that
	// another can take its place. The end of a pipe is the end of its browser.
	BrowserOutlives bool
	// Shared reports whether other CDP clients use the same browser over a connection of their own, and may answer its
	// dialogs.
	Shared bool
	// Untrusted reports whether Chrome takes the client for one that it trusts less, as it does extensions: it refuses
	// Runtime.terminateExecution, so a script that blocks a page cannot be ended.
	Untrusted bool
}
