package dialogs

import (
	"context"
	"strings"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// answerPermission answers a permission request with allow or deny. The page is paused before the request: the setting
// is made in the browser, and the page is resumed.
func answerPermission(ctx context.Context, e *run.Env, i *model.Interruption, words []string) (run.Reply[*Answered], error) {
	setting, outcome := browser.PermissionSettingDenied, "denied"
	switch strings.Join(words, " ") {
	case "allow":
		setting, outcome = browser.PermissionSettingGranted, "allowed"
	case "deny", "dismiss":
	default:
		return run.Reply[*Answered]{}, wrongAnswer(e, i, strings.Join(words, " "))
	}
	err := e.Resolve(i, outcome, func() error {
		_, err := cdp.Do(ctx, e.Browser.Session(""), browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: i.Permission}, Setting: setting, Origin: i.Origin,
			BrowserContextID: protocol.BrowserContextID(e.Context),
		})
		if err == nil {
			e.Browser.RecordDecision(i)
			err = e.Browser.Session(i.Session).Call(ctx, "Debugger.resume", nil, nil)
		}
		return e.ExplainAt(i.Tab, err, "answer the permission request")
	})
	if err != nil {
		return run.Reply[*Answered]{}, err
	}
	res := answered(i, outcome)
	res.Data.Permission, res.Data.Origin = i.Permission, i.Origin
	return res, nil
}
