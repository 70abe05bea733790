package reader

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf16"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Extract is the readable part of a document.
type Extract struct {
	URL     string `json:"url"`
	Title   string `json:"title,omitzero"`
	Byline  string `json:"byline,omitzero"`
	Excerpt string `json:"excerpt,omitzero"` // that of the article, or the first 240 characters
	// ContentLength is the length of the text or Markdown in UTF-16 code units, as JavaScript counts them.
	ContentLength int    `json:"contentLength"`
	Text          string `json:"text,omitzero"`
	Markdown      string `json:"markdown,omitzero"`
}

// The formats of an Extract.
const (
	AsText     = "text"     // blocks on lines of their own, cells of a row separated by tabs
	AsMarkdown = "markdown" // links are absolute
)

// excerptLength is the length of an excerpt of a page without an article, in characters.
const excerptLength = 240

// ExtractFrom returns the readable part of a document's HTML, in one of the formats: its article, as Readability finds it, else
// the first with text of [data-pagefind-body], main article, article, main, [role=main] and body. It returns nil if there is no
// text. address is the document's, against which links are resolved. Like [Convert] it works in a process of its own; the
// errors are the same.
func ExtractFrom(ctx context.Context, address, document, format string) (*Extract, error) {
	if format != AsText && format != AsMarkdown {
		return nil, fmt.Errorf("the format %.40q is neither %s nor %s", format, AsText, AsMarkdown)
	}
	p := &Page{URL: address, Type: "text/html"}
	o := order{Type: p.Type, Header: "text/html; charset=utf-8", From: address, Size: int64(len(document)), Extract: format}
	if err := p.convertInChild(ctx, strings.NewReader(document), o); err != nil {
		return nil, err
	}
	if p.Text == "" {
		return nil, nil //nolint:nilnil // a document without text is no error
	}
	e := &Extract{URL: address, Title: p.Title, Byline: p.byline, Excerpt: p.excerpt, ContentLength: len(utf16.Encode([]rune(p.Text)))}
	if format == AsText {
		e.Text = p.Text
	} else {
		e.Markdown = p.Text
	}
	return e, nil
}

// extract sets the readable part of a document.
func (p *Page) extract(doc *html.Node, from *url.URL, format string) error {
	seen := look(doc)
	p.Title = seen.title
	node := readable(doc, from, seen.text, p)
	if node == nil || plainText(node) == "" {
		p.Title, p.byline, p.excerpt = seen.title, "", ""
		prune(doc)
		if node = mainPart(doc); node == nil {
			return nil
		}
	}
	text := plainText(node)
	if p.excerpt == "" {
		p.excerpt = strings.Join(strings.Fields(clip(text, excerptLength)), " ")
	}
	if format == AsText {
		p.Text = text
		return nil
	}
	thin(node, from.String())
	marked, err := markdown(node, from)
	if err != nil {
		return err
	}
	if p.Text = marked; strings.TrimSpace(marked) == "" {
		p.Text = text
	}
	return nil
}

// mainPart returns the part of a document without an article that has its text; nil if there is none.
func mainPart(doc *html.Node) *html.Node {
	inMain := func(n *html.Node) bool {
		for p := n.Parent; p != nil; p = p.Parent {
			if p.DataAtom == atom.Main {
				return true
			}
		}
		return false
	}
	for _, is := range []func(*html.Node) bool{
		func(n *html.Node) bool { _, found := attribute(n, "data-pagefind-body"); return found },
		func(n *html.Node) bool { return n.DataAtom == atom.Article && inMain(n) },
		func(n *html.Node) bool { return n.DataAtom == atom.Article },
		func(n *html.Node) bool { return n.DataAtom == atom.Main },
		func(n *html.Node) bool { role, _ := attribute(n, "role"); return role == "main" },
		func(n *html.Node) bool { return n.DataAtom == atom.Body },
	} {
		for n := range doc.Descendants() {
			if n.Type == html.ElementNode && n.Namespace == "" && is(n) {
				if plainText(n) != "" {
					return n
				}
				break // the first that matches, as with a selector
			}
		}
	}
	return nil
}

func attribute(n *html.Node, name string) (value string, found bool) {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// plainText returns the text of a node as a browser lays it out: white space is collapsed outside of pre, each block begins a
// line, paragraphs are set apart by an empty one, and the cells of a row are separated by tabs.
func plainText(n *html.Node) string {
	var w layout
	w.node(n, false)
	return strings.TrimSpace(w.String())
}

// layout writes text with line breaks that are due before what comes next.
type layout struct {
	strings.Builder
	breaks int
	space  bool // a space is due, unless a break is
}

func (w *layout) node(n *html.Node, pre bool) {
	if n.Type == html.TextNode {
		w.text(n.Data, pre)
		return
	}
	tag := tagOf(n)
	switch tag {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head:
		return
	case atom.Br:
		w.breaks++
		return
	case atom.Td, atom.Th:
		if previousCell(n) {
			w.cell()
		}
	}
	around := breaksAround(tag)
	w.breaks = max(w.breaks, around)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c, pre || tag == atom.Pre)
	}
	w.breaks = max(w.breaks, around)
}

func (w *layout) text(s string, pre bool) {
	for _, r := range s {
		switch {
		case pre && r == '\n':
			w.breaks++
		case pre && r == '\r':
		case !pre && unicode.IsSpace(r):
			w.space = true
		default:
			w.due()
			w.WriteRune(r)
		}
	}
}

// due writes the break or space before the next character. At the beginning there is none.
func (w *layout) due() {
	switch {
	case w.Len() == 0:
	case w.breaks > 0:
		w.WriteString(strings.Repeat("\n", min(w.breaks, maxBreaks)))
	case w.space:
		w.WriteByte(' ')
	}
	w.breaks, w.space = 0, false
}

// maxBreaks bounds the empty lines between two texts.
const maxBreaks = 3

// cell separates two cells, also empty ones.
func (w *layout) cell() {
	w.space = false
	w.due()
	w.WriteByte('\t')
}

func previousCell(n *html.Node) bool {
	for c := n.PrevSibling; c != nil; c = c.PrevSibling {
		if tag := tagOf(c); tag == atom.Td || tag == atom.Th {
			return true
		}
	}
	return false
}

// tagOf returns the tag of an element. Readability renames elements without a change of their DataAtom.
func tagOf(n *html.Node) atom.Atom {
	if n.Type != html.ElementNode {
		return 0
	}
	return atom.Lookup([]byte(n.Data))
}

// breaksAround returns how many line breaks are before and after an element.
func breaksAround(tag atom.Atom) int {
	switch tag {
	case atom.P:
		return 2
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Dd, atom.Details, atom.Dialog, atom.Div, atom.Dl,
		atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Header, atom.Hgroup, atom.Hr, atom.Li, atom.Main, atom.Nav, atom.Ol, atom.Option, atom.Pre, atom.Section, atom.Summary, atom.Table,
		atom.Tr, atom.Ul:
		return 1
	}
	return 0
}
