package reader

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// The limits of an article. What readability omits is not always clutter: of a list of links, or a page of short parts,
// it may keep one part. An article with less text than this, on a page that has several times more, is not used.
const (
	shortArticle = 400 // characters
	ofPage       = 4   // times
)

// barePage is the text, in characters, below which a page with scripts is taken to be made by them.
const barePage = 200

func parseHTML(body []byte, header string) (*html.Node, error) {
	utf8, err := charset.NewReader(bytes.NewReader(body), header)
	if errors.Is(err, io.EOF) { // it is empty
		utf8, err = bytes.NewReader(nil), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read its character set: %w", err)
	}
	doc, err := html.Parse(utf8)
	if err != nil {
		return nil, fmt.Errorf("parse it: %w", err)
	}
	return doc, nil
}

// html reads a page: its article where it has one, else all of it.
func (p *Page) html(doc *html.Node, from *url.URL) error {
	seen := look(doc)
	p.Title = seen.title
	p.Scripted = seen.text < barePage && (seen.scripts > 0 || seen.asks)
	node := readable(doc, from, seen.text, p)
	if node == nil {
		prune(doc)
		node = doc
	}
	thin(node, from.String())
	text, err := markdown(node, from)
	if err != nil {
		return err
	}
	p.Text = text
	return nil
}

// readable returns the article of a page, nil if none represents the page. Readability modifies the document, so it
// gets a copy.
func readable(doc *html.Node, from *url.URL, whole int, p *Page) *html.Node {
	article, err := readability.FromDocument(clone(doc), from)
	if err != nil || article.Node == nil { // no article was found; convert the whole page
		return nil
	}
	if title := strings.TrimSpace(article.Title()); title != "" {
		p.Title = title
	}
	p.byline, p.excerpt = strings.TrimSpace(article.Byline()), strings.TrimSpace(article.Excerpt())
	if n := look(article.Node).text; n == 0 || n < shortArticle && whole > ofPage*n {
		return nil
	}
	return article.Node
}

// markdown writes a node as Markdown, with addresses made absolute.
func markdown(node *html.Node, from *url.URL) (string, error) {
	// Without backslashes: the reader is a model, and a key with one in it would not be recognised as a key
	// (policy.Text).
	conv := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	text, err := conv.ConvertNode(node, converter.WithDomain(from.String()))
	if err != nil {
		return "", fmt.Errorf("write it as Markdown: %w", err)
	}
	return string(text), nil
}

// seen is what a page is made of.
type seen struct {
	title   string
	text    int  // characters of text, without spaces
	scripts int  // elements with a script that may change the page
	asks    bool // its text says that scripts have to be on
}

// look counts what is in a node.
func look(n *html.Node) (s seen) {
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			s.text += len(strings.Join(strings.Fields(n.Data), ""))
			return
		case n.DataAtom == atom.Title && s.title == "" && n.FirstChild != nil && n.Namespace == "":
			s.title = strings.Join(strings.Fields(n.FirstChild.Data), " ")
			return
		case n.DataAtom == atom.Script:
			if changesPages(n) {
				s.scripts++
			}
			return
		case n.DataAtom == atom.Noscript:
			s.asks = s.asks || strings.Contains(strings.ToLower(textOf(n)), "javascript")
			return
		case n.DataAtom == atom.Style, n.DataAtom == atom.Template, n.Type == html.CommentNode:
			return
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(n)
	return s
}

// changesPages reports whether a script element may change the page: it is JavaScript, and of a file or with a word by which
// a script reaches the document. Data blocks and scripts that only compute do not.
func changesPages(script *html.Node) bool {
	for _, a := range script.Attr {
		switch kind := strings.ToLower(strings.TrimSpace(a.Val)); {
		case a.Key == "src":
			return true
		case a.Key == "type" && kind != "" && kind != "module" && !strings.Contains(kind, "javascript") && !strings.Contains(kind, "ecmascript"):
			return false
		}
	}
	text := textOf(script)
	for _, word := range [...]string{"document", "window", "self", "globalThis", "this", "frames", "parent", "top", "import", "eval", "Function", "$",
		"HTML", "textContent", "innerText", "append", "insert", "replaceChildren"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(textOf(c))
	}
	return b.String()
}

// prune takes out what is no text to read.
func prune(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch c.DataAtom {
		case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object, atom.Canvas, atom.Head:
			n.RemoveChild(c)
		default:
			prune(c)
		}
		c = next
	}
}

// thin removes what costs tokens without information: titles of links and pictures, which mostly repeat the text, and
// addresses of fragments of the same page.
func thin(n *html.Node, page string) {
	page, _, _ = strings.Cut(page, "#")
	for n := range n.Descendants() {
		if n.DataAtom != atom.A && n.DataAtom != atom.Img {
			continue
		}
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool {
			return a.Key == "title" || a.Key == "src" && strings.HasPrefix(a.Val, "data:")
		})
		if slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
			return a.Key == "href" && (strings.HasPrefix(a.Val, "#") || strings.HasPrefix(a.Val, page+"#"))
		}) {
			n.DataAtom, n.Data, n.Attr = atom.Span, "span", nil // a link without a target would be resolved to the page
		}
	}
}

func clone(n *html.Node) *html.Node {
	out := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: append([]html.Attribute(nil), n.Attr...)}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		out.AppendChild(clone(c))
	}
	return out
}

// decoded returns a text in UTF-8, from the character set that the server declares.
func decoded(body []byte, header string) (string, error) {
	in, err := charset.NewReader(bytes.NewReader(body), header)
	if err != nil {
		return "", fmt.Errorf("read its character set: %w", err)
	}
	text, err := io.ReadAll(in)
	return string(text), err
}
