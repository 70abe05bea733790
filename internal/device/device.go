// Package device knows the devices that a session can imitate: their names, sizes and User-Agents, as Playwright lists
// them. tools/devices.mjs writes the list.
package device

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// Version stands for the browser's version in a User-Agent.
const Version = "{version}"

// Device is a phone, a tablet or a desktop computer. Sizes are in CSS pixels.
type Device struct {
	Name string `json:"name"`
	// UserAgent contains [Version] where the browser's version is to be, unless the device's browser is not Chromium.
	UserAgent string `json:"userAgent"`
	// Width and Height are those of the page, below the bars of the browser.
	Width        int `json:"width"`
	Height       int `json:"height"`
	ScreenWidth  int `json:"screenWidth"`
	ScreenHeight int `json:"screenHeight"`
	// Scale is the number of device pixels to a CSS pixel.
	Scale float64 `json:"scale"`
	// Mobile reports whether the page is laid out as on a phone: by its viewport meta tag, with overlay scrollbars.
	Mobile bool `json:"mobile"`
	Touch  bool `json:"touch"` // whether it has a touch screen
}

//go:embed devices.json
var data []byte

var list = sync.OnceValue(func() []Device {
	var file struct {
		Devices []Device `json:"devices"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		panic("device: " + err.Error())
	}
	return append(file.Devices, others()...)
})

// others are devices that agent-browser has and Playwright's list has not. The sizes are that tool's.
func others() []Device {
	const tablet = "Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
	phone := func(android, model string) string {
		return "Mozilla/5.0 (Linux; Android " + android + "; " + model + ") AppleWebKit/537.36 (KHTML, like Gecko) Chrome/" + Version + " Mobile Safari/537.36"
	}
	made := func(name, agent string, width, height int, scale float64) Device {
		return Device{Name: name, UserAgent: agent, Width: width, Height: height, ScreenWidth: width, ScreenHeight: height, Scale: scale, Mobile: true, Touch: true}
	}
	return []Device{
		made("iPad", tablet, 820, 1180, 2), made("iPad Air", tablet, 820, 1180, 2), made("iPad Pro", tablet, 1024, 1366, 2),
		made("Galaxy S21", phone("11", "SM-G991B"), 360, 800, 3), made("Galaxy S25", phone("15", "SM-S931B"), 360, 800, 3),
	}
}

// Find returns the device of that name, in any case.
func Find(name string) (Device, bool) {
	for _, d := range list() {
		if strings.EqualFold(d.Name, name) {
			return d, true
		}
	}
	return Device{}, false
}

// Names returns the names of all devices: those of Playwright, in its order, then the others.
func Names() []string {
	names := make([]string, 0, len(list()))
	for _, d := range list() {
		names = append(names, d.Name)
	}
	return names
}

// Viewport returns the size of the page as WIDTHxHEIGHT@SCALE.
func (d *Device) Viewport() string {
	return fmt.Sprintf("%dx%d@%s", d.Width, d.Height, strconv.FormatFloat(d.Scale, 'f', -1, 64))
}

// Screen returns the size of the screen as WIDTHxHEIGHT.
func (d *Device) Screen() string { return fmt.Sprintf("%dx%d", d.ScreenWidth, d.ScreenHeight) }
