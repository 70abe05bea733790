// Package mistakes words mistakes in command lines as agent-browser does.
package mistakes

import (
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
)

// Parse reads a command line as [verb.Table.Parse] does. Under the name agent-browser that tool's words for a mistake stand
// in front of ours, because programs written for it match them.
func Parse(t *verb.Table, argv []string, mode verb.Mode) (*verb.Call, error) {
	call, err := t.Parse(argv, mode)
	if err == nil || mode != verb.AgentBrowser {
		return call, err
	}
	e := *verb.AsError(err)
	switch theirs := words(&e); {
	case theirs == "":
	case e.Code == verb.UnknownCommand, e.Code == verb.UnknownSubcommand:
		e.Message = theirs // which says as much as ours
	default:
		e.Message = theirs + ". " + e.Message
	}
	return nil, &e
}

// words returns agent-browser's words for a mistake, without a full stop; "" if it has none.
func words(e *verb.Error) string {
	name := word(e)
	if e.Call != nil {
		name = CommandName(e.Call)
	}
	switch e.Code {
	case verb.UnknownCommand:
		return "Unknown command: " + word(e)
	case verb.UnknownSubcommand:
		switch family, _, _ := strings.Cut(e.Message, " "); strings.Trim(family, `"`) {
		case "plugin":
			return "Unknown plugin subcommand '" + word(e) + "'. Valid options: add, list, show, run"
		case "skills":
			return "Unknown skills subcommand: " + word(e)
		}
		return "Unknown subcommand: " + word(e)
	case verb.UnknownFlag:
		return flagWords(e, name)
	case verb.MissingArgument:
		if strings.HasPrefix(e.At, "--") {
			name = strings.TrimSpace(name + " " + e.At)
		}
		if theirs := missingWords(name, e.At); theirs != "" {
			return theirs
		}
		return "Missing arguments for: " + name
	}
	switch e.At {
	case "--engine":
		return "Unknown engine '" + word(e) + "'. Supported engines: chrome, lightpanda, obscura"
	case "--cdp-headers":
		return "--cdp-headers must be a JSON object with string values"
	}
	if e.At == "--session" {
		return "Invalid session name '" + word(e) + "'. Only alphanumeric characters, hyphens, and underscores are allowed. Source: --session"
	}
	if e.Call == nil {
		return ""
	}
	if theirs := valueWords(e, name); theirs != "" {
		return theirs
	}
	return ruleWords(e, name)
}

// CommandName returns the name of a command as agent-browser writes it in errors.
func CommandName(c *verb.Call) string {
	switch name := c.Verb.Name; name {
	case "read page", "read url":
		return "read"
	case "press":
		return name // and not the synonym
	case "network har":
		return strings.TrimSpace(name + " " + c.Str("action"))
	case "storage local", "storage session":
		if c.Form == "set" {
			return name + " set"
		}
	}
	return c.Typed()
}

// flagWords returns the words for a flag that the command does not have. Most commands of agent-browser ignore it.
func flagWords(e *verb.Error, name string) string {
	switch {
	case e.Call == nil:
		return "Unknown command: " + word(e)
	case name == "cookies set":
		return "cookies set: unknown flag '" + word(e) + "'"
	case name == "auth save" || name == "auth login":
		return "unknown flag '" + word(e) + "' for " + name
	case name == "record start" || name == "record restart":
		return "Unknown flag for " + name + ": " + word(e)
	case name == "mouse move":
		return "unexpected argument '" + word(e) + "'"
	case name == "read":
		return "Unknown subcommand: " + word(e)
	case name == "a11y" || strings.HasPrefix(name, "diff "):
		return "Unknown flag: " + word(e)
	}
	return ""
}

// missingWords returns the words for an argument that is missing, where they are not those of most commands.
func missingWords(name, at string) string {
	switch name + " " + at {
	case "plugin show <name>", "plugin run <name>":
		return name + " requires a plugin name"
	case "plugin run <type>":
		return "plugin run requires a request type"
	case "plugin add <ref>":
		return "plugin add requires a package or repository reference"
	}
	if name == "skills get" {
		return "No skill name provided"
	}
	return ""
}

// valueWords returns the words for a value that is refused for itself.
func valueWords(e *verb.Error, name string) string {
	value := word(e)
	switch name + " " + e.At {
	case "mouse move <x>", "mouse move <y>", "find nth <index>", "state clean --older-than", "set headers --extra-headers", "set headers <object>":
		return "Missing arguments for: " + name
	case "cookies set --expires", "cookies set --same-site":
		return "Missing arguments for: " + name + " " + e.At
	case "wait --timeout", "type --delay":
		return e.At + " expects a number in ms, got '" + value + "'"
	case "read --timeout":
		return "Invalid read timeout: " + value
	case "read <url>":
		scheme, _, found := strings.Cut(e.Word, "://")
		if found {
			return "Unsupported read URL scheme '" + Word(scheme) + "': use http or https"
		}
		return "Invalid read URL"
	case "read --llms":
		return "Invalid read --llms value '" + value + "': expected index or full"
	case "wait --state":
		return "--state expects visible, hidden, attached, or detached, got '" + value + "'. To load a state file, put --state <path> before wait"
	case "mouse move --duration":
		return "--duration expects a non-negative integer, got '" + value + "'"
	case "network har start --content":
		return "Invalid --content mode '" + value + "'"
	case "screenshot --threshold":
		if !isNumber(e.Word) {
			return "--threshold expects a number from 0 to 1, got '" + value + "'"
		}
		return "--threshold must be from 0 to 1, got '" + value + "'"
	case "record start --fps", "record restart --fps":
		if !isNumber(e.Word) {
			return "Invalid fps: '" + value + "' is not a valid integer"
		}
		return "Invalid fps: " + value + " is out of range (valid range: 1-60)"
	case "swipe <direction>":
		return "Invalid swipe direction: " + value
	case "session id --scope":
		return "Unknown session id scope '" + value + "'. Use worktree, cwd, or git-root"
	case "set device --device":
		return "Unknown device: " + value
	case "diff snapshot --depth", "diff url --depth":
		return "Depth must be a non-negative integer, got: " + value
	case "diff screenshot --threshold":
		return "Threshold must be between 0 and 1, got " + value
	case "connect <endpoint>":
		return "Invalid value: '" + value + "' is not a valid port number or URL"
	case "react inspect <id>":
		return "react inspect id must be a number, got '" + value + "'"
	case "react renders <action>":
		return "Unknown subcommand: " + value
	case "eval --base64":
		return "Invalid base64 encoding"
	case "tab new --label":
		if isTabID(e.Word) {
			return "Tab label `" + value + "` uses syntax reserved for tab IDs"
		}
		return "Invalid tab label `" + value + "`; labels must start with a letter and contain only letters, digits, `-`, and `_`"
	}
	switch {
	case e.At == "<action>" && e.Call.Verb.Name == "network har":
		return "Unknown subcommand: " + value
	case e.At == "<action>" && strings.HasPrefix(name, "find "):
		return "Unknown action '" + value + "' for find. Valid actions: click, fill, check, hover, text"
	}
	return ""
}

// ruleWords returns the words for values that are refused together.
func ruleWords(e *verb.Error, name string) string {
	switch c := e.Call; {
	case name == "cookies set" && e.Word != "":
		return "cookies set: unexpected argument"
	case name == "set viewport" && c.Has("height"):
		if c.Has("scale") && isNumber(c.Str("width")) && isNumber(c.Str("height")) {
			return "set viewport scale expects a finite number, got '" + Word(c.Str("scale")) + "'"
		}
		return "Missing arguments for: " + name
	case name == "set geo" && c.Has("longitude"):
		for _, part := range []string{"latitude", "longitude"} {
			if !isNumber(c.Str(part)) {
				return "set geo " + part + " expects a finite number, got '" + Word(c.Str(part)) + "'"
			}
		}
	case name == "read" && c.Has("llms") && c.Bool("outline"):
		return "read --llms and --outline cannot be used together"
	case (name == "storage local" || name == "storage session") && c.Has("key"):
		return "Unexpected argument: " + Word(c.Str("key"))
	}
	return ""
}

// isTabID reports whether a word has the form of a tab's id, such as t2.
func isTabID(s string) bool {
	if s == "" || s[0]|0x20 != 't' {
		return false
	}
	_, err := strconv.ParseUint(s[1:], 10, 64)
	return err == nil
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// word returns the word that is wrong.
func word(e *verb.Error) string { return Word(e.Word) }

// Word returns a word of the user's for a message, as [verb.Quote] without the quotes.
func Word(s string) string { return strings.Trim(plain.Quote(s), `"`) }
