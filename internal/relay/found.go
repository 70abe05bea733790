package relay

import (
	"time"
)

// found is a download as the extension tells it.
type found struct {
	URL      string `json:"url"`
	Final    string `json:"finalUrl"` // after redirects, as the debugger tells it
	Filename string `json:"filename"`
	State    string `json:"state"` // in_progress, interrupted or complete
	Start    string `json:"startTime"`
	Received int64  `json:"bytesReceived"`
	Total    int64  `json:"totalBytes"` // -1 for unknown
}

// findTries bounds the questions for a file: the browser reports the end of a download before it has renamed the file.
const findTries = 20

// findEvery is the time between two questions for a file, followEvery that for a download whose tab is gone.
const (
	findEvery   = 50 * time.Millisecond
	followEvery = 300 * time.Millisecond
)

// search asks the extension about a download. then gets what Chrome has from its address since it began, the last first, and whether
// Chrome was reached.
func (r *Relay) search(what running, then func(list []found, asked bool)) {
	_ = r.link.Start("downloads.search", map[string]any{"limit": 50}, func(payload []byte, failed bool) {
		var all, list []found
		if !failed {
			decode(payload, &all)
		}
		for _, f := range all {
			started, err := time.Parse(time.RFC3339, f.Start)
			if (f.URL == what.url || f.Final == what.url) && (err != nil || !started.Before(what.begun.Add(-5*time.Second))) {
				list = append(list, f)
			}
		}
		r.mu.Lock()
		defer r.unlock()
		if !r.closed {
			then(list, !failed)
		}
	})
	// Without an extension the client is told that its targets have ended.
}

// find asks the extension where a download is. then gets its path, or "", in a goroutine of its own.
func (r *Relay) find(what running, tries int, then func(path string)) {
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
func (r *Relay) follow(guid string, what running, tries int) {
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
