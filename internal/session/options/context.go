package options

import (
	"cmp"
	"context"
	"errors"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/proxy"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Target is the session's share of a browser, to which options are applied.
type Target struct {
	*run.BrowserContext
	// Filter is the proxy of a browser with allowed domains; nil without.
	Filter *proxy.Filter
	// DownloadDir returns the directory of a download path, which it creates; an empty path is the session's own.
	DownloadDir func(path string) (string, error)
}

// Apply changes the options of a browser context from old to o, except those that are sent to each page.
func (o Live) Apply(ctx context.Context, to Target, old Live) error {
	var errs []error
	for _, row := range table() {
		was, now := old.effective(row.name), o.effective(row.name)
		if was != now && row.context != nil {
			errs = append(errs, row.context(ctx, to, was, now))
		}
	}
	return errors.Join(errs...)
}

// setInputMode sets how the mouse moves.
func setInputMode(_ context.Context, to Target, _, now string) error {
	to.SetPointer(element.Pointer(now))
	return nil
}

// setDialogBridge sets how dialogs are delivered: as requested, or by the bridge once that is needed. Behind a relay other
// clients answer dialogs by right, which is no reason for it.
func setDialogBridge(_ context.Context, to Target, _, now string) error {
	mode := cmp.Or(model.BridgeMode(now), model.BridgeAuto)
	if mode == model.BridgeAuto && to.Browser.Capabilities().Shared {
		mode = model.BridgeOff
	}
	to.Browser.SetBridge(to.Context, mode)
	return nil
}

// setCredentials sets the credentials that answer HTTP and proxy authentication.
func setCredentials(_ context.Context, to Target, _, now string) error {
	var list []policy.Credential
	for _, text := range splitKey(now) {
		credential, err := policy.ParseCredential(text)
		if err != nil { // checked when the command was parsed, or when the configuration was read
			panic("options: credentials were not checked: " + err.Error())
		}
		list = append(list, credential)
	}
	to.Browser.SetCredentials(to.Context, list)
	return nil
}

// setDownloadPath sets where later downloads of the session are saved; empty is a directory of its own.
func setDownloadPath(ctx context.Context, to Target, _, now string) error {
	dir, err := to.DownloadDir(now)
	if err != nil {
		return err
	}
	return to.SetDownloadDir(ctx, dir)
}
