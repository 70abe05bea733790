package outline

import (
	"strings"
	"testing"
)

const shop = `- heading "Shop" [level=1, ref=e1]
- navigation
  - link "Home" [ref=e2]
  - link "Orders" [ref=e3]
- table "Invoices"
  - row
    - cell "1041"
    - cell "Ada"
    - button "Pay" [ref=e4]
  - row
    - cell "1042"
    - cell "Grace Hopper"
    - button "Pay" [ref=e5]
- paragraph
  - StaticText "All prices in euro"`

func TestFound(t *testing.T) {
	// A table of more than one screen, so that a match does not return all of it.
	long := shop + strings.Repeat("\n- row\n  - cell \"something else that is long enough to count\"", 20)
	rows, ok := Parse(strings.Replace(long, "\n- paragraph", strings.Repeat("\n  - row\n    - cell \"filling of the table, a row like any other\"", 20)+"\n- paragraph", 1))
	if !ok {
		t.Fatal("that is no outline")
	}
	for _, c := range []struct {
		words string
		total int
		want  string
	}{
		{"1042", 1, "- … 4 lines\n- table \"Invoices\"\n  - … 4 lines\n  - row\n    - cell \"1042\"\n    - cell \"Grace Hopper\"\n    - button \"Pay\" [ref=e5]\n  - … 40 lines\n- … 42 lines"},
		{"hopper grace", 1, "- … 4 lines\n- table \"Invoices\"\n  - … 4 lines\n  - row\n    - cell \"1042\"\n    - cell \"Grace Hopper\"\n    - button \"Pay\" [ref=e5]\n  - … 40 lines\n- … 42 lines"},
		{"  SHOP ", 1, "- heading \"Shop\" [level=1, ref=e1]\n- navigation\n  - link \"Home\" [ref=e2]\n  - link \"Orders\" [ref=e3]\n- … 91 lines"},
		{"button", 2, ""},
		{"there is none", 0, ""},
		{"", 0, ""},
	} {
		reported, total := Find(rows, c.words)
		if total != c.total {
			t.Errorf("%q: %d lines match, not %d", c.words, total, c.total)
		}
		if text := Join(reported); c.want != "" && text != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.words, text, c.want)
		}
	}
	many := strings.TrimSuffix(strings.Repeat("- button \"Go\"\n", 100), "\n")
	rows, _ = Parse(many)
	reported, total := Find(rows, "go")
	if total != 100 || len(reported) != maxFound+2 || reported[maxFound+1].Text != "… 59 lines" {
		t.Errorf("of 100 that match: %d, in %d lines", total, len(reported))
	}
}

// FuzzFound: for any search, every line is either shown or counted, once.
func FuzzFound(f *testing.F) {
	f.Add(shop, "pay")
	f.Add(shop, "row cell")
	f.Fuzz(func(t *testing.T, outline, words string) {
		rows, ok := Parse(outline)
		if !ok {
			return
		}
		reported, total := Find(rows, words)
		if total == 0 {
			return
		}
		lines := 0
		for _, r := range reported {
			if r.At >= 0 {
				lines++
				continue
			}
			n := 0
			for _, digit := range strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(r.Text, "… "), "s"), " line") {
				n = 10*n + int(digit-'0')
			}
			lines += n
		}
		if lines != len(rows) {
			t.Errorf("%d of %d lines", lines, len(rows))
		}
	})
}
