package chain

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestIs(t *testing.T) {
	for s, want := range map[string]bool{
		// These have a meaning of their own.
		"": false, "#a": false, "div > p": false, "a:hover": false, `a[title=" >> "]`: false, "@e4": false, "e4": false, "ref=e4": false,
		"css=.a": false, "xpath=//a": false, `//a[text()=" >> "]`: false, "text=Save": false, `text="Save"`: false, `text="a >> b"`: false,
		"text=a>>b": false, "text=it's": false, "text=/usr/bin": false, "a[b=c]": false, "text=": false, "css=": false, `text="a >> b`: false,
		`[title=":visible"]`: false, "text=>> x": false, "data-x=1": false, "//a[.=':visible']": false,

		".a >> .b": true, "@e5 >> button": true, "text=Ada >> ..": true, "text=it's >> nth=0": true, `text="x"i`: true, `text="x"s`: true,
		"text=/x/i": true, "role=button": true, "label=x": true, "nth=0": true, "has=.a": true, "frame=iframe": true, ">> a": true, ".a >> ": true,
		"a:visible": true, `a:has-text("x")`: true, ".a >>\t.b": true, `css=a:text("b")`: true,
	} {
		if got := Is(s); got != want {
			t.Errorf("Is(%q) = %v", s, got)
		}
	}
}

func TestParse(t *testing.T) {
	for s, want := range map[string]string{
		`.row >> text=Ada >> nth=-1`: `[{"kind":"css","source":".row","value":".row"},{"kind":"text","source":"text=Ada","text":{"value":"Ada","match":"contains"}},` +
			`{"kind":"nth","source":"nth=-1","index":-1}]`,
		`text="a \"b\" \u00e9\ud83d\ude00 >> c"s >> ..`: `[{"kind":"text","source":"text=\"a \\\"b\\\" \\u00e9\\ud83d\\ude00 >> c\"s","text":{"value":"a \"b\" é😀 >> c","match":"whole"}},` +
			`{"kind":"xpath","source":"..","value":".."}]`,
		`text="x" >> "y"`: `[{"kind":"text","source":"text=\"x\"","text":{"value":"x","match":"own"}},{"kind":"text","source":"\"y\"","text":{"value":"y","match":"own"}}]`,
		`label=/a[/]" >> b\/c/gi >> visible=false`: `[{"kind":"label","source":"label=/a[/]\" >> b\\/c/gi","text":{"value":"a[/]\" >> b\\/c","match":"pattern","flags":"gi"}},` +
			`{"kind":"visible","source":"visible=false"}]`,
		`role=Button[name=/a]b/][checked="mixed"] [level=2][include-hidden][disabled=false]`: `[{"kind":"role","source":"role=Button[name=/a]b/][checked=\"mixed\"] [level=2][include-hidden][disabled=false]",` +
			`"value":"button","text":{"value":"a]b","match":"pattern"},"states":{"checked":"mixed","disabled":"false","level":2,"hidden":true}}]`,
		`.a >> has=".b >> has=\".c >> text=\\\"d\\\"s\""`: `[{"kind":"css","source":".a","value":".a"},{"kind":"has","source":"has=\".b >> has=\\\".c >> text=\\\\\\\"d\\\\\\\"s\\\"\"","inner":[` +
			`{"kind":"css","source":".b","value":".b"},{"kind":"has","source":"has=\".c >> text=\\\"d\\\"s\"","inner":[{"kind":"css","source":".c","value":".c"},` +
			`{"kind":"text","source":"text=\"d\"s","text":{"value":"d","match":"whole"}}]}]}]`,
		`frame="iframe >> nth=1" >> .a`: `[{"kind":"css","source":"iframe","value":"iframe"},{"kind":"nth","source":"nth=1","index":1},{"kind":"enter","source":"frame=\"iframe >> nth=1\""},` +
			`{"kind":"css","source":".a","value":".a"}]`,
		`a:right-of(.b, 20.5)`: `[{"kind":"any","source":"a:right-of(.b, 20.5)","alternatives":[[{"kind":"css","source":"a","value":"a"},` +
			`{"kind":"right-of","source":":right-of(.b, 20.5)","inner":[{"kind":"css","source":".b","value":".b"}],"distance":20.5}]]}]`,
		`a:near(b, c)`: `[{"kind":"any","source":"a:near(b, c)","alternatives":[[{"kind":"css","source":"a","value":"a"},` +
			`{"kind":"near","source":":near(b, c)","inner":[{"kind":"any","source":"b, c","alternatives":[[{"kind":"css","source":"b","value":"b"}],[{"kind":"css","source":"c","value":"c"}]]}]}]]}]`,
		`a:visible > b`: `[{"kind":"css","source":"a","value":"a"},{"kind":"visible","source":":visible","shown":true},{"kind":"css","source":"\u003e b","value":"\u003e b"}]`,
	} {
		parts, err := Parse(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		got, err := json.Marshal(parts)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != strings.ReplaceAll(want, `\u003e`, ">") {
			t.Errorf("%s:\n%s, want\n%s", s, got, want)
		}
	}
}

// Refs are numbers until somebody resolves them, wherever they are.
func TestRefs(t *testing.T) {
	parts, err := Parse(`@e5 >> .a >> and="ref=e6 >> b"`)
	if err != nil {
		t.Fatal(err)
	}
	var seen []int
	out, err := Refs(parts, func(p Part, first bool) (Part, error) {
		if first != (p.Ref == 5) {
			t.Errorf("ref %d: first is %v", p.Ref, first)
		}
		seen = append(seen, p.Ref)
		p.ID = p.Ref * 10
		return p, nil
	})
	if err != nil || !reflect.DeepEqual(seen, []int{5, 6}) || out[0].ID != 50 || out[2].Inner[0].ID != 60 {
		t.Errorf("%v %+v %v", seen, out, err)
	}
	if parts[0].ID != 0 || parts[2].Inner[0].ID != 0 {
		t.Error("the argument was changed")
	}
}

func TestMistakes(t *testing.T) {
	deep := ".a"
	for range 9 { // each level doubles the backslashes
		deep = ".a >> has=" + quoted(deep)
	}
	for s, want := range map[string]string{
		`.a >>  >> .b`: "Part 2 of the selector is empty", `>> a`: "Part 1 of the selector is empty", `.a >> `: "Part 2 of the selector is empty",
		`.a >> text="b`: `" that is not closed`, `.a >> has="b`: `" that is not closed`, `.a[b >> c`: "[ that is not closed", `role=button[name="a] >> b`: `" that is not closed`,
		`.a >> plceholder=b`: `called "plceholder"`, `.a >> foo:bar=b`: `called "foo:bar"`, `nth=0`: "needs a part before it", `.a >> nth=x`: "no whole number",
		`.a >> visible=yes`: "neither visible=true", `role=`: "nothing after the equals sign", `role=a b`: "has no role", `role=[name=x]`: "has no role",
		`role=a[nam=x]`: `no attribute "nam"`, `role=a[name]`: "a name without a text", `role=a[level=0]`: "has no level", `role=a[expanded=mixed]`: "neither true nor false",
		`role=a x[checked]`: "has no role", `role=a[checked] b`: "not of the form", `.a >> ref=x`: "not a ref", `.a >> @x`: "not a ref",
		`.a >> internal:control=any`: "There is no", `frame=iframe`: "ends with a frame", `.a >> has="frame=iframe >> b"`: "a selector inside another cannot",
		`frame=iframe >> ref=e4`: "cannot follow a frame", `frame=iframe >> .a >> has=@e4`: "cannot follow a frame", `frame=iframe >> nth=0`: "needs a part before it",
		`.a >> text=""`: "an empty text", `.a >> has-text=" "`: "an empty text", `.a >> has=".b >> has=\"\""`: "is empty", `a:has-text(b)`: "no text in quotes",
		`a:visible + b`: "cannot follow", `a:is(:visible)`: "cannot be combined so", `:nth-match(a)`: "no selector and number", `a:visible,`: "an empty selector", `a:near()`: "has no selector",
		strings.Repeat(".a >> ", 600) + ".a": "more than 500 parts", strings.Repeat("a", 70_000) + " >> b": "longer than 64 KiB",
		strings.Repeat("frame=", 100) + ".a": "More than 16", "a" + strings.Repeat(":has(b", 100) + ":visible" + strings.Repeat(")", 100): "inside each other",
	} {
		parts, err := Parse(s)
		var bad *Error
		if !errors.As(err, &bad) || !strings.Contains(bad.Message, want) {
			t.Errorf("%.80s: %+v, %v; want %q", s, parts, err, want)
		}
	}
	if _, err := Parse(deep); err != nil {
		t.Errorf("9 levels: %v", err)
	}
	var bad *Error
	if _, err := Parse(".a >> plceholder=b"); !errors.As(err, &bad) || !reflect.DeepEqual(bad.Suggestions, []string{"placeholder"}) {
		t.Errorf("%+v", bad)
	}
	if Unknown("rol=button") == nil || Unknown("zzzz=1") != nil || Unknown("a[b=c]") != nil {
		t.Error("unknown names")
	}
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// Nothing that is written makes the parser fail, and what it accepts in quotes it accepts inside another selector.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`.a >> text="b"i >> nth=0`, `role=button[name=/x/i][checked] >> has="text=\"y\""`, `a:has(b:visible):text("c"), d > e`, `@e4 >> .. >> 'x'`,
		`frame="a >> b" >> and=c >> or="d"`, `:nth-match(a, 2)`, `text=it's >> label=/[/]/`, `\`, `">>`, `a >> "`, `a:not(:visible) > b`, "\"\"\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		is := Is(s)
		_ = Unknown(s)
		parts, err := Parse(s)
		if err != nil {
			var bad *Error
			if !errors.As(err, &bad) || bad.Message == "" || parts != nil {
				t.Fatalf("%q: %v, %v", s, parts, err)
			}
			return
		}
		if len(parts) == 0 {
			t.Fatalf("%q has no parts (a chain: %v)", s, is)
		}
		if _, err := Parse("z >> has=" + quoted(s)); err != nil && !Frames(parts) && strings.ToValidUTF8(s, "") == s {
			if m := err.Error(); !strings.Contains(m, "64 KiB") && !strings.Contains(m, "500 parts") && !strings.Contains(m, "inside each other") {
				t.Fatalf("%q is not accepted inside another: %v", s, err)
			}
		}
	})
}
