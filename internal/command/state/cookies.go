package state

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Cookies is the result of `cookies get`.
type Cookies struct {
	Cookies []ShownCookie `json:"cookies"`
}

// ShownCookie is a cookie with what follows from it.
type ShownCookie struct {
	Cookie
	Size    int  `json:"size"`    // of name and value, in bytes
	Session bool `json:"session"` // it ends with the browser session
}

// CookiesSet is the result of `cookies set`.
type CookiesSet struct {
	Set bool `json:"set"`
	// Cookies is how many were set, with --curl.
	Cookies int `json:"cookies,omitzero"`
}

// CookiesDeleted is the result of `cookies delete`.
type CookiesDeleted struct {
	Deleted int `json:"deleted"` // how many
}

// Cleared is the result of `cookies clear`.
type Cleared struct {
	Cleared bool `json:"cleared"`
}

func jarOf(e *run.Env) jar { return jar{e.Browser, e.Context} }

func cookiesGet(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Cookies], error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	list, err := selected(ctx, e, c)
	if err != nil {
		return run.Reply[*Cookies]{}, e.Explain(err, "cookies get")
	}
	data := &Cookies{Cookies: []ShownCookie{}}
	var lines []string
	for _, one := range list {
		if c.Has("name") && one.Name != c.Str("name") {
			continue
		}
		if e.Sites != nil { // in JSON it is redacted anyway
			one.Value = policy.Mark
		}
		data.Cookies = append(data.Cookies, ShownCookie{one, len(one.Name) + len(one.Value), one.session()})
		line := one.Name + "=" + one.Value
		if c.Bool("all") {
			line += "  (" + one.Domain + one.Path + ")"
		}
		lines = append(lines, line)
	}
	return run.Reply[*Cookies]{Data: data, Text: strings.Join(lines, "\n")}, nil
}

// selected returns the cookies that a command is about, without those of sites that the site guard refuses.
func selected(ctx context.Context, e *run.Env, c *verb.Call) (list []Cookie, err error) {
	if c.Verb.Name == "cookies get" && c.Bool("all") {
		if c.Has("url") {
			return nil, api.Errorf(api.InvalidArgument, "cookies get takes --url or --all, not both")
		}
		list, err = jarOf(e).all(ctx)
	} else {
		var tab *model.Tab
		if tab, err = e.CurrentTab(); err != nil {
			return nil, err
		}
		address := tab.MainFrame().URL
		if c.Has("url") {
			address = c.Str("url")
		}
		list, err = jarOf(e).sentTo(ctx, tab, address)
	}
	return allowed(ctx, e, list), err
}

// allowed leaves out the cookies of sites that the site guard refuses.
func allowed(ctx context.Context, e *run.Env, list []Cookie) []Cookie {
	if e.Sites == nil {
		return list
	}
	sites := e.Sites.WithoutProbes()
	return slices.DeleteFunc(list, func(c Cookie) bool {
		return sites.Loaded(ctx, "https://"+strings.TrimPrefix(c.Domain, ".")+"/") != nil
	})
}

func cookiesSet(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*CookiesSet], error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[*CookiesSet]{}, err
	}
	base, err := defaultPlace(c, tab)
	if err != nil {
		return run.Reply[*CookiesSet]{}, err
	}
	var list []Cookie
	if c.Has("curl") {
		list, err = importFile(ctx, e, e.Path(c.Str("curl")), base)
	} else {
		list, err = []Cookie{written(c)}, nil
	}
	if err != nil {
		return run.Reply[*CookiesSet]{}, err
	}
	for i := range list {
		if err := base.complete(&list[i]); err != nil {
			return run.Reply[*CookiesSet]{}, err
		}
	}
	if err := keep(ctx, e, list); err != nil {
		return run.Reply[*CookiesSet]{}, e.Explain(err, "cookies set")
	}
	data, text := &CookiesSet{Set: true}, run.Done
	if c.Has("curl") {
		text = "✓ " + number(len(list), "cookie") + " set"
		if !e.Settings.Compatible {
			data.Cookies = len(list)
		}
	}
	return run.Reply[*CookiesSet]{Data: data, Text: text}, nil
}

// written returns the cookie of a command line.
func written(c *verb.Call) Cookie {
	out := Cookie{
		Name: c.Str("name"), Value: c.Str("value"), Domain: c.Str("domain"), Path: c.Str("path"), Expires: -1,
		HTTPOnly: c.Bool("http-only"), Secure: c.Bool("secure"), SameSite: c.Str("same-site"), PartitionKey: c.Str("partition-key"),
	}
	if c.Has("expires") {
		out.Expires = c.Float("expires")
	}
	if out.PartitionKey != "" {
		out.HasCrossSiteAncestor = new(false)
	}
	return out
}

// place is where a cookie without a domain is set.
type place struct {
	url    *url.URL // nil if the page has none that could have cookies
	page   string   // the address of the page
	domain string   // of --domain
}

func defaultPlace(c *verb.Call, tab *model.Tab) (place, error) {
	p := place{page: tab.MainFrame().URL, domain: c.Str("domain")}
	address := p.page
	if c.Has("url") {
		address = c.Str("url")
	}
	u, err := url.Parse(address)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		p.url = u
	} else if c.Has("url") {
		return p, api.Errorf(api.InvalidArgument, "cookies set: %s has no cookies; only http and https addresses do", address)
	}
	return p, nil
}

// complete sets the domain and path that a cookie lacks.
func (p *place) complete(c *Cookie) error {
	switch {
	case c.Domain != "":
	case p.domain != "":
		c.Domain = p.domain
	case p.url != nil:
		c.Domain = p.url.Hostname()
	default:
		return api.Errorf(api.InvalidArgument, "cookies set: the page %s has no cookies", p.page).WithHint("Name the site with --url or --domain.")
	}
	if c.Path == "" {
		c.Path = "/"
	}
	if err := c.check(); err != nil {
		return api.Errorf(api.InvalidArgument, "cookies set: %w", err)
	}
	return nil
}

// keep sets cookies and checks that the browser keeps them: it ignores some without an error.
func keep(ctx context.Context, e *run.Env, list []Cookie) error {
	given := make([]browserCookie, 0, len(list))
	for i := range list {
		given = append(given, list[i].browser())
	}
	j := jarOf(e)
	before, err := j.all(ctx)
	if err != nil {
		return err
	}
	err = j.set(ctx, given...)
	var refused *cdp.Error
	if errors.As(err, &refused) && refused.Code != cdp.CodeUserRefused {
		return notKept(list, "the browser refuses the cookie")
	}
	if err != nil {
		return err
	}
	now, err := j.all(ctx)
	if err != nil {
		return err
	}
	for i := range list {
		c := &list[i]
		if c.expired(time.Now()) {
			continue
		}
		if !slices.ContainsFunc(now, func(k Cookie) bool { return k.same(c) && k.Value == c.Value }) {
			return errors.Join(notKept(list[i:i+1], "the browser did not keep the cookie"), j.takeBack(ctx, before, now))
		}
	}
	return nil
}

// same reports whether a cookie would replace the other.
func (c *Cookie) same(as *Cookie) bool {
	return c.Name == as.Name && c.Domain == as.Domain && c.Path == as.Path && c.PartitionKey == as.PartitionKey
}

// expired reports whether a cookie has expired at a time.
func (c *Cookie) expired(at time.Time) bool {
	return !c.session() && c.Expires < float64(at.UnixMilli())/1000
}

// notKept returns the error for cookies that the browser does not keep, with the rule that one of them breaks.
func notKept(list []Cookie, found string) error {
	for i := range list {
		if why := list[i].breaks(); why != "" {
			return api.Errorf(api.InvalidArgument, "cookies set: %s %q for %s: %s", found, list[i].Name, list[i].Domain, why)
		}
	}
	names := make([]string, 0, len(list))
	for _, c := range list {
		names = append(names, fmt.Sprintf("%q for %s", c.Name, c.Domain))
	}
	return api.Errorf(api.InvalidArgument, "cookies set: %s: one of %s", found, strings.Join(names, ", ")).
		WithHint("A name has no control characters, = or ;, a value no control characters or ;, and a domain cannot be a public suffix such as com.")
}

// breaks returns the rule for cookies that a cookie breaks; "" if none is known.
func (c *Cookie) breaks() string {
	lower := strings.ToLower(c.Name)
	switch {
	case strings.ContainsAny(c.Name, "=;\r\n\t\x00") || strings.ContainsAny(c.Value, ";\r\n\x00"):
		return "its name or value has a character that no cookie can have"
	case strings.HasPrefix(lower, "__host-") && (!c.Secure || c.Path != "/" || strings.HasPrefix(c.Domain, ".")):
		return "a name that begins with __Host- needs --secure, the path / and no domain"
	case strings.HasPrefix(lower, "__secure-") && !c.Secure:
		return "a name that begins with __Secure- needs --secure"
	case c.SameSite == "None" && !c.Secure:
		return "--same-site None needs --secure"
	case c.PartitionKey != "" && !c.Secure:
		return "--partition-key needs --secure"
	case len(c.Name)+len(c.Value) > 4096:
		return "name and value are longer than 4096 bytes"
	}
	return ""
}

func cookiesDelete(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*CookiesDeleted], error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	var list []Cookie
	var err error
	if c.Has("domain") {
		list, err = jarOf(e).all(ctx)
	} else {
		list, err = selected(ctx, e, c)
	}
	if err != nil {
		return run.Reply[*CookiesDeleted]{}, e.Explain(err, "cookies delete")
	}
	list = slices.DeleteFunc(list, func(k Cookie) bool {
		return k.Name != c.Str("name") || c.Has("path") && k.Path != c.Str("path") ||
			c.Has("domain") && strings.TrimPrefix(k.Domain, ".") != strings.TrimPrefix(c.Str("domain"), ".")
	})
	if len(list) == 0 {
		return run.Reply[*CookiesDeleted]{}, api.Errorf(api.CookieNotFound, "there is no such cookie: %s", c.Str("name")).
			WithHint("`cookies get --all` lists the cookies of all sites; use --domain for those of another site than the page's.")
	}
	if err := jarOf(e).remove(ctx, list); err != nil {
		return run.Reply[*CookiesDeleted]{}, e.Explain(err, "cookies delete")
	}
	return run.Reply[*CookiesDeleted]{Data: &CookiesDeleted{len(list)}, Text: "✓ " + number(len(list), "cookie") + " deleted"}, nil
}

func cookiesClear(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[Cleared], error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	if err := jarOf(e).clear(ctx); err != nil {
		return run.Reply[Cleared]{}, e.Explain(err, "cookies clear")
	}
	return run.Reply[Cleared]{Data: Cleared{true}, Text: "✓ Cookies cleared"}, nil
}
