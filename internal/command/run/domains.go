package run

import (
	"context"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/verb"
)

// Allowed domains (--allowed-domains) are enforced by the proxy of the session's browser, see package proxy. The checks
// here only name the cause earlier or better: they refuse addresses in commands, and explain pages that the proxy refused.

// JudgeArgs refuses the addresses in a command that a list of allowed domains does not have, before anything is done. With
// files it allows file: addresses.
func JudgeArgs(d *policy.Domains, files bool, c *verb.Call) error {
	for _, arg := range c.Verb.Args {
		if arg.Kind != verb.URL || !c.Has(arg.Name) {
			continue
		}
		for _, address := range c.List(arg.Name) {
			if r := d.Judge(address, files); r != nil {
				return DomainRefused(r)
			}
		}
	}
	return nil
}

// DomainRefused returns a refusal as an error.
func DomainRefused(r *policy.DomainError) *api.Error {
	err := api.Errorf(api.DomainNotAllowed, "%w", r).With("url", r.URL).With("host", r.Host).With("allowed", r.Allowed.Words())
	if r.Scheme == "file" {
		return err.WithHint("Start the session with --allow-file-access to open local files.")
	}
	return err.WithHint("Allowed: %s.", r.Allowed)
}

// DomainsAllow returns an error for an address that the session's list of allowed domains does not have.
func (e *Env) DomainsAllow(address string) error {
	if r := e.Domains.Judge(address, e.Settings.Files); r != nil {
		return DomainRefused(r)
	}
	return nil
}

// DocumentAllowed returns an error if the document in the tab is of a domain that the session's list does not have: what is
// shown then is a page of the proxy or of the browser. Commands for which a warning is not enough call it.
func (e *Env) DocumentAllowed() error {
	if e.Domains == nil {
		return nil
	}
	if r := e.refusedDocument(); r != nil {
		return DomainRefused(r)
	}
	return nil
}

// withAllowedDomains explains a page that the proxy refused: as an error if the command was to open it, and otherwise as a warning.
func withAllowedDomains(f Func) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		if e.Domains == nil {
			return f(ctx, e, c)
		}
		res, err := f(ctx, e, c)
		r := e.refusedDocument()
		switch {
		case err != nil && api.CodeOf(err) == api.NavigationFailed:
			if was := e.refusedRequest(); was != nil && strings.Contains(err.Error(), tunnelFailed) {
				err = DomainRefused(was)
			}
			return Result{}, err
		case err != nil || r == nil:
			return res, err
		case c.Verb.Category == verb.CatNavigate && c.Verb.Is(verb.InvalidatesRefs):
			return Result{}, DomainRefused(r)
		case c.Verb.Is(verb.NeedsTab):
			res.Warning = api.JoinWarnings(r.Error()+": the page was not requested", res.Warning)
		}
		return res, err
	}
}

// refusedDocument returns why the document in the tab was refused, nil if it was not. Over plain HTTP the proxy answers
// with a page of its own; otherwise the browser shows its error page.
func (e *Env) refusedDocument() *policy.DomainError {
	f := e.Browser.State().MainFrame(e.Tab)
	switch {
	case f == nil:
		return nil
	case strings.HasPrefix(f.URL, "http"):
		return e.Domains.Judge(f.URL, e.Settings.Files)
	case strings.HasPrefix(f.URL, "chrome-error:"):
		return e.refusedRequest()
	}
	return nil
}

// refusedRequest returns why the last request for a document of the tab was refused, nil if it was not.
func (e *Env) refusedRequest() *policy.DomainError {
	main := e.Browser.State().MainFrame(e.Tab)
	if main == nil {
		return nil
	}
	list, _ := e.Journal.Requests(journal.Filter{Types: []string{"Document"}}, e.Tab)
	for i := len(list) - 1; i >= 0; i-- {
		if r := &list[i]; r.Frame == main.ID {
			if r.Failed == tunnelFailed {
				return e.Domains.Judge(r.URL, e.Settings.Files)
			}
			return nil
		}
	}
	return nil
}

// tunnelFailed is the browser's error for a CONNECT that the proxy refused.
const tunnelFailed = "net::ERR_TUNNEL_CONNECTION_FAILED"

// MarkRefused sets the reason of requests that the proxy refused.
func (e *Env) MarkRefused(list []journal.Request) {
	if e.Domains == nil {
		return
	}
	for i := range list {
		if r := &list[i]; e.Domains.Judge(r.URL, true) != nil && (r.Failed != "" || r.Status != 0) && r.Blocked == "" {
			r.Blocked = "allowed-domains"
		}
	}
}
