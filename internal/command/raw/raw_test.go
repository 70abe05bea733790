package raw

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp/schema"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestTarget: commands get the parameters that select the frame, or are refused.
func TestTarget(t *testing.T) {
	tab := &model.Tab{ID: "T", Main: "T", Frames: map[model.FrameID]*model.Frame{
		"T":    {ID: "T", Tab: "T"},
		"near": {ID: "near", Tab: "T", Parent: "T", URL: "http://near/"},
		"far":  {ID: "far", Tab: "T", Parent: "T", OOPIF: true},
	}}
	e := &run.Env{BrowserContext: &run.BrowserContext{Context: "C"}, Tab: "T"}
	for _, row := range []struct {
		method, params, frame string
		want                  string // the parameters, or the code of the error
	}{
		{"Page.navigate", `{"url":"x"}`, "", `{"url":"x"}`},
		{"Page.navigate", `{"url":"x"}`, "T", `{"url":"x"}`},
		{"Page.navigate", `{"url":"x"}`, "near", `{"frameId":"near","url":"x"}`},
		{"Page.navigate", `{"url":"x"}`, "far", `{"frameId":"far","url":"x"}`},
		{"Page.navigate", `{"url":"x","frameId":"mine"}`, "near", `{"url":"x","frameId":"mine"}`},
		{"Page.createIsolatedWorld", `{}`, "", `{"frameId":"T"}`},
		{"Page.captureScreenshot", `{}`, "near", "unsupported"},
		{"Page.captureScreenshot", `{}`, "far", `{}`},
		{"DOM.getDocument", `{}`, "near", "unsupported"},
		{"DOM.getOuterHTML", `{}`, "near", "unsupported"},
		{"DOM.getOuterHTML", `{"nodeId":3}`, "near", `{"nodeId":3}`},
		{"Runtime.evaluate", `{"expression":"1","contextId":7}`, "near", `{"expression":"1","contextId":7}`},
		{"Runtime.callFunctionOn", `{"objectId":"o"}`, "near", `{"objectId":"o"}`},
		{"Runtime.evaluate", `{"expression":"1"}`, "far", `{"expression":"1"}`},
		{"Nothing.known", `{}`, "near", "unsupported"},
		{"Nothing.known", `{}`, "", `{}`},
		{"Runtime.evaluat", `{}`, "near", "unknown_method"},
		{"Target.createTarget", `{"url":"x"}`, "browser", `{"browserContextId":"C","url":"x"}`},
		{"Target.createTarget", `{"url":"x","browserContextId":"D"}`, "browser", `{"url":"x","browserContextId":"D"}`},
		{"Target.disposeBrowserContext", `{}`, "browser", `{}`},
		{"Nothing.known", `{}`, "browser", `{}`},
		{"Page.navigate", `{"url":"x","url":"y"}`, "near", "invalid_json"},
	} {
		call := &rawCall{method: row.method, known: schema.Find(row.method), params: jsontext.Value(row.params), tab: tab}
		if row.frame == "browser" {
			call.whole, call.tab = true, nil
		} else if row.frame != "" {
			call.frame = tab.Frames[model.FrameID(row.frame)]
		}
		var got string
		if err := target(t.Context(), e, call); err != nil {
			got = string(api.CodeOf(err))
		} else {
			got = string(call.params)
		}
		if got != row.want {
			t.Errorf("%s %s in %q: %s, wanted %s", row.method, row.params, row.frame, got, row.want)
		}
	}
}

// TestBinaryFields finds binary fields by the protocol's description, and not by what a page sends.
func TestBinaryFields(t *testing.T) {
	for _, row := range []struct{ method, result, want string }{
		{"Page.captureScreenshot", `{"data":"aGVsbG8="}`, "data"},
		{"Page.captureScreenshot", `{"data":"https://u:p@h/"}`, ""},
		{"Network.getResponseBody", `{"body":"aGVsbG8=","base64Encoded":true}`, "body"},
		{"Network.getResponseBody", `{"body":"ghp_","base64Encoded":false}`, ""},
		{"Runtime.evaluate", `{"data":"aGVsbG8=","base64Encoded":true}`, ""},
		{"Page.captureScreenshot", `[]`, ""},
	} {
		call := &rawCall{method: row.method, known: schema.Find(row.method)}
		if got := strings.Join(binaryFields(call, jsontext.Value(row.result)), " "); got != row.want {
			t.Errorf("%s %s: %q, wanted %q", row.method, row.result, got, row.want)
		}
	}
}
