package journal

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	protocol "github.com/chromedp/cdproto/network"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// ErrNoRequest is wrapped when the journal has no request with that id.
var ErrNoRequest = errors.New("no such request")

// Detail is one request with its bodies.
type Detail struct {
	Request
	// Redirects are the earlier steps of the same request, first to last.
	Redirects []Request `json:"redirects,omitzero"`
	// ResponseBody is the body of the response, in base64 if Base64 is true.
	ResponseBody string `json:"responseBody"`
	Base64       bool   `json:"base64Encoded,omitzero"`
	// BodyError is the reason why there is no ResponseBody: none has arrived yet, or the browser no longer has it.
	BodyError string `json:"bodyError,omitzero"`
}

// Detail returns one request of some tabs, with the bodies that the browser still has. b is the browser of the journal.
// Errors: ErrNoRequest; those of cdp.Session.Call other than a refusal of the browser, which is in BodyError.
func (j *Journal) Detail(ctx context.Context, b *supervisor.Browser, id string, tabs ...model.TargetID) (*Detail, error) {
	d, session, err := j.find(id, 0, tabs)
	if err != nil {
		return nil, err
	}
	s := b.Session(session)
	post := protocol.RequestID(d.ID)
	var body *cdp.Pending[protocol.GetResponseBodyResult]
	switch {
	case d.Failed != "" && d.Status == 0:
		d.BodyError = "the request failed: " + d.Failed
	case !d.Done:
		d.BodyError = "the answer is not complete yet"
	default:
		body = cdp.Start(s, protocol.GetResponseBody, protocol.GetResponseBodyParams{RequestID: post})
	}
	if d.HasPostData && d.PostData == "" {
		sent, err := cdp.Do(ctx, s, protocol.GetRequestPostData, protocol.GetRequestPostDataParams{RequestID: post})
		if err := ignoreRefusal(err); err != nil {
			return nil, fmt.Errorf("read what request %s sent: %w", id, err)
		}
		d.PostData = string(sent.PostData)
	}
	if body == nil {
		return d, nil
	}
	got, err := body.Wait(ctx)
	if err := ignoreRefusal(err); err != nil {
		return nil, fmt.Errorf("read the body of request %s: %w", id, err)
	}
	if err != nil {
		d.BodyError = err.Error()
	}
	d.Base64 = got.Base64encoded
	if d.ResponseBody = string(got.Body); d.Base64 {
		d.ResponseBody = base64.StdEncoding.EncodeToString(got.Body)
	}
	return d, nil
}

// Request returns one request of some tabs as it is now, with the earlier steps of it, and without bodies that are not in the
// journal. The error is ErrNoRequest.
func (j *Journal) Request(id string, tabs ...model.TargetID) (*Detail, error) {
	return j.RequestAt(id, 0, tabs...)
}

// RequestAt is Request for the step with a number, which changes have as their Record: a redirect leaves steps behind. A step that is no
// longer known is the latest.
func (j *Journal) RequestAt(id string, number uint64, tabs ...model.TargetID) (*Detail, error) {
	d, _, err := j.find(id, number, tabs)
	return d, err
}

// AwaitRequest is Request for one that may not have been recorded yet. The error is the cause of ctx, or ErrNoTab.
func (j *Journal) AwaitRequest(ctx context.Context, id string, tab model.TargetID) (*Detail, error) {
	for {
		changed := j.nextChange(tab)
		if changed == nil {
			return nil, fmt.Errorf("request %s of tab %s: %w", id, tab, ErrNoTab)
		}
		if d, err := j.Request(id, tab); err == nil {
			return d, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("request %s: %w", id, context.Cause(ctx))
		}
	}
}

// nextChange returns a channel that is closed when a request of the tab begins or ends; nil without the tab.
func (j *Journal) nextChange(tab model.TargetID) <-chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.records[tab]
	if b == nil {
		return nil
	}
	if b.network.changed == nil {
		b.network.changed = make(chan struct{})
	}
	return b.network.changed
}

// ignoreRefusal returns err unless it is the browser's answer that it does not
// have the thing.
func ignoreRefusal(err error) error {
	var refusal *cdp.Error
	if errors.As(err, &refusal) || errors.Is(err, cdp.ErrDetached) {
		return nil
	}
	return err
}

// find finds a step of a request, and its CDP session; number 0 is that of the latest.
func (j *Journal) find(id string, number uint64, tabs []model.TargetID) (*Detail, string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, tab := range tabs {
		b := j.records[tab]
		if b == nil {
			continue
		}
		c := b.network.chains[id]
		if c == nil || len(c.hops) == 0 {
			continue
		}
		hops := c.hops
		if at := slices.IndexFunc(hops, func(r *record) bool { return r.seq == number }); at >= 0 {
			hops = hops[:at+1]
		}
		last := hops[len(hops)-1]
		if !last.listed {
			continue
		}
		d := &Detail{Request: last.Request}
		d.ResponseHeaders = headers(d.ResponseHeaders)
		for _, r := range hops[:len(hops)-1] {
			step := r.Request
			step.ResponseHeaders = headers(step.ResponseHeaders)
			d.Redirects = append(d.Redirects, step)
		}
		return d, last.session, nil
	}
	return nil, "", fmt.Errorf("request %s: %w; list them with network requests", id, ErrNoRequest)
}
