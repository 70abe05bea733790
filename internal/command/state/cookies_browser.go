package state

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// browserCookie is a cookie in the form of CDP.
type browserCookie struct {
	Name         string        `json:"name"`
	Value        string        `json:"value"`
	URL          string        `json:"url,omitzero"`
	Domain       string        `json:"domain,omitzero"`
	Path         string        `json:"path,omitzero"`
	Expires      float64       `json:"expires,omitzero"`
	HTTPOnly     bool          `json:"httpOnly,omitzero"`
	Secure       bool          `json:"secure,omitzero"`
	SameSite     string        `json:"sameSite,omitzero"`
	PartitionKey *partitionKey `json:"partitionKey,omitempty"`
}

type partitionKey struct {
	TopLevelSite         string `json:"topLevelSite"`
	HasCrossSiteAncestor bool   `json:"hasCrossSiteAncestor"`
}

func (c *browserCookie) cookie() Cookie {
	out := Cookie{
		Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, Expires: c.Expires, HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: c.SameSite,
	}
	if k := c.PartitionKey; k != nil {
		out.PartitionKey, out.HasCrossSiteAncestor = k.TopLevelSite, &k.HasCrossSiteAncestor
	}
	return out
}

// browser returns the cookie in the form of CDP. Without a mark of its ancestor a partitioned cookie counts as one of a
// third-party frame, as in Playwright.
func (c *Cookie) browser() browserCookie {
	out := browserCookie{
		Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: c.SameSite,
	}
	if out.Path == "" {
		out.Path = "/"
	}
	if !c.session() {
		out.Expires = c.Expires
	}
	if c.PartitionKey != "" {
		out.PartitionKey = &partitionKey{TopLevelSite: c.PartitionKey, HasCrossSiteAncestor: c.HasCrossSiteAncestor == nil || *c.HasCrossSiteAncestor}
	}
	return out
}

// jar is the cookies of a browser context.
type jar struct {
	browser *supervisor.Browser
	context model.ContextID
}

func (j jar) params(more map[string]any) map[string]any {
	params := map[string]any{"browserContextId": string(j.context)}
	for name, value := range more {
		params[name] = value
	}
	return params
}

// all returns every cookie.
func (j jar) all(ctx context.Context) ([]Cookie, error) {
	var got struct {
		Cookies []browserCookie `json:"cookies"`
	}
	if err := j.browser.Session("").Call(ctx, "Storage.getCookies", j.params(nil), &got); err != nil {
		return nil, err
	}
	return cookiesOf(got.Cookies), nil
}

// sentTo returns the cookies that requests to some URLs get, of a page of the context: those of its partition, too.
func (j jar) sentTo(ctx context.Context, page *model.Tab, urls ...string) ([]Cookie, error) {
	var got struct {
		Cookies []browserCookie `json:"cookies"`
	}
	if err := j.browser.Session(page.Session).Call(ctx, "Network.getCookies", map[string]any{"urls": urls}, &got); err != nil {
		return nil, err
	}
	return cookiesOf(got.Cookies), nil
}

// cookiesOf returns cookies in our form, by domain, longer paths first: the browser has no order of them.
func cookiesOf(list []browserCookie) []Cookie {
	out := make([]Cookie, 0, len(list))
	for i := range list {
		out = append(out, list[i].cookie())
	}
	slices.SortFunc(out, func(a, b Cookie) int {
		return cmp.Or(strings.Compare(a.Domain, b.Domain), cmp.Compare(len(b.Path), len(a.Path)), strings.Compare(a.Path, b.Path), strings.Compare(a.Name, b.Name))
	})
	return out
}

// set sets cookies: all, or none if the browser refuses one.
func (j jar) set(ctx context.Context, list ...browserCookie) error {
	if len(list) == 0 {
		return nil
	}
	return j.browser.Session("").Call(ctx, "Storage.setCookies", j.params(map[string]any{"cookies": list}), nil)
}

// takeBack makes the cookies what they were before some were set.
func (j jar) takeBack(ctx context.Context, before, now []Cookie) error {
	var added []Cookie
	for i := range now {
		if !slices.ContainsFunc(before, func(b Cookie) bool { return b.same(&now[i]) }) {
			added = append(added, now[i])
		}
	}
	var old []browserCookie
	for i := range before {
		old = append(old, before[i].browser())
	}
	return errors.Join(j.remove(ctx, added), j.set(ctx, old...))
}

// remove removes cookies, by setting them with a time of expiry in the past: CDP has no other way without a page.
func (j jar) remove(ctx context.Context, list []Cookie) error {
	var gone []browserCookie
	for i := range list {
		c := list[i].browser()
		c.Value, c.Expires = "", 1
		gone = append(gone, c)
	}
	return j.set(ctx, gone...)
}

func (j jar) clear(ctx context.Context) error {
	return j.browser.Session("").Call(ctx, "Storage.clearCookies", j.params(nil), nil)
}
