package view_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest/deltas"
	"github.com/usher-browser/usher/internal/view"
	"github.com/usher-browser/usher/internal/view/agreement"
	"github.com/usher-browser/usher/internal/view/outline"
)

// someOfCorpus are the pages looked at without USHER_CORPUS being set: long ones, of different make.
const someOfCorpus = " bbc-1 heise lemonde-1 mozilla-1 nytimes-3 qq theverge wikipedia yahoo-2 "

// typical are changes that a click makes on a page: a word, a thing more, a thing less, and all three far apart.
var typical = []struct{ name, script string }{
	{"a word", `{ const all = document.querySelectorAll('p, li, td'); const one = all[all.length >> 1]; if (one) one.textContent = 'Changed just now' }`},
	{"one more", `{ const all = document.querySelectorAll('li, p, div'); const one = all[all.length >> 1]; one?.after(Object.assign(document.createElement('p'), {textContent: 'Added just now'})) }`},
	{"one less", `{ const all = document.querySelectorAll('a'); all[all.length >> 1]?.remove() }`},
	{"three", `{ const all = document.querySelectorAll('p, li, td, a, h2'); for (const at of [0.1, 0.5, 0.9]) { const one = all[Math.floor(all.length * at)]; if (one) one.textContent = 'Again ' + at } }`},
}

// TestRealPages checks on saved pages what is promised of deltas and budgets, and logs what they save.
func TestRealPages(t *testing.T) {
	pages, err := agreement.Corpus()
	if err != nil {
		t.Fatal(err)
	}
	if pages == nil {
		t.Skip("there is no corpus; set USHER_CORPUS to its directory")
	}
	html := map[string][]byte{}
	for _, page := range pages {
		html["/"+page.Name] = page.HTML
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		// They name scripts and pictures of places that are out of reach.
		w.Header().Set("Content-Security-Policy", "default-src 'unsafe-inline' data:")
		_, _ = w.Write(html[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	b := start(t)
	saved := map[string][2]int{}
	var kept, acting, looked int
	for _, page := range pages {
		if os.Getenv("USHER_CORPUS") == "" && !strings.Contains(someOfCorpus, " "+page.Name+" ") {
			continue
		}
		looked++
		tab := b.open(t, server.URL+"/"+page.Name)
		cut := b.tell(t, tab, view.Options{Budget: 1000})
		before := b.LastReported(tab, view.Options{}) // pages may change on their own from one look to the next
		if len(cut.Text) > 4000 || cut.Spent.Truncated == (cut.Text == before) {
			t.Errorf("%s: %+v, %d bytes", page.Name, cut.Spent, len(cut.Text))
		}
		all, some := view.InteractiveLines(before), view.InteractiveLines(cut.Text)
		acting, kept = acting+all, kept+some
		t.Logf("%-32s %6d tokens, %4d of %4d to act on within 1000 (%d)", page.Name, cut.Spent.Total, some, all, cut.Spent.Tokens)
		for _, change := range typical {
			b.script(t, tab, change.script)
			delta := b.tell(t, tab, view.Options{Delta: true})
			after := b.LastReported(tab, view.Options{})
			if delta.Compared.Delta {
				if made, err := deltas.Apply(before, delta.Text); err != nil || made != after {
					t.Errorf("%s, %s: %v; the delta does not make the new outline:\n%s", page.Name, change.name, err, delta.Text)
				}
			} else if !strings.HasSuffix(delta.Text, "\n"+after) {
				t.Errorf("%s, %s: neither a delta nor the whole", page.Name, change.name)
			}
			if delta.Compared.Delta && len(delta.Text) > len(after) && delta.Text != outline.NothingChanged {
				t.Errorf("%s, %s: %d bytes, the whole has %d", page.Name, change.name, len(delta.Text), len(after))
			}
			t.Logf("%-32s %-9s %7d bytes for %7d", page.Name, change.name, len(delta.Text), len(after))
			sum := saved[change.name]
			saved[change.name] = [2]int{sum[0] + len(delta.Text), sum[1] + len(after)}
			before = after
		}
	}
	for _, change := range typical {
		t.Logf("%d pages, %s: %.2f %% of the bytes", looked, change.name, 100*float64(saved[change.name][0])/float64(max(1, saved[change.name][1])))
	}
	t.Logf("%d pages: %d of %d elements to act on are told within 1000 tokens", looked, kept, acting)
}
