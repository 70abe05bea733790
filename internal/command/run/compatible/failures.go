package compatible

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/mistakes"
)

// Failure puts agent-browser's words for the failure of a command in front of ours, because programs written for that
// tool match them. Failures of actions on elements get theirs from [Words].
func Failure(c *verb.Call, err error) error {
	return inFront(err, failureWords(c, api.AsError(err), err))
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
		if name == "a11y" {
			return "No element matches selector: " + c.Str("selector")
		}
	case api.ExtractFailed:
		if name == "read" {
			return readWords(c, e)
		}
	case api.LoginNotFound:
		return "Auth profile '" + mistakes.Word(c.Str("name")) + "' not found"
	}
	return ""
}

// readWords returns the words for a document that was not read.
func readWords(c *verb.Call, e *api.Error) string {
	status, answered := e.Data["status"]
	kind, converted := e.Data["contentType"]
	switch {
	case answered && c.Has("llms"):
		return fmt.Sprintf("llms.txt failed with HTTP %v", status)
	case answered:
		return fmt.Sprintf("Read failed with HTTP %v", status)
	case converted && c.Bool("require-md"):
		return fmt.Sprintf("Expected text/markdown, got %v", kind)
	}
	return ""
}

// fileWords returns the words for a file that cannot be read or written.
func fileWords(name string, e *api.Error, err error) string {
	doing := map[string]string{
		"network har stop": "Failed to write HAR",
		"trace stop":       "Failed to write trace to " + fmt.Sprint(e.Data["path"]),
		"profiler stop":    "Failed to write profile to " + fmt.Sprint(e.Data["path"]),
		"state load":       "Failed to read state from " + fmt.Sprint(e.Data["path"]),
		"state show":       "Failed to read state file",
		"diff screenshot":  "Failed to read baseline",
	}[name]
	if doing == "" || e.Code == api.FileWriteFailed && name == "diff screenshot" {
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
