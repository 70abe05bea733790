package policy

import (
	"fmt"
	"slices"
	"strings"
)

// PermissionPolicy is the answer to a page's request for a permission.
type PermissionPolicy string

// The answers.
const (
	PermissionBrowser PermissionPolicy = "browser" // the browser answers; headless, it denies what it would prompt for
	PermissionAllow   PermissionPolicy = "allow"
	PermissionDeny    PermissionPolicy = "deny"
	PermissionAsk     PermissionPolicy = "ask" // the agent answers
)

// permission is a permission that pages can request.
type permission struct {
	name string // as Browser.setPermission has it
	// usual is the default: PermissionAllow or PermissionDeny, or else pages have to request it.
	usual PermissionPolicy
	// promptable reports whether a page can be paused at its request.
	promptable bool
}

// permissions returns the permissions whose setting has an effect on pages, measured on Chromium 156 with
// navigator.permissions.query before and after Browser.setPermission, and by use of those of the first line.
func permissions() []permission {
	return []permission{
		{name: "camera"}, {name: "microphone"}, {name: "clipboard-read"}, {name: "clipboard-write", usual: PermissionAllow},
		{name: "geolocation", promptable: true}, {name: "notifications", promptable: true}, {name: "midi"},
		{name: "accelerometer", usual: PermissionAllow}, {name: "background-fetch", usual: PermissionAllow}, {name: "background-sync", usual: PermissionAllow},
		{name: "captured-surface-control"}, {name: "display-capture"}, {name: "gyroscope", usual: PermissionAllow}, {name: "idle-detection"},
		{name: "keyboard-lock", usual: PermissionAllow}, {name: "local-fonts"}, {name: "local-network"}, {name: "local-network-access"},
		{name: "loopback-network"}, {name: "magnetometer", usual: PermissionAllow}, {name: "payment-handler", usual: PermissionAllow},
		{name: "periodic-background-sync", usual: PermissionDeny}, {name: "persistent-storage"}, {name: "pointer-lock", usual: PermissionAllow},
		{name: "screen-wake-lock", usual: PermissionAllow}, {name: "storage-access", usual: PermissionAllow}, {name: "window-management"},
	}
}

// PermissionNames returns the permissions, as Chromium names them, the most common first.
func PermissionNames() []string { return permissionNames(func(*permission) bool { return true }) }

// PromptPermissions returns those that can be left to the agent.
func PromptPermissions() []string {
	return permissionNames(func(p *permission) bool { return p.promptable })
}

func permissionNames(fits func(*permission) bool) []string {
	var names []string
	for _, p := range permissions() {
		if fits(&p) {
			names = append(names, p.name)
		}
	}
	return names
}

// UsualPermission returns the default of a permission: allow, deny, or the browser's answer when a page requests it.
func UsualPermission(name string) PermissionPolicy {
	for _, p := range permissions() {
		if p.name == name && p.usual != "" {
			return p.usual
		}
	}
	return PermissionBrowser
}

// ParsePermissions parses words such as camera=allow, and single policies, which apply to all permissions without a
// word of their own. Of two for the same permission the last applies. Permissions that are left to the browser are not
// in the result.
func ParsePermissions(words []string) (map[string]PermissionPolicy, error) {
	all, named := PermissionBrowser, map[string]PermissionPolicy{}
	for _, w := range words {
		name, value, hasName := strings.Cut(w, "=")
		if !hasName {
			name, value = "", w
		}
		p := PermissionPolicy(value)
		if !slices.Contains([]PermissionPolicy{PermissionBrowser, PermissionAllow, PermissionDeny, PermissionAsk}, p) {
			return nil, fmt.Errorf("%q is not a permission policy; use ask, allow, deny or browser, alone or after a name as in camera=allow", value)
		}
		switch {
		case !hasName:
			all = p
		case !slices.Contains(PermissionNames(), name):
			return nil, fmt.Errorf("%q is not a permission; the permissions are %s", name, strings.Join(PermissionNames(), ", "))
		case p == PermissionAsk && !slices.Contains(PromptPermissions(), name):
			return nil, fmt.Errorf("%s cannot be set to ask: the browser decides it without an event. ask works for %s; allow and deny work for all",
				name, strings.Join(PromptPermissions(), " and "))
		default:
			named[name] = p
		}
	}
	out := map[string]PermissionPolicy{}
	for _, name := range PermissionNames() {
		p, ok := named[name]
		if !ok {
			p = all
		}
		if !ok && p == PermissionAsk && !slices.Contains(PromptPermissions(), name) {
			p = PermissionBrowser
		}
		if p != PermissionBrowser {
			out[name] = p
		}
	}
	return out, nil
}
