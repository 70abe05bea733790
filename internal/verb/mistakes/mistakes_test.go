package mistakes_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/mistakes"
)

// TestMistakes: what agent-browser 0.41.2 prints for a mistake is the beginning of our message under its name, and none of it
// is there under our own.
func TestMistakes(t *testing.T) {
	t.Parallel()
	table := program.Table()
	for _, c := range []struct{ line, words string }{
		{"clik", "Unknown command: clik"},
		{"--bogus", "Unknown command: --bogus"},
		{"get frob", "Unknown subcommand: frob"},
		{"network har frob", "Unknown subcommand: frob"},
		{"read --bogus", "Unknown subcommand: --bogus"},
		{"get", "Missing arguments for: get"},
		{"click", "Missing arguments for: click"},
		{"key", "Missing arguments for: press"},
		{"cookies set a b c", "cookies set: unexpected argument"},
		{"record start a.webm --fps x", "Invalid fps: 'x' is not a valid integer"},
		{"screenshot --threshold 2", "--threshold must be from 0 to 1, got '2'"},
		{"screenshot --threshold x", "--threshold expects a number from 0 to 1, got 'x'"},
		{"tab new --label t9", "Tab label `t9` uses syntax reserved for tab IDs"},
		{"tab new --label T9", "Tab label `T9` uses syntax reserved for tab IDs"},
		{"read nonsense://x", "Unsupported read URL scheme 'nonsense': use http or https"},
		{"goto", "Missing arguments for: goto"},
		{"plugin show", "plugin show requires a plugin name"},
		{"plugin run x", "plugin run requires a request type"},
		{"plugin add", "plugin add requires a package or repository reference"},
		{"plugin frob", "Unknown plugin subcommand 'frob'. Valid options: add, list, show, run"},
		{"skills get", "No skill name provided"},
		{"skills frob", "Unknown skills subcommand: frob"},
		{"connect frob", "Invalid value: 'frob' is not a valid port number or URL"},
		{"react inspect x", "react inspect id must be a number, got 'x'"},
		{"react renders frob", "Unknown subcommand: frob"},
		{"open --engine frob", "Unknown engine 'frob'. Supported engines: chrome, lightpanda, obscura"},
		{"open --cdp-headers [1]", "--cdp-headers must be a JSON object with string values"},
		{"get attr x", "Missing arguments for: get attr"},
		{"tab new --label", "Missing arguments for: tab new --label"},
		{"wait --load", "Missing arguments for: wait --load"},
		{"diff screenshot -b", "Missing arguments for: diff screenshot --baseline"},
		{"read --llms", "Missing arguments for: read --llms"},
		{"network har start --content", "Missing arguments for: network har start --content"},
		{"storage local set k", "Missing arguments for: storage local set"},
		{"storage local bogus x", "Unexpected argument: x"},
		{"find nth x a", "Missing arguments for: find nth"},
		{"mouse move a b", "Missing arguments for: mouse move"},
		{"set viewport a b", "Missing arguments for: set viewport"},
		{"set viewport 1 2 x", "set viewport scale expects a finite number, got 'x'"},
		{"set geo a b", "set geo latitude expects a finite number, got 'a'"},
		{"set geo 1 b", "set geo longitude expects a finite number, got 'b'"},
		{"set headers none", "Missing arguments for: set headers"},
		{"set device none", "Unknown device: none"},
		{"cookies set a b --expires x", "Missing arguments for: cookies set --expires"},
		{"cookies set a b --bogus", "cookies set: unknown flag '--bogus'"},
		{"record start a.webm --fps 99", "Invalid fps: 99 is out of range (valid range: 1-60)"},
		{"record start a.webm --bogus", "Unknown flag for record start: --bogus"},
		{"auth login x --bogus", "unknown flag '--bogus' for auth login"},
		{"a11y --bogus", "Unknown flag: --bogus"},
		{"mouse move 1 2 --bogus", "unexpected argument '--bogus'"},
		{"wait --timeout x #a", "--timeout expects a number in ms, got 'x'"},
		{"wait --state x #a", "--state expects visible, hidden, attached, or detached, got 'x'. To load a state file, put --state <path> before wait"},
		{"type #a b --delay x", "--delay expects a number in ms, got 'x'"},
		{"mouse move 1 2 --duration x", "--duration expects a non-negative integer, got 'x'"},
		{"read --timeout x", "Invalid read timeout: x"},
		{"read --llms x", "Invalid read --llms value 'x': expected index or full"},
		{"read --llms full --outline", "read --llms and --outline cannot be used together"},
		{"network har start --content x", "Invalid --content mode 'x'"},
		{"swipe x", "Invalid swipe direction: x"},
		{"session id --scope x", "Unknown session id scope 'x'. Use worktree, cwd, or git-root"},
		{"diff snapshot -d x", "Depth must be a non-negative integer, got: x"},
		{"diff screenshot -b a -t 2", "Threshold must be between 0 and 1, got 2"},
		{"eval -b !!!", "Invalid base64 encoding"},
		{"tab new --label 1a", "Invalid tab label `1a`; labels must start with a letter"},
		{"find text a bogus", "Unknown action 'bogus' for find. Valid actions: click, fill, check, hover, text"},
		{"--session a/b get url", "Invalid session name 'a/b'. Only alphanumeric characters, hyphens, and underscores are allowed. Source: --session"},
	} {
		argv := strings.Fields(c.line)
		_, err := mistakes.Parse(table, argv, verb.AgentBrowser)
		var theirs, own *verb.Error
		if !errors.As(err, &theirs) || !strings.HasPrefix(theirs.Message, c.words) {
			t.Errorf("%s: %v, want it to begin with %q", c.line, err, c.words)
			continue
		}
		if _, err = mistakes.Parse(table, argv, verb.Usher); !errors.As(err, &own) {
			t.Errorf("%s under our own name: %v", c.line, err)
			continue
		}
		ends := ". " + own.Message
		if own.Code == verb.UnknownCommand || own.Code == verb.UnknownSubcommand {
			ends = "" // theirs says as much
		}
		if strings.HasPrefix(own.Message, c.words) || !strings.HasSuffix(theirs.Message, ends) || own.Code != theirs.Code {
			t.Errorf("%s under our own name: %v, and under the other: %s", c.line, err, theirs.Message)
		}
	}
	if _, err := mistakes.Parse(table, []string{strings.Repeat("é", 5<<20)}, verb.AgentBrowser); err == nil || len(err.Error()) > 2000 {
		t.Errorf("a huge word: an error of %d bytes", len(err.Error()))
	}
	if c, err := mistakes.Parse(table, []string{"click", "#a"}, verb.AgentBrowser); err != nil || c.Verb.Name != "click" {
		t.Errorf("a command without a mistake: %v, %v", c, err)
	}
}
