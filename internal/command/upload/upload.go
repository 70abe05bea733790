package upload

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/config/protect"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/element/payload"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Uploads resolves the paths of files for a page and returns an error for those that cannot be read or are not allowed.
func Uploads(ctx context.Context, e *run.Env, words []string) ([]string, error) {
	paths := make([]string, 0, len(words))
	for _, w := range words {
		p := filepath.Clean(e.Path(w))
		if _, err := payload.Check(ctx, p); err != nil {
			return nil, err
		}
		if err := mayUpload(e, p); err != nil {
			return nil, err
		}
		paths = append(paths, p)
	}
	return paths, nil
}

// mayUpload checks whether a file, or each of a directory, may be given to a page. A page can trick an agent into
// uploading a private file, so without --upload-root only files in the caller's directory, the home directory or the
// directory for temporary files are allowed, and no hidden ones: keys, tokens and .env files are hidden. Links are
// resolved. Usher's private files are never allowed.
func mayUpload(e *run.Env, path string) error {
	if !run.IsFolder(path) {
		return mayUploadFile(e, path)
	}
	return filepath.WalkDir(path, func(at string, _ fs.DirEntry, err error) error {
		if err != nil {
			return api.Errorf(api.FileNotFound, "read %s: %w", at, err).With("path", at)
		}
		return mayUploadFile(e, at)
	})
}

// Allowed returns an error unless the content of a file may be given to pages.
func Allowed(e *run.Env, path string) error { return mayUploadFile(e, path) }

func mayUploadFile(e *run.Env, path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return api.Errorf(api.FileNotFound, "read %s: %w", path, err).With("path", path)
	}
	if err := checkPrivate(e, path); err != nil {
		return err
	}
	roots := e.Settings.UploadRoots
	hidden := len(roots) > 0 && e.Sites == nil // under the guard only what is named itself
	usual := len(roots) == 0
	if usual {
		if e.Settings.Compatible {
			return nil // agent-browser hands out every other file
		}
		roots = usualRoots(e)
	}
	inHidden := false
	temp, _ := filepath.EvalSymlinks(os.TempDir()) // where there is none, no root is it
	for _, root := range roots {
		root, err := filepath.EvalSymlinks(root)
		if err != nil {
			continue // a missing path has no file
		}
		rel, err := filepath.Rel(root, real)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			continue
		}
		if usual && root == temp && !ownedByUser(real) {
			continue // another user's, in a shared directory
		}
		if hidden || !isHidden(rel) {
			return nil
		}
		inHidden = true
	}
	out := api.Errorf(api.FileNotAllowed, "%s cannot be uploaded: it is outside %s", path, strings.Join(roots, ", "))
	if inHidden {
		out = api.Errorf(api.FileNotAllowed, "%s cannot be uploaded: it is hidden, or in a hidden directory", path)
	}
	if real != path {
		out = out.With("resolved", real)
	}
	allow := filepath.Dir(real)
	if inHidden && e.Sites != nil {
		allow = real
	}
	return out.With("path", path).WithHint("To allow it, use --upload-root %s.", allow)
}

// checkPrivate returns an error for usher's private files, which no setting allows. Other protected files are hidden, or
// outside of the usual roots; --upload-root allows them.
func checkPrivate(e *run.Env, path string) error {
	var refused *protect.Refused
	if err := e.ProtectedFiles().Read(path); errors.As(err, &refused) && refused.Own {
		return fmt.Errorf("it cannot be uploaded: %w", err)
	}
	return nil
}

// ownedByUser reports whether a file belongs to the user of the daemon.
func ownedByUser(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && dirs.Mine(path, info) == nil
}

// usualRoots returns the default roots: the caller's directory, the home, and the directory for temporary files. A
// caller's directory that is not of a single user's work does not count: a program started by a desktop often has / as
// its directory.
func usualRoots(e *run.Env) []string {
	home, err := os.UserHomeDir()
	roots := []string{os.TempDir()}
	if err == nil {
		roots = append(roots, home)
	}
	if cwd, err := filepath.EvalSymlinks(e.Cwd); err == nil && !isTooBroad(cwd, home) {
		roots = append([]string{e.Cwd}, roots...)
	}
	return roots
}

// isTooBroad reports whether a directory is the root of a file system, an ancestor of a home or the temporary directory,
// or the system's.
func isTooBroad(dir, home string) bool {
	if filepath.Dir(dir) == dir {
		return true
	}
	for _, inner := range []string{home, os.TempDir()} {
		if real, err := filepath.EvalSymlinks(inner); err == nil && real != dir {
			if rel, err := filepath.Rel(dir, real); err == nil && filepath.IsLocal(rel) {
				return true
			}
		}
	}
	return protect.System(dir)
}

func isHidden(rel string) bool {
	return slices.ContainsFunc(strings.Split(rel, string(filepath.Separator)), func(part string) bool {
		return len(part) > 1 && part[0] == '.' && part != ".."
	})
}

// Uploaded is the result of `upload`.
type Uploaded struct {
	Selector string `json:"selector"`         // the field, as given
	Uploaded int    `json:"uploaded"`         // how many files it was given
	Through  string `json:"through,omitzero"` // the file chooser that a click on the element opened, if it is no field itself
	api.Outcome
}

// upload gives files to a file field, or to what is clicked to choose them.
func upload(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Uploaded], error) {
	t, err := e.Target(c, "selector")
	if err != nil {
		return run.Reply[*Uploaded]{}, err
	}
	doing := "upload to " + c.Str("selector")
	if err := blocked(ctx, e, doing); err != nil {
		return run.Reply[*Uploaded]{}, err
	}
	paths, err := Uploads(ctx, e, c.List("files"))
	if err != nil {
		return run.Reply[*Uploaded]{}, e.Explain(fmt.Errorf("upload %s: %w", c.Str("selector"), err), doing)
	}
	data := &Uploaded{Selector: c.Str("selector"), Uploaded: len(paths)}
	var out element.Uploaded
	res, err := run.ActOn(ctx, e, doing, data, func(ctx context.Context, a *element.Actor) (_ element.Outcome, err error) {
		out, err = a.Upload(ctx, t, paths...)
		return out.Outcome, err
	})
	var known *api.Error
	if errors.As(err, &known) && known.Code == api.ElementUnsuitable {
		return uploadThrough(ctx, e, t, c.Str("selector"), paths, known)
	}
	if err == nil {
		addFiles(e, &res, out.Files)
	}
	return res, err
}

// addFiles adds to a result the files of a field.
func addFiles(e *run.Env, res *run.Reply[*Uploaded], names []string) {
	if len(names) > 0 && !e.Settings.Compatible {
		observed := api.Outcome{Files: names}
		res.Data.Add(&observed)
		res.Text += "\n  " + strings.Join(observed.Lines(), "\n  ")
	}
}

// blocked returns the error for what blocks the tab now.
func blocked(ctx context.Context, e *run.Env, doing string) error {
	ctx, stop := e.Guard(ctx)
	defer stop()
	return e.Explain(context.Cause(ctx), doing)
}

// uploadThrough clicks what is no file field and gives the files to the chooser
// that the click opens. unsuitable is why the element takes no files itself.
func uploadThrough(ctx context.Context, e *run.Env, t locate.Target, written string, paths []string, unsuitable *api.Error) (run.Reply[*Uploaded], error) {
	doing := "upload through " + written
	if t := e.Browser.State().Tabs[e.Tab]; t != nil && !t.Choosers {
		// A person's own tab: the chooser is theirs but for this one click.
		e.Browser.InterceptChoosers(e.Tab, true)
		defer e.Browser.InterceptChoosers(e.Tab, false)
	}
	before := e.Browser.State()
	var out element.Outcome
	err := e.Act(ctx, doing, func(ctx context.Context, a *element.Actor) (err error) {
		out, err = a.Click(ctx, t, element.ClickOptions{})
		return err
	})
	if err != nil {
		return run.Reply[*Uploaded]{}, err
	}
	chooser, err := awaitChooser(ctx, e, before)
	if err != nil {
		return run.Reply[*Uploaded]{}, e.Explain(err, doing)
	}
	if chooser == nil {
		if picker := e.FilePicker(before, e.Browser.State()); picker != nil {
			e.MarkReported(picker)
			return run.Reply[*Uploaded]{}, api.Errorf(api.Unsupported, "%s: the click asked for the files with the File System Access API, which CDP cannot answer; "+
				"the page was told that none was chosen", doing).
				WithHint("Use `drop <selector> <files>` where the page takes dropped files. Or run `addinitscript \"delete window.showOpenFilePicker\"` and `reload`: " +
					"without that API most pages open a file chooser, which upload can answer.")
		}
		res := run.OutcomeOf(ctx, e, &api.Outcome{}, &out)
		return run.Reply[*Uploaded]{}, api.Errorf(api.ElementUnsuitable, "%s; clicking it opened no file chooser either", unsuitable.Message).
			With("click", res.Data).WithHint("It was clicked: `snapshot -i` shows the effect. Use the file input itself if there is one.")
	}
	e.MarkReported(chooser)
	if err := CheckChooser(ctx, e, chooser, paths); err != nil {
		return run.Reply[*Uploaded]{}, err
	}
	if err := e.Resolve(chooser, run.Plural(len(paths), "file")+" given", func() error { return SetFiles(ctx, e, chooser, paths) }); err != nil {
		return run.Reply[*Uploaded]{}, err
	}
	out.Interruptions = nil
	res := run.OutcomeOf(ctx, e, &Uploaded{Selector: written, Uploaded: len(paths), Through: chooser.ID}, &out)
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = filepath.Base(path)
	}
	addFiles(e, &res, names)
	return res, nil
}

// chooserGrace is how long after the click a file chooser may open: most open within it, and a page that fetches
// something first has little time before the click's user activation expires.
const chooserGrace = 1500 * time.Millisecond

// awaitChooser waits for a new file chooser of the tab; nil if none opens, or another interruption opens first.
func awaitChooser(ctx context.Context, e *run.Env, before *model.State) (*model.Interruption, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, min(chooserGrace, e.Limit), run.ErrLimit)
	defer cancel()
	var found *model.Interruption
	err := e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		for _, i := range s.Interrupts {
			known := slices.ContainsFunc(before.Interrupts, func(b *model.Interruption) bool { return b.ID == i.ID })
			if i.Chooser != nil && !i.Notice && i.Tab == e.Tab && !known {
				found = i
				return true, nil
			}
		}
		t := s.Tabs[e.Tab]
		return t == nil || e.FilePicker(before, s) != nil || s.Dialog(e.Tab) != nil || t.Commits != before.Tabs[e.Tab].Commits, s.Unreachable()
	})
	if errors.Is(err, run.ErrLimit) {
		err = nil
	}
	return found, err
}
