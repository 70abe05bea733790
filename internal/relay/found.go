package relay

import (
	"cmp"
	"net/url"
	"path/filepath"
	"slices"
	"time"
)

// found is a download as the extension tells it.
type found struct {
	ID       int    `json:"id"`
	URL      string `json:"url"`
	Final    string `json:"finalUrl"` // after redirects, as the debugger tells it
	Filename string `json:"filename"`
	State    string `json:"state"` // in_progress, interrupted or complete
	Start    string `json:"startTime"`
	Received int64  `json:"bytesReceived"`
	Total    int64  `json:"totalBytes"` // -1 for unknown
	Referrer string `json:"referrer"`
}

// sameStart is how far the beginning of a download, for Chrome and as clients were told of it, may be apart.
const sameStart = 5 * time.Second

// mayBe reports whether it may be a download that the debugger told of, and how far their beginnings are apart.
func (f *found) mayBe(what *running) (apart time.Duration, ok bool) {
	started, err := time.Parse(time.RFC3339, f.Start)
	if err != nil || f.URL != what.url && f.Final != what.url {
		return 0, false
	}
	apart = started.Sub(what.begun).Abs()
	return apart, apart <= sameStart
}

func (f *found) startedBefore(at time.Time) bool {
	started, err := time.Parse(time.RFC3339, f.Start)
	return err == nil && started.Before(at)
}

// findTries bounds the questions for a file: the browser reports the end of a download before it has renamed the file.
const findTries = 20

// findEvery is the time between two questions for a file, followEvery that for a download whose tab is gone.
const (
	findEvery   = 50 * time.Millisecond
	followEvery = 300 * time.Millisecond
)

// search asks the extension about a download. then gets what Chrome has of it, nothing or one, and whether Chrome was reached.
func (r *Relay) search(what *running, then func(list []found, asked bool)) {
	r.recent(func(all []found, asked bool) {
		r.identify(what, all) // it may be too old to be among those that are remembered
		then(slices.DeleteFunc(all, func(f found) bool { return what.item != f.ID }), asked)
	})
}

// identify finds which of Chrome's downloads one is that clients were told of, as the debugger tells no id of chrome.downloads. Of several from one
// address each is another, and the one that began next to it.
func (r *Relay) identify(told *running, list []found) {
	if told.item != 0 {
		return
	}
	best, item := sameStart+1, 0
	for i := range list {
		if apart, ok := list[i].mayBe(told); ok && apart < best && !r.isTold(&list[i]) {
			best, item = apart, list[i].ID
		}
	}
	told.item = item
}

// isTold reports whether clients were told of a download.
func (r *Relay) isTold(f *found) bool {
	return slices.ContainsFunc(r.begun, func(told *running) bool { return told.item == f.ID })
}

// recent asks the extension for the last downloads. then is called under the lock.
func (r *Relay) recent(then func(list []found, asked bool)) {
	_ = r.link.Start("downloads.search", map[string]any{"limit": 50}, func(payload []byte, failed bool) {
		var list []found
		if !failed {
			decode(payload, &list)
		}
		r.mu.Lock()
		defer r.unlock()
		if !r.closed {
			for _, told := range r.begun {
				r.identify(told, list)
			}
			then(list, !failed)
		}
	})
	// Without an extension the client is told that its targets have ended.
}

// find asks the extension where a download is. then gets its path, or "", in a goroutine of its own.
func (r *Relay) find(what *running, tries int, then func(path string)) {
	r.search(what, func(list []found, asked bool) {
		path, waiting := "", false
		for _, f := range list {
			if f.State == "complete" && f.Filename != "" {
				path = f.Filename
				break
			}
			waiting = waiting || f.State == "in_progress"
		}
		if path == "" && (waiting || len(list) == 0) && asked && tries < findTries {
			r.later(findEvery, func() { r.find(what, tries+1, then) })
			return
		}
		r.copying.Go(func() { then(path) })
	})
}

// later calls f after a time.
func (r *Relay) later(after time.Duration, f func()) {
	time.AfterFunc(after, func() {
		f()
		r.link.Flush()
	})
}

// followDownloads takes over the downloads of a tab whose debugger is detached or that is gone, such as one that a link opened only to
// download: Chrome tells nothing more of them.
func (r *Relay) followDownloads(t *tab) {
	root := t.root()
	for guid, what := range root.downloads {
		r.follow(guid, what, 0)
	}
	root.downloads = nil
}

// follow asks about a download until it has ended, and tells the clients. tries counts the answers in which it was missing.
func (r *Relay) follow(guid string, what *running, tries int) {
	r.search(what, func(list []found, _ bool) {
		if len(list) == 0 { // or not asked: the extension may come back
			list = []found{{State: "in_progress"}}
			tries++
		}
		f := list[0]
		if f.State == "in_progress" && tries < findTries {
			r.later(followEvery, func() { r.follow(guid, what, tries) })
			return
		}
		state := map[bool]string{true: "completed", false: "canceled"}[f.State == "complete"]
		params := encode(map[string]any{"guid": guid, "receivedBytes": f.Received, "totalBytes": max(f.Total, 0), "state": state})
		if state == "completed" {
			r.completed(guid, what, params)
			return
		}
		for _, s := range r.downloadSessions() {
			s.event("Browser.downloadProgress", params)
		}
	})
}

// rememberBegun bounds the downloads that are remembered as told.
const rememberBegun = 100

// began remembers a download that clients were told of.
func (r *Relay) began(what *running) {
	r.begun = append(r.begun[max(0, len(r.begun)-rememberBegun+1):], what)
}

// missedTries bounds the questions for the download of a tab that has closed.
const missedTries = 40

// missedDownload tells clients of a download for which a page opened a tab, if that closed before the debugger was attached to it, as one
// of the page that opened it. So that nothing is told of what the user saves elsewhere, it must name that page's site as where it
// came from.
func (r *Relay) missedDownload(t *tab, tries int) {
	from := r.byTarget(t.opener)
	if t.opener == "" || t.saves || from == nil || len(r.downloadSessions()) == 0 {
		return
	}
	r.recent(func(list []found, asked bool) {
		at := slices.IndexFunc(list, func(f found) bool {
			return !f.startedBefore(t.known.Add(-2*time.Second)) && sameSite(f.Referrer, from.info.URL) && !r.isTold(&f)
		})
		if at < 0 || list[at].Filename == "" && list[at].State == "in_progress" {
			if asked && tries < missedTries {
				r.later(findEvery, func() {
					r.mu.Lock()
					defer r.unlock()
					r.missedDownload(t, tries+1)
				})
			}
			return
		}
		f, guid := list[at], newID()
		what := &running{url: cmp.Or(f.Final, f.URL), name: filepath.Base(f.Filename), begun: t.known, item: f.ID}
		r.began(what)
		params := encode(map[string]any{"frameId": t.opener, "guid": guid, "url": what.url, "suggestedFilename": what.name})
		for _, s := range r.downloadSessions() {
			s.event("Browser.downloadWillBegin", params)
		}
		r.follow(guid, what, 0)
	})
}

// sameSite reports whether two addresses have the same scheme, host and port.
func sameSite(a, b string) bool {
	x, errA := url.Parse(a)
	y, errB := url.Parse(b)
	return errA == nil && errB == nil && x.Host != "" && x.Scheme == y.Scheme && x.Host == y.Host
}
