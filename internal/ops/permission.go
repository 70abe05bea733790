package ops

import (
	"context"
	"strings"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// permit answers a permission request with allow or deny. The page stands still
// before the request: the browser is told what to answer, and the page goes on.
func (e *Env) permit(ctx context.Context, i *model.Interruption, words []string) (Result, error) {
	setting, outcome := browser.PermissionSettingDenied, "denied"
	switch strings.Join(words, " ") {
	case "allow":
		setting, outcome = browser.PermissionSettingGranted, "allowed"
	case "deny", "dismiss":
	default:
		return Result{}, e.wrongAnswer(i, strings.Join(words, " "))
	}
	err := e.claimed(i, outcome, func() error {
		_, err := cdp.Do(ctx, e.Browser.Session(""), browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: i.Permission}, Setting: setting, Origin: i.Origin,
			BrowserContextID: protocol.BrowserContextID(e.Context),
		})
		if err == nil {
			e.Browser.Decided(i)
			err = e.Browser.Session(i.Session).Call(ctx, "Debugger.resume", nil, nil)
		}
		return e.explainAt(i.Tab, err, "answer the permission request")
	})
	if err != nil {
		return Result{}, err
	}
	return e.answered(i, outcome, obj{"permission": i.Permission, "origin": i.Origin}), nil
}
