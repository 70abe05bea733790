package initscript

import (
	"context"
	"strings"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// most bounds an init script, in bytes: each document of the session parses it.
const most = 8 << 20

// Read reads a file with an init script.
func Read(ctx context.Context, path string) (string, error) {
	source, err := files.Read(ctx, path, most)
	return strings.TrimPrefix(string(source), "\ufeff"), err
}

// Check compiles a script in a tab, without running it, and returns an error with line and column if it has a syntax
// error. name is what the error calls the script.
func Check(ctx context.Context, b *supervisor.Browser, tab *model.Tab, source, name string) error {
	details, offset, err := compile(ctx, b, tab, source)
	if err != nil || details == nil {
		return err
	}
	text := details.Text
	if x := details.Exception; x != nil && x.Description != "" {
		text, _, _ = strings.Cut(x.Description, "\n")
	}
	line, column := details.LineNumber+1, details.ColumnNumber+1
	if line == 1 {
		column -= int64(offset)
	}
	return api.Errorf(api.InvalidArgument, "%s: line %d, column %d: %s", name, line, column, text).With("line", line).With("column", column).
		WithHint("Nothing was added. It has to be a script, without import and export declarations.")
}

// compile returns what is wrong with a script, and how much longer the first line was that the browser compiled. Without
// Runtime.enable, which a stealth browser avoids, Chromium compiles only what it also runs: in a script context that the
// page does not see, up to a statement before the script that ends it. Names that it declares may be declared again.
func compile(ctx context.Context, b *supervisor.Browser, tab *model.Tab, source string) (details *runtime.ExceptionDetails, offset int, err error) {
	session := b.Session(tab.Session)
	if !b.Stealth() {
		res, err := cdp.Do(ctx, session, runtime.CompileScript, runtime.CompileScriptParams{Expression: source})
		return res.ExceptionDetails, 0, err
	}
	world, err := cdp.Do(ctx, session, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: protocol.FrameID(tab.Main), WorldName: "usher-syntax"})
	if err != nil {
		return nil, 0, err
	}
	const first = "throw 0;"
	res, err := cdp.Do(ctx, session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: first + source, ContextID: world.ExecutionContextID, ReplMode: new(true), Silent: new(true),
	})
	if err == nil && res.ExceptionDetails != nil && res.ExceptionDetails.Exception != nil && res.ExceptionDetails.Exception.ClassName == "SyntaxError" {
		details = res.ExceptionDetails
	}
	return details, len(first), err
}
