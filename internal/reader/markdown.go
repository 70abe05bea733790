package reader

import (
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// Section is a part of a Markdown document: a heading with what follows until the next one. The part before the first
// heading has none.
type Section struct {
	Level   int    // of the heading, 1 to 6; 0 for none
	Heading string // its text
	Text    string // all of it, the heading included
}

// heading matches an ATX heading (CommonMark 0.31, section 4.2).
var heading = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
})

// fence matches the start of a fenced code block (CommonMark 0.31, section 4.5).
var fence = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^ {0,3}(`{3,}|~{3,})") })

// Sections splits a Markdown document at its headings. Lines in code blocks are no headings.
func Sections(text string) []Section {
	var out []Section
	var lines strings.Builder
	now := Section{}
	flush := func() {
		if now.Text = strings.TrimSpace(lines.String()); now.Text != "" {
			out = append(out, now)
		}
		lines.Reset()
	}
	open := "" // the fence of the code block
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\r\n")
		m := fence().FindStringSubmatch(bare)
		switch {
		case open == "" && m != nil:
			open = m[1]
		case open != "" && m != nil && m[1][0] == open[0] && len(m[1]) >= len(open) && strings.Trim(bare, " \t"+open[:1]) == "":
			open = ""
		case open == "":
			if h := heading().FindStringSubmatch(bare); h != nil {
				flush()
				now = Section{Level: len(h[1]), Heading: strings.TrimSpace(h[2])}
			}
		}
		lines.WriteString(line)
	}
	flush()
	return out
}

// WithTitle returns a Markdown document that begins with its title, unless one of its headings is that. What finds the article
// of a page leaves out the heading that repeats the title.
func WithTitle(text, title string) string {
	if title == "" {
		return text
	}
	for _, s := range Sections(text) {
		if strings.EqualFold(s.Heading, title) {
			return text
		}
	}
	return strings.TrimSuffix("# "+title+"\n\n"+text, "\n\n")
}

// Matching returns the sections of a Markdown document that contain words, in any letter case.
func Matching(text, words string) string {
	var parts []string
	words = strings.ToLower(words)
	for _, s := range Sections(text) {
		if strings.Contains(strings.ToLower(s.Text), words) {
			parts = append(parts, s.Text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// Outline returns the headings of a Markdown document as a nested list; with words, only those that contain them.
func Outline(text, words string) string {
	var b strings.Builder
	words = strings.ToLower(words)
	top := 7
	all := Sections(text)
	for _, s := range all {
		if s.Level > 0 {
			top = min(top, s.Level)
		}
	}
	for _, s := range all {
		if s.Level > 0 && s.Heading != "" && strings.Contains(strings.ToLower(s.Heading), words) {
			b.WriteString(strings.Repeat("  ", s.Level-top) + "- " + s.Heading + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Link is an entry of llms.txt: a link with the rest of its line.
type Link struct{ Title, URL, Note string }

// item matches a list item that begins with a link: the form of the files of links in llms.txt (https://llmstxt.org).
var item = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*[-*+]\s+\[([^\]]*)\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)\s*:?\s*(.*?)\s*$`)
})

// Links returns the links of an llms.txt at an address, with absolute addresses.
func Links(text, address string) []Link {
	base, err := url.Parse(address)
	if err != nil {
		return nil
	}
	var out []Link
	for line := range strings.Lines(text) {
		m := item().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		if to, err := base.Parse(m[2]); err == nil {
			out = append(out, Link{m[1], to.String(), m[3]})
		}
	}
	return out
}
