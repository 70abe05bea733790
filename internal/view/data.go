package view

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Data is the result of `snapshot`, as programs get it.
type Data struct {
	Origin string `json:"origin"` // the address of the document the outline begins with
	// Refs are what the outline gives refs to, in reading order, by ref without its @.
	Refs        RefList  `json:"refs"`
	RemovedRefs []string `json:"removedRefs"` // refs of elements that are gone since the last snapshot
	Snapshot    string   `json:"snapshot"`    // the outline
	// URL and Title are those of that document.
	URL   *string `json:"url,omitzero"`
	Title *string `json:"title,omitzero"`
	// Delta says that Snapshot tells only changes, Baseline which snapshot it was compared with, Why why it tells all although a
	// delta was asked for.
	Delta    *bool   `json:"delta,omitzero"`
	Baseline *string `json:"baseline,omitzero"`
	Why      string  `json:"why,omitzero"`
	Matches  *int    `json:"matches,omitzero"` // how many lines match --find
	// Tokens is the estimated size of Snapshot with --budget, TotalTokens that of the whole; Truncated says that it was cut.
	Tokens      *int  `json:"tokens,omitzero"`
	TotalTokens *int  `json:"total_tokens,omitzero"`
	Truncated   *bool `json:"truncated,omitzero"`
}

// RefList is an object of [RefData] by ref, in reading order.
type RefList []Shown

// RefData is what a ref stands for.
type RefData struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

// Data is the snapshot as programs get it.
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

// MarshalJSONTo writes the object at once: a large page has thousands of refs.
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

// Heading is what stands above the text for those who read nothing else of it: where the page is, and its title if that was
// asked for.
func (s *Snapshot) Heading() string {
	heading := "Page URL: " + disown(oneLine(s.URL)) + "\n"
	if s.titled && s.Title != "" {
		heading += "Page Title: " + disown(oneLine(s.Title)) + "\n"
	}
	return heading
}
