package network

import (
	"context"
	"fmt"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Throttle is the result of `network throttle`: the conditions that the session emulates now.
type Throttle struct {
	// Preset is the name of the preset; "off" without one.
	Preset  string `json:"preset"`
	Offline bool   `json:"offline"`
	// Latency is the least time from a request to the first byte of its response, in milliseconds.
	Latency float64 `json:"latency"`
	// Download and Upload bound the throughput, in bytes per second; 0 for no bound.
	Download float64 `json:"download"`
	Upload   float64 `json:"upload"`
}

// throttleOff is the word for no emulation.
const throttleOff = "off"

// presets are those of Chrome's DevTools (front_end/core/sdk/NetworkManager.ts): the nominal throughput in kbit/s and
// latency, adjusted there so that the effect is that of the named network.
func presets() []model.NetworkConditions {
	const kbit = 1000.0 / 8
	return []model.NetworkConditions{
		{Preset: "slow-3g", Latency: 2000, Download: 400 * kbit, Upload: 400 * kbit},
		{Preset: "fast-3g", Latency: 562.5, Download: 1440 * kbit, Upload: 675 * kbit},
		{Preset: "4g", Latency: 165, Download: 8100 * kbit, Upload: 1350 * kbit},
		{Preset: "offline", Offline: true},
	}
}

func presetNames() []string {
	var names []string
	for _, p := range presets() {
		names = append(names, p.Preset)
	}
	return append(names, throttleOff)
}

func throttle(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Throttle], error) {
	if name := c.Str("preset"); name != "" {
		var now model.NetworkConditions // those of throttleOff
		for _, p := range presets() {
			if p.Preset == name {
				now = p
			}
		}
		ctx, cancel := e.WithLimit(ctx, func() {})
		defer cancel()
		err := e.Browser.UpdateNetworkConditions(ctx, e.Context, func(c *model.NetworkConditions) { *c = now })
		if err != nil {
			return run.Reply[*Throttle]{}, e.Explain(err, "emulate the network conditions")
		}
	}
	now := e.Browser.NetworkConditions(e.Context)
	data := &Throttle{Preset: now.Preset, Offline: now.Offline, Latency: now.Latency, Download: now.Download, Upload: now.Upload}
	if data.Preset == "" {
		data.Preset = throttleOff
	}
	return run.Reply[*Throttle]{Data: data, Text: throttleLine(data)}, nil
}

func throttleLine(t *Throttle) string {
	const kbit = 1000.0 / 8
	switch {
	case t.Offline:
		return "Network: offline"
	case t.Preset == throttleOff:
		return "Network: not throttled"
	}
	return fmt.Sprintf("Network: %s (%.0f kbit/s down, %.0f kbit/s up, %.0f ms latency)", t.Preset, t.Download/kbit, t.Upload/kbit, t.Latency)
}
