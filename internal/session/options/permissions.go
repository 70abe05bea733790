package options

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// permissionsOf returns the policies in the value of the option.
func permissionsOf(joined string) map[string]policy.PermissionPolicy {
	policies, err := policy.ParsePermissions(splitKey(joined))
	if err != nil { // checked when the command was parsed, or when the configuration was read
		panic("options: permissions were not checked: " + err.Error())
	}
	return policies
}

// setPermissions applies the permission policies to a context. A policy that allows or denies is set in the browser for
// all origins (measured on Chromium 156: this works without an origin, also for open pages, and a setting for one origin
// takes precedence). For the policy "ask" the supervisor watches for requests. A permission without a policy is reset to
// its earlier value individually: resetting all at once makes Notification.requestPermission hang afterwards.
func setPermissions(ctx context.Context, to Target, before, now string) error {
	old, policies := permissionsOf(before), permissionsOf(now)
	var ask []string
	for _, name := range policy.PermissionNames() {
		if policies[name] == policy.PermissionAsk {
			ask = append(ask, name)
		}
	}
	to.Browser.InterceptPermissions(to.Context, ask...)
	changed := maps.Clone(old)
	maps.Copy(changed, policies)
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		if policies[name] == old[name] || !isSet(policies[name]) && !isSet(old[name]) {
			continue
		}
		if err := setPermission(ctx, to, name, settingOf(name, policies[name])); err != nil {
			return err
		}
	}
	return nil
}

// isSet reports whether the browser applies the policy.
func isSet(p policy.PermissionPolicy) bool {
	return p == policy.PermissionAllow || p == policy.PermissionDeny
}

// settingOf returns the browser's value for a policy.
func settingOf(name string, p policy.PermissionPolicy) browser.PermissionSetting {
	if !isSet(p) {
		p = policy.UsualPermission(name)
	}
	switch p {
	case policy.PermissionDeny:
		return browser.PermissionSettingDenied
	case policy.PermissionAllow:
		return browser.PermissionSettingGranted
	}
	return browser.PermissionSettingPrompt
}

func setPermission(ctx context.Context, to Target, name string, setting browser.PermissionSetting) error {
	kinds := []browser.PermissionDescriptor{{Name: name}}
	if name == "midi" { // with access to devices (sysex) Chromium treats it as another permission
		kinds = append(kinds, browser.PermissionDescriptor{Name: name, Sysex: true})
	}
	for i := range kinds {
		params := browser.SetPermissionParams{Permission: &kinds[i], Setting: setting, BrowserContextID: protocol.BrowserContextID(to.Context)}
		if _, err := cdp.Do(ctx, to.Browser.Session(""), browser.SetPermission, params); err != nil {
			return api.Errorf(api.ProtocolError, "set the permission %s: %w", name, err).
				WithHint("This browser may not support it: remove %s from --permissions.", name)
		}
		to.Browser.SetRoot(to.Context, model.InitCommand{Method: browser.CommandSetPermission, Name: fmt.Sprint(name, i), Params: params})
	}
	return nil
}
