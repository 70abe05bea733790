package state

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
)

// Skipped is what of a state could not be loaded.
type Skipped struct {
	// Cookies are those that the browser refuses, as name and domain.
	Cookies []string
	// Origins are those whose storage could not be written, and why.
	Origins []string
	// Entries are single entries and databases, and why.
	Entries []string
	// Sessions are origins with session storage that no tab shows, where it could not be prepared for the active tab either.
	Sessions []string
}

// Warning returns the text of a warning; empty if nothing was skipped.
func (s *Skipped) Warning() string {
	var parts []string
	add := func(what string, list []string) {
		if len(list) > 0 {
			parts = append(parts, what+": "+strings.Join(list, "; "))
		}
	}
	add("cookies that the browser refuses", s.Cookies)
	add("not loaded", slices.Concat(s.Origins, s.Entries))
	add("session storage of origins that no tab shows was not loaded (open a page there, and load again)", s.Sessions)
	return strings.Join(parts, ". ")
}

// Load adds a state to a session. No tab navigates. The caller bounds ctx, and a failure leaves what was written before it.
func Load(ctx context.Context, w *run.BrowserContext, s *Saved, skip func(url string) bool) (*Skipped, error) {
	out := &Skipped{}
	if err := loadCookies(ctx, jar{w.Browser, w.Context}, s, skip, out); err != nil {
		return out, fmt.Errorf("set the cookies: %w", err)
	}
	own := ownPage{work: w}
	defer own.close()
	for i := range s.Origins {
		o := &s.Origins[i]
		if !strings.HasPrefix(o.Origin, "http") || skip(o.Origin+"/") {
			out.Origins = append(out.Origins, o.Origin)
			continue
		}
		w.Origins.Note(o.Origin)
		if err := loadOrigin(ctx, w, &own, o, out); err != nil {
			return out, err
		}
	}
	return out, nil
}

// loadCookies sets the cookies that have not expired: at once, or one by one if the browser refuses some.
func loadCookies(ctx context.Context, j jar, s *Saved, skip func(url string) bool, out *Skipped) error {
	var list []browserCookie
	now := time.Now()
	for i := range s.Cookies {
		c := &s.Cookies[i]
		if !c.expired(now) && !skip("https://"+strings.TrimPrefix(c.Domain, ".")+"/") {
			list = append(list, c.browser())
		}
	}
	var refused *cdp.Error
	err := j.set(ctx, list...)
	if !errors.As(err, &refused) {
		return err
	}
	for _, c := range list {
		switch err := j.set(ctx, c); {
		case errors.As(err, &refused):
			out.Cookies = append(out.Cookies, c.Name+" of "+c.Domain)
		case err != nil:
			return err
		}
	}
	return nil
}

// loadOrigin writes the storage of an origin: local storage and databases in an empty page of it, session storage in the
// tabs that show it, or in the active tab when that shows it: see seed.
func loadOrigin(ctx context.Context, w *run.BrowserContext, own *ownPage, o *Origin, out *Skipped) error {
	var got struct {
		Failed []string `json:"failed"`
	}
	if len(o.LocalStorage) > 0 || o.databases() > 0 {
		shared := Origin{Origin: o.Origin, LocalStorage: o.LocalStorage, IndexedDB: o.IndexedDB}
		if err := own.call(ctx, o.Origin, "restore", shared, &got); err != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("write the storage of %s: %w", o.Origin, err)
			}
			out.Origins = append(out.Origins, o.Origin+" ("+err.Error()+")")
		}
		for _, f := range got.Failed {
			out.Entries = append(out.Entries, o.Origin+" "+f)
		}
	}
	if len(o.SessionStorage) > 0 && !fromTab(ctx, w, o.Origin, "restore", map[string]any{"sessionStorage": o.SessionStorage}, &got) && !seed(ctx, w, o) {
		out.Sessions = append(out.Sessions, o.Origin)
	}
	return nil
}
