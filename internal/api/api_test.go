package api

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/ERRORS.md from the table")

func TestErrorsPage(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "ERRORS.md")
	want := errorsPage()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/ERRORS.md is not what the table says; run: go test ./internal/api -run TestErrorsPage -update")
	}
}

func TestTable(t *testing.T) {
	// Every constant of type Code in codes.go has exactly one row.
	source, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[Code]bool{}
	for _, info := range table {
		if rows[info.Code] {
			t.Errorf("%s is in the table twice", info.Code)
		}
		rows[info.Code] = true
		if info.Exit == 0 || !strings.HasSuffix(info.Meaning, ".") {
			t.Errorf("%s: exit %d, meaning %q", info.Code, info.Exit, info.Meaning)
		}
		if strings.Contains(info.Meaning+info.Hint, "|") {
			t.Errorf("%s: a bar would break the table of docs/ERRORS.md", info.Code)
		}
	}
	constants := regexp.MustCompile(`(?m)^\t\w+\s+Code = "(\w+)"$`).FindAllStringSubmatch(string(source), -1)
	if len(constants) != len(rows) {
		t.Errorf("%d constants, %d rows", len(constants), len(rows))
	}
	for _, m := range constants {
		if !rows[Code(m[1])] {
			t.Errorf("%s has no row", m[1])
		}
	}
	if Lookup("no such code").Code != Internal {
		t.Error("the last row must be internal_error: Lookup falls back to it")
	}
}

func TestAsError(t *testing.T) {
	root := errors.New("no space left on device")
	disk := Errorf(FileWriteFailed, "save the screenshot to %s: %w", "/a.png", root).With("path", "/a.png")
	for _, c := range []struct {
		name    string
		err     error
		code    Code
		exit    int
		message string
	}{
		{"nil", nil, "", 0, ""},
		{"direct", disk, FileWriteFailed, 1, "save the screenshot to /a.png: no space left on device"},
		{"wrapped", fmt.Errorf("row 3: %w", disk), FileWriteFailed, 1, "row 3: save the screenshot to /a.png: no space left on device"},
		{"deadline", fmt.Errorf("wait for #a: %w", context.DeadlineExceeded), Timeout, 1, "wait for #a: context deadline exceeded"},
		{"cancelled", context.Canceled, Cancelled, 130, "context canceled"},
		{"foreign", root, Internal, 1, "no space left on device"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := CodeOf(c.err); got != c.code {
				t.Errorf("code %q, want %q", got, c.code)
			}
			if got := ExitOf(c.err); got != c.exit {
				t.Errorf("exit %d, want %d", got, c.exit)
			}
			if c.err == nil {
				return
			}
			e := AsError(c.err)
			if e.Message != c.message {
				t.Errorf("message %q, want %q", e.Message, c.message)
			}
			if c.code == FileWriteFailed && (!errors.Is(e, root) || e.Data["path"] != "/a.png") {
				t.Errorf("cause or data lost: %+v", e)
			}
		})
	}
	if disk.Message != "save the screenshot to /a.png: no space left on device" {
		t.Error("wrapping changed the wrapped error")
	}
}

func TestEnvelope(t *testing.T) {
	hash := uint64(7)
	type shot struct {
		Path string `json:"path"`
		Box  struct {
			Y float64 `json:"y"`
			X float64 `json:"x"`
		} `json:"box"`
	}
	for _, c := range []struct {
		name string
		env  Envelope
		want string
	}{
		{"nothing", Envelope{}, `{"success":true,"data":null,"error":null}`},
		{"sorted, numbers and text as they are",
			Envelope{Data: map[string]any{"b": 1.0, "a": "<é\u2028&>", "id": uint64(12345678901234567890), "list": []string(nil)}},
			`{"success":true,"data":{"a":"<é` + "\u2028" + `&>","b":1,"id":12345678901234567890,"list":[]},"error":null}`},
		{"structs sorted all the way down", Envelope{Data: shot{Path: "p"}},
			`{"success":true,"data":{"box":{"x":0,"y":0},"path":"p"},"error":null}`},
		{"warning and code", Envelope{Data: []int{1}, Warning: `a "w"`, Code: DialogOpen},
			`{"success":true,"data":[1],"error":null,"warning":"a \"w\"","code":"dialog_open"}`},
		{"failure with the table's hint", Envelope{Err: Errorf(UnknownRef, "Unknown ref: e99")},
			"{\"success\":false,\"data\":null,\"error\":\"Unknown ref: e99. Run `snapshot -i` to see the refs of the page.\",\"code\":\"unknown_ref\"}"},
		{"failure with data and its own hint",
			Envelope{Err: Errorf(TabGone, "Tab t2 is gone.").With("targetId", "T").With("lastUrl", "u").WithHint("Try %s.", "t1")},
			`{"success":false,"data":{"lastUrl":"u","targetId":"T"},"error":"Tab t2 is gone. Try t1.","code":"tab_gone"}`},
		{"failure no one named", Envelope{Err: errors.New("\xff")},
			"{\"success\":false,\"data\":null,\"error\":\"\uFFFD. Please report it with the output of `usher doctor`.\",\"code\":\"internal_error\"}"},
		{"lifecycle", Envelope{Data: map[string]any{"title": "T", "a": true}, Lifecycle: &Lifecycle{
			EffectiveLaunch: EffectiveLaunch{true, "chrome", &hash}, Reused: true, RestoreStatus: "disabled", SaveStatus: "disabled"}},
			`{"success":true,"data":{"a":true,"lifecycle":{"effectiveLaunch":{"browserLaunched":true,"engine":"chrome","launchHash":7},` +
				`"launched":false,"relaunchedBrowser":false,"restartedBackground":false,"restoreStatus":"disabled","reused":true,"saveStatus":"disabled"},` +
				`"title":"T"},"error":null}`},
		{"lifecycle in an empty object", Envelope{Data: struct{}{}, Lifecycle: &Lifecycle{}},
			`{"success":true,"data":{"lifecycle":{"effectiveLaunch":{"browserLaunched":false,"engine":"","launchHash":null},` +
				`"launched":false,"relaunchedBrowser":false,"restartedBackground":false,"restoreStatus":"","reused":false,"saveStatus":""}},"error":null}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.env.Append([]byte("> "))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != "> "+c.want {
				t.Errorf("got  %s\nwant %s", got[2:], c.want)
			}
		})
	}
	if _, err := (Envelope{Data: func() {}}).Append(nil); err == nil {
		t.Error("a function became JSON")
	}
}

func TestFailure(t *testing.T) {
	err := Errorf(NoDialog, "dialog accept: no dialog is open").WithHint("Run `snapshot`.")
	out, errOut := Failure(&Request{}, false, err)
	if len(out) != 0 || string(errOut) != "✗ dialog accept: no dialog is open\n  Run `snapshot`.\n" {
		t.Errorf("text: %q, %q", out, errOut)
	}
	if _, errOut = Failure(&Request{TTY: Terminal{ErrColor: true}}, false, err); !strings.HasPrefix(string(errOut), "\x1b[31m✗\x1b[0m dialog") {
		t.Errorf("colour: %q", errOut)
	}
	long := Errorf(ElementNotFound, "click %s: nothing matches", strings.Repeat("a", 100_000))
	if _, errOut = Failure(&Request{}, false, long); len(errOut) > 5_000 || !strings.HasPrefix(string(errOut), "✗ click aaa") || !strings.Contains(string(errOut), "(100023 characters)") {
		t.Errorf("a long message: %d bytes", len(errOut))
	}
	out, errOut = Failure(&Request{}, true, err.With("bad", func() {}))
	if len(errOut) != 0 || string(out) != `{"success":false,"data":null,"error":"dialog accept: no dialog is open. Run `+"`snapshot`"+`.","code":"no_dialog"}`+"\n" {
		t.Errorf("JSON: %q, %q", out, errOut)
	}
}

// misplaced is an error of another package that implements api.Coded.
type misplaced struct{}

func (misplaced) Error() string { return "the file is upside down. Turn it." }
func (misplaced) Coded() (code, message, hint string, data map[string]any) {
	return "invalid_config", "the file is upside down", "Turn it.", map[string]any{"line": 3}
}

func TestCoded(t *testing.T) {
	for _, c := range []struct {
		err     error
		message string
	}{
		{misplaced{}, "the file is upside down"},
		{fmt.Errorf("row 2: %w", misplaced{}), "row 2: the file is upside down"},
	} {
		e := AsError(c.err)
		if e.Code != InvalidConfig || e.Message != c.message || e.Hint != "Turn it." || e.Data["line"] != 3 || !errors.Is(e, misplaced{}) {
			t.Errorf("%+v", e)
		}
	}
}
