package agreement

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/wire"
	"github.com/usher-browser/usher/internal/world"
)

// Threshold is the share of interactive elements that must agree, on real pages and on generated ones alike.
const Threshold = 0.995

// Options of a Report.
type Options struct {
	Only string // only pages whose name contains this
	All  bool   // list every disagreement
	// NoScripts switches the scripts of pages off. What they would have made clickable (a[onclick]) Chromium then takes
	// for text.
	NoScripts bool
}

// Report judges the corpus and the generated pages in a browser of its own and writes what it finds. It reports whether
// both reach the Threshold; an absent corpus is reported as absent and not judged.
func Report(ctx context.Context, out io.Writer, o Options) (agreed bool, err error) {
	corpus, err := Corpus()
	if err != nil {
		return false, err
	}
	rules, err := Rules()
	if err != nil {
		return false, err
	}
	browser, err := cdptest.Start("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
	if err != nil {
		return false, err
	}
	defer browser.Close()
	conn, err := wire.Dial(ctx, browser.WebSocketURL, nil)
	if err != nil {
		return false, fmt.Errorf("connect to the browser: %w", err)
	}
	watch := supervisor.New(conn, supervisor.Options{})
	defer func() { err = errors.Join(err, watch.Close()) }()
	judge := &Judge{Worlds: world.New(watch), NoScripts: o.NoScripts}

	agreed = true
	for _, set := range []struct {
		title string
		pages []Source
	}{
		{"a page for each rule", rules},
		{"corpus of real pages", corpus},
	} {
		if len(set.pages) == 0 {
			fmt.Fprintf(out, "%s: absent (set USHER_CORPUS to its directory), not judged\n", set.title)
			continue
		}
		score, err := judge.Pages(ctx, set.pages, o.Only)
		if err != nil {
			return false, err
		}
		print(out, set.title, score, o.All)
		agreed = agreed && score.Share() >= Threshold
	}
	return agreed, nil
}

// Source is one page to judge.
type Source struct {
	Name string
	HTML []byte
}

// Corpus reads the saved real pages from the directory USHER_CORPUS names, by default ../shared/corpus beside the
// repository; nil if there is none.
func Corpus() ([]Source, error) {
	dir := os.Getenv("USHER_CORPUS")
	if dir == "" {
		root, err := moduleRoot()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(root, "..", "shared", "corpus")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "source.html"))
	if err != nil {
		return nil, fmt.Errorf("look for the corpus: %w", err)
	}
	var pages []Source
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read the corpus: %w", err)
		}
		pages = append(pages, Source{filepath.Base(filepath.Dir(file)), text})
	}
	return pages, nil
}

//go:embed rules/*.txtar
var rules embed.FS

// Rules are pages written for each rule of WAI-ARIA 1.2, AccName 1.2 and HTML-AAM 1.0.
func Rules() ([]Source, error) {
	files, err := rules.ReadDir("rules")
	if err != nil {
		return nil, fmt.Errorf("read the rules: %w", err)
	}
	var pages []Source
	for _, file := range files {
		text, err := rules.ReadFile("rules/" + file.Name())
		if err != nil {
			return nil, fmt.Errorf("read the rules: %w", err)
		}
		spec := strings.TrimSuffix(file.Name(), ".txtar")
		for _, section := range strings.Split("\n"+string(text), "\n-- ")[1:] {
			name, body, ok := strings.Cut(section, " --\n")
			if !ok {
				return nil, fmt.Errorf("read the rules: no page after %.40q in %s", section, file.Name())
			}
			pages = append(pages, Source{
				Name: spec + " " + name,
				HTML: []byte("<!doctype html>\n<html lang=en><meta charset=utf-8><title>rule</title><body>\n" + body),
			})
		}
	}
	return pages, nil
}

func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("look for the corpus: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("look for the corpus: not inside the repository; set USHER_CORPUS")
		}
		dir = filepath.Dir(dir)
	}
}

// Pages serves pages from loopback and judges each.
func (j *Judge) Pages(ctx context.Context, pages []Source, only string) (*Score, error) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := slices.IndexFunc(pages, func(p Source) bool { return "/"+p.Name+"/" == r.URL.Path })
		if at < 0 {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "page.html", time.Time{}, bytes.NewReader(pages[at].HTML))
	}))
	defer server.Close()

	sum := &Score{}
	for _, page := range pages {
		if !strings.Contains(page.Name, only) {
			continue
		}
		bounded, cancel := context.WithTimeout(ctx, 30*time.Second)
		score, err := j.Page(bounded, page.Name, server.URL+"/"+url.PathEscape(page.Name)+"/")
		cancel()
		if err != nil {
			return nil, err
		}
		sum.Add(score)
	}
	return sum, nil
}

func print(out io.Writer, title string, score *Score, all bool) {
	fmt.Fprintf(out, "%s: %d interactive elements, %d disagreements, %.2f %% agree (%d more inside controls the browser draws)\n",
		title, score.Elements, len(score.Differences), 100*score.Share(), score.Inner)
	groups := map[string][]Difference{}
	for _, d := range score.Differences {
		groups[string(d.Kind)] = append(groups[string(d.Kind)], d)
	}
	kinds := slices.SortedFunc(maps(groups), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(groups[b]), len(groups[a])), cmp.Compare(a, b))
	})
	for _, kind := range kinds {
		list := groups[kind]
		fmt.Fprintf(out, "  %s: %d\n", kind, len(list))
		for i, d := range list {
			if !all && i == 5 {
				fmt.Fprintf(out, "    and %d more\n", len(list)-i)
				break
			}
			fmt.Fprintf(out, "    %s: ours %s, Chromium %s\n        %s\n", d.Page, lines(d.Ours), lines(d.Chromium), d.Element)
		}
	}
}

func maps(groups map[string][]Difference) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range groups {
			if !yield(k) {
				return
			}
		}
	}
}

func lines(account string) string {
	if account == "" {
		return "nothing"
	}
	return account
}
