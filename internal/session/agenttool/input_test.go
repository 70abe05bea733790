package agenttool

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/session/agenttool/input"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
)

// TestModeCompilation: the words of the modes, byte for byte.
func TestModeCompilation(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"semanticAction":{"action":"click","locator":"text","value":"Go"}}`, `["find","text","Go","click"]`},
		{`{"semanticAction":{"action":"click","locator":"role","value":"button","name":"Go"}}`, `["find","role","button","click","--name","Go"]`},
		{`{"semanticAction":{"action":"check","locator":"role","role":"checkbox","name":" "}}`, `["find","role","checkbox","check"]`},
		{`{"semanticAction":{"action":"uncheck","locator":"label","value":"News"}}`, `["find","label","News","uncheck"]`},
		{`{"semanticAction":{"action":"fill","locator":"label","value":"Name","text":"Ada"}}`, `["find","label","Name","fill","Ada"]`},
		{`{"semanticAction":{"action":"fill","locator":"role","role":"textbox","name":"Name","text":"Ada","session":"s"}}`, `["--session","s","find","role","textbox","fill","Ada","--name","Name"]`},
		{`{"semanticAction":{"action":"fill","selector":"#a","text":"x"}}`, `["fill","#a","x"]`},
		{`{"semanticAction":{"action":"select","selector":"#a","values":["x","y"]}}`, `["select","#a","x","y"]`},
		{`{"semanticAction":{"action":"select","selector":"#a","value":"x"}}`, `["select","#a","x"]`},
		{`{"semanticAction":{"action":"select","locator":"role","role":"combobox","name":"Size","value":"x"}}`, `["find","role","combobox","select","x","--name","Size"]`},
		{`{"semanticAction":{"action":"select","locator":"label","value":"Size","values":["x"]}}`, `["find","label","Size","select","x"]`},
		{`{"job":{"steps":[{"action":"open","url":"u","loadState":"load"},{"action":"snapshot"}]}}`, `["batch","--bail"] [["open","u"],["wait","--load","load"],["snapshot","-i"]]`},
		{`{"job":{"failFast":false,"steps":[{"action":"type","text":"ab","selector":"#a","delayMs":5,"press":"Enter"}]}}`, `["batch"] [["focus","#a"],["keyboard","type","a"],["wait","5"],["keyboard","type","b"],["press","Enter"]]`},
		{`{"job":{"steps":[{"action":"type","text":"ab"},{"action":"type","text":"c","selector":"#a"}]}}`, `["batch","--bail"] [["keyboard","type","ab"],["type","#a","c"]]`},
		{`{"job":{"steps":[{"action":"click","locator":"text","value":"Go"},{"action":"fill","selector":"#a","text":"x"},{"action":"select","selector":"#b","value":"1"}]}}`, `["batch","--bail"] [["find","text","Go","click"],["fill","#a","x"],["select","#b","1"]]`},
		{`{"job":{"steps":[{"action":"wait","milliseconds":50},{"action":"assertText","text":"T"},{"action":"assertUrl","url":"**/x"},{"action":"waitForDownload","path":"d"},{"action":"screenshot","path":"p.png"}]}}`,
			`["batch","--bail"] [["wait","50"],["wait","--text","T"],["wait","--url","**/x"],["wait","--download","d"],["screenshot","p.png"]]`},
		{`{"qa":{"url":"u","checkConsole":false,"expectedSelector":"#a","screenshotPath":"p.png","loadState":"load"}}`,
			`["batch","--bail"] [["network","requests","--clear"],["errors","--clear"],["errors"],["open","u"],["wait","--load","load"],["wait","150"],["wait","#a","--timeout","5000"],["network","requests"],["errors"],["screenshot","p.png"]]`},
		{`{"qa":{"url":"u","loadState":"domcontentloaded","checkConsole":false,"checkErrors":false,"checkNetwork":false}}`,
			`["batch","--bail"] [["open","u","--wait-until","domcontentloaded"],["wait","--load","domcontentloaded"]]`},
		{`{"qa":{"url":"u","checkConsole":false,"checkErrors":false,"checkNetwork":false}}`, `["batch","--bail"] [["open","u"],["wait","--load","domcontentloaded"]]`},
		{`{"qa":{"attached":true}}`, `["batch","--bail"] [["wait","--load","domcontentloaded"]]`},
		{`{"qa":{"attached":true,"checkConsole":true}}`, `["batch","--bail"] [["wait","--load","domcontentloaded"],["wait","150"],["console","--page"]]`},
		{`{"sourceLookup":{"selector":"#a","reactFiberId":7,"componentName":"App","includeDomHints":false,"maxWorkspaceFiles":9}}`,
			`["source","lookup","--selector","#a","--react-id","7","--component","App","--no-dom-hints","--max-files","9"]`},
		{`{"networkSourceLookup":{"requestId":"1.2","namespace":"","session":"s"}}`, `["--session","s","network","source","1.2"]`},
		{`{"networkSourceLookup":{"url":"/api","namespace":"n"}}`, `["--namespace","n","network","source","--url","/api"]`},
		{`{"electron":{"action":"list","query":"code","maxResults":3}}`, `["app","list","code","--limit","3"]`},
		{`{"electron":{"action":"launch","appPath":"/a","appArgs":["--x"],"targetType":"any","allow":["a"],"deny":["b"],"timeoutMs":999999}}`,
			`["app","launch","/a","--by","path","--target-type","any","--allow","a","--deny","b","--timeout","120000","--","--x"]`},
		{`{"electron":{"action":"cleanup","all":true}}`, `["app","cleanup","--all"]`},
	} {
		in, err := input.Decode([]byte(c.in))
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		x := &call{in: in, details: &result.Details{}}
		words, err := x.compile()
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		got := string(result.Encode(words))
		switch d := x.details; {
		case d.CompiledJob != nil:
			got += " " + d.CompiledJob.Stdin
		case d.CompiledQaPreset != nil:
			got += " " + d.CompiledQaPreset.Stdin
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

// TestInputMessages: each message and each exclusion of the input. No call is made.
func TestInputMessages(t *testing.T) {
	long := `"` + strings.Repeat("x", 201) + `"`
	for _, c := range []struct {
		in, want string
		live     bool
	}{
		{`{}`, input.ErrModes, false}, {`{"args":["a"],"script":"x"}`, input.ErrModes, false}, {`{"args":["a"],"qa":{"url":"u"}}`, input.ErrModes, false},
		{`{"x":1}`, "x: there is no such field", false}, {`{"job":{"steps":[{"action":"open","uri":"x"}]}}`, "job.steps.0.uri: there is no such field", false},
		{`{"args":"a"}`, "args: expected a list, not a text", false}, {`[]`, "expected an object, not a list", false}, {`{`, "not a JSON object", false},
		{`{"job":{"steps":[{"action":"open","url":"u"}]},"stdin":"x"}`, "Do not provide stdin with job", false},
		{`{"qa":{"url":"u"},"stdin":"x"}`, "Do not provide stdin with qa", false}, {`{"sourceLookup":{"selector":"a"},"stdin":"x"}`, "Do not provide stdin with sourceLookup", false},
		{`{"networkSourceLookup":{"url":"a"},"stdin":"x"}`, "Do not provide stdin with networkSourceLookup", false},
		{`{"electron":{"action":"list"},"stdin":"x"}`, "Do not provide stdin with electron", false}, {`{"script":"1","stdin":"x"}`, "Do not provide stdin with script", false},
		{`{"args":["a"],"outputPath":" "}`, "outputPath must be a non-blank path", false}, {`{"args":["a"],"outputPath":"@"}`, "outputPath must be a non-blank path", false},
		{`{"args":["a"],"timeoutMs":0}`, "positive whole number", false}, {`{"args":["a"],"timeoutMs":1.5}`, "positive whole number", false},
		{`{"args":["a"],"timeoutMs":1e17}`, "positive whole number", false}, {`{"electron":{"action":"list"},"timeoutMs":5}`, "top-level timeoutMs with electron", false},
		{`{"script":"1","timeoutMs":300001}`, "at most 300000", false}, {`{"script":"1","sessionMode":"auto"}`, "sessionMode with script", false},
		{`{"args":["a"],"sessionMode":"new"}`, "auto or fresh", false},
		{`{"qa":{"attached":true},"sessionMode":"fresh"}`, "cannot be combined with sessionMode fresh", true}, {`{"qa":{"attached":true}}`, "the session has no browser", false},

		{`{"semanticAction":{"action":"hover"}}`, "semanticAction.action must be one of", false}, {`{"semanticAction":{"action":"click","session":" "}}`, ".session must not be blank", false},
		{`{"semanticAction":{"action":"select","selector":"#a","text":"x"}}`, ".text cannot be combined with select", false},
		{`{"semanticAction":{"action":"click","selector":"#a","locator":"text"}}`, ".selector cannot be combined", false},
		{`{"semanticAction":{"action":"click","selector":" "}}`, ".selector must not be blank", false}, {`{"semanticAction":{"action":"select"}}`, "needs selector, or locator role or label", false},
		{`{"semanticAction":{"action":"select","locator":"text","value":"a"}}`, "works with locator role or label", false},
		{`{"semanticAction":{"action":"select","locator":"role","role":"button","name":"a","value":"x"}}`, "must be combobox or listbox", false},
		{`{"semanticAction":{"action":"select","locator":"role","role":"combobox","value":"x"}}`, ".name is needed", false},
		{`{"semanticAction":{"action":"select","selector":"#a","value":"x","values":["y"]}}`, "value or values for select, not both", false},
		{`{"semanticAction":{"action":"select","selector":"#a","values":[""]}}`, "list of non-empty texts", false}, {`{"semanticAction":{"action":"select","selector":"#a"}}`, "needs value or values", false},
		{`{"semanticAction":{"action":"click","locator":"text","value":"a","values":["x"]}}`, ".values is for select only", false},
		{`{"semanticAction":{"action":"fill","selector":"#a"}}`, "fill needs text", false}, {`{"semanticAction":{"action":"click","selector":"#a","text":"x"}}`, ".text is for fill only", false},
		{`{"semanticAction":{"action":"click","locator":"role","role":"button","value":"link"}}`, "role and value differ", false},
		{`{"semanticAction":{"action":"click","locator":"text","value":"a","name":"b"}}`, "are for locator role", false},
		{`{"semanticAction":{"action":"click","locator":"text","value":" "}}`, ".value must not be blank", false}, {`{"semanticAction":{"action":"click"}}`, ".locator must be one of", false},

		{`{"job":{"steps":[]}}`, "at least one step", false}, {`{"job":{"steps":[{"action":"fly"}]}}`, "job.steps[0].action must be one of", false},
		{`{"job":{"steps":[{"action":"open","url":"u","text":"x"}]}}`, "open has no field text; its fields are url, loadState", false},
		{`{"job":{"steps":[{"action":"snapshot","path":"x"}]}}`, "snapshot has no field path; it has none", false}, {`{"job":{"steps":[{"action":"open"}]}}`, "open needs url", false},
		{`{"job":{"steps":[{"action":"open","url":"u","loadState":"x"}]}}`, "loadState must be one of", false},
		{`{"job":{"steps":[{"action":"click"}]}}`, "either selector or locator", false}, {`{"job":{"steps":[{"action":"click","selector":"a","locator":"text","value":"x"}]}}`, "either selector or locator", false},
		{`{"job":{"steps":[{"action":"type"}]}}`, "type needs text", false}, {`{"job":{"steps":[{"action":"type","text":"a","delayMs":0}]}}`, "delayMs must be a positive", false},
		{`{"job":{"steps":[{"action":"type","text":` + long + `,"delayMs":5}]}}`, "at most 200 characters, not 201", false},
		{`{"job":{"steps":[{"action":"snapshot"},{"action":"type","text":"a","press":"Foo"}]}}`, `job.steps[1].press: there is no key named "Foo"`, false},
		{`{"job":{"steps":[{"action":"type","text":"a","press":"Control+Foo"}]}}`, "job.steps[0].press: ", false},
		{`{"job":{"steps":[{"action":"wait"}]}}`, "wait needs milliseconds", false}, {`{"job":{"steps":[{"action":"screenshot"}]}}`, "screenshot needs path", false},

		{`{"qa":{}}`, "qa needs url, or attached: true", false}, {`{"qa":{"url":"u","attached":true}}`, "exclude each other", true}, {`{"qa":{"url":" "}}`, "qa.url must not be blank", false},
		{`{"qa":{"url":"u","expectedText":[" "]}}`, "expectedText must not be blank", false}, {`{"qa":{"url":"u","expectedText":5}}`, "a text or a list of texts", false},
		{`{"qa":{"url":"u","loadState":"x"}}`, "loadState must be one of", false},

		{`{"sourceLookup":{}}`, "needs selector, reactFiberId or componentName", false}, {`{"sourceLookup":{"selector":" "}}`, "must not be blank", false},
		{`{"sourceLookup":{"selector":"a","maxWorkspaceFiles":5001}}`, "from 1 to 5000, not 5001", false}, {`{"networkSourceLookup":{}}`, "needs requestId, filter or url", false},
		{`{"electron":{"action":"stop"}}`, "electron.action must be one of", false}, {`{"electron":{"action":"list","all":true}}`, "list has no such field", false},
		{`{"electron":{"action":"list","maxResults":0}}`, "from 1 to 200", false}, {`{"electron":{"action":"launch"}}`, "exactly one of appPath", false},
		{`{"electron":{"action":"launch","appPath":"a","appName":"b"}}`, "exactly one of appPath", false},
		{`{"electron":{"action":"launch","appPath":"a","appArgs":["--user-data-dir=x"]}}`, "must not have --user-data-dir", false},
		{`{"electron":{"action":"launch","appPath":"a","appArgs":["--"]}}`, "must not have --", false}, {`{"electron":{"action":"launch","appPath":"a","handoff":"x"}}`, "handoff must be", false},
		{`{"electron":{"action":"launch","appPath":"a","targetType":"x"}}`, "targetType must be", false}, {`{"electron":{"action":"status","all":false}}`, "may only be true", false},
		{`{"electron":{"action":"status","all":true,"launchId":"x"}}`, "exclude each other", false}, {`{"electron":{"action":"probe","timeoutMs":0}}`, "positive whole number", false},
	} {
		in, err := input.Decode([]byte(c.in))
		if err == nil {
			x := &call{in: in, details: &result.Details{}}
			if _, err = x.compile(); err == nil {
				err = in.Check(c.live)
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.120s: %v; want %q", c.in, err, c.want)
		}
	}
}

// TestRedactArgs: what is secret in command lines is not repeated.
func TestRedactArgs(t *testing.T) {
	for _, c := range []struct {
		words  string
		secret string
	}{
		{"cookies set sid topsecret", "topsecret"}, {"--session s cookies set sid topsecret", "topsecret"}, {"storage local set token topsecret", "topsecret"},
		{"set credentials ada topsecret", "topsecret"}, {"clipboard write topsecret", "topsecret"}, {"open x --headers topsecret", "topsecret"},
		{"open x --password=topsecret", "topsecret"}, {"open http://ada:topsecret@x/", "topsecret"},
	} {
		if got := strings.Join(step.RedactArgs(strings.Fields(c.words)), " "); strings.Contains(got, c.secret) {
			t.Errorf("%s: %s", c.words, got)
		}
	}
	for _, same := range []string{"fill @e1 hello", "cookies get", "storage local set", "click @e3 --timeout 5s"} {
		if got := strings.Join(step.RedactArgs(strings.Fields(same)), " "); got != same {
			t.Errorf("%s became %s", same, got)
		}
	}
}

// TestGuards: words of users that forbid a final action, and those that do not.
func TestGuards(t *testing.T) {
	for text, want := range map[string]bool{
		"Fill in the form and stop before you submit it": true, "Do not place the order.": true, "Never pay.": true, "without submitting anything": true,
		"Stop at the cart": false, "Submit the form": false, "Order the blue one": false,
	} {
		if got := stopWords().MatchString(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for name, want := range map[string]bool{"Place order": true, "Pay now": true, "Finish": true, "Submit payment": true, "Pay $ 25": true, "Order history": false, "Add to cart": false, "Finished tasks": false} {
		if got := finalNames().MatchString(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	got := promised("Save a screenshot to out/a.png and a video as /tmp/b.webm, then close", "/w")
	raw, err := json.Marshal(got)
	if err != nil || len(got) != 2 || got[0].Path != "/w/out/a.png" || got[1].Kind != "recording" {
		t.Errorf("%s", raw)
	}
}

// TestNames: the same client and directory have the same session, any other another.
func TestNames(t *testing.T) {
	all := []string{baseName("a", "/x/My App!"), baseName("b", "/x/My App!"), baseName("a", "/y/My App!")}
	if !strings.HasPrefix(all[0], "agent-my-app-") || len(slices.Compact(slices.Sorted(slices.Values(all)))) != 3 || all[0] != baseName("a", "/x/My App!") {
		t.Errorf("%q", all)
	}
	a := (&Agents{}).of(&Request{Client: "a", Cwd: "/x"})
	one, two := a.next(), a.next()
	if one == two || !strings.HasPrefix(one, a.base+"-fresh-") || a.mayUse(one) != nil || a.mayUse("agent-other-1-2") == nil || a.mayUse("mine") != nil {
		t.Errorf("%q %q", one, two)
	}
}
