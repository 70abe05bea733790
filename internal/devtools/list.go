package devtools

import (
	"fmt"
	"html"
	"io"
	"net/http"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
)

// Target is an entry of /json/list, with the names of Chromium's debugging port.
type Target struct {
	Description          string `json:"description"`
	DevtoolsFrontendURL  string `json:"devtoolsFrontendUrl"`
	ID                   string `json:"id"`
	Title                string `json:"title"`
	Type                 string `json:"type"` // page
	URL                  string `json:"url"`
	WebSocketDebuggerURL string `json:"webSocketDebuggerUrl"`
}

// Targets lists the tabs of the browser context.
func (s *Server) Targets() []Target {
	list := []Target{}
	for _, t := range s.browser.State().ContextTabs(s.context) {
		list = append(list, Target{
			DevtoolsFrontendURL: s.FrontEnd(t.ID), ID: string(t.ID), Title: t.Title, Type: "page", URL: t.URL, WebSocketDebuggerURL: s.WebSocket(t.ID),
		})
	}
	return list
}

func (s *Server) list(w http.ResponseWriter, _ *http.Request) { answer(w, s.Targets()) }

func (s *Server) version(w http.ResponseWriter, r *http.Request) {
	got, err := cdp.Do(r.Context(), s.browser.Session(""), browser.GetVersion, protocol.Empty{})
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	answer(w, struct {
		Browser  string `json:"Browser"`
		Protocol string `json:"Protocol-Version"`
		Agent    string `json:"User-Agent"`
		V8       string `json:"V8-Version"`
	}{got.Product, got.ProtocolVersion, got.UserAgent, got.JsVersion})
}

func answer(w http.ResponseWriter, v any) {
	out, err := jsonv2.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_, _ = w.Write(out) // whoever asked may have left
}

func (s *Server) index(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=UTF-8")
	h.Set("Content-Security-Policy", "default-src 'none'")
	out := "<!doctype html><title>DevTools</title><h1>Tabs</h1>\n<ul>\n"
	for _, t := range s.Targets() {
		name := t.Title
		if name == "" {
			name = t.URL
		}
		out += fmt.Sprintf("<li><a href=\"%s\">%s</a> %s</li>\n", html.EscapeString(t.DevtoolsFrontendURL), html.EscapeString(name), html.EscapeString(t.URL))
	}
	_, _ = io.WriteString(w, out+"</ul>\n") // whoever asked may have left
}
