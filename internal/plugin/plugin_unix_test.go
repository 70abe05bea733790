//go:build unix

package plugin_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/plugin"
	"github.com/usher-browser/usher/internal/verb"
)

// script returns a plugin that is a shell script.
func script(t *testing.T, text string) *verb.PluginDef {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plugin.sh")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return &verb.PluginDef{Name: "p", Command: path, Capabilities: []string{"command.run"}}
}

const success = `"protocol":"agent-browser.plugin.v1","success":true`

func call(t *testing.T, h *plugin.Host, p *verb.PluginDef, into any) (string, error) {
	t.Helper()
	raw, err := h.Call(t.Context(), p, plugin.Request{Type: "a.b", Capability: verb.CommandRun, Request: map[string]int{"n": 1}}, into)
	return string(raw), err
}

func TestCall(t *testing.T) {
	p := script(t, `echo "$USHER_ENCRYPTION_KEY$TOKEN $PWD $1" >&2; in=$(cat); printf '{`+success+`,"result":%s}\n\n' "$in"`)
	p.Args, p.Env = []string{"arg"}, map[string]string{"TOKEN": "t-${SECRET}-${UNSET}"}
	t.Setenv("USHER_ENCRYPTION_KEY", "never")
	home := t.TempDir()
	env := map[string]string{"SECRET": "x", "HOME": home, "PATH": os.Getenv("PATH")}
	h := &plugin.Host{Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	var reply struct {
		Result plugin.Request `json:"result"`
	}
	raw, err := call(t, h, p, &reply)
	if err != nil {
		t.Fatal(err)
	}
	if r := reply.Result; r.Protocol != plugin.Protocol || r.Type != "a.b" || r.Capability != "command.run" || !strings.Contains(raw, `"n":1`) {
		t.Errorf("the plugin read %+v in %s", r, raw)
	}
	p = script(t, `echo "$USHER_ENCRYPTION_KEY$TOKEN $PWD $1" >&2; exit 1`)
	p.Args, p.Env = []string{"arg"}, map[string]string{"TOKEN": "t-${SECRET}-${UNSET}"}
	if _, err := call(t, h, p, nil); err == nil || !strings.Contains(err.Error(), "it said: t-x- "+home+" arg") {
		t.Errorf("environment, directory and argument: %v", err)
	}
}

// TestBadReplies: every reply that is none is an error that says what was found, and no error quotes standard output.
func TestBadReplies(t *testing.T) {
	for text, want := range map[string]string{
		`true`:           "wrote nothing",
		`echo hunter2`:   "returned invalid JSON: its 8 bytes",
		`echo '[1]'`:     "returned invalid JSON",
		`echo '"text"'`:  "returned invalid JSON",
		`echo '{"a":1}'`: "used unsupported protocol ''",
		`echo '{"protocol":"other.v2","success":true}'`:                                    "used unsupported protocol 'other.v2'",
		`echo '{"protocol":"agent-browser.plugin.v1"}'`:                                    "failed without an error text",
		`echo '{"protocol":"agent-browser.plugin.v1","success":false,"error":"no  item"}'`: "failed: no item",
		`echo '{"protocol":"agent-browser.plugin.v1","success":"yes"}'`:                    "returned invalid JSON",
		`echo '{` + success + `,"n":"hunter2"}'`:                                           "members of the wrong type: /n",
		`echo '{` + success + `} {}'`:                                                      "returned invalid JSON",
		`echo hunter2; echo broken >&2; exit 3`:                                            "exit status 3; it said: broken",
		`kill -9 $$`:                                                                       "signal: killed",
		`exec cat /dev/zero`:                                                               "wrote more than 16 MB",
		`head -c 900 /dev/zero | tr '\0' x >&2`:                                            "wrote nothing to standard output; it said: xxx",
	} {
		var into struct {
			N int `json:"n"`
		}
		_, err := call(t, &plugin.Host{}, script(t, text), &into)
		if api.CodeOf(err) != api.PluginFailed || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") || len(err.Error()) > 1200 {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for _, command := range []string{"/nonexistent/program", "no-such-program-in-path", t.TempDir()} {
		if _, err := call(t, &plugin.Host{}, &verb.PluginDef{Name: "p", Command: command}, nil); api.CodeOf(err) != api.PluginFailed || !strings.Contains(err.Error(), "Failed to start plugin 'p'") {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// TestLate: a plugin that does not answer is ended with its child processes, and so is what a plugin leaves behind.
func TestLate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	leaves := `sleep 600 & echo $! > ` + file
	gone := func() {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(10 * time.Second); running(pid); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("the child process %d still runs", pid)
			}
		}
	}
	_, err := call(t, &plugin.Host{Limit: time.Second}, script(t, leaves+`; echo waiting for the vault >&2; wait`), nil)
	if api.CodeOf(err) != api.Timeout || !strings.Contains(err.Error(), "within 1s; it said: waiting for the vault") {
		t.Errorf("late: %v", err)
	}
	gone()
	if _, err := call(t, &plugin.Host{}, script(t, leaves+`; echo '{`+success+`}'`), nil); err != nil {
		t.Errorf("a plugin that leaves a child process with its output: %v", err)
	}
	gone()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	if _, err := (&plugin.Host{}).Call(ctx, script(t, leaves+"; wait"), plugin.Request{Type: "x"}, nil); api.CodeOf(err) != api.Cancelled {
		t.Errorf("cancelled: %v", err)
	}
}

// running reports whether a process runs; one that has ended and that nobody has waited for does not.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return !os.IsNotExist(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func TestFind(t *testing.T) {
	h := &plugin.Host{Plugins: []verb.PluginDef{{Name: "a", Capabilities: []string{"credential.read"}}, {Name: "b"}}}
	for _, c := range []struct{ name, capability, want string }{
		{"a", "credential.read", ""},
		{"b", "", ""},
		{"b", "credential.read", "does not declare required capability 'credential.read'"},
		{"c", "credential.read", "Plugin 'c' is not configured"},
	} {
		if _, err := h.Find(c.name, c.capability); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c, err)
		}
	}
	if got := plugin.Capability([]verb.PluginDef{{Name: "c", Capabilities: []string{"captcha.solve"}}}, "c", verb.CommandRun, "captcha.solve"); got != "captcha.solve" {
		t.Errorf("the capability is %s", got)
	}
}
