package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/settings"
)

// Every key that help and docs/CONFIG.md tell of is read, with the example they give.
func TestListedSettingsAreRead(t *testing.T) {
	for _, listed := range settings.All() {
		p := newFixture(t, verb.Usher)
		p.user(listed.YAML() + "\n")
		set, err := p.load()
		if err != nil {
			t.Errorf("%s: %v", listed.YAML(), err)
			continue
		}
		for _, w := range set.Warnings {
			t.Errorf("%s: %s", listed.YAML(), w)
		}
		if top, _, _ := strings.Cut(listed.Key, "."); slices.Contains(toolKeys(), top) {
			continue
		}
		all := set.All()
		if len(all) == 0 {
			t.Errorf("%s sets nothing", listed.YAML())
			continue
		}
		// no-auto-dialog is read as a policy, too.
		if f := verb.GlobalFlag(all[0].Name); !slices.ContainsFunc(all, func(v Value) bool {
			f = verb.GlobalFlag(v.Name)
			return f.Name == listed.Key || f.Section == listed.Key
		}) {
			t.Errorf("%s sets %s", listed.YAML(), f.Name)
		}
	}
}

// So is every key about tools, at every level.
func TestListedToolSettingsAreRead(t *testing.T) {
	for _, listed := range settings.OfTools() {
		// What a key needs beside it.
		with := ""
		switch top, _, _ := strings.Cut(listed.Key, "."); {
		case top == "vision_model":
			with = "url: http://localhost, model: m"
		case strings.HasSuffix(listed.Key, ".headers"):
			with = "url: http://localhost"
		case top == "mcp_servers" || top == "plugins":
			with = "command: program"
		}
		var key string
		parts := strings.Split(listed.Key, ".")
		within := parts[:len(parts)-1]
		key = parts[len(parts)-1]
		file := func(members ...string) string {
			if len(within) == 0 {
				return strings.Join(members, "\n") + "\n"
			}
			text := "{" + strings.Join(members, ", ") + "}"
			for i := len(within) - 1; i > 0; i-- {
				text = "{" + within[i] + ": " + text + "}"
			}
			return within[0] + ": " + text + "\n"
		}
		var others []string
		for m := range strings.SplitSeq(with, ", ") {
			// An address takes the place of a command, a member the place of itself.
			if m != "" && !strings.HasPrefix(m, key+":") && (key != "url" || !strings.HasPrefix(m, "command:")) {
				others = append(others, m)
			}
		}
		got, err := toolsOf(t, "config.yaml", file(append(others, key+": "+listed.Example)...))
		if err != nil {
			t.Errorf("%s: %v", listed.Key, err)
			continue
		}
		for _, w := range got.Warnings {
			if strings.Contains(w, "unknown") {
				t.Errorf("%s: %s", listed.Key, w)
			}
		}
		if key == "command" || key == "url" || key == "model" {
			continue // the rest is refused without it
		}
		without, err := toolsOf(t, "config.yaml", file(others...))
		if err != nil {
			t.Errorf("%s: without it: %v", listed.Key, err)
			continue
		}
		got.Path, without.Path, got.Warnings, without.Warnings = "", "", nil, nil
		for _, servers := range [][]Server{got.Servers, got.Plugins, without.Servers, without.Plugins} {
			for i := range servers {
				servers[i].Digest, servers[i].Written = "", nil
			}
		}
		if cmp.Equal(got, without) {
			t.Errorf("%s: %s changes nothing", listed.Key, listed.Example)
		}
	}
}
