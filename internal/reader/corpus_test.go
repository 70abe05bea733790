package reader

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"golang.org/x/net/html"
)

// TestCorpus reads saved pages of real sites and compares the words with those that a reader should get: how many of them
// come, and how much else does. It needs USHER_CORPUS, a directory of pages that is not part of the project.
func TestCorpus(t *testing.T) {
	t.Parallel()
	dir, pages := corpus(t)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	r, err := New(Options{Agent: "usher"})
	if err != nil {
		t.Fatal(err)
	}
	var recalls, precisions float64
	for _, path := range pages {
		name := filepath.Base(filepath.Dir(path))
		p, err := r.Read(t.Context(), server.URL+"/"+name+"/source.html")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want, err := os.ReadFile(filepath.Join(dir, name, "expected.html"))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := html.Parse(bytes.NewReader(want))
		if err != nil {
			t.Fatal(err)
		}
		recall, precision := compare(plainWords(p.Text), wordsIn(textOf(doc)))
		recalls, precisions = recalls+recall, precisions+precision
		if recall < 0.8 || precision < 0.6 {
			t.Logf("%s: %.0f %% of the words, %.0f %% of what came are of them (scripted: %v)", name, 100*recall, 100*precision, p.Scripted)
		}
	}
	n := float64(len(pages))
	t.Logf("%d pages: on average %.1f %% of the words, and %.1f %% of what came are of them", len(pages), 100*recalls/n, 100*precisions/n)
	if recalls/n < 0.99 || precisions/n < 0.95 {
		t.Errorf("reads worse than it did: %.3f %.3f", recalls/n, precisions/n)
	}
}

// corpus returns the directory of saved pages, and the pages; without any the test is skipped.
func corpus(t *testing.T) (dir string, pages []string) {
	t.Helper()
	if dir = os.Getenv("USHER_CORPUS"); dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpus")
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*", "source.html"))
	if err != nil || len(pages) == 0 {
		t.Skipf("no pages in %s: set USHER_CORPUS to the saved pages", dir)
	}
	return dir, pages
}

// TestCorpusExtract measures ExtractFrom on the corpus: the share of pages whose words agree with the expected text, by the harmonic
// mean (F1) of the share of expected words that come and of words that were expected; and of titles, bylines and excerpts.
func TestCorpusExtract(t *testing.T) {
	t.Parallel()
	_, pages := corpus(t)
	best, good, titles, bylines, excerpts := 0, 0, 0, 0, 0
	for _, path := range pages {
		name := filepath.Base(filepath.Dir(path))
		read := func(file string) []byte {
			b, err := os.ReadFile(filepath.Join(filepath.Dir(path), file))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		got, err := ExtractFrom(t.Context(), "http://fakehost/test/page.html", string(read("source.html")), AsText)
		if err != nil || got == nil {
			t.Errorf("%s: %v, %v", name, got, err)
			continue
		}
		doc, err := html.Parse(bytes.NewReader(read("expected.html")))
		if err != nil {
			t.Fatal(err)
		}
		recall, precision := compare(wordsIn(got.Text), wordsIn(plainText(doc)))
		f1 := 2 * recall * precision / max(recall+precision, 1e-9)
		if f1 >= 0.99 {
			best++
		} else {
			t.Logf("%s: F1 %.3f: %.1f %% of the words, %.1f %% of what came are of them", name, f1, 100*recall, 100*precision)
		}
		if f1 >= 0.95 {
			good++
		}
		var meta struct {
			Title   string `json:"title"`
			Byline  string `json:"byline"`
			Excerpt string `json:"excerpt"`
		}
		if err := json.Unmarshal(read("expected-metadata.json"), &meta); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			count           *int
			what, got, want string
		}{{&titles, "title", got.Title, meta.Title}, {&bylines, "byline", got.Byline, meta.Byline}, {&excerpts, "excerpt", got.Excerpt, meta.Excerpt}} {
			if same := strings.Join(strings.Fields(c.want), " "); same == strings.Join(strings.Fields(c.got), " ") {
				*c.count++
			} else {
				t.Logf("%s: %s is %.90q, want %.90q", name, c.what, c.got, same)
			}
		}
	}
	n := len(pages)
	share := func(k int) string { return fmt.Sprintf("%d of %d (%.1f %%)", k, n, 100*float64(k)/float64(n)) }
	t.Logf("F1 >= 0.99: %s; >= 0.95: %s; title: %s; byline: %s; excerpt: %s", share(best), share(good), share(titles), share(bylines), share(excerpts))
	if float64(best) < 0.965*float64(n) { // measured: 63 of 65
		t.Errorf("reads worse than it did: F1 >= 0.99 on %s", share(best))
	}
}

var address = regexp.MustCompile(`\]\([^)]*\)`)

func plainWords(markdown string) map[string]int {
	return wordsIn(address.ReplaceAllString(markdown, "] "))
}

func wordsIn(s string) map[string]int {
	words := map[string]int{}
	for _, w := range regexp.MustCompile(`[\p{L}\p{N}]+`).FindAllString(strings.ToLower(s), -1) {
		words[w]++
	}
	return words
}

func compare(got, want map[string]int) (recall, precision float64) {
	same, all, came := 0, 0, 0
	for w, n := range want {
		same += min(n, got[w])
		all += n
	}
	for _, n := range got {
		came += n
	}
	return float64(same) / float64(max(all, 1)), float64(same) / float64(max(came, 1))
}
