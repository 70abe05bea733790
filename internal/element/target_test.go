package element

import (
	"testing"

	"github.com/usher-browser/usher/internal/api"
)

func FuzzParseTarget(f *testing.F) {
	for _, s := range []string{"@e7", "ref=e7", "e7", "text=x", `role=button[name="Save"]`, "//a", "#id", "a[href=x]", "css=", "@", "e0", "role=[name=x]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		target, err := ParseTarget(s)
		if err != nil {
			if code := api.CodeOf(err); code != api.InvalidSelector && code != api.MissingArgument {
				t.Fatalf("%q: code %s", s, code)
			}
			return
		}
		if target.Value == "" || target.By == "" {
			t.Fatalf("%q: empty target %+v", s, target)
		}
		if (target.By == ByRef) != (target.Ref() > 0) {
			t.Fatalf("%q: %+v has ref %d", s, target, target.Ref())
		}
	})
}

func TestParseTarget(t *testing.T) {
	for in, want := range map[string]Target{
		"@e7": {By: ByRef, Value: "@e7"}, "e7": {By: ByRef, Value: "@e7"}, "ref=e12": {By: ByRef, Value: "@e12"},
		"#id": {By: ByCSS, Value: "#id"}, "a[href='x=y']": {By: ByCSS, Value: "a[href='x=y']"}, "em": {By: ByCSS, Value: "em"}, "e07": {By: ByCSS, Value: "e07"},
		"//a": {By: ByXPath, Value: "//a"}, "xpath=a": {By: ByXPath, Value: "a"}, "text=Log in": {By: ByText, Value: "Log in"},
		`text="Log in"`: {By: ByText, Value: "Log in", Exact: true}, "role=button": {By: ByRole, Value: "button"},
		"role=button[name=Save]": {By: ByRole, Value: "button", Name: "Save"}, `role=button[name="Save"]`: {By: ByRole, Value: "button", Name: "Save", Exact: true},
		"testid=x": {By: ByTestID, Value: "x"},
	} {
		got, err := ParseTarget(in)
		if err != nil {
			t.Errorf("%q: %v", in, err)
		} else if got != want {
			t.Errorf("%q is %+v, want %+v", in, got, want)
		}
	}
	for _, in := range []string{"", "  ", "@foo", "@e0", "text=", "role=", "role=button[x]"} {
		if got, err := ParseTarget(in); err == nil {
			t.Errorf("%q is %+v, want an error", in, got)
		}
	}
}
