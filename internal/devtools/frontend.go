package devtools

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"path"
	"strings"
	"sync"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// bundled is the address of the front end that is built into Chromium. Its files can be read by pages below it only.
const bundled = "devtools://devtools/bundled/"

// frontEndPage is the page of DevTools for a connection of its own.
const frontEndPage = "devtools_app.html"

// plainPage is a file of the front end that runs no script: the page from which the others are read.
const plainPage = "application_tokens.css"

// frontEnd reads the files of the front end through a hidden page of the browser, which is opened when it is first needed.
type frontEnd struct {
	browser *supervisor.Browser

	mu      sync.Mutex
	ended   bool                      // guarded by mu
	context protocol.BrowserContextID // guarded by mu: of the page; empty for the default context
	target  target.ID                 // guarded by mu: empty before it was opened
	session *cdp.Session              // guarded by mu
}

// file is a file of the front end.
type file struct {
	kind string // MIME type
	body []byte
}

var errNoFile = errors.New("the front end has no such file")

// reader is the function that reads a file in the page: its content as a data: URL, or null if there is none.
const reader = `async function(address) {
  let got;
  try { got = await fetch(address) } catch { return null }
  if (!got.ok) return null;
  const body = await got.blob();
  return await new Promise((resolve, reject) => {
    const r = new FileReader();
    r.onload = () => resolve(r.result);
    r.onerror = () => reject(r.error);
    r.readAsDataURL(body);
  });
}`

// read returns a file by its path below [bundled]. Errors: errNoFile, and those of the browser.
func (f *frontEnd) read(ctx context.Context, name string) (*file, error) {
	if !isPath(name) {
		return nil, errNoFile
	}
	session, err := f.page(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the browser's DevTools: %w", err)
	}
	got, err := f.fetch(ctx, session, name)
	if errors.Is(err, cdp.ErrDetached) || errors.Is(err, cdp.ErrClosed) { // the connection was lost and restored, or the page crashed
		f.reopen(session)
		if session, err = f.page(ctx); err == nil {
			got, err = f.fetch(ctx, session, name)
		}
	}
	return got, err
}

// reopen makes the next read open another page, if session is still that of this one.
func (f *frontEnd) reopen(session *cdp.Session) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.session == session {
		f.drop()
	}
}

func (f *frontEnd) fetch(ctx context.Context, session *cdp.Session, name string) (*file, error) {
	global, err := cdp.Do(ctx, session, runtime.Evaluate, runtime.EvaluateParams{Expression: "globalThis"})
	if err != nil || global.Result == nil {
		return nil, fmt.Errorf("read the browser's DevTools: %w", err)
	}
	address, err := json.Marshal(bundled + name)
	if err != nil {
		return nil, err
	}
	got, err := cdp.Do(ctx, session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: reader, ObjectID: global.Result.ObjectID, Arguments: []*runtime.CallArgument{{Value: jsontext.Value(address)}},
		AwaitPromise: new(true), ReturnByValue: new(true),
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the browser's DevTools: %w", err)
	case got.ExceptionDetails != nil:
		return nil, fmt.Errorf("read the browser's DevTools: %s", got.ExceptionDetails.Text)
	}
	var data *string
	if err := json.Unmarshal(got.Result.Value, &data); err != nil {
		return nil, fmt.Errorf("read the browser's DevTools: %w", err)
	}
	if data == nil {
		return nil, errNoFile
	}
	_, encoded, _ := strings.Cut(*data, ",")
	body, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, fmt.Errorf("read the browser's DevTools: %w", err)
	}
	return &file{kindOf(name), body}, nil
}

// kindOf returns the MIME type of a file by its name. Scripts must have the right one, or no browser runs them as modules.
func kindOf(name string) string {
	switch ext := path.Ext(name); ext {
	case ".js":
		return "text/javascript; charset=UTF-8"
	case ".html", ".css":
		return "text/" + ext[1:] + "; charset=UTF-8"
	case ".json", ".map":
		return "application/json"
	case ".svg":
		return "image/svg+xml"
	case ".avif", ".png", ".jpg", ".webp", ".wasm":
		if kind := mime.TypeByExtension(ext); kind != "" {
			return kind
		}
	}
	return "application/octet-stream"
}

// isPath reports whether a text can be the path of a file of the front end.
func isPath(name string) bool {
	return name != "" && path.Clean(name) == name && name[0] != '/' && !strings.HasPrefix(name, "..") &&
		strings.IndexFunc(name, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-/+@", r)
		}) < 0
}

// page returns the CDP session of the hidden page, which it opens first.
func (f *frontEnd) page(ctx context.Context) (*cdp.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return nil, errors.New("the server is ending")
	}
	if f.session != nil {
		return f.session, nil
	}
	err := f.open(ctx)
	if err != nil {
		f.drop()
	}
	return f.session, err
}

// open opens the hidden page, in a browser context of its own if the connection can create one. The caller holds mu.
func (f *frontEnd) open(ctx context.Context) error {
	root := f.browser.Session("")
	if f.browser.Capabilities().Contexts {
		made, err := cdp.Do(ctx, root, target.CreateBrowserContext, target.CreateBrowserContextParams{DisposeOnDetach: new(true)})
		if err != nil {
			return err
		}
		f.context = made.BrowserContextID
	}
	blank, err := cdp.Do(ctx, root, target.CreateTarget, target.CreateTargetParams{URL: "about:blank", BrowserContextID: f.context, Hidden: new(true)})
	if err != nil {
		return err
	}
	f.target = blank.TargetID
	session, err := f.browser.SideSession(ctx, model.TargetID(f.target))
	if err != nil {
		return err
	}
	loaded, err := cdp.Do(ctx, session, page.Navigate, page.NavigateParams{URL: bundled + plainPage})
	switch {
	case err != nil:
		return err
	case loaded.ErrorText != "":
		return fmt.Errorf("%s: %s", bundled+plainPage, loaded.ErrorText)
	}
	f.session = session
	return nil
}

// close closes the page.
func (f *frontEnd) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	f.drop()
}

// drop closes the page and then its context. The replies are not waited for: a connection that has ended has closed both.
// The caller holds mu.
func (f *frontEnd) drop() {
	root := f.browser.Session("")
	if f.target != "" {
		root.Post(target.CommandCloseTarget, target.CloseTargetParams{TargetID: f.target}, nil)
	}
	if f.context != "" {
		root.Post(target.CommandDisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: f.context}, nil)
	}
	f.target, f.context, f.session = "", "", nil
}
