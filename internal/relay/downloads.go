package relay

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/usher-browser/usher/internal/wire"
)

// downloads are a client's wishes for downloads. The browser saves them in the user's folder, and chrome.debugger cannot change that: so the
// client gets copies where it wants them.
type downloads struct {
	behavior string // allow, allowAndName or default; "" if the client said nothing
	path     string
}

// running is a download.
type running struct {
	url, name string
	begun     time.Time
	item      int // its id in chrome.downloads; 0 while it is not known
}

// setDownloads takes Browser.setDownloadBehavior, and Page.setDownloadBehavior, which old clients send. The events of the former come in the
// session that asked for them.
func (r *Relay) setDownloads(s *session, cmd wire.Command) {
	var p struct {
		Behavior string `json:"behavior"`
		Context  string `json:"browserContextId"`
		Path     string `json:"downloadPath"`
		Events   bool   `json:"eventsEnabled"`
	}
	decode(cmd.Params, &p)
	switch {
	case p.Context != "" && p.Context != contextID:
		s.client.fail(cmd, codeServer, "Failed to find browser context with given id")
	case p.Behavior == "deny":
		s.client.fail(cmd, codeServer, "downloads cannot be denied in the user's Chrome: chrome.debugger offers no command for it")
	case p.Behavior != "allow" && p.Behavior != "allowAndName" && p.Behavior != "default":
		s.client.fail(cmd, codeParams, "Invalid parameters: behavior")
	case p.Behavior != "default" && !filepath.IsAbs(p.Path):
		s.client.fail(cmd, codeParams, "downloadPath not provided")
	default:
		s.client.files = downloads{p.Behavior, p.Path}
		if cmd.Method == "Browser.setDownloadBehavior" {
			s.downloadEvents = p.Events
		}
		s.client.answer(cmd, empty{})
	}
}

// downloadEvent passes an event of a download on as one of the domain Browser. The last one comes when the client's copy is there.
func (r *Relay) downloadEvent(d *debuggee, method string, params []byte) {
	var p struct {
		GUID  string `json:"guid"`
		URL   string `json:"url"`
		Name  string `json:"suggestedFilename"`
		State string `json:"state"`
	}
	if !decode(params, &p) || p.GUID == "" || filepath.Base(p.GUID) != p.GUID {
		return
	}
	root := d.tab.root()
	if method == "Page.downloadWillBegin" {
		if root.downloads == nil {
			root.downloads = map[string]*running{}
		}
		if _, known := root.downloads[p.GUID]; !known && len(root.downloads) < 1000 {
			root.downloads[p.GUID] = &running{url: p.URL, name: p.Name, begun: time.Now()}
			r.began(root.downloads[p.GUID])
		}
		d.tab.saves = true
		if t := d.tab; t.opener != "" && t.onlyDownloads(p.URL) {
			// A browser tells of it before clients know the tab, and they take it for one of the opener. Here they know the tab already.
			params = withMember(params, "frameId", encode(t.opener))
		}
	}
	if p.State == "completed" {
		what := root.downloads[p.GUID]
		if what == nil {
			what = &running{} // it began before the debugger was attached
		}
		delete(root.downloads, p.GUID)
		r.completed(p.GUID, what, params)
		return
	}
	if p.State == "canceled" {
		delete(root.downloads, p.GUID)
	}
	for _, s := range r.downloadSessions() {
		s.event("Browser"+method[len("Page"):], params)
	}
}

// onlyDownloads reports whether a tab shows nothing yet, when a download from the address begins in it.
func (t *tab) onlyDownloads(url string) bool {
	return t.info.URL == "" || t.info.URL == "about:blank" || t.info.URL == url
}

// downloadSessions returns the sessions that asked for the events of downloads.
func (r *Relay) downloadSessions() (told []*session) {
	for c := range r.clients {
		for _, s := range c.sessions {
			if s.downloadEvents {
				told = append(told, s)
			}
		}
	}
	return told
}

// completed tells clients that a download is complete, when their copies are there.
func (r *Relay) completed(guid string, what *running, params []byte) {
	wishes, told := map[*client]downloads{}, r.downloadSessions()
	for c := range r.clients {
		if c.files.behavior != "" {
			wishes[c] = c.files
		}
	}
	if len(wishes) == 0 || r.closed {
		return
	}
	r.find(what, 0, func(path string) {
		copies := map[*client]string{}
		for c, wish := range wishes {
			copies[c] = wish.deliver(path, guid, what.name)
		}
		r.mu.Lock()
		defer r.unlock()
		for _, s := range told {
			if s.ended {
				continue
			}
			out := params
			if at := cmp.Or(copies[s.client], path); at != "" {
				out = withMember(params, "filePath", encode(at))
			}
			s.event("Browser.downloadProgress", out)
		}
	})
}

// deliver puts a copy of a download where the client wants it, and returns its path; "" if it wants none. If it fails, the client misses the file
// and says so.
func (d downloads) deliver(from, guid, name string) (path string) {
	if from == "" {
		return ""
	}
	switch d.behavior {
	case "allow":
		if name = filepath.Base(filepath.FromSlash(name)); name == "." || name == ".." {
			return ""
		}
	case "allowAndName":
		name = guid
	default:
		return ""
	}
	path = filepath.Join(d.path, name)
	copyFile(from, path)
	return path
}

// copyFile links or copies a file to a new name; one that exists is kept.
func copyFile(from, to string) {
	if from == to || os.MkdirAll(filepath.Dir(to), 0o755) != nil || os.Link(from, to) == nil {
		return
	}
	in, err := os.Open(from)
	if err != nil {
		return
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return
	}
	_, err = io.Copy(out, in)
	if closed := out.Close(); err != nil || closed != nil {
		_ = os.Remove(to) // a part of a file is worse than none
	}
}
