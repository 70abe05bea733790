package relay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
)

const isDark = `matchMedia("(prefers-color-scheme: dark)").matches`

func colors(scheme string) map[string]any {
	return map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}
}

func set(t *testing.T, s *cdp.Session, scheme string) {
	t.Helper()
	if err := s.Call(deadline(t), "Emulation.setEmulatedMedia", colors(scheme), nil); err != nil {
		t.Error(err)
	}
}

// TestUnchangedSettings: a setting that the tab has already is not sent again, and one that another client changed is.
func TestUnchangedSettings(t *testing.T) {
	r := newRig(t)
	one, _ := r.client(t)
	form := pageAt(t, one, "/form")
	a := attachTo(t, one, form)
	two, _ := r.client(t)
	b := attachTo(t, two, form)
	set(t, a, "dark")
	set(t, b, "dark")
	mustBe(t, b, isDark, "true")
	set(t, a, "light")
	mustBe(t, b, isDark, "false")
	set(t, b, "dark")
	mustBe(t, a, isDark, "true")
	_ = one.Close()
	mustBe(t, b, isDark, "true")
	_ = two.Close()
	three, _ := r.client(t)
	c := attachTo(t, three, form)
	mustBe(t, c, isDark, "false")
	set(t, c, "dark")
	mustBe(t, c, isDark, "true")
}

// TestJoinsABusyPage: what another client enabled is enabled for the next one although the page is busy, and its contexts are announced
// behind the frames.
func TestJoinsABusyPage(t *testing.T) {
	r := newRig(t)
	one, _ := r.client(t)
	form := pageAt(t, one, "/form")
	a := attachTo(t, one, form)
	for _, method := range []string{"Page.enable", "Runtime.enable", "Network.enable"} {
		if err := a.Call(deadline(t), method, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	two, seen := r.client(t)
	b := attachTo(t, two, form)

	order := make(chan string, 10)
	note := func(name string) func(jsontext.Value, error) {
		return func(_ jsontext.Value, err error) {
			if err != nil {
				name += fmt.Sprint(" ", err)
			}
			order <- fmt.Sprint(name, " ", strings.Count(strings.Join(seen.list(), "\n"), "executionContextCreated"))
		}
	}
	b.Post("Runtime.evaluate", map[string]any{"expression": "const end = Date.now() + 700; while (Date.now() < end);"}, note("loop"))
	b.Post("Network.enable", nil, note("network"))
	b.Post("Page.getFrameTree", nil, note("frames"))
	b.Post("Runtime.enable", map[string]any{}, note("contexts"))
	for _, want := range []string{"network 0", "frames 0", "contexts 1", "loop 1"} {
		select {
		case got := <-order:
			if got != want {
				t.Errorf("%s came in the place of %s", got, want)
			}
		case <-deadline(t).Done():
			t.Fatalf("%s did not come", want)
		}
	}
}
