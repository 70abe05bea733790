package relay

import (
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

// acting are the commands that change a page.
var acting = map[string]bool{
	"Input.dispatchMouseEvent": true, "Input.dispatchKeyEvent": true, "Input.dispatchTouchEvent": true, "Input.dispatchDragEvent": true,
	"Input.insertText": true, "Input.imeSetComposition": true, "Input.synthesizeTapGesture": true, "Input.synthesizePinchGesture": true,
	"Input.emulateTouchFromMouseEvent": true, "Input.synthesizeScrollGesture": true,
	"DOM.setAttributeValue": true, "DOM.setAttributesAsText": true, "DOM.removeAttribute": true, "DOM.setNodeValue": true, "DOM.setNodeName": true,
	"DOM.removeNode": true, "DOM.setOuterHTML": true, "DOM.moveTo": true, "DOM.copyTo": true, "DOM.setFileInputFiles": true, "DOM.undo": true, "DOM.redo": true,
	"Page.addScriptToEvaluateOnNewDocument": true, "Page.setDocumentContent": true, "Page.close": true, "Page.handleJavaScriptDialog": true,
	"Runtime.runScript": true, "Runtime.setProtocolObject": true, "Debugger.evaluateOnCallFrame": true, "Debugger.setScriptSource": true,
	"Debugger.setVariableValue": true, "Debugger.setReturnValue": true, "CSS.setStyleSheetText": true, "CSS.setStyleTexts": true, "CSS.addRule": true,
	"Fetch.enable": true, "Network.setCookie": true, "Network.setCookies": true, "Network.deleteCookies": true, "Storage.setCookies": true,
	"Storage.clearDataForOrigin": true, "Storage.clearDataForStorageKey": true, "Storage.clearCookies": true, "CacheStorage.deleteCache": true,
	"CacheStorage.deleteEntry": true, "WebMCP.invokeTool": true, "Network.clearBrowserCookies": true, "Network.clearBrowserCache": true,
}

// navigating are the commands that leave a page's address.
var navigating = map[string]bool{"Page.navigate": true, "Page.navigateToHistoryEntry": true}

// refuses returns why the user's settings do not allow a command; "" if they do. In read-only mode scripts run without side effects.
func (r *Relay) refuses(s *session, cmd *wire.Command) string {
	set := &r.settings
	switch {
	case set.LockURL && navigating[cmd.Method]:
		return r.explain("the user allows no navigation")
	case isClearing(cmd) && !r.options.AllowClearing:
		return cmd.Method + " clears data of all sites in the user's own profile, and is refused; clear one site with Storage.clearDataForOrigin"
	case !set.ReadOnly:
		return ""
	case acting[cmd.Method] || navigating[cmd.Method] && s.kind == ofDebuggee:
		return r.explain(cmd.Method + " is refused: the user allows reading only")
	case cmd.Method == "Runtime.evaluate" || cmd.Method == "Runtime.callFunctionOn":
		params := cmd.Params
		if len(params) == 0 {
			params = []byte("{}")
		}
		cmd.Params = withMember(params, "throwOnSideEffect", []byte("true"))
	}
	return ""
}
