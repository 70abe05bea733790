package input

import (
	"slices"
	"strconv"
	"strings"
)

// CompiledCommand is a mode that is one command of the table. Those commands are for people, too, and check what they are given.
type CompiledCommand struct {
	Args []string `json:"args"`
}

const maxWorkspaceFiles = 5000

// Compile returns the command `source lookup`.
func (l *SourceLookup) Compile() (*CompiledCommand, error) {
	words := []string{"source", "lookup"}
	switch {
	case l.Selector == nil && l.ReactFiberID == nil && l.ComponentName == nil:
		return nil, invalid("sourceLookup needs selector, reactFiberId or componentName.")
	case blank(l.Selector), blank(l.ReactFiberID), blank(l.ComponentName):
		return nil, invalid("sourceLookup: selector, reactFiberId and componentName must not be blank.")
	}
	words = withFlag(words, "--selector", l.Selector)
	words = withFlag(words, "--react-id", l.ReactFiberID)
	words = withFlag(words, "--component", l.ComponentName)
	if l.IncludeDomHints != nil && !*l.IncludeDomHints {
		words = append(words, "--no-dom-hints")
	}
	return withFiles("sourceLookup", words, l.MaxWorkspaceFiles)
}

// Compile returns the command `network source`.
func (l *NetworkSourceLookup) Compile() (*CompiledCommand, error) {
	switch {
	case l.RequestID == nil && l.Filter == nil && l.URL == nil:
		return nil, invalid("networkSourceLookup needs requestId, filter or url.")
	case blank(l.RequestID), blank(l.Filter), blank(l.URL), blank(l.Session):
		return nil, invalid("networkSourceLookup: requestId, filter, url and session must not be blank.")
	}
	var words []string
	if l.Namespace != nil && *l.Namespace != "" { // "" is the default one
		words = append(words, "--namespace", *l.Namespace)
	}
	words = withFlag(words, "--session", l.Session)
	words = append(words, "network", "source")
	if l.RequestID != nil {
		words = append(words, *l.RequestID)
	}
	words = withFlag(words, "--filter", l.Filter)
	words = withFlag(words, "--url", l.URL)
	return withFiles("networkSourceLookup", words, l.MaxWorkspaceFiles)
}

func withFlag(words []string, flag string, value *string) []string {
	if value == nil {
		return words
	}
	return append(words, flag, *value)
}

func withFiles(mode string, words []string, files *int) (*CompiledCommand, error) {
	if files != nil {
		if *files < 1 || *files > maxWorkspaceFiles {
			return nil, invalid("%s.maxWorkspaceFiles must be from 1 to %d, not %d.", mode, maxWorkspaceFiles, *files)
		}
		words = append(words, "--max-files", strconv.Itoa(*files))
	}
	return &CompiledCommand{words}, nil
}

// electronFields are the fields of the actions of electron.
var electronFields = map[string][]string{
	"list":    {"query", "maxResults"},
	"launch":  {"appPath", "appName", "bundleId", "executablePath", "appArgs", "handoff", "targetType", "timeoutMs", "allow", "deny"},
	"status":  {"launchId", "all", "timeoutMs"},
	"cleanup": {"launchId", "all", "timeoutMs"},
	"probe":   {"launchId", "timeoutMs"},
}

// ownFlags are what a launch sets itself.
var ownFlags = []string{"--user-data-dir", "--remote-debugging-port", "--remote-debugging-address", "--remote-debugging-pipe"}

const (
	maxApps          = 200
	maxLaunchTimeout = 120_000 // ms
)

// Compile returns the command `app ...`.
func (e *Electron) Compile() (*CompiledCommand, error) {
	fields, ok := electronFields[e.Action]
	if !ok {
		return nil, invalid("electron.action must be one of list, launch, status, cleanup, probe, not %q.", e.Action)
	}
	for name, given := range map[string]bool{
		"query": e.Query != nil, "maxResults": e.MaxResults != nil, "appPath": e.AppPath != nil, "appName": e.AppName != nil,
		"bundleId": e.BundleID != nil, "executablePath": e.ExecutablePath != nil, "appArgs": e.AppArgs != nil, "handoff": e.Handoff != nil,
		"targetType": e.TargetType != nil, "timeoutMs": e.TimeoutMs != nil, "allow": e.Allow != nil, "deny": e.Deny != nil,
		"launchId": e.LaunchID != nil, "all": e.All != nil,
	} {
		if given && !slices.Contains(fields, name) {
			return nil, invalid("electron.%s: %s has no such field; its fields are %s.", name, e.Action, strings.Join(fields, ", "))
		}
	}
	switch {
	case e.TimeoutMs != nil && *e.TimeoutMs < 1:
		return nil, invalid("electron.timeoutMs must be a positive whole number, not %d.", *e.TimeoutMs)
	case e.All != nil && !*e.All:
		return nil, invalid("electron.all may only be true.")
	case e.All != nil && e.LaunchID != nil:
		return nil, invalid("electron.launchId and electron.all exclude each other.")
	case blank(e.LaunchID):
		return nil, invalid("electron.launchId must not be blank.")
	case e.MaxResults != nil && (*e.MaxResults < 1 || *e.MaxResults > maxApps):
		return nil, invalid("electron.maxResults must be from 1 to %d, not %d.", maxApps, *e.MaxResults)
	}
	words := []string{"app", e.Action}
	switch e.Action {
	case "list":
		if has(e.Query) {
			words = append(words, *e.Query)
		}
		if e.MaxResults != nil {
			words = append(words, "--limit", strconv.Itoa(*e.MaxResults))
		}
	case "launch":
		return e.launch(words)
	default:
		if e.LaunchID != nil {
			words = append(words, *e.LaunchID)
		}
		if e.All != nil {
			words = append(words, "--all")
		}
		words = withTimeout(words, e.TimeoutMs)
	}
	return &CompiledCommand{words}, nil
}

func withTimeout(words []string, ms *int) []string {
	if ms == nil {
		return words
	}
	return append(words, "--timeout", strconv.Itoa(min(*ms, maxLaunchTimeout)))
}

// launch returns the command that starts an app.
func (e *Electron) launch(words []string) (*CompiledCommand, error) {
	var app *string
	by := ""
	for _, one := range []struct {
		name  string
		value *string
	}{{"path", e.AppPath}, {"name", e.AppName}, {"bundle-id", e.BundleID}, {"executable", e.ExecutablePath}} {
		switch {
		case one.value == nil:
			continue
		case app != nil:
			return nil, invalid("electron.launch needs exactly one of appPath, appName, bundleId and executablePath.")
		case blank(one.value):
			return nil, invalid("electron.launch: the app must not be blank.")
		}
		app, by = one.value, one.name
	}
	if app == nil {
		return nil, invalid("electron.launch needs exactly one of appPath, appName, bundleId and executablePath.")
	}
	for _, arg := range e.AppArgs {
		name, _, _ := strings.Cut(arg, "=")
		if arg == "--" || slices.Contains(ownFlags, name) {
			return nil, invalid("electron.appArgs must not have %s: the launch has a profile and a debugging connection of its own.", name)
		}
	}
	switch {
	case e.Handoff != nil && !slices.Contains([]string{"connect", "tabs", "snapshot"}, *e.Handoff):
		return nil, invalid("electron.handoff must be connect, tabs or snapshot, not %q.", *e.Handoff)
	case e.TargetType != nil && !slices.Contains([]string{"page", "webview", "any"}, *e.TargetType):
		return nil, invalid("electron.targetType must be page, webview or any, not %q.", *e.TargetType)
	}
	words = append(words, *app, "--by", by)
	words = withFlag(words, "--target-type", e.TargetType)
	for _, text := range e.Allow {
		words = append(words, "--allow", text)
	}
	for _, text := range e.Deny {
		words = append(words, "--deny", text)
	}
	words = withTimeout(words, e.TimeoutMs)
	if len(e.AppArgs) > 0 {
		words = append(append(words, "--"), e.AppArgs...)
	}
	return &CompiledCommand{words}, nil
}
