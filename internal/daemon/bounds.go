package daemon

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/results"
	"github.com/usher-browser/usher/internal/verb"
)

// Bounds of page content in results: lines around it that no page can forge (--content-boundaries), and its length
// (--max-output). Both apply to the commands with the mark [verb.TellsPages].

// bounds are the bounds of one result. The zero value has none.
type bounds struct {
	boundary *api.Boundary // nil without --content-boundaries
	program  string        // in the boundary lines, in capitals
	most     int           // characters; 0 for no limit
	pictures bool          // it is an answer of agent-tool, which may have pictures
}

// boundsOf returns the bounds for the result of a command. The nonce is made after the page was read.
func boundsOf(call *verb.Call, set *config.Settings, origin string) bounds {
	if !call.Verb.Is(verb.TellsPages) {
		return bounds{}
	}
	b := bounds{most: set.Int("max-output"), pictures: call.Verb.Name == "agent-tool", program: strings.ToUpper(strings.ReplaceAll(call.Mode.Program(), "-", "_"))}
	if set.Bool("content-boundaries") {
		var nonce [16]byte
		_, _ = rand.Read(nonce[:]) // it never fails
		if origin = plain.Cut(plain.Line(origin), longestOrigin); origin == "" {
			origin = "unknown"
		}
		b.boundary = &api.Boundary{Nonce: hex.EncodeToString(nonce[:]), Origin: origin}
	}
	return b
}

// longestOrigin bounds the address in a boundary, in characters.
const longestOrigin = 2000

// text returns page text cut and between its boundary lines. The text of a command without page content is unchanged.
func (b bounds) text(text string) string {
	if text == "" || text == run.Done {
		return text
	}
	if n := utf8.RuneCountInString(text); b.most > 0 && n > b.most {
		text = firstRunes(text, b.most) + "\n" + truncated(b.most, n)
	}
	if b.boundary == nil {
		return text
	}
	return fmt.Sprintf("--- %s_PAGE_CONTENT nonce=%s origin=%s ---\n%s\n--- END_%s_PAGE_CONTENT nonce=%s ---",
		b.program, b.boundary.Nonce, b.boundary.Origin, text, b.program, b.boundary.Nonce)
}

func truncated(shown, of int) string {
	return fmt.Sprintf("[truncated: showing %d of %d chars. Use --max-output to adjust]", shown, of)
}

// firstRunes returns the first n characters of a text.
func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// err returns an error whose message, which may quote a page, is between boundary lines.
func (b bounds) err(err error) error {
	if b.boundary == nil {
		return err
	}
	e := *api.AsError(err)
	e.Hint = e.NextStep()
	e.Message = string(e.Code) + "\n" + b.text(e.Message)
	return &e
}

// data returns the data of a result with its texts cut: each member of an object, and of the objects of an array, has at
// most so many characters. Longer texts end with a note, and what does not fit of a list or an object is left out. The
// warning says how much is shown.
func (b bounds) data(data any) (cut any, warning string, err error) {
	if b.most == 0 || data == nil {
		return data, "", nil
	}
	if rows, ok := data.(*results.Batch); ok {
		return b.rows(rows)
	}
	raw, err := api.AppendJSON(nil, data)
	if err != nil {
		return nil, "", err
	}
	if b.pictures {
		return b.answer(raw)
	}
	c := cutter{most: b.most, dec: jsontext.NewDecoder(bytes.NewReader(raw), lax...)}
	var out bytes.Buffer
	c.enc = jsontext.NewEncoder(&out, lax...)
	if err := c.value(0); err != nil {
		return nil, "", fmt.Errorf("cut a result: %w", err)
	}
	if c.shown < c.all {
		warning = truncated(c.shown, c.all)
	}
	return jsontext.Value(bytes.TrimSpace(out.Bytes())), warning, nil
}

// answer returns an answer of agent-tool with each text and each member of its details cut by itself. Half a picture is none, so pictures
// are whole.
func (b bounds) answer(raw []byte) (any, string, error) {
	var answer struct { // a [result.Result]; under the site guard it is JSON already
		Content []result.Content `json:"content"`
		Details any              `json:"details"`
		IsError bool             `json:"isError"`
	}
	var details jsontext.Value
	answer.Details = &details
	if err := json.Unmarshal(raw, &answer, lax...); err != nil {
		return nil, "", fmt.Errorf("cut an answer: %w", err)
	}
	for i, c := range answer.Content {
		if n := utf8.RuneCountInString(c.Text); n > b.most {
			answer.Content[i].Text = firstRunes(c.Text, b.most) + "\n" + truncated(b.most, n)
		}
	}
	b.pictures = false
	cut, warning, err := b.data(details)
	answer.Details = cut
	return &answer, warning, err
}

// rows returns a batch with the result of each row cut by itself.
func (b bounds) rows(data *results.Batch) (any, string, error) {
	out := &results.Batch{Failed: data.Failed}
	for _, row := range data.Rows {
		cut, warning, err := b.data(row.Result)
		if err != nil {
			return nil, "", err
		}
		row.Result, row.Warning = cut, api.JoinWarnings(row.Warning, warning)
		out.Rows = append(out.Rows, row)
	}
	return out, "", nil
}

var lax = []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}

// cutter copies a JSON value and cuts its texts.
type cutter struct {
	dec        *jsontext.Decoder
	enc        *jsontext.Encoder
	most       int // for each member of the outermost object
	left       int
	shown, all int // characters
}

// value copies the next value. Members of the outermost object have a budget each.
func (c *cutter) value(depth int) error {
	if depth <= 1 {
		c.left = c.most
	}
	tok, err := c.dec.ReadToken()
	if err != nil {
		return err
	}
	switch tok.Kind() {
	case '"':
		return c.enc.WriteToken(jsontext.String(c.text(tok.String())))
	case '{', '[':
		end := tok.Kind() + 2
		if err := c.enc.WriteToken(tok); err != nil {
			return err
		}
		for c.dec.PeekKind() != end {
			if err := c.element(end == '}', depth); err != nil {
				return err
			}
		}
		if tok, err = c.dec.ReadToken(); err != nil {
			return err
		}
	}
	return c.enc.WriteToken(tok)
}

// element copies the next element of a list or object; below the outermost object only while the budget lasts.
func (c *cutter) element(named bool, depth int) error {
	if depth > 0 && c.left <= 0 {
		for range map[bool]int{false: 1, true: 2}[named] {
			raw, err := c.dec.ReadValue()
			if err != nil {
				return err
			}
			c.all += utf8.RuneCount(raw)
		}
		return nil
	}
	if named {
		name, err := c.dec.ReadToken()
		if err != nil {
			return err
		}
		if depth > 0 {
			c.left -= utf8.RuneCountInString(name.String())
		}
		if err := c.enc.WriteToken(name); err != nil {
			return err
		}
		if depth == 0 && identifies(name.String()) && c.dec.PeekKind() == '"' {
			return c.whole()
		}
	}
	return c.value(depth + 1)
}

// identifies reports whether a member of a result is not content, but says where it is from: half an address or id is
// none.
func identifies(member string) bool {
	switch member {
	case "origin", "url", "finalUrl", "path", "targetId", "tabId", "frameId", "label", "selector":
		return true
	}
	return false
}

// whole copies a text that identifies something. One that is longer than any address ought to be is cut like others.
func (c *cutter) whole() error {
	tok, err := c.dec.ReadToken()
	if err != nil {
		return err
	}
	s := tok.String()
	if utf8.RuneCountInString(s) > longestOrigin {
		c.left = c.most
		s = c.text(s)
	}
	return c.enc.WriteToken(jsontext.String(s))
}

// text returns a text, cut to what is left of the budget.
func (c *cutter) text(s string) string {
	n := utf8.RuneCountInString(s)
	c.all += n
	if n <= c.left {
		c.left -= n
		c.shown += n
		return s
	}
	keep := max(c.left, 0)
	c.left = 0
	c.shown += keep
	return firstRunes(s, keep) + "\n" + truncated(keep, n)
}
