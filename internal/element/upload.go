package element

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/dom"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/element/payload"
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
	doc, err := e.ask(ctx, "startUpload", nil, &field)
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
	handle, err := a.worlds.Handle(ctx, e.frame, "node", args{"target": e.target.inPage()})
	if err != nil {
		return Uploaded{}, e.apiError(err)
	}
	defer handle.Release()
	if a.Readable != nil {
		if paths, err = a.Readable(ctx, paths); err != nil {
			return Uploaded{}, fmt.Errorf("upload %s: give the files to the browser: %w", t, err)
		}
	}
	_, err = cdp.Do(ctx, handle.Session, dom.SetFileInputFiles, dom.SetFileInputFilesParams{
		Files: paths, ObjectID: handle.Object.ObjectID,
	})
	if err != nil {
		out, err := o.finish(ctx, err, false)
		return Uploaded{Outcome: out}, err
	}
	var now struct {
		Files []string `json:"files"`
	}
	// A page may take the files and remove the input; then there is nothing to read.
	if err := a.worlds.Call(ctx, e.frame, "uploaded", args{"target": e.target.inPage()}, &now); err != nil && a.browser.Blocked(err, a.tab) != nil {
		out, err := o.finish(ctx, err, true)
		return Uploaded{Outcome: out}, err
	}
	out, err := o.finish(ctx, nil, false)
	return Uploaded{out, now.Files}, err
}
