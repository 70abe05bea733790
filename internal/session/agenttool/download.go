package agenttool

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/artifact"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
)

// maxFetched is the greatest file that is fetched when its link starts no download, in bytes.
const maxFetched = 2 << 20

// linkTime is how long the link is waited for, in ms: the download itself waits for it, too.
const linkTime = "200"

// linkOf returns the address of the link that a download is to click, if the page and the address are of one origin on this machine.
func (c *call) linkOf(ctx context.Context) string {
	call := c.steps[0].Row.Call
	if c.batch || call.Verb.Name != "download" {
		return ""
	}
	work := c.h.Work(c.namespace, c.session)
	if work == nil {
		return ""
	}
	page, err := url.Parse(openIn(work))
	if err != nil || !onLoopback(page) {
		return ""
	}
	words := []string{"get", "attr", call.Str("selector"), "href", "--timeout", linkTime}
	if call.Has("frame") {
		words = append(words, "--frame", call.Str("frame"))
	}
	res, err := c.h.Run(ctx, c.own(words...))
	if err != nil {
		return "" // it is not there yet
	}
	var attr struct {
		Value *string `json:"value"`
	}
	result.Read(result.Encode(res.Data), &attr)
	if attr.Value == nil || strings.HasPrefix(*attr.Value, "#") {
		return ""
	}
	link, err := page.Parse(*attr.Value)
	if err != nil || link.Scheme != page.Scheme || link.Host != page.Host {
		return ""
	}
	link.Fragment = ""
	return link.String()
}

func onLoopback(u *url.URL) bool {
	host := u.Hostname()
	ip := net.ParseIP(host)
	return (u.Scheme == "http" || u.Scheme == "https") && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// recoverDownload fetches in the page what a link leads to, if clicking the link started no download: the browser shows the file, or
// cancelled.
func (c *call) recoverDownload(ctx context.Context, s *step.Step) {
	if c.link == "" || s.Status != step.Failed || s.Err == nil {
		return
	}
	var data struct {
		SuggestedFilename string `json:"suggestedFilename"`
	}
	result.Read(s.Data, &data)
	begun := data.SuggestedFilename != "" // and goes on
	if s.Err.Code != api.DownloadFailed && (s.Err.Code != api.Timeout || begun) {
		return
	}
	to := artifact.Destinations(s, c.request.Cwd)
	if len(to) == 0 || c.mayWrite(to[0]) != nil {
		return
	}
	if info, err := os.Stat(to[0]); err == nil && !info.Mode().IsRegular() {
		return
	}
	var file struct {
		Body []byte `json:"body"`
		OK   bool   `json:"ok"`
	}
	if !c.diag.Eval(ctx, fmt.Sprintf(fetchScript, result.Encode(c.link), maxFetched), &file) || !file.OK {
		return
	}
	err := os.MkdirAll(filepath.Dir(to[0]), 0o755)
	if err == nil {
		err = os.WriteFile(to[0], file.Body, 0o644)
	}
	if err != nil {
		s.Err = api.Errorf(api.FileWriteFailed, "download: %w", err)
		return
	}
	selector := s.Row.Call.Str("selector")
	s.Status, s.Err = step.Completed, nil
	s.Data = result.Encode(map[string]any{"path": to[0], "url": c.link, "bytes": len(file.Body), "suggestedFilename": filepath.Base(to[0])})
	s.Result.Text = fmt.Sprintf("✓ %s (%d bytes)", to[0], len(file.Body))
	c.details.DownloadRecovery = &result.DownloadRecovery{Method: "direct-anchor-fetch", Href: c.link, Selector: selector}
	c.diag.Say("Download recovery: the click started no download; the page fetched the link's address instead.")
}

// saveScript puts a link to the document that is shown in front of it; the link saves it, whatever its type.
const saveScript = `(() => { const a = Object.assign(document.createElement("a"), {id: "save-shown-document", href: location.href, download: "", textContent: "Save"});
a.style.cssText = "all:revert;position:fixed;top:0;left:0;z-index:2147483647;background:white"; document.body.prepend(a) })()`

// suggestShown adds how to save the document that a download's click has shown instead; false if none was.
func (c *call) suggestShown(s *step.Step, to *result.Actions) bool {
	var data struct {
		MIMEType string `json:"mimeType"`
		Tab      string `json:"tabId"`
	}
	if s.Err != nil {
		result.Read(result.Encode(s.Err.Data), &data)
	}
	paths := artifact.Destinations(s, c.request.Cwd)
	if data.MIMEType == "" || len(paths) == 0 {
		return false
	}
	a := to.Add("save-shown-document", "Saves what the tab shows now, through a link that is put into it.", "batch", "--bail")
	a.Params.Stdin = string(result.Encode([][]string{{"tab", "switch", data.Tab}, {"eval", saveScript}, {"download", "#save-shown-document", paths[0]}}))
	return true
}

// fetchScript reads an address of the page's origin. Redirects are not followed: what they lead to may be a login.
const fetchScript = `(async () => {
const limit = %[2]d, r = await fetch(%[1]s, {credentials: "include", redirect: "manual"});
if (!r.ok || Number(r.headers.get("content-length")) > limit) return {ok: false};
const bytes = new Uint8Array(await r.arrayBuffer());
if (bytes.length > limit) return {ok: false};
let text = "";
for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
return {ok: true, body: btoa(text)};
})()`
