package screen

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/toolset"
)

var update = flag.Bool("update", false, "write the captured screens anew")

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// keys sends keys to the screen.
func keys(s *Screen, names ...string) {
	codes := map[string]rune{"down": tea.KeyDown, "right": tea.KeyRight, "tab": tea.KeyTab, "enter": tea.KeyEnter, "esc": tea.KeyEscape}
	for _, name := range names {
		k := tea.KeyPressMsg{Code: codes[name]}
		if k.Code == 0 {
			k.Code, k.Text = []rune(name)[0], name
		}
		s.Update(k)
	}
}

// TestScreen uses the screen. What it shows meanwhile is docs/tools-screen.txt.
func TestScreen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	conf := &config.Tools{Path: path}
	var setups []*toolset.Setup
	for _, platform := range []string{"mcp", "acp"} {
		setup, err := toolset.New(toolset.Options{Config: conf, Platform: platform})
		if err != nil {
			t.Fatal(err)
		}
		setups = append(setups, setup)
	}
	host := &tool.Host{}
	s, err := New(setups, host, func(edits []config.Edit) error { return config.Apply(path, edits) })
	if err != nil {
		t.Fatal(err)
	}
	s.Update(tea.WindowSizeMsg{Width: 100, Height: 24})
	var captured strings.Builder
	capture := func(what string) {
		captured.WriteString("=== " + what + "\n")
		for l := range strings.Lines(colours.ReplaceAllString(s.render(), "")) {
			captured.WriteString(strings.TrimRight(l, " \n") + "\n")
		}
		captured.WriteString("\n")
	}
	capture("usher tools")
	keys(s, "right", "down", "down", " ")
	capture("→ shows the tools of browser, space switches one of them off")
	keys(s, "q")
	if s.done || !strings.Contains(s.status, "not saved") {
		t.Errorf("it left without a word: %q", s.status)
	}
	keys(s, "u")
	if len(s.edits()) != 0 {
		t.Errorf("after undo there is still %v to save", s.edits())
	}
	keys(s, " ", "/", "v", "i", "s", "i", "o", "n", "enter")
	capture("/ searches names and descriptions")
	keys(s, "esc", "tab")
	capture("tab shows another platform")
	keys(s, "s")
	text, err := os.ReadFile(path)
	if want := "platform_tools:\n  mcp:\n    browser_snapshot: false\n"; err != nil || string(text) != want {
		t.Errorf("saved is %q, %v", text, err)
	}
	keys(s, "q")
	if !s.done {
		t.Error("with everything saved it does not leave")
	}
	golden := filepath.Join("..", "..", "..", "docs", "tools-screen.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(captured.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || shape(string(want)) != shape(captured.String()) {
		t.Errorf("the screens differ from %s (-update writes it), %v:\n%s", golden, err, captured.String())
	}
	s.Update(tea.WindowSizeMsg{Width: 20, Height: 5})
	for l := range strings.Lines(colours.ReplaceAllString(s.render(), "")) {
		if n := len([]rune(strings.TrimSuffix(l, "\n"))); n > 20 {
			t.Errorf("on a small screen a line has %d characters", n)
		}
	}
}

// shape returns the part of a capture that must not change: rows and switches. Descriptions and costs change with the
// tools; make generate captures them again.
func shape(capture string) string {
	var b strings.Builder
	for l := range strings.Lines(capture) {
		runes := []rune(strings.TrimRight(l, "\n"))
		b.WriteString(digits.ReplaceAllString(strings.TrimRight(string(runes[:min(len(runes), 36)]), " "), "#") + "\n")
	}
	return b.String()
}

var digits = regexp.MustCompile("[0-9]+")
