package compatible

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/mistakes"
)

// Failure puts agent-browser's words for the failure of a command in front of ours, because programs written for that
// tool match them. Failures of actions on elements get theirs from [Words].
func Failure(c *verb.Call, err error) error {
	if e := api.AsError(err); e.Code == api.ToolNotRegistered || e.Code == api.NoInvocation {
		known := *e
		known.Message = string(e.Code) + ": " + e.Message
		return &known
	}
	e := api.AsError(err)
	words := failureWords(c, e, err)
	if words == "" {
		return err
	}
	switch e.Code {
	case api.LoginNotFound:
		return inPlace(e, words)
	case api.NoTrace: // and not where the other kind is being recorded
		if strings.HasSuffix(e.Message, ": none was started in this session") {
			return inPlace(e, words)
		}
	case api.TabNotFound:
		if _, tabs, listed := strings.Cut(e.Message, " not found; "); listed {
			return inPlace(e, words+"; "+tabs)
		}
	}
	return inFront(err, words)
}

// inPlace puts words in the place of the message of an error, because they say as much.
func inPlace(e *api.Error, words string) error {
	known := *e
	known.Message = words
	return &known
}

// failureWords returns the words for a failure, without a full stop; "" if agent-browser has none. e is err as callers see
// it.
func failureWords(c *verb.Call, e *api.Error, err error) string {
	name := mistakes.CommandName(c)
	switch e.Code {
	case api.FileNotFound, api.FileWriteFailed:
		return fileWords(name, e, err)
	case api.NoTrace:
		return map[string]string{"trace stop": "No tracing in progress", "profiler stop": "No profiling in progress"}[name]
	case api.TraceActive:
		return map[string]string{"trace start": "Tracing already active", "profiler start": "Profiling/tracing already active"}[name]
	case api.ElementNotFound:
		switch {
		case name == "a11y":
			return "No element matches selector: " + c.Str("selector")
		case e.Data["frames"] != nil: // it is in several frames below this one
			return fmt.Sprintf("Element not found: %v. %s", e.Data["selector"], verify)
		}
	case api.ExtractFailed:
		if name == "read" {
			return readWords(c, e)
		}
	case api.LoginNotFound:
		return "Auth profile '" + mistakes.Word(c.Str("name")) + "' not found"
	case api.PluginNotFound:
		if name == "auth login" {
			return "Credential plugin '" + mistakes.Word(c.Str("credential-provider")) + "' is not configured"
		}
	case api.Unsupported:
		if name == "device list" {
			return "device_list is only available on macOS with Xcode"
		}
	case api.AttachFailed:
		return "All CDP discovery methods failed"
	case api.MissingArgument:
		return "Missing arguments for: " + name
	case api.TabNotFound, api.TabLabelTaken:
		if strings.HasPrefix(name, "tab ") {
			return tabWords(c, e)
		}
	case api.ElementUnsuitable:
		if name == "click" && c.Bool("new-tab") {
			return "Element '" + mistakes.Word(c.Str("selector")) + "' does not have an href attribute. --new-tab only works on links"
		}
	case api.InvalidSelector:
		if name == "snapshot" {
			return "Invalid selector '" + mistakes.Word(c.Str("selector")) + "'"
		}
	case api.InvalidState:
		return "Invalid state file"
	case api.InvalidArgument:
		return argumentWords(c, name, e.Message)
	}
	return ""
}

// tabWords returns the words for a tab that is not there, and for a label that another tab has.
func tabWords(c *verb.Call, e *api.Error) string {
	if e.Code == api.TabLabelTaken {
		return "Label `" + mistakes.Word(c.Str("label")) + "` is already used by another tab; labels must be unique within a session"
	}
	const list = "run `agent-browser tab` to list open tabs"
	tab := mistakes.Word(c.Str("tab"))
	switch {
	case strings.Trim(tab, "0123456789") == "":
		return "Expected a tab id like `t" + tab + "` or a label; positional integers are not accepted (run `agent-browser tab` to list stable tab ids)"
	case strings.TrimLeft(tab, "tT") != tab && strings.Trim(tab[1:], "0123456789") == "":
		return "Tab " + tab + " not found; " + list
	}
	return "No tab with label `" + tab + "`; " + list
}

// argumentWords returns the words for a value that the command itself refuses.
func argumentWords(c *verb.Call, name, message string) string {
	switch name {
	case "record start", "record restart":
	case "record stop":
		return "No recording in progress"
	case "diff screenshot":
		return "Failed to decode baseline image"
	case "cookies set":
		if c.Has("curl") {
			return "cookies --curl: no cookies found in input"
		}
		return ""
	default:
		return ""
	}
	if t := c.Float("contact-sheet-threshold"); t <= 0 || t > 1 {
		return "Invalid contact sheet threshold: " + c.Str("contact-sheet-threshold") + " is out of range (valid range: 0-1)"
	}
	if path := c.Str("path"); filepath.Ext(path) == "" {
		return "Invalid output path: '" + mistakes.Word(path) + "' has no extension (use .webm or .mp4)"
	}
	if name == "record start" && strings.Contains(message, " is being recorded already") {
		return "Recording already active"
	}
	return ""
}

// readWords returns the words for a document that was not read.
func readWords(c *verb.Call, e *api.Error) string {
	status, answered := e.Data["status"]
	kind, converted := e.Data["contentType"]
	switch {
	case answered && c.Str("llms") == "full":
		return fmt.Sprintf("llms-full.txt failed with HTTP %v", status)
	case answered && c.Has("llms"):
		return fmt.Sprintf("llms.txt failed with HTTP %v", status)
	case answered:
		return fmt.Sprintf("Read failed with HTTP %v", status)
	case converted && c.Bool("require-md"):
		return fmt.Sprintf("Expected text/markdown, got %v", kind)
	}
	return "Read request failed"
}

// fileWords returns the words for a file that cannot be read or written.
func fileWords(name string, e *api.Error, err error) string {
	doing := map[string]string{
		"network har stop": "Failed to write HAR",
		"trace stop":       "Failed to write trace to " + fmt.Sprint(e.Data["path"]),
		"profiler stop":    "Failed to write profile to " + fmt.Sprint(e.Data["path"]),
		"state save":       "Failed to write state to " + fmt.Sprint(e.Data["path"]),
		"cookies set":      "cookies --curl: cannot read '" + fmt.Sprint(e.Data["path"]) + "'",
		"state load":       "Failed to read state from " + fmt.Sprint(e.Data["path"]),
		"state show":       "Failed to read state file",
		"diff screenshot":  "Failed to read baseline",
	}[name]
	switch {
	case e.Code == api.FileWriteFailed && name == "diff screenshot":
		doing = "Failed to write diff image"
	case strings.HasPrefix(e.Message, "--state: "):
		doing = "Failed to read state from " + fmt.Sprint(e.Data["path"])
	case doing == "":
		return ""
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return doing + ": Permission denied (os error 13)"
	case e.Code == api.FileNotFound, errors.Is(err, fs.ErrNotExist):
		return doing + ": No such file or directory (os error 2)"
	}
	return doing
}
