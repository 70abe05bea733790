package reader

import (
	"context"
	"errors"
	"net/url"
	"path"
	"strings"
)

// Where the text of a page came from.
const (
	AcceptMarkdown = "accept-markdown" // the server sent Markdown on request
	PathMarkdown   = "path-markdown"   // the same address with .md appended
	LLMSLink       = "llms-link"       // the Markdown that llms.txt links for the page
	HTMLFallback   = "html-fallback"   // converted from HTML
	PlainText      = "text"            // neither Markdown nor HTML
)

// ReadMarkdown reads a page as Markdown of its author's, where there is some: as the server sends it for "Accept:
// text/markdown", then at the same address with .md appended, then where the nearest llms.txt links it. Otherwise
// it returns what [Reader.Read] does. source is one of the constants above.
func (r *Reader) ReadMarkdown(ctx context.Context, address string) (p *Page, source string, err error) {
	p, err = r.Read(ctx, address)
	switch {
	case err != nil && !failedOnly(err):
		return nil, "", err
	case err == nil && isMarkdown(p.Type):
		return p, AcceptMarkdown, nil
	case err == nil && !isHTML(p.Type):
		return p, PlainText, nil
	}
	if md := withMarkdown(address); md != "" {
		if other, failed := r.Read(ctx, md); failed == nil && isMarkdown(other.Type) {
			return other, PathMarkdown, nil
		}
	}
	if err == nil {
		if other := r.linked(ctx, p.URL); other != nil {
			return other, LLMSLink, nil
		}
	}
	return p, HTMLFallback, err
}

// failedOnly reports whether an error is one of the page, with which its Markdown may exist nevertheless.
func failedOnly(err error) bool {
	var status *StatusError
	return errors.As(err, &status) && status.Status == 404
}

func isMarkdown(kind string) bool { return kind == "text/markdown" || kind == "text/x-markdown" }

func isHTML(kind string) bool { return kind == "text/html" || kind == "application/xhtml+xml" }

// withMarkdown returns the address of the Markdown beside a page, empty if there is none by convention.
func withMarkdown(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Path == "" || strings.HasSuffix(u.Path, "/") || strings.HasSuffix(strings.ToLower(u.Path), ".md") {
		return ""
	}
	u.Path, u.RawPath, u.Fragment = u.Path+".md", "", ""
	return u.String()
}

// linked returns the Markdown that the nearest llms.txt links for a page; nil if there is none.
func (r *Reader) linked(ctx context.Context, address string) *Page {
	list, err := r.LLMS(ctx, address, false)
	if err != nil {
		return nil
	}
	want := pageKey(address)
	for _, l := range Links(list.Text, list.URL) {
		if l.URL == address || pageKey(l.URL) != want || !strings.HasSuffix(strings.ToLower(l.URL), ".md") {
			continue
		}
		if p, err := r.Read(ctx, l.URL); err == nil && (isMarkdown(p.Type) || p.Type == "text/plain") {
			return p
		}
	}
	return nil
}

// pageKey is what an address and that of its Markdown have in common: /guide/, /guide/index.html and /guide.md.
func pageKey(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	p := strings.TrimSuffix(strings.ToLower(u.Path), ".md")
	p = strings.TrimSuffix(strings.TrimSuffix(p, ".html"), ".htm")
	p = strings.TrimSuffix(strings.TrimSuffix(p, "/"), "/index")
	return u.Scheme + "://" + u.Host + p
}

// LLMS returns the nearest llms.txt of a page, or llms-full.txt: in its directory, then in those above. The error is
// the one for the site's root if there is none.
func (r *Reader) LLMS(ctx context.Context, address string, full bool) (*Page, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	name := "llms.txt"
	if full {
		name = "llms-full.txt"
	}
	dir := u.Path
	if !strings.HasSuffix(dir, "/") {
		dir = path.Dir("/" + dir)
	}
	for depth := 0; ; depth++ {
		at := *u
		at.Path, at.RawPath, at.RawQuery, at.Fragment = path.Join("/", dir, name), "", "", ""
		p, err := r.ReadRaw(ctx, at.String())
		if err == nil && isHTML(p.Type) { // the page that a site shows for everything
			err = &TypeError{Type: p.Type}
		}
		if err == nil || ctx.Err() != nil || path.Clean("/"+dir) == "/" {
			return p, err
		}
		if dir = path.Dir(path.Clean("/" + dir)); depth >= mostLevels {
			dir = "/"
		}
	}
}

// mostLevels is in how many directories llms.txt is looked for, besides the root.
const mostLevels = 5
