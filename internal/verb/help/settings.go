package help

import (
	"strings"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/settings"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

// settingsOf lists the keys that begin with what follows the topic.
func settingsOf(topic string) []settings.Setting {
	want, _ := strings.CutPrefix(topic, settingsTopic)
	want = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(want), "_", "-"))
	var out []settings.Setting
	for _, s := range settings.All() {
		if key := strings.ToLower(strings.ReplaceAll(s.Key, "_", "-")); strings.HasPrefix(key, want) || s.Flag == "--"+want {
			out = append(out, s)
		}
	}
	return out
}

// isSettings reports whether a topic of help is the list of settings, or some of it.
func isSettings(topic string) bool {
	first, _, _ := strings.Cut(topic, " ")
	return first == settingsTopic && len(settingsOf(topic)) > 0
}

func unknownSetting(key string, mode verb.Mode) *verb.Error {
	var keys []string
	for _, s := range settings.All() {
		keys = append(keys, s.Key)
	}
	e := verb.Invalid(plain.Quote(key) + " is not a setting")
	for _, near := range spelling.Nearest(key, keys) {
		e.Suggestions = append(e.Suggestions, "help "+settingsTopic+" "+near)
	}
	if e.Suggestions == nil {
		e.Hint = "Run " + mode.Program() + " help " + settingsTopic + " for the list."
	}
	return e
}

// configuration returns help for settings: all of them, or those whose key begins with what follows the topic.
func configuration(topic string) string {
	var b strings.Builder
	if topic == settingsTopic {
		b.WriteString(paragraphs("Settings, as keys of a configuration file in YAML or JSON. usher reads ~/.usher/config.yaml (or config.json), then ./usher.yaml or "+
			"./.usher.yaml of a project, then the environment, then the flags of the command; later ones win. --config FILE replaces "+
			"both files. A project file may set only what is marked \"project file\". `help config <key>` shows one.") + "\n\n")
	}
	for i, s := range settingsOf(topic) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s.YAML() + "\n")
		facts := []string{s.Type, "default: " + s.Default}
		for _, name := range []string{s.Env, s.Flag} {
			if name != "" {
				facts = append(facts, name)
			}
		}
		if s.Project {
			facts = append(facts, "project file")
		}
		for _, text := range []string{s.Doc, strings.Join(facts, "; ")} {
			b.WriteString("  " + strings.ReplaceAll(wrap(text, lineWidth-2), "\n", "\n  ") + "\n")
		}
	}
	return b.String()
}
