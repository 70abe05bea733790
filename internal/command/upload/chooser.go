package upload

import (
	"context"
	"fmt"
	"slices"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// CheckChooser returns an error for more files, or other ones, than the page requested.
func CheckChooser(ctx context.Context, e *run.Env, i *model.Interruption, paths []string) error {
	folder := slices.IndexFunc(paths, run.IsFolder)
	if folder < 0 {
		if len(paths) > 1 && !i.Chooser.Multiple {
			return api.Errorf(api.InvalidArgument, "%s: the file chooser accepts one file, and %d were given", i.ID, len(paths))
		}
		return nil
	}
	ctx, stop := e.Browser.Guard(ctx, i.Tab)
	defer stop()
	got, err := cdp.Do(ctx, e.Browser.Session(i.Session), dom.DescribeNode, dom.DescribeNodeParams{BackendNodeID: protocol.BackendNodeID(i.Chooser.Node)})
	if err != nil {
		return e.ExplainAt(i.Tab, err, "ask what "+i.ID+" takes")
	}
	if got.Node == nil || !slices.Contains(got.Node.Attributes, "webkitdirectory") {
		return api.Errorf(api.InvalidArgument, "%s: the file chooser accepts files, and %s is a directory", i.ID, paths[folder]).
			WithHint("Give the files in it instead.")
	}
	return nil
}

func SetFiles(ctx context.Context, e *run.Env, i *model.Interruption, paths []string) error {
	paths, err := e.Files.Upload(ctx, paths)
	if err != nil {
		return fmt.Errorf("give the files to the browser: %w", err)
	}
	ctx, stop := e.Browser.Guard(ctx, i.Tab)
	defer stop()
	_, err = cdp.Do(ctx, e.Browser.Session(i.Session), dom.SetFileInputFiles,
		dom.SetFileInputFilesParams{Files: paths, BackendNodeID: protocol.BackendNodeID(i.Chooser.Node)})
	if b := e.Browser.Blocked(err, i.Tab); b != nil && b.Dialog != nil {
		return nil // the page has the files, and what it does with them opened a dialog
	}
	return e.ExplainAt(i.Tab, err, "set the files in the page")
}

// ShowPicker runs on the file input, in the isolated world.
const ShowPicker = `function() { this.showPicker() }`
