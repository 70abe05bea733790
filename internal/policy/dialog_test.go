package policy

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDialogRule(t *testing.T) {
	d := Dialog{
		Kind: "confirm", Tab: "T1", FrameID: "F1", FrameName: "pay", FrameURL: "https://shop.example/pay?step=2",
		Origin: "https://shop.example", Message: "Delete 3 items?\nThis cannot be undone.",
	}
	for rule, want := range map[string]bool{
		"accept":                              true,
		"accept kind=confirm":                 true,
		"accept kind=alert":                   false,
		"accept tab=T1":                       true,
		"accept tab=T":                        false,
		"accept frame=F1":                     true,
		"accept frame=pay":                    true,
		"accept frame=F":                      false,
		"accept frame=https://shop.example/*": true,
		"accept frame=https://shop.example/":  false,
		"accept frame=/step=\\d/":             true,
		"accept origin=https://shop.example":  true,
		"accept origin=https://SHOP.example/": true,
		"accept origin=https://*.example":     true,
		"accept origin=https://shop.exampl":   false, // an origin is matched whole
		"accept origin=shop.example":          false,
		"accept origin=/shop/":                true,
		"accept message=items":                true,
		"accept message=Items":                false,
		"accept message=/ITEMS/i":             true,
		"accept message=Delete*":              true, // also over line ends
		"accept message=*items":               false,
		"accept message=/^items/":             false,
		"accept message=D?lete":               false, // only * is special
		"accept kind=confirm message=items origin=https://other.example": false,
	} {
		r, err := ParseDialogRule(strings.Fields(rule))
		if err != nil {
			t.Errorf("%s: %v", rule, err)
			continue
		}
		if got := r.Matches(&d); got != want {
			t.Errorf("%s: matches %v, want %v", rule, got, want)
		}
		again, err := ParseDialogRule(r.Words())
		if err != nil || !slices.Equal(again.Words(), r.Words()) {
			t.Errorf("%s: its words %q read back as %q, %v", rule, r.Words(), again.Words(), err)
		}
	}
}

func TestDialogRuleMistakes(t *testing.T) {
	for rule, want := range map[string]string{
		"":                             "no action",
		"kind=alert":                   "no action",
		"accept dismiss":               "two actions",
		"accept kind=popup":            "the kinds are alert, confirm, prompt, beforeunload",
		"accept colour=red":            `"colour" is not a condition`,
		"accept message":               "neither an action",
		"accept message=":              "cannot be empty",
		"accept message=/(/":           "not a regular expression",
		"accept message=/(a)\\1/":      "not a regular expression", // what RE2 leaves out
		"accept kind=alert kind=alert": "given twice",
		"dismiss text=x":               "needs the action accept",
		"accept kind=alert text=x":     "is for prompts",
		"dismiss=x":                    "needs the action accept",
		"accept name=":                 "cannot be the name",
		"accept message=" + strings.Repeat("x", 1001): "at most 1000",
	} {
		if _, err := ParseDialogRule(strings.Fields(rule)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", rule, err, want)
		}
	}
	for _, word := range []string{"", "yes", "accepted", "ask=x"} {
		if _, err := ParseDialogAnswer(word); err == nil {
			t.Errorf("--on-dialog %q was read", word)
		}
	}
	r, err := ParseDialogAnswer("accept=two words = three")
	if err != nil || r.Text != "two words = three" || !r.HasText || r.Action != Accept {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = ParseDialogAnswer("accept="); err != nil || !r.HasText || r.Text != "" {
		t.Errorf("an empty text: %+v, %v", r, err)
	}
}

// TestPatternIsLinear holds a pattern that takes other engines exponential time
// against a long message.
func TestPatternIsLinear(t *testing.T) {
	r, err := ParseDialogRule([]string{"accept", "message=/^(a+)+$/"})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan bool, 1)
	go func() { done <- r.Matches(&Dialog{Message: strings.Repeat("a", 30_000) + "!"}) }()
	select {
	case matched := <-done:
		if matched {
			t.Error("it matched")
		}
	case <-time.After(20 * time.Second):
		t.Fatal("matching does not end")
	}
}
