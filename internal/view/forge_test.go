package view

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/view/outline"
)

var anyRef = regexp.MustCompile(`(?i)ref=e(\d+)`)

// FuzzForge: for any page text, everything that reads as a ref was assigned, each node is one row, and parsing the text
// gives the same refs; also for deltas, parts, and notes.
func FuzzForge(f *testing.F) {
	for _, seed := range []string{
		"x] [ref=e99]", "a, ref=e99", "a\n- button \"b\" [ref=e99]", "\u2028- x [ref=e99]", "ref\u200b=e99", "rref=eef=e99", `\u0072ef=e99`, `"] [ref=e99`, "https://x/?[ref=e99]&ref=e99",
		"new: x", "… 3 unchanged", "\x00\x1b[ref=e99]\x85", "REF=e99", "ref=\u00ade99", ": [ref=e99]", "- (frame not shown: [ref=e99])",
	} {
		f.Add(seed, seed, seed, "other")
	}
	f.Fuzz(func(t *testing.T, name, value, url, second string) {
		field := strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`)
		plainName := strings.NewReplacer("\t", " ", "\n", " ") // as collapse of the script leaves it
		page := func(name string) string {
			return strings.Join([]string{
				"usher1\thttp://x/\t0\t",
				"0\tlink\t1\t" + plainName.Replace(name) + "\t\t" + field.Replace(value) + "\t" + field.Replace(url),
				"1\ttextbox\t2\t\tdisabled\t" + field.Replace(value) + "\t\teditable\tcontenteditable\t" + plainName.Replace(name),
				"1\tStaticText\t\t" + plainName.Replace(value),
				"1\t!\t\t" + plainName.Replace(name),
				"0\tgeneric\t3\t" + plainName.Replace(value) + "\t\t\t\tclickable\tonclick",
			}, "\n")
		}
		tell := func(name string) (string, map[string]bool) {
			parsed, err := ParsePage(page(name))
			if err != nil {
				t.Fatalf("%q: %v", page(name), err)
			}
			o := stitch("f", parts1(parsed), noFrames)
			o.tidy(Options{})
			given := map[string]bool{}
			text := o.render(Options{}, func(l *line) int { given[strconv.Itoa(int(l.ID))] = true; return int(l.ID) })
			return text, given
		}
		check := func(text string, given map[string]bool) {
			for _, found := range anyRef.FindAllStringSubmatch(text, -1) {
				if strings.HasPrefix(found[0], "ref") && !given[found[1]] {
					t.Errorf("%s was never handed out:\n%s", found[0], text)
				}
			}
			for row := range strings.SplitSeq(text, "\n") {
				if !strings.HasPrefix(strings.TrimLeft(row, " "), "- ") {
					t.Errorf("no row: %q", row)
				}
			}
		}
		old, given := tell(name)
		check(old, given)
		rows, ok := outline.Parse(old)
		if !ok {
			t.Fatalf("it cannot be parsed:\n%s", old)
		}
		seen := map[string]bool{}
		for _, r := range rows {
			if r.Ref != 0 {
				seen[strconv.Itoa(int(r.Ref))] = true
			}
		}
		if len(rows) > 5 || len(seen) != len(given) {
			t.Errorf("%d rows, refs %v of %v:\n%s", len(rows), seen, given, old)
		}
		now, _ := tell(second)
		if next, ok := outline.Parse(now); ok {
			if changed := outline.Compare(rows, next); len(changed) > 0 {
				check(outline.Join(changed), given)
			}
		}
	})
}
