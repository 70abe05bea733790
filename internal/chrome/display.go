package chrome

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// DisplayVariables lists the environment variables of the user's display.
func DisplayVariables() []string {
	return []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"}
}

// inherited is this process's environment, with the display the options name.
func inherited(o Options) []string {
	env := os.Environ()
	if o.Display == nil {
		return env
	}
	names := DisplayVariables()
	env = slices.DeleteFunc(env, func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(names, name)
	})
	return append(env, o.Display...)
}

// hasDisplay reports whether a headed browser has somewhere to open its window.
func hasDisplay(o Options) bool {
	if runtime.GOOS != "linux" || slices.Contains(o.Args, "--ozone-platform=headless") {
		return true
	}
	for _, pair := range append(inherited(o), o.Env...) {
		name, value, _ := strings.Cut(pair, "=")
		if value != "" && (name == "DISPLAY" || name == "WAYLAND_DISPLAY") {
			return true
		}
	}
	return false
}
