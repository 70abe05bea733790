package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	neturl "net/url"
	"slices"
	"strings"
	"sync"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/network"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/source"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// code is a script or a style sheet with what it says of its source map.
type code struct {
	url, mapURL string
	line, col   int // where it begins in its document, from 0
}

// tracer follows places in scripts and style sheets to the files that they were made from. It has a CDP session of its own, so the
// Debugger and CSS domains of the supervisor's sessions are not touched.
type tracer struct {
	env     *run.Env
	frame   model.FrameID
	client  *supervisor.ClientSession
	session *cdp.Session
	space   *source.Workspace // nil if there is none
	maps    map[string]*source.Map
	limits  []string

	mu      sync.Mutex
	scripts map[string]code // guarded by mu: by id
	sheets  map[string]code // guarded by mu: by id
}

// maxScripts bounds the scripts and style sheets that are known, and maxMaps the maps that are loaded.
const (
	maxScripts = 20_000
	maxMaps    = 12
	chunk      = 1 << 20
)

// trace returns a tracer for the document of a frame. Call end when finished.
func trace(ctx context.Context, e *run.Env, frame *model.Frame, space *source.Workspace) (*tracer, error) {
	t := &tracer{env: e, frame: frame.ID, space: space, maps: map[string]*source.Map{}, scripts: map[string]code{}, sheets: map[string]code{}}
	target := e.Tab
	for f := frame; f != nil && f.Parent != ""; f = e.Browser.State().Frame(f.Parent) {
		if f.OOPIF {
			target = model.TargetID(f.ID)
			break
		}
	}
	client, err := e.Browser.ClientSession(ctx, target, t.event)
	if err != nil {
		return nil, err
	}
	t.client, t.session = client, client.Session("")
	// The answer comes after the events about the scripts that are there. A page's own debugger statements must not stop it.
	enabled := start(t.session, "Debugger.enable", map[string]any{"maxScriptsCacheSize": 0})
	start(t.session, "Debugger.setSkipAllPauses", map[string]any{"skip": true})
	if err := enabled(ctx); err != nil {
		client.Detach()
		return nil, err
	}
	return t, nil
}

// start sends a command; the result waits for its answer.
func start(s *cdp.Session, method string, params any) func(context.Context) error {
	answer := make(chan error, 1)
	s.Post(method, params, func(_ jsontext.Value, err error) { answer <- err })
	return func(ctx context.Context) error {
		select {
		case err := <-answer:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (t *tracer) end() { t.client.Detach() }

func (t *tracer) limit(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(t.limits, text) && len(t.limits) < 20 {
		t.limits = append(t.limits, text)
	}
}

func (t *tracer) event(ev cdp.Event) {
	var p struct {
		ScriptID  string `json:"scriptId"`
		URL       string `json:"url"`
		SourceMap string `json:"sourceMapURL"`
		Line      int    `json:"startLine"`
		Column    int    `json:"startColumn"`
		Header    struct {
			ID        string  `json:"styleSheetId"`
			URL       string  `json:"sourceURL"`
			SourceMap string  `json:"sourceMapURL"`
			Line      float64 `json:"startLine"`
			Column    float64 `json:"startColumn"`
		} `json:"header"`
	}
	switch ev.Method {
	case "Debugger.scriptParsed", "CSS.styleSheetAdded":
	default:
		return
	}
	if jsonv2.Unmarshal(ev.Params, &p) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if ev.Method == "Debugger.scriptParsed" && len(t.scripts) < maxScripts {
		t.scripts[p.ScriptID] = code{p.URL, p.SourceMap, p.Line, p.Column}
	}
	if h := &p.Header; h.ID != "" && len(t.sheets) < maxScripts {
		t.sheets[h.ID] = code{h.URL, h.SourceMap, int(h.Line), int(h.Column)}
	}
}

func (t *tracer) script(id string) (code, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c, found := t.scripts[id]
	return c, found
}

// scriptAt returns the script of an address.
func (t *tracer) scriptAt(url string) (code, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.scripts {
		if c.url == url {
			return c, true
		}
	}
	return code{}, false
}

// place is where something is in an original file, or in what was loaded.
type place struct {
	file         string
	line, column int // from 1
	name         string
	mapped       bool // through a source map
	inWorkspace  bool
	evidence     string
}

// original follows a place in a script or style sheet, from 0, to its file.
func (t *tracer) original(ctx context.Context, c code, line, column int) place {
	shown := source.RedactQuery(c.url)
	p := place{file: shown, line: line + 1, column: column + 1, evidence: fmt.Sprintf("%s:%d:%d", shown, line+1, column+1)}
	if c.mapURL != "" {
		m := t.mapOf(ctx, c)
		if m != nil {
			if line == c.line {
				column -= c.col
			}
			at, found, err := m.Original(line-c.line, column)
			switch {
			case err != nil:
				t.limit("the source map of %s: %v", shown, err)
			case found:
				p.file, p.line, p.column, p.name, p.mapped = source.RedactQuery(at.File), at.Line, at.Column, at.Name, true
				p.evidence += ", by its source map"
			default:
				t.limit("the source map of %s has nothing at %d:%d", shown, line+1, column+1)
			}
		}
	}
	if t.space != nil {
		if file, ok := t.space.Resolve(p.file); ok {
			p.file, p.inWorkspace = file, true
		}
	}
	return p
}

// mapOf returns the source map of a script or style sheet; nil if it cannot be had, which is a limitation.
func (t *tracer) mapOf(ctx context.Context, c code) *source.Map {
	key := c.url + "\x00" + c.mapURL
	if m, known := t.maps[key]; known {
		return m
	}
	shown := source.RedactQuery(c.url)
	if len(t.maps) == maxMaps {
		t.limit("source maps of more than %d files were not read", maxMaps)
		return nil
	}
	t.maps[key] = nil
	address, text, err := t.load(ctx, c)
	if err != nil {
		t.limit("the source map of %s was not read: %v", shown, err)
		return nil
	}
	m, err := source.ParseMap(address, text)
	if err != nil {
		t.limit("the source map of %s was not used: %v", shown, err)
		return nil
	}
	t.maps[key] = m
	return m
}

var (
	errTooLarge = fmt.Errorf("it has more than %d MB", source.MaxMap>>20)
	errScheme   = errors.New("only maps at http and https addresses, and in data: addresses, are read")
)

// load returns the content of a source map with its address. The browser loads it, as its DevTools do: with its cookies and proxy.
func (t *tracer) load(ctx context.Context, c code) (address string, text []byte, err error) {
	if strings.HasPrefix(c.mapURL, "data:") {
		text, err = source.DecodeData(c.mapURL)
		return c.url, text, err
	}
	base, err := neturl.Parse(c.url)
	if err != nil {
		return "", nil, errors.New("the address of its script cannot be parsed")
	}
	u, err := base.Parse(c.mapURL)
	if err != nil {
		return "", nil, errors.New("its address cannot be parsed")
	}
	address = u.String()
	shown := source.RedactQuery(address)
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "", nil, errScheme
	case u.Scheme != base.Scheme || u.Host != base.Host: // a page must not choose what usher requests elsewhere
		return "", nil, fmt.Errorf("it is on another origin than its script: %s", shown)
	}
	if t.env.Domains != nil {
		if err := t.env.Domains.Judge(address, false); err != nil {
			return "", nil, fmt.Errorf("the session may not reach %s", shown)
		}
	}
	if t.env.Sites != nil && t.env.Sites.Open(ctx, address) != nil {
		return "", nil, fmt.Errorf("the site guard does not allow %s", shown)
	}
	got, err := cdp.Do(ctx, t.session, network.LoadNetworkResource, network.LoadNetworkResourceParams{FrameID: protocol.FrameID(t.frame), URL: address,
		Options: &network.LoadNetworkResourceOptions{IncludeCredentials: true}})
	if err != nil {
		return "", nil, err
	}
	r := got.Resource
	if r.Stream == "" || !r.Success || r.HTTPStatusCode >= 400 {
		return "", nil, fmt.Errorf("%s was answered with %s %.0f", shown, r.NetErrorName, r.HTTPStatusCode)
	}
	defer t.session.Post("IO.close", map[string]any{"handle": r.Stream}, nil)
	var all bytes.Buffer
	for {
		part, err := cdp.Do(ctx, t.session, io.Read, io.ReadParams{Handle: r.Stream, Size: chunk})
		if err != nil {
			return "", nil, err
		}
		if all.Write(part.Data); all.Len() > source.MaxMap {
			return "", nil, errTooLarge
		}
		if part.EOF {
			return address, all.Bytes(), nil
		}
	}
}
