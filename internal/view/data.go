package view

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// MarshalJSON writes the shape programs get, without building it in memory twice:
//
//	{"origin":"https://…","refs":{"e1":{"name":"…","role":"button"}},"removedRefs":["@e9"],"snapshot":"…"}
//
// and, where the title was asked for, "title" and "url", where words were to be found, "matches", where a delta was asked for,
// "baseline", "delta" and "why", where there was a budget, "tokens", "total_tokens" and
// "truncated".
func (s *Snapshot) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, len(s.Text)*2+len(s.Refs)*48+128)
	b = append(b, '{')
	if c := s.Compared; c != nil {
		b = append(b, `"baseline":`...)
		b = appendQuoted(b, c.Baseline)
		b = append(b, `,"delta":`...)
		b = strconv.AppendBool(b, c.Delta)
		b = append(b, ',')
	}
	if s.Finds {
		b = append(b, `"matches":`...)
		b = strconv.AppendInt(b, int64(s.Found), 10)
		b = append(b, ',')
	}
	b = append(b, `"origin":`...)
	b = appendQuoted(b, s.Origin)
	b = append(b, `,"refs":{`...)
	for i := range s.Refs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `"e`...)
		b = strconv.AppendInt(b, int64(s.Refs[i].Number), 10)
		b = append(b, `":{"name":`...)
		b = appendQuoted(b, s.Refs[i].Name)
		b = append(b, `,"role":`...)
		b = appendQuoted(b, s.Refs[i].Role)
		b = append(b, '}')
	}
	b = append(b, `},"removedRefs":[`...)
	for i, n := range s.Removed {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `"@e`...)
		b = strconv.AppendInt(b, int64(n), 10)
		b = append(b, '"')
	}
	b = append(b, `],"snapshot":`...)
	b = appendQuoted(b, s.Text)
	if s.titled {
		b = append(b, `,"title":`...)
		b = appendQuoted(b, s.Title)
	}
	if spent := s.Spent; spent != nil {
		b = append(b, `,"tokens":`...)
		b = strconv.AppendInt(b, int64(spent.Tokens), 10)
		b = append(b, `,"total_tokens":`...)
		b = strconv.AppendInt(b, int64(spent.Total), 10)
		b = append(b, `,"truncated":`...)
		b = strconv.AppendBool(b, spent.Truncated)
	}
	if s.titled {
		b = append(b, `,"url":`...)
		b = appendQuoted(b, s.URL)
	}
	if c := s.Compared; c != nil && c.Why != "" {
		b = append(b, `,"why":`...)
		b = appendQuoted(b, c.Why)
	}
	return append(b, '}'), nil
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

var _ interface{ MarshalJSON() ([]byte, error) } = (*Snapshot)(nil)

// Raw is MarshalJSON for callers that splice values together.
func (s *Snapshot) Raw() jsontext.Value {
	b, _ := s.MarshalJSON() // has no way to fail
	return b
}
