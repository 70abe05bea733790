package tool

import (
	"regexp"
	"strings"
	"sync"
)

// ReplaceCommands replaces commands by tools in errors and warnings. Commands without a tool stay, for agents that have
// a shell.
func ReplaceCommands(text string) string {
	text = commandReplacer().Replace(text)
	for _, p := range commandPatterns() {
		text = p.command.ReplaceAllString(text, p.tool)
	}
	return text
}

// commandReplacer replaces commands without arguments. The first match in the list wins.
var commandReplacer = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(
		"`--timeout 10s` waits that long for it", "browser_wait with seconds gives it time",
		"choose another with `tab <id>`, open one with `tab new` or `open <url>`, or use --no-pin-tab", "choose or open another with browser_tabs",
		"`web extract`", "web_extract", "`eval`", "browser_console with an expression", "`screenshot`", "browser_vision", "`back`", "browser_back", "`cdp`", "browser_cdp",
		"`snapshot -i`", "browser_snapshot", "`snapshot`", "browser_snapshot", "`get url`", "browser_snapshot",
		"`dialog accept` or `dialog dismiss`", "browser_dialog", "`dialog accept`", "browser_dialog", "`dialog dismiss`", "browser_dialog",
		"save it with `wait --download PATH`", "browser_downloads shows when it is complete",
		"`wait --download PATH --timeout 5m` waits for the rest", "browser_downloads shows when it is complete",
		"wait for it with `wait --download PATH`", "browser_downloads shows when it is complete",
		"`wait`", "browser_wait", "`wait --fn`", "browser_console",
		"`tab list`", "browser_tabs", "Run `tab` for the list", "browser_tabs lists them", "Run `tab` to choose another", "Choose another with browser_tabs",
		"`select`", "browser_select", "`upload`", "browser_upload", "use select", "use browser_select", "`fill`", "browser_type", "use check", "use browser_check",
		"use upload", "use browser_upload", "`type` or `keyboard type`", "browser_type",
		"`reload` or `open <url>`", "browser_navigate", "`open <url>`", "browser_navigate", "`open` a page", "browser_navigate to a page",
		"`open` another page", "browser_navigate to another page", "`reload` loads", "browser_navigate to its address loads", "`reload`", "browser_navigate to its address",
		"`frame list` shows ids, names and addresses", "frame_tree of browser_snapshot shows them", "`frame list` shows the present frames", "frame_tree of browser_snapshot shows the present frames",
		"`interrupt list` shows how", "`usher interrupt list` in a shell shows how",
		"Raise --timeout, or start the work", "Start the work", " Raise --timeout if the script needs longer.", "",
		", or with a longer --timeout", "", ", with a longer --timeout if needed", "", ", or give this one a longer --timeout", "", ", or wait for it with a longer --timeout", ", or try again later",
		" Give it more time with --timeout;", " Do less at once;", " Try again with a larger --timeout.", " Try again later.", ", or open again with a larger --timeout", ", or open it again later",
		", or give a longer --timeout", "", "`eval --frame`", "browser_cdp with frame_id",
		"Use `download <selector> <path>` to click and wait in one step", "browser_downloads shows one that starts",
		"give more time with --timeout; if", "look at browser_downloads; if",
	)
})

// commandPattern matches a command with arguments, and has the replacement text.
type commandPattern struct {
	command *regexp.Regexp
	tool    string
}

var commandPatterns = sync.OnceValue(func() []commandPattern {
	var list []commandPattern
	for _, p := range [][2]string{
		{`(?:^|\s+)Usage: usher \S.*$`, ""}, // of a command: a tool's arguments are in its schema
		{"`tab (interrupt|close) (t\\d+)`", "browser_tabs with action $1 and tab $2"},
		{"`(set credentials [^`]*)`", "`usher $1` in a shell"},
		{"`tab (interrupt|close|new)(?: t\\d+)?`", "browser_tabs with action $1"},
		{"`tab (t\\d+)`", "browser_tabs with action switch and tab $1"},
		{"`open ([^`\\s]+)`", "browser_navigate to $1"},
		{"`wait --load (\\w+)(?: --timeout \\w+)?`", "browser_wait with load $1"},
		{"`interrupt answer (\\S+) (?:accept|ok)`", "browser_dialog with dialog_id $1 and action accept"},
		{"`interrupt answer (\\S+) (?:dismiss|deny)`", "browser_dialog with dialog_id $1 and action dismiss"},
		{"`interrupt answer (\\S+) <file>(?:\\.\\.\\.)?`", "browser_upload"},
		{"`snapshot --frame \\S+`", "browser_snapshot"},
		{"`((?:addinitscript|drop|interrupt|frame|network|session|status|close|get|dialog rule|events)\\b[^`]*)`", "`usher $1` in a shell"},
	} {
		list = append(list, commandPattern{regexp.MustCompile(p[0]), p[1]})
	}
	return list
})
