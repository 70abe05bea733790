package emulation

import (
	"context"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// Simulators is the result of `device list`, which always fails.
type Simulators struct{}

func listSimulators(context.Context, *run.Env, *verb.Call) (run.Reply[*Simulators], error) {
	return run.Reply[*Simulators]{}, api.Errorf(api.Unsupported, "simulators of iOS devices are not supported: they need macOS with Xcode and Appium, which usher does not drive").
		WithHint("Imitate a device in Chromium: `set devices` lists them, `open <url> --device \"iPhone 15\"` uses one.")
}
