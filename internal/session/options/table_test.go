package options

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/device"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// settings returns those of a command line and an environment.
func settings(t *testing.T, env map[string]string, line ...string) *config.Settings {
	t.Helper()
	call, err := verb.NewTable(command.Grammar()...).Parse(append(line, "get", "title"), verb.Usher)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	set, err := config.Load(config.Source{Mode: verb.Usher, Cwd: home, Flags: call.Globals, Env: func(name string) (string, bool) {
		if name == "HOME" {
			return home, true
		}
		v, ok := env[name]
		return v, ok
	}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestOptionsHaveRows compares the table with the global flags: each flag that a session keeps has one row, whose
// functions match the flag's scope.
func TestOptionsHaveRows(t *testing.T) {
	rows := map[string]option{}
	for _, row := range table() {
		if verb.GlobalFlag(row.name) == nil {
			t.Errorf("the row %s has no flag", row.name)
		}
		if _, twice := rows[row.name]; twice {
			t.Errorf("%s has two rows", row.name)
		}
		rows[row.name] = row
	}
	for _, f := range verb.GlobalFlags() {
		row, has := rows[f.Name]
		if kept := f.Scope == verb.AtLaunch || f.Scope == verb.PerContext || f.Scope == verb.PerSession; kept != has {
			t.Errorf("--%s takes effect %s: has a row: %v", f.Name, f.Scope, has)
		}
		if !has {
			continue
		}
		var does []verb.Scope
		for _, way := range []struct {
			set bool
			of  verb.Scope
		}{
			{row.launch != nil, verb.AtLaunch}, {row.keep != nil, verb.PerSession}, {row.page != nil, verb.PerContext}, {row.dialogs != nil, verb.PerContext},
			{row.context != nil, verb.PerContext}, {row.command != nil, verb.PerContext}, {row.mergedInto != "", verb.PerContext},
		} {
			if way.set {
				does = append(does, way.of)
			}
		}
		if len(does) != 1 || does[0] != f.Scope {
			t.Errorf("--%s takes effect %s, and its row does %v", f.Name, f.Scope, does)
		}
		if row.mergedInto != "" {
			other := rows[row.mergedInto]
			if !other.live() {
				t.Errorf("--%s is merged into %q, which is no option of pages", f.Name, row.mergedInto)
			}
		}
	}
}

// Options that are not given keep the session's values.
func TestMergeKeepsWhatIsNotGiven(t *testing.T) {
	have := Live{"user-agent": "A", "color-scheme": "dark", "viewport": "800x600", "dialog-policy": "auto_accept", "dialog-timeout": "1m0s", "ignore-https-errors": "true"}
	if got := have.Merge(settings(t, nil), nil); !maps.Equal(got, have) {
		t.Errorf("nothing given: %+v", got)
	}
	want := maps.Clone(have)
	want["viewport"] = "300x200"
	if got := have.Merge(settings(t, nil, "--viewport", "300x200"), nil); !maps.Equal(got, want) {
		t.Errorf("viewport given: %+v", got)
	}
	if got := have.Merge(settings(t, nil, "--dialog-timeout", "60000"), nil); !maps.Equal(got, have) {
		t.Errorf("the same time in other words: %+v", got)
	}
	want = maps.Clone(have)
	delete(want, "ignore-https-errors")
	if got := have.Merge(settings(t, nil, "--ignore-https-errors", "false"), nil); !maps.Equal(got, want) {
		t.Errorf("taken back: %+v", got)
	}
	want = maps.Clone(have)
	want["user-agent"] = "B"
	if got := have.Merge(settings(t, map[string]string{"USHER_USER_AGENT": "B"}), nil); !maps.Equal(got, want) {
		t.Errorf("from the environment: %+v", got)
	}
}

// What a command has set stays in force under the same settings. A flag of the command, or changed settings, override it.
func TestReviseKeepsWhatACommandSet(t *testing.T) {
	file := map[string]string{"USHER_DIALOG_POLICY": "must_respond", "USHER_DIALOG_TIMEOUT": "10s"}
	began := LiveOf(settings(t, file))
	p, err := NewPolicy(settings(t, file))
	if err != nil || p.Mode != model.MustRespond || p.Timeout != 10*time.Second {
		t.Fatalf("%+v, %v", p, err)
	}
	for _, c := range []struct {
		set     *config.Settings
		mode    model.PolicyMode
		timeout time.Duration
		rules   string
	}{
		{settings(t, file), model.AutoAccept, time.Minute, ""},
		{settings(t, nil), model.AutoAccept, time.Minute, ""},
		{settings(t, file, "--dialog-policy", "must_respond"), model.MustRespond, time.Minute, ""},
		{settings(t, file, "--dialog-timeout", "10s"), model.AutoAccept, 10 * time.Second, ""},
		{settings(t, map[string]string{"USHER_DIALOG_POLICY": "auto_dismiss"}), model.AutoDismiss, time.Minute, ""},
		{settings(t, nil, "--dialog-rules", "accept kind=alert", "--dialog-rules", "dismiss name=rest"), model.AutoAccept, time.Minute, "s1 rest"},
	} {
		now := model.Policy{Mode: model.AutoAccept, Timeout: time.Minute}
		if err := began.Merge(c.set, nil).Revise(&now, began, c.set); err != nil {
			t.Fatal(err)
		}
		var rules []string
		for _, r := range now.Standing {
			rules = append(rules, r.Name)
		}
		if now.Mode != c.mode || now.Timeout != c.timeout || strings.Join(rules, " ") != c.rules {
			t.Errorf("%+v: got %+v", c, now)
		}
	}
	if _, err := NewPolicy(settings(t, nil, "--dialog-rules", "accept name=x", "--dialog-rules", "ask name=x")); err == nil {
		t.Error("two rules of one name were taken")
	}
}

// Only changed options are sent to open pages.
func TestChangeSendsOnlyWhatDiffers(t *testing.T) {
	old := Live{"user-agent": "A", "viewport": "800x600"}
	now := Live{"user-agent": "A", "viewport": "800x600", "color-scheme": "dark"}
	cmds := Pages{Live: now, Engine: "1"}.Change(old)
	if len(cmds) != 1 || cmds[0].Method != "Emulation.setEmulatedMedia" {
		t.Errorf("%+v", cmds)
	}
	if cmds := (Pages{Live: now, Engine: "1"}).Change(now); len(cmds) != 0 {
		t.Errorf("nothing differs: %+v", cmds)
	}
	if cmds := (Pages{Live: Live{"user-agent": "A", "color-scheme": "dark"}, Engine: "1"}).Change(now); len(cmds) != 1 || cmds[0].Method != "Emulation.clearDeviceMetricsOverride" {
		t.Errorf("viewport taken back: %+v", cmds)
	}
}

// Sessions share a browser if and only if their launch options are equal, wherever they were given.
func TestLaunchKey(t *testing.T) {
	plain := LaunchKey(settings(t, nil), nil, &Mutation{})
	for name, c := range map[string]struct {
		set  *config.Settings
		same bool
	}{
		"nothing else":           {settings(t, nil), true},
		"live options":           {settings(t, nil, "--viewport", "300x200", "--user-agent", "A", "--timeout", "3s"), true},
		"another session":        {settings(t, nil, "--session", "other"), true},
		"arguments":              {settings(t, nil, "--args", "--a"), false},
		"arguments, environment": {settings(t, map[string]string{"USHER_ARGS": "--a"}), false},
		"a proxy":                {settings(t, nil, "--proxy", "http://127.0.0.1:1"), false},
	} {
		if got := LaunchKey(c.set, nil, &Mutation{}) == plain; got != c.same {
			t.Errorf("%s: the same browser: %v, want %v", name, got, c.same)
		}
	}
	flag, env := LaunchKey(settings(t, nil, "--args", "--a"), nil, &Mutation{}), LaunchKey(settings(t, map[string]string{"USHER_ARGS": "--a"}), nil, &Mutation{})
	if flag != env {
		t.Errorf("the same arguments as a flag (%q) and from the environment (%q) make two browsers", flag, env)
	}
}

// TestOwnUserAgent checks that the client hints of a browser in stealth are sent to new pages, and again when a User-Agent is unset, once
// each, with the languages of a locale.
func TestOwnUserAgent(t *testing.T) {
	const agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"
	own := device.LaunchedChrome(agent, "156.0.8078.79")
	sent := func(cmds []model.InitCommand) (all []map[string]any) {
		for _, c := range cmds {
			if c.Method == agentMethod {
				all = append(all, c.Params.(params))
			}
		}
		return all
	}
	for name, cmds := range map[string][]model.InitCommand{
		"a new page":  Pages{Own: own}.Init(),
		"with locale": Pages{Live: Live{"locale": "de-DE"}, Own: own}.Init(),
		"unset":       Pages{Live: Live{}, Own: own}.Change(Live{"user-agent": "A"}),
	} {
		got := sent(cmds)
		if len(got) != 1 || got[0]["userAgent"] != agent || got[0]["userAgentMetadata"] == nil || (got[0]["acceptLanguage"] == "de-DE,de") != (name == "with locale") {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := sent(Pages{Live: Live{"user-agent": "A"}, Own: own}.Init()); len(got) != 1 || got[0]["userAgent"] != "A" || got[0]["userAgentMetadata"] != nil {
		t.Errorf("one that was set: %v", got)
	}
	if got := sent(Pages{}.Init()); got != nil {
		t.Errorf("without stealth: %v", got)
	}
}
