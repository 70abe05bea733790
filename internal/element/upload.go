package element

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/dom"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/element/payload"
	"github.com/usher-browser/usher/internal/world"
)

// Uploaded is the outcome of setting the files of an input.
type Uploaded struct {
	Outcome
	Files []string // names of the input's files
}

// Upload sets the files of a file input: the element itself, the input of a label, or the only file input inside the
// element. The input may be hidden. Paths must be absolute. Errors besides those of any action: [api.FileNotFound],
// [api.InvalidArgument] for too many files or a directory.
func (a *Actor) Upload(ctx context.Context, t locate.Target, paths ...string) (Uploaded, error) {
	if len(paths) == 0 {
		return Uploaded{}, api.Errorf(api.MissingArgument, "upload %s: no file was named", t)
	}
	folders, err := payload.CountFolders(ctx, paths)
	if err != nil {
		return Uploaded{}, fmt.Errorf("upload %s: %w", t, err)
	}
	ctx, e, done, err := a.begin(ctx, "upload", t)
	if err != nil {
		return Uploaded{}, err
	}
	defer done()
	var field struct {
		reply
		Element   locate.Found `json:"element"`
		Multiple  bool         `json:"multiple"`
		Directory bool         `json:"directory"`
	}
	o := e.observe()
	var asked *world.PendingHandle
	e.sent = func(*world.Sent) { asked = e.askUploadField(ctx) }
	doc, err := e.ask(ctx, "startUpload", nil, &field)
	e.sent = nil
	if err != nil {
		return Uploaded{}, err
	}
	o.out = Outcome{Element: field.Element.In(doc), Attempts: 1}
	switch {
	case folders > 0 && !field.Directory:
		return Uploaded{}, api.Errorf(api.InvalidArgument, "upload %s: the field accepts files, not a directory", t)
	case len(paths) > 1 && !field.Multiple:
		return Uploaded{}, api.Errorf(api.InvalidArgument, "upload %s: the field accepts one file, and %d were given", t, len(paths))
	}
	e.pinElement(o.out.Element)
	handle, err := e.uploadField(ctx, asked)
	if err != nil {
		return Uploaded{}, e.apiError(err)
	}
	defer handle.Release()
	if a.Readable != nil {
		if paths, err = a.Readable(ctx, paths); err != nil {
			return Uploaded{}, fmt.Errorf("upload %s: give the files to the browser: %w", t, err)
		}
	}
	set := cdp.Start(handle.Session, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: paths, ObjectID: handle.Object.ObjectID})
	// The page answers this after it has handled the files.
	after, gone := a.worlds.Start(ctx, e.frame, "uploaded", args{"target": e.target.inPage()})
	if _, err := set.Wait(ctx); err != nil {
		out, err := o.finish(ctx, err, false)
		return Uploaded{Outcome: out}, err
	}
	o.browser.Asked(after)
	out, err := o.finish(ctx, nil, false)
	var now struct {
		Files []string `json:"files"`
	}
	if gone == nil && err == nil {
		// A page may take the files and go elsewhere; then there is nothing to read.
		_ = after.Wait(ctx, &now)
	}
	return Uploaded{out, now.Files}, err
}

// askUploadField asks for the field that startUpload finds; nil if it cannot.
func (e *action) askUploadField(ctx context.Context) *world.PendingHandle {
	f := e.actor.browser.State().Frame(e.frame)
	if f == nil {
		return nil
	}
	asked, _ := e.actor.worlds.StartHandle(ctx, e.actor.browser.Session(f.Session), e.frame, "uploadField", nil) // or it is asked later
	return asked
}

// uploadField returns the field that startUpload found. asked was answered too early if startUpload had to wait for it.
func (e *action) uploadField(ctx context.Context, asked *world.PendingHandle) (*world.Handle, error) {
	if asked != nil {
		if handle, err := asked.Wait(ctx); err == nil && handle != nil {
			return handle, nil
		}
	}
	return e.actor.worlds.Handle(ctx, e.frame, "node", args{"target": e.target.inPage()})
}
