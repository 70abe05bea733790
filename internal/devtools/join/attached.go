package join

import (
	"bytes"
	"sync"
)

// attachments counts the sessions that clients have of each target. For Chromium every target is attached, because usher is; clients that wait
// for a new target, such as chromedp, look for one to which nobody is.
type attachments struct {
	mu       sync.Mutex
	sessions map[string]int // guarded by mu: by the id of the target
}

// add counts sessions that have begun or, if n is negative, ended.
func (a *attachments) add(target string, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sessions == nil {
		a.sessions = map[string]int{}
	}
	if a.sessions[target] += n; a.sessions[target] == 0 {
		delete(a.sessions, target)
	}
}

// A member of a TargetInfo, which is never its first or last: the texts before and after it are JSON strings, in which a quote is escaped.
var (
	attachedMember = []byte(`,"attached":true,`)
	detachedMember = []byte(`,"attached":false,`)
	browserMember  = []byte(`,"type":"browser",`)
)

// show returns a text with the TargetInfo of a target as clients see it: attached if one of them is. That of the browser stays as Chromium has
// it: each client is attached to one. Puppeteer takes no notice of a browser that is not attached, and has no browser.target() then.
func (a *attachments) show(target string, text []byte) []byte {
	if bytes.Contains(text, browserMember) {
		return text
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sessions[target] > 0 {
		return text
	}
	return bytes.Replace(text, attachedMember, detachedMember, 1)
}
