package step

import "github.com/usher-browser/usher/internal/api"

// advised returns an error with a hint that an agent can follow: hints are written for a person with a shell, who may use other sessions
// and flags that agents are refused.
func advised(err *api.Error, guarded bool) *api.Error {
	hint := err.Hint
	switch {
	case err.Code == api.BrowserNotRunning:
		hint = "" // that of the code, which names no session of another agent
	case !guarded:
	case err.Code == api.FileNotAllowed:
		hint = "Copy it into the working directory, under a name that is not hidden. Only the person can allow other places: `usher mcp --upload-root <dir>`."
	case err.Code == api.BrowserCrashed:
		hint = "`open <url>` starts another."
	}
	if hint == err.Hint {
		return err
	}
	out := *err
	out.Hint = hint
	return &out
}
