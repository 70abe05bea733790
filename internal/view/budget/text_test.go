package budget

import (
	"strings"
	"testing"
)

func TestShortened(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for _, test := range []struct{ in, want string }{
		{`StaticText "short"`, `StaticText "short"`},
		{`StaticText "` + long + `"`, `StaticText "` + long[:60] + `…"`},
		{`link "` + long + `" [ref=e4]`, `link "` + long[:60] + `…" [ref=e4]`},
		{`textbox "Text" [ref=e4]: ` + long, `textbox "Text" [ref=e4]: ` + long[:89] + `…`},
		{`link "x" [ref=e4, url=http://x/` + strings.Repeat("y", 200) + `]`, `link "x" [ref=e4, url=http://x/` + strings.Repeat("y", 77) + `…]`},
		{`StaticText "` + strings.Repeat(`\"`, 80) + `"`, `StaticText "` + strings.Repeat(`\"`, 30) + `…"`},
		{`StaticText "a` + strings.Repeat(`\\`, 80) + `"`, `StaticText "a` + strings.Repeat(`\\`, 29) + `…"`},
		{`StaticText "ab` + strings.Repeat(`\u0001`, 80) + `"`, `StaticText "ab` + strings.Repeat(`\u0001`, 9) + `…"`},
		{`StaticText "a` + strings.Repeat("é", 80) + `"`, `StaticText "a` + strings.Repeat("é", 29) + `…"`},
	} {
		if got := shortened(test.in, 60); got != test.want {
			t.Errorf("shortened(%s)\n got %s\nwant %s", test.in, got, test.want)
		}
	}
}
