// Command stealth shows detectors of bots from npm, and checks of our own, to pages in usher's headless browser, with and
// without --stealth, prints a table of their verdicts, and exits with 1 if --stealth is worse than the bars.
//
//	make stealth
//	make stealth STEALTH=-v       also what the page sees
//	make stealth STEALTH='-with "--args --use-fake-device-for-media-stream"'
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/peer"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

//go:embed pages
var pages embed.FS

func main() { program.Main("stealth", run) }

// detections is what the page found in one run.
type detections struct {
	Failed string `json:"failed"`
	BotD   struct {
		Bot  bool     `json:"bot"`
		Hits []string `json:"hits"`
	} `json:"botd"`
	FPScanner struct {
		Bot  bool     `json:"bot"`
		Hits []string `json:"hits"`
	} `json:"fpscanner"`
	Headless struct {
		Score    float64  `json:"score"`
		Hits     []string `json:"hits"`
		Software bool     `json:"software"` // WebGL is rendered without a GPU
		Fonts    int      `json:"fonts"`    // how many of eight common fonts are installed
	} `json:"headless"`
	Lies   []string       `json:"lies"`
	Tells  []string       `json:"tells"`
	Values map[string]any `json:"values"` // what the page sees of the browser
}

func run(ctx context.Context) (err error) {
	binary := flag.String("binary", "bin/usher", "the usher to examine")
	verbose := flag.Bool("v", false, "print what the page sees of the browser")
	with := flag.String("with", "", "flags of open, separated by spaces, to examine --stealth with; there are no bars then")
	flag.Parse()
	if *with != "" {
		modes = []mode{{name: "--stealth " + *with, flags: append([]string{"--stealth"}, strings.Fields(*with)...)}}
	}
	modules, err := peer.Modules(ctx, "bench/stealth/package.json", ".cache/stealth")
	if err != nil {
		return err
	}
	address, stop, err := serve(ctx, modules)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	chromium, err := cdptest.Path()
	if err != nil {
		return err
	}
	var missed []string
	for _, mode := range modes {
		found, err := examine(ctx, *binary, chromium, address, mode)
		if err != nil {
			return fmt.Errorf("%s: %w", mode.name, err)
		}
		for i, d := range found {
			d.print(mode.name, [...]string{"at load", "after a snapshot and a click"}[i])
			if *verbose && i == 0 {
				text, err := json.Marshal(d.Values, json.Deterministic(true))
				if err != nil {
					return err
				}
				fmt.Printf("  the page sees %s\n", text)
			}
			if mode.judged {
				missed = append(missed, d.missed()...)
			}
		}
	}
	if len(missed) > 0 {
		return fmt.Errorf("with --stealth: %s", strings.Join(missed, "; "))
	}
	return nil
}

// mode is a way to start the browser.
type mode struct {
	name   string
	flags  []string
	env    []string
	judged bool // by the bars
}

var modes = []mode{
	{name: "without --stealth"},
	{name: "--stealth", flags: []string{"--stealth"}, judged: true},
	{name: "--stealth, machine in UTC", flags: []string{"--stealth"}, env: []string{"TZ=UTC"}, judged: true},
}

// examine opens the page in a browser of its own and returns what it finds, at once and after commands.
func examine(ctx context.Context, binary, chromium, address string, m mode) (found []detections, err error) {
	path, err := abs(binary)
	if err != nil {
		return nil, err
	}
	p, err := program.New("usher", path, append([]string{"USHER_HOME={home}/.usher", "USHER_EXECUTABLE_PATH=" + chromium}, m.env...)...)
	if err != nil {
		return nil, err
	}
	defer func() {
		_, ended := p.End()
		err = errors.Join(err, ended)
	}()
	do := func(args ...string) (string, error) {
		o, err := p.Run(ctx, args...)
		if err != nil {
			return "", err
		}
		return o.Stdout, o.Failed()
	}
	if _, err := do(append([]string{"open", address}, m.flags...)...); err != nil {
		return nil, err
	}
	for _, steps := range [][][]string{
		{{"wait", "--fn", "window.runs?.length === 1", "--timeout", "60s"}},
		{{"snapshot"}, {"click", "#again"}, {"wait", "--fn", "window.runs?.length === 2", "--timeout", "60s"}},
	} {
		for _, step := range steps {
			if _, err := do(step...); err != nil {
				return nil, err
			}
		}
	}
	text, err := do("eval", "runs", "--json")
	if err != nil {
		return nil, err
	}
	var reply struct {
		Data struct {
			Result []detections `json:"result"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(text), &reply); err != nil {
		return nil, fmt.Errorf("read the verdicts: %w", err)
	}
	_, err = do("close", "--all")
	return reply.Data.Result, err
}

// serve serves the pages, what npm installed, and the headers of a request, on loopback.
func serve(ctx context.Context, modules string) (address string, stop func() error, err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("serve the pages: %w", err)
	}
	own, err := fs.Sub(pages, "pages")
	if err != nil {
		return "", nil, err
	}
	mux := http.NewServeMux()
	files := http.FileServerFS(own)
	var sent requests
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		sent.add(r)
		w.Header().Set("Accept-CH", "Sec-CH-UA-Arch, Sec-CH-UA-Bitness, Sec-CH-UA-Full-Version, Sec-CH-UA-Platform-Version")
		files.ServeHTTP(w, r)
	})
	mux.Handle("/npm/", http.StripPrefix("/npm/", http.FileServerFS(os.DirFS(modules))))
	mux.HandleFunc("/headers", func(w http.ResponseWriter, r *http.Request) {
		answer(w, headers(r))
	})
	mux.HandleFunc("/sent", func(w http.ResponseWriter, _ *http.Request) { answer(w, sent.take()) })
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }() // until stop, which waits for it
	return "http://" + listener.Addr().String() + "/", func() error {
		err := server.Close()
		if serving := <-ended; !errors.Is(serving, http.ErrServerClosed) {
			err = errors.Join(err, serving)
		}
		return err
	}, nil
}

// requests are the headers of the requests for pages and scripts, by what asked: the browser sends those of workers itself.
type requests struct {
	mu  sync.Mutex
	all map[string]map[string]string // guarded by mu
}

func (q *requests) add(r *http.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.all == nil {
		q.all = map[string]map[string]string{}
	}
	q.all[strings.TrimSpace(r.Header.Get("Sec-Fetch-Dest")+" "+r.URL.RequestURI())] = headers(r)
}

// take returns the requests since it was called last.
func (q *requests) take() map[string]map[string]string {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.all
	q.all = nil
	return all
}

func headers(r *http.Request) map[string]string {
	seen := map[string]string{}
	for name := range r.Header {
		seen[name] = r.Header.Get(name)
	}
	return seen
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.MarshalWrite(w, v) // a page that is gone asks for nothing
}
