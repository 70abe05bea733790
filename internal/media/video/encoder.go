package video

import (
	"context"
	_ "embed"
	"fmt"
	"image"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// The script is bundled from ui/video by make generate.
//
//go:embed encoder.js
var script string

// encoderPage is a page that every Chromium has, that loads nothing from elsewhere, and that may use WebCodecs, which
// about:blank may not: it is no secure context.
const encoderPage = "chrome://version/"

// encoder is the video encoder, in a hidden page in a browser context of its own.
type encoder struct {
	browser *supervisor.Browser
	context protocol.BrowserContextID
	target  target.ID
	session *cdp.Session
	object  runtime.RemoteObjectID // empty before it was started
	codec   string
	format  format
}

// format is what an encoder is started for.
type format struct {
	size image.Point
	fps  int
}

// openEncoder opens the page of the encoder.
func openEncoder(ctx context.Context, b *supervisor.Browser) (_ *encoder, err error) {
	if !b.Capabilities().Contexts {
		return nil, api.Errorf(api.CaptureFailed, "record: the video encoder needs a browser context of its own, which this connection cannot create").
			WithHint("Record in a browser that usher launches.")
	}
	root := b.Session("")
	made, err := cdp.Do(ctx, root, target.CreateBrowserContext, target.CreateBrowserContextParams{DisposeOnDetach: new(true)})
	if err != nil {
		return nil, fmt.Errorf("make a browser context for the encoder: %w", err)
	}
	e := &encoder{browser: b, context: made.BrowserContextID}
	defer func() {
		if err != nil {
			e.close()
		}
	}()
	opened, err := cdp.Do(ctx, root, target.CreateTarget, target.CreateTargetParams{URL: encoderPage, BrowserContextID: e.context, Hidden: new(true)})
	if err != nil {
		return nil, fmt.Errorf("open the encoder's page: %w", err)
	}
	e.target = opened.TargetID
	if e.session, err = b.SideSession(ctx, model.TargetID(e.target)); err != nil {
		return nil, err
	}
	return e, nil
}

// start starts the encoder, or makes one that was kept ready for another recording. threshold is that of the contact sheet, 0 for none;
// codec is what an earlier encoder of the browser used for the size, empty for none.
func (e *encoder) start(ctx context.Context, f format, threshold float64, codec string) error {
	if e.object != "" && e.format == f {
		return e.reset(ctx, threshold)
	}
	run := fmt.Sprintf("%s.start(%d, %d, %d, %g, %q)", script, f.size.X, f.size.Y, f.fps, threshold, codec)
	if e.object != "" { // it is for another format
		run = "started.then(encoder => { encoder.close(); return " + run + " })"
	}
	e.format = f
	ready, err := e.startIn(ctx, run)
	if err != nil || ready {
		return err
	}
	// The script came before the page that createTarget opens. The reply to navigate comes after it.
	loaded, err := cdp.Do(ctx, e.session, page.Navigate, page.NavigateParams{URL: encoderPage})
	if err != nil {
		return fmt.Errorf("open the encoder's page: %w", err)
	}
	if loaded.ErrorText != "" {
		return fmt.Errorf("open the encoder's page %s: %s", encoderPage, loaded.ErrorText)
	}
	if ready, err = e.startIn(ctx, run); err == nil && !ready {
		err = fmt.Errorf("start the encoder: its page %s is no secure context", encoderPage)
	}
	return err
}

// reset makes the encoder forget a recording.
func (e *encoder) reset(ctx context.Context, threshold float64) error {
	var none jsontext.Value
	return e.call(ctx, &none, "function(sheet) { this.reset(sheet); return null }", threshold)
}

// forget makes the encoder drop the pictures of a recording. The reply is not waited for: the next start asks again.
func (e *encoder) forget() {
	e.session.Post(runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: "function() { this.reset(0) }", ObjectID: e.object}, nil)
}

// startIn starts the encoder if the document is a secure context, which about:blank is not. The codec is asked for at the same time
// as the object, not after it.
func (e *encoder) startIn(ctx context.Context, run string) (ready bool, err error) {
	object := cdp.Start(e.session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "globalThis.started = isSecureContext ? " + run + " : undefined", AwaitPromise: new(true),
	})
	codec := cdp.Start(e.session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "globalThis.started?.then(encoder => encoder.codec)", AwaitPromise: new(true), ReturnByValue: new(true),
	})
	made, err := object.Wait(ctx)
	if err != nil {
		return false, fmt.Errorf("start the encoder: %w", err)
	}
	if x := made.ExceptionDetails; x != nil {
		return false, fmt.Errorf("start the encoder: %s", exception(x))
	}
	named, err := codec.Wait(ctx)
	if err != nil {
		return false, fmt.Errorf("start the encoder: %w", err)
	}
	if made.Result.ObjectID == "" {
		return false, nil
	}
	e.object = made.Result.ObjectID
	return true, json.Unmarshal(named.Result.Value, &e.codec)
}

// overlay is what is drawn over a picture, in its pixels.
type overlay struct {
	Cursor  *cursor `json:"cursor,omitempty"`
	Caption string  `json:"caption,omitempty"`
}

type cursor struct {
	X       float64 `json:"x"`
	Y       float64 `json:"y"`
	Pressed bool    `json:"pressed"`
}

// encoded is one frame of the video.
type encoded struct {
	Data []byte `json:"data"`
	Key  bool   `json:"key"`
}

// frame encodes a picture, or the last one again if jpeg is empty. The result is nil if the encoder dropped the frame.
func (e *encoder) frame(ctx context.Context, jpeg []byte, microseconds int64, key bool, over overlay) (*encoded, error) {
	var res *encoded
	err := e.call(ctx, &res, "function(f) { return this.frame(f.jpeg, f.at, f.key, f.over) }", struct {
		JPEG []byte  `json:"jpeg"`
		At   int64   `json:"at"`
		Key  bool    `json:"key"`
		Over overlay `json:"over"`
	}{jpeg, microseconds, key, over})
	return res, err
}

// sheet returns the contact sheet as PNG, and how many pictures it has.
func (e *encoder) sheet(ctx context.Context) (png []byte, pictures int, err error) {
	var res struct {
		PNG      []byte `json:"png"`
		Pictures int    `json:"pictures"`
	}
	err = e.call(ctx, &res, "async function() { return {png: await this.sheet(), pictures: this.pictures()} }")
	return res.PNG, res.Pictures, err
}

func (e *encoder) call(ctx context.Context, result any, function string, args ...any) error {
	params := runtime.CallFunctionOnParams{FunctionDeclaration: function, ObjectID: e.object, AwaitPromise: new(true), ReturnByValue: new(true)}
	for _, arg := range args {
		value, err := json.Marshal(arg)
		if err != nil {
			return err
		}
		params.Arguments = append(params.Arguments, &runtime.CallArgument{Value: jsontext.Value(value)})
	}
	res, err := cdp.Do(ctx, e.session, runtime.CallFunctionOn, params)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	if x := res.ExceptionDetails; x != nil {
		return fmt.Errorf("encode: %s", exception(x))
	}
	return json.Unmarshal(res.Result.Value, result)
}

func exception(x *runtime.ExceptionDetails) string {
	if x.Exception != nil && x.Exception.Description != "" {
		return x.Exception.Description
	}
	return x.Text
}

// close closes the page and then its context, which leaves a hidden page open. The replies are not waited for: a
// connection that has ended has closed both.
func (e *encoder) close() {
	root := e.browser.Session("")
	if e.target != "" {
		root.Post(target.CommandCloseTarget, target.CloseTargetParams{TargetID: e.target}, nil)
	}
	root.Post(target.CommandDisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: e.context}, nil)
}
