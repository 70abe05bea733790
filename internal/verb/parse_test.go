package verb_test

import (
	"errors"
	"strings"
	"testing"

	. "github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/shell"
)

// Each line is given as a shell line and shown as the call reads back.
func TestParse(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "help"},
		{"--json", "--json=true help"},
		{"-h", "help"},
		{"-V", "version"},
		{"--version click", "version"},
		{"click @e1 --version", "version"},
		{"click --help", "help click"},
		{"get --help", "help get"},
		{"get text -h", "help get text"},
		{"tab --help", "help tab"},
		{"snapshot --nonsense --help", "help snapshot"},
		{"help get text", "help get text"},
		{"help flags", "help flags"},

		{"open example.com", "open https://example.com"},
		{"open http://[::1]/", "open 'http://[::1]/'"},
		{"open http://[::1]:80/a:b", "open 'http://[::1]:80/a:b'"},
		{"open http://user:pass@example.com:/", "open http://user:pass@example.com:/"},
		{"goto example.com", "open https://example.com"},
		{"open", "open"},
		{"navigate about:blank", "open about:blank"},
		{"--session work open localhost:3000 --json", "--session=work --json=true open http://localhost:3000"},
		{"open --session=work x.org", "--session=work open https://x.org"},
		{"--json true open x.org", "--json=true open https://x.org"},
		{"--json false open x.org", "--json=false open https://x.org"},
		{"open x.org --headed=false", "--headed=false open https://x.org"},
		{"open x.org --timeout 30s", "--timeout=30s open https://x.org"},
		{"--session a --session b back", "--session=b back"},

		{"--args --no-sandbox open x.org", "--args=--no-sandbox open https://x.org"},
		{"--args '--no-sandbox,--window-size=800,600' back", "--args=--no-sandbox --args=--window-size=800,600 back"},
		{"--args --headed back --args --mute-audio", "--args=--headed --args=--mute-audio back"},
		{"--headers '{\"A\":\"b\"}' back", "'--headers={\"A\":\"b\"}' back"},
		{"--viewport 390x844@3 back", "--viewport=390x844@3 back"},
		{"--cdp 9222 get title", "--cdp=9222 get title"},
		{"--cdp ws://127.0.0.1:9222/devtools/browser/x get title", "--cdp=ws://127.0.0.1:9222/devtools/browser/x get title"},
		{"get --json text @e1", "--json=true get text @e1"},

		{"snapshot -ic -d 3", "snapshot --interactive=true --compact=true --depth=3"},
		{"snapshot -i true", "snapshot --interactive=true"},
		{"snapshot @e4", "snapshot --selector=@e4"},
		{"snapshot e4 -s e4", "snapshot --selector=e4"},
		{"snapshot -C", "snapshot --cursor=true"},

		{"type @e1 hello world", "type @e1 'hello world'"},
		{"type @e1 -5", "type -- @e1 -5"},
		{"type @e1 --foo bar", "type -- @e1 '--foo bar'"},
		{"type @e1 hi --json", "--json=true type @e1 hi"},
		{"type @e1 hi -- --json", "type @e1 'hi --json'"},
		{"type -- @e1 --clear", "type -- @e1 --clear"},
		{"type @e1 --clear hi --delay 20", "type --clear=true --delay=20 @e1 hi"},
		{"type @e1 '- a list item'", "type -- @e1 '- a list item'"},
		{"type @e1 -- true", "type @e1 true"},
		{"fill @e1 ''", "fill @e1 ''"},
		{"fill @e1 --", ""},
		{"fill @e1 '--json output'", "fill -- @e1 '--json output'"},
		{"keyboard type -x", "keyboard type -- -x"},
		{"press -", "press -- -"},
		{"key Enter", "press Enter"},
		{"select @e1 a b", "select @e1 a b"},
		{"select @e1 -none-", "select -- @e1 -none-"},
		{"dialog accept -5 -x", "dialog accept -- '-5 -x'"},
		{"mouse wheel -100", "mouse wheel -- -100"},
		{"scroll up 20 -s '#a'", "scroll '--selector=#a' up 20"},
		{"scroll DOWN", "scroll down"},
		{"is visible .a", "is visible .a"},

		{"--allowed-domains '' open about:blank", ""},
		{"--confirm-actions=, open about:blank", ""},
		{"cookies list", "cookies get"},
		{"screenshot", "screenshot"},
		{"screenshot a.png", "screenshot a.png"},
		{"screenshot ./a", "screenshot ./a"},
		{"screenshot @e1", "screenshot @e1"},
		{"screenshot .card", "screenshot .card"},
		{"screenshot button", "screenshot button"},
		{"screenshot .card out", "screenshot .card out"},
		{"--annotate screenshot", "--annotate=true screenshot"},

		{"wait 500", "wait 500"},
		{"wait 2s", "wait 2s"},
		{"wait .a --state hidden", "wait --state=hidden .a"},
		{"wait -t 'Order placed'", "wait '--text=Order placed'"},
		{"wait --text --json", "wait --text=--json"},
		{"wait --download", "wait --download"},
		{"wait --download --json", "--json=true wait --download"},
		{"wait -d a.csv", "wait --download=a.csv"},
		{"wait --load NetworkIdle", "wait --load=networkidle"},

		{"find role button --name Go", "find role --name=Go button click"},
		{"find label Email fill a b", "find label Email fill 'a b'"},
		{"find nth -1 li text", "find nth -- -1 li text"},
		{"find text -5", "find text -- -5 click"},

		{"tab", "tab list"},
		{"tab --json", "--json=true tab list"},
		{"tab t2", "tab switch t2"},
		{"tab --json t2", "--json=true tab switch t2"},
		{"read --raw", "read page --raw=true"},
		{"read --raw x.org", "read url --raw=true https://x.org"},
		{"tab switch docs", "tab switch docs"},
		{"tab new x.org --label docs", "tab new --label=docs https://x.org"},
		{"session", "session"},
		{"session id --scope git-root", "session id --scope=git-root"},
		{"close --all", "close --all=true"},
		{"network requests --type xhr,fetch --type document", "network requests --type=xhr --type=fetch --type=document"},
		{"batch --bail 'open x.org' 'type @e1 --json'", "batch --bail=true 'open x.org' 'type @e1 --json'"},
		{"eval -1+2", "eval -- -1+2"},
		{"eval --stdin", "eval --stdin=true"},
		{"eval 'a --b'", "eval 'a --b'"},
		{"-- back", "back"},

		{"--restore open x.org", "--restore open https://x.org"},
		{"--restore shop open x.org", "--restore=shop open https://x.org"},
		{"open --restore x.org", "--restore open https://x.org"},
		{"open x.org --restore=shop", "--restore=shop open https://x.org"},
		{"--restore tab new", "--restore tab new"},
		{"tab --restore new", "--restore tab new"},
		{"--restore --json back", "--json=true --restore back"},
		{"--state a.json wait '#x' --state hidden", "--state=a.json wait --state=hidden '#x'"},
		{"--state a.json wait 5", "--state=a.json wait 5"},

		{"cookies", "cookies get"},
		{"cookies sid --all", ""},
		{"cookies set a -1", "cookies set -- a -1"},
		{"cookies set a b --httpOnly --sameSite lax", "cookies set --http-only=true --same-site=Lax a b"},
		{"storage local", "storage local"},
		{"storage local token", "storage local get token"},
		{"storage local get", "storage local get"},
		{"storage session set k two words", "storage session set k 'two words'"},
		{"storage local set k", ""},
		{"storage local clear k", ""},
		{"storage local get k v", ""},
		{"storage local two words", ""},
		{"state clear", ""},
		{"state clear x --all", ""},
		{"state clean", ""},
		{"state clean --older-than -1", ""},
	} {
		words, err := shell.Split(c.in)
		if err != nil {
			t.Fatalf("%s: %v", c.in, err)
		}
		got, err := table.Parse(words, Usher)
		if c.want == "" {
			if err == nil {
				t.Errorf("%s: parsed as %s, want an error", c.in, got)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if got.String() != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ in, code, says string }{
		{"clik @e1", UnknownCommand, "Did you mean click?"},
		{"visit x.org", UnknownCommand, "Did you mean open?"},
		{"screenshot --full-page", UnknownFlag, "Did you mean --full?"},
		{"wait_for #a", UnknownCommand, "Did you mean wait?"},
		{"open 127.0.0.1:99999", UnsupportedURL, `The port "99999" is not a number up to 65535`},
		{"open http://localhost:PORT/", UnsupportedURL, `The port "PORT"`},
		{"open http://[::1]:99999/", UnsupportedURL, `The port "99999"`},
		{"go-back", UnknownCommand, "Did you mean back?"},
		{"cookie-list", UnknownCommand, "Did you mean cookies get?"},
		{"localstorage-set a b", UnknownCommand, "Did you mean storage local?"},
		{"resize 800 600", UnknownCommand, "Did you mean set viewport?"},
		{"route-list", UnknownCommand, "Did you mean network route?"},
		{"video-start", UnknownCommand, "Did you mean record start?"},
		{"close-all", UnknownCommand, "Did you mean close --all?"},
		{"mcp --tools cor", InvalidArgument, "core"},
		{"title", UnknownCommand, "Did you mean get title?"},
		{"url", UnknownCommand, "Did you mean get url?"},
		{"cdp-url", UnknownCommand, "Did you mean get cdp-url?"},
		{"get-url", UnknownCommand, "Did you mean get url?"},
		{"getTitle", UnknownCommand, "Did you mean get title?"},
		{"new_tab x.org", UnknownCommand, "Did you mean tab new?"},
		{"isVisible @e1", UnknownCommand, "Did you mean is visible?"},
		{"back --model", UnknownFlag, "does not implement"},
		{"stream", MissingArgument, "enable"},
		{"stream start", UnknownSubcommand, "disable"},
		{"--state=a.json wait --state hidden 5", InvalidArgument, "--state"},
		{"network rout x --abort", UnknownSubcommand, "network route"},
		{"frobnicate", UnknownCommand, "usher help"},
		{"'get text' @e1", UnknownCommand, "get text"},
		{"get txt @e1", UnknownSubcommand, "Did you mean get text?"},
		{"session foo", UnknownSubcommand, "list, info, id"},
		{"get", MissingArgument, "cdp-url"},
		{"find role", MissingArgument, "<value>"},
		{"click", MissingArgument, "click needs <selector>"},
		{"click --at 5", InvalidArgument, "is not a place"},
		{"click @e1 --new-tab --count 2", InvalidArgument, "--button middle"},
		{"click @e1 @e2", InvalidArgument, `"@e2" is one argument too many`},
		{"get title extra", InvalidArgument, "too many"},
		{"back 3", InvalidArgument, "too many"},
		{"snapshot --intractive", UnknownFlag, "--interactive"},
		{"snapshot -x", UnknownFlag, `"-x"`},
		{"-v", UnknownFlag, "The version is -V or --version."},
		{"snapshot -v", UnknownFlag, "The version is -V or --version."},
		{"GET text @e1", UnknownCommand, "Did you mean get?"},
		{"snap", UnknownCommand, "Did you mean snapshot?"},
		{"jump", UnknownCommand, "usher help"},
		{"snapshot --fast", UnknownFlag, `"--fast"`},
		{"-i snapshot", UnknownFlag, "follow its name"},
		{"--sesion a back", UnknownFlag, "--session"},
		{"--session --json back", MissingArgument, "--session=--json"},
		{"back --session", MissingArgument, "--session needs a value"},
		{"--session 'a b' back", InvalidSessionName, `"a b"`},
		{"--session ../x back", InvalidSessionName, "letters"},
		{"open foo://x", UnsupportedURL, "foo://x"},
		{"open javascript:1", UnsupportedURL, "scheme"},
		{"open ./a.html", UnsupportedURL, "file://"},
		{"goto", MissingArgument, "goto needs <url>"},
		{"click @x9", InvalidSelector, "@e4"},
		{"click ''", InvalidSelector, "empty"},
		{"scroll sideways", InvalidArgument, "up, down, left, right"},
		{"scroll down far", InvalidArgument, "whole number"},
		{"mouse down midle", InvalidArgument, "middle"},
		{"mouse move 1 x", InvalidArgument, "not a number"},
		{"mouse move 1 2 --steps 0", InvalidArgument, "minimum is 1"},
		{"snapshot -d 0", InvalidArgument, "minimum is 1"},
		{"snapshot @e1 -s @e2", InvalidArgument, "twice"},
		{"--screenshot-quality 101 screenshot", InvalidArgument, "maximum is 100"},
		{"--viewport 10 back", InvalidArgument, "1280x720"},
		{"--viewport 10x1y back", InvalidArgument, "1280x720"},
		{"--viewport 99999999x1 back", InvalidArgument, "1 to 16384 pixels"},
		{"--viewport 1x99999999999999999999 back", InvalidArgument, "1 to 16384 pixels"},
		{"--viewport 0x1 back", InvalidArgument, "1 to 16384 pixels"},
		{"--viewport 1x1@11 back", InvalidArgument, "at most 10"},
		{"--headers x back", InvalidJSON, "JSON object"},
		{"--timeout soon back", InvalidArgument, "30s"},
		{"--timeout -5 back", InvalidArgument, "out of range"},
		{"--json=maybe back", InvalidArgument, "true nor false"},
		{"--cdp 99999 back", InvalidArgument, "debugging port"},
		{"wait", MissingArgument, "--download"},
		{"wait .a --text b", InvalidArgument, "one condition"},
		{"wait --url a --load load", InvalidArgument, "one condition"},
		{"wait --url a --state hidden", InvalidArgument, "--state"},
		{"wait --load soon", InvalidArgument, "networkidle"},
		{"wait 5x", InvalidArgument, "time span"},
		{"wait @foo", InvalidSelector, "ref"},
		{"eval", MissingArgument, "--stdin"},
		{"eval 1 --stdin", InvalidArgument, "one script"},
		{"eval -b %%%", InvalidArgument, "base64"},
		{"find role button fil x", InvalidArgument, "fill"},
		{"find role button click x", InvalidArgument, "takes no text"},
		{"find label Email fill", MissingArgument, "<text>"},
		{"find frist li", UnknownSubcommand, "find first"},
		{"tab new --label t2", InvalidArgument, "label"},
		{"network requests --status abc", InvalidArgument, "4xx"},
		{"completion tcsh", InvalidArgument, "bash"},
		{"help frob", UnknownCommand, "frob"},
		{"fill @e1", MissingArgument, "<text>"},
	} {
		words, err := shell.Split(c.in)
		if err != nil {
			t.Fatalf("%s: %v", c.in, err)
		}
		call, err := table.Parse(words, Usher)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: parsed as %v, want %s", c.in, call, c.code)
			continue
		}
		if e.Code != c.code || !strings.Contains(e.Error(), c.says) {
			t.Errorf("%s\n got %s: %s\nwant %s with %q", c.in, e.Code, e, c.code, c.says)
		}
		if strings.HasSuffix(e.Message, ".") && !strings.HasSuffix(e.Message, "...") {
			t.Errorf("%s: the message ends with a full stop: %s", c.in, e.Message)
		}
	}
}

func TestAgentBrowserMode(t *testing.T) {
	c, err := table.Parse([]string{"fill", "@e1"}, AgentBrowser)
	if err != nil || c.Str("text") != "" {
		t.Errorf("fill without text: %v, %v; agent-browser clears the field", c, err)
	}
	_, err = table.Parse([]string{"clik"}, AgentBrowser)
	if err == nil || strings.Contains(err.Error(), "usher") {
		t.Errorf("%v", err)
	}
	_, err = table.Parse([]string{"click"}, AgentBrowser)
	var e *Error
	if !errors.As(err, &e) || e.Type() != "missing_arguments" || !strings.Contains(e.Usage, "agent-browser click") {
		t.Errorf("%+v", e)
	}
	c, err = table.Parse([]string{"--namespace", "", "back"}, AgentBrowser)
	if err != nil || c.Globals.List("namespace")[0] != "" {
		t.Errorf("an empty namespace: %v, %v", c, err)
	}
}

func TestHugeWordsMakeSmallErrors(t *testing.T) {
	huge := strings.Repeat("é", 5<<20)
	for _, argv := range [][]string{{huge}, {"get", huge}, {"--" + huge, "back"}, {"click", "@" + huge}, {"open", "foo://" + huge}, {"scroll", huge},
		{"back", huge}, {"--session", huge, "back"}, {"wait", "1" + huge}, {"--timeout", huge, "back"}} {
		_, err := table.Parse(argv, Usher)
		if err == nil || len(err.Error()) > 2000 {
			t.Errorf("%.20s: an error of %d bytes", argv, len(err.Error()))
		}
	}
	c, err := table.Parse([]string{"fill", "@e1", huge}, Usher)
	if err != nil || c.Str("text") != huge {
		t.Errorf("a long text is refused: %.200v", err)
	}
}

func TestForms(t *testing.T) {
	for in, want := range map[string]string{
		"wait 500": FormTime, "wait .5s": FormTime, "wait .a": FormSelector, "wait @e3": FormSelector, "wait --text a": FormText,
		"wait --url a": FormURL, "wait --load load": FormLoad, "wait --fn 1": FormFn, "wait --download": FormDownload,
		"eval 1": FormText, "eval -b MQ==": FormBase64, "eval --stdin": FormStdin,
	} {
		words, _ := shell.Split(in)
		c, err := table.Parse(words, Usher)
		if err != nil || c.Form != want {
			t.Errorf("%s: form %v, %v; want %s", in, c, err, want)
		}
	}
}

func TestScreenshotPositional(t *testing.T) {
	for in, path := range map[string]bool{
		"a.png": true, "A.JPG": true, "x.jpeg": true, "b.webp": true, "dir/a": true, "./x": true, "../x": true, "/tmp/x": true,
		".card": false, "#a": false, "@e1": false, "e1": false, "button": false, "//h1": false, "xpath=//a/b": false, "text=a/b": false,
		"#a/b.png": false, "css=a.png": false,
	} {
		c, err := table.Parse([]string{"screenshot", in}, Usher)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if c.Has("path") != path || c.Has("selector") == path {
			t.Errorf("%s: taken for a path: %v, want %v", in, c.Has("path"), path)
		}
	}
}
