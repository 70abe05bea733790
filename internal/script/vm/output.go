package vm

import (
	"fmt"

	"github.com/usher-browser/usher/internal/script/message"
)

// The most that one run shows. What is beyond is counted, and the count is shown at the end.
const (
	MaxOutputs   = 2000
	MaxShownText = 4 << 20  // bytes, of all texts
	MaxOneText   = 1 << 20  // bytes
	MaxShownData = 48 << 20 // bytes, of all images
)

// volume is what a run has shown.
type volume struct {
	count, text, data int
	left              int // outputs that were left out
}

// show sends an output to the daemon, unless there were too many.
func (m *machine) show(o *message.Shown) {
	v := &m.shown
	if len(o.Text) > MaxOneText {
		o.Text = fmt.Sprintf("%s… (%d more bytes)", clip(o.Text, MaxOneText), len(o.Text)-MaxOneText)
	}
	if v.left > 0 || v.count >= MaxOutputs || v.text+len(o.Text) > MaxShownText || v.data+len(o.Data) > MaxShownData {
		v.left++
		return
	}
	v.count, v.text, v.data = v.count+1, v.text+len(o.Text), v.data+len(o.Data)
	m.out.write(&message.Message{Type: message.Output, Output: o})
}

// showRest says what was left out.
func (m *machine) showRest() {
	if m.shown.left == 0 {
		return
	}
	m.out.write(&message.Message{Type: message.Output, Output: &message.Shown{
		Kind: "console", Level: "warn",
		Text: fmt.Sprintf("%d more outputs were left out: a run shows at most %d, with %d MB of text and %d MB of images", m.shown.left, MaxOutputs, MaxShownText>>20, MaxShownData>>20),
	}})
}

// clip cuts a text to at most so many bytes, between characters.
func clip(s string, most int) string {
	for most > 0 && s[most]&0xC0 == 0x80 {
		most--
	}
	return s[:most]
}
