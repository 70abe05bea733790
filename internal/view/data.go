package view

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Data is the result of `snapshot` for programs.
type Data struct {
	Origin string `json:"origin"` // the address of the document the outline begins with
	// Refs are the refs of the outline, in reading order, keyed by ref without its @.
	Refs        RefList  `json:"refs"`
	RemovedRefs []string `json:"removedRefs"` // refs of elements that are gone since the last snapshot
	Snapshot    string   `json:"snapshot"`    // the outline
	// URL and Title are those of that document.
	URL   *string `json:"url,omitzero"`
	Title *string `json:"title,omitzero"`
	// Delta reports whether Snapshot has only changes, Baseline is the snapshot it was compared with, Why the reason
	// for a whole outline although a delta was requested.
	Delta    *bool   `json:"delta,omitzero"`
	Baseline *string `json:"baseline,omitzero"`
	Why      string  `json:"why,omitzero"`
	Matches  *int    `json:"matches,omitzero"` // how many lines match --find
	// Tokens is the estimated size of Snapshot with --budget, TotalTokens that of the whole; Truncated reports whether
	// it was cut.
	Tokens      *int  `json:"tokens,omitzero"`
	TotalTokens *int  `json:"total_tokens,omitzero"`
	Truncated   *bool `json:"truncated,omitzero"`
}

// RefList is an object of [RefData] by ref, in reading order.
type RefList []Shown

// RefData is the element of a ref.
type RefData struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

// Data returns the snapshot for programs.
func (s *Snapshot) Data() *Data {
	d := &Data{Origin: s.Origin, Refs: s.Refs, RemovedRefs: make([]string, 0, len(s.Removed)), Snapshot: s.Text}
	for _, n := range s.Removed {
		d.RemovedRefs = append(d.RemovedRefs, "@e"+strconv.Itoa(n))
	}
	if s.titled {
		d.URL, d.Title = &s.URL, &s.Title
	}
	if c := s.Compared; c != nil {
		d.Delta, d.Baseline, d.Why = &c.Delta, &c.Baseline, c.Why
	}
	if s.Finds {
		d.Matches = &s.Found
	}
	if b := s.Spent; b != nil {
		d.Tokens, d.TotalTokens, d.Truncated = &b.Tokens, &b.Total, &b.Truncated
	}
	return d
}

// MarshalJSONTo writes the whole object: a large page has thousands of refs.
func (l RefList) MarshalJSONTo(enc *jsontext.Encoder) error {
	b := make([]byte, 0, 2+len(l)*48)
	b = append(b, '{')
	for i := range l {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `"e`...)
		b = strconv.AppendInt(b, int64(l[i].Number), 10)
		b = append(b, `":{"name":`...)
		b = appendQuoted(b, l[i].Name)
		b = append(b, `,"role":`...)
		b = appendQuoted(b, l[i].Role)
		b = append(b, '}')
	}
	return enc.WriteValue(append(b, '}'))
}

// Heading returns the lines above the text, for readers of text only: the address, and the title if it was requested.
func (s *Snapshot) Heading() string {
	heading := "Page URL: " + disown(oneLine(s.URL)) + "\n"
	if s.titled && s.Title != "" {
		heading += "Page Title: " + disown(oneLine(s.Title)) + "\n"
	}
	return heading
}
