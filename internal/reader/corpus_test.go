package reader

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestCorpus reads saved pages of real sites and compares the words with those that a reader should get: how many of them
// come, and how much else does. It needs USHER_CORPUS, a directory of pages that is not part of the project.
func TestCorpus(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("USHER_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpus")
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*", "source.html"))
	if err != nil || len(pages) == 0 {
		t.Skipf("no pages in %s: set USHER_CORPUS to the saved pages", dir)
	}
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
