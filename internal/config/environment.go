package config

import (
	"strings"
	"sync"

	"github.com/usher-browser/usher/internal/verb"
)

// boolWord reads a switch from the environment: unset, empty, 0, false and no (in any case) are false, all else is true.
func boolWord(s string) string {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "", "0", "false", "no":
		return "false"
	}
	return "true"
}

// addEnvironment reads usher's variables and, called by the other name, that tool's variables above them.
func (s *Settings) addEnvironment(src Source) error {
	flags := verb.GlobalFlags()
	variables := variablesOf(src.Mode)
	for i := range flags {
		f := &flags[i]
		for _, name := range variables[i] {
			text, ok := src.Env(name)
			if !ok || text == "" {
				continue
			}
			if f.Kind == verb.Bool {
				text = boolWord(text)
			}
			words, err := f.Check(text)
			if err != nil {
				return fromCheck(err, name, "", 0)
			}
			if len(words) == 0 {
				continue
			}
			if err := s.add(f, Value{Name: f.Name, Words: words, From: Environment, Where: name}, src, src.Cwd); err != nil {
				return err
			}
			break
		}
	}
	return nil
}

// usherVariables and agentBrowserVariables are the variables of each of [verb.GlobalFlags] by the name of the program. They are read for
// every command.
var (
	usherVariables        = sync.OnceValue(func() [][]string { return allVariables(verb.Usher) })
	agentBrowserVariables = sync.OnceValue(func() [][]string { return allVariables(verb.AgentBrowser) })
)

func variablesOf(mode verb.Mode) [][]string {
	if mode == verb.AgentBrowser {
		return agentBrowserVariables()
	}
	return usherVariables()
}

func allVariables(mode verb.Mode) [][]string {
	flags := verb.GlobalFlags()
	out := make([][]string, len(flags))
	for i := range flags {
		out[i] = names(&flags[i], mode)
	}
	return out
}

// names lists the variables of a setting, the one that wins first.
func names(f *verb.Flag, mode verb.Mode) []string {
	var out []string
	if mode == verb.AgentBrowser && f.Env != "" {
		out = append(out, mode.EnvPrefix()+f.Env)
	}
	out = append(out, f.UsherEnv())
	if f.Name == "executable-path" {
		out = append(out, BrowserVariable)
	}
	if mode != verb.AgentBrowser {
		return out
	}
	switch f.Name {
	case "proxy": // that tool falls back to the variables of the system, and so must we by its name
		out = append(out, "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
	case "proxy-bypass":
		out = append(out, "NO_PROXY", "no_proxy")
	}
	return out
}

// BrowserVariable is a second variable of the setting executable-path. Package chrome reads it from the environment of its own process, too, which
// serves doctor and tests: the daemon is started without the variables of a command.
const BrowserVariable = "USHER_CHROME"

// EnvNames returns every variable that Load, package dirs, `skills` or `upgrade` may read, so that a client sends those and no others.
func EnvNames() []string {
	out := []string{"HOME", "USERPROFILE", "XDG_CACHE_HOME", "USHER_HOME", "USHER_SOCKET_DIR", "AGENT_BROWSER_SOCKET_DIR",
		"USHER_RELEASES_URL", "USHER_SKILLS_DIR", "AGENT_BROWSER_SKILLS_DIR"}
	flags := verb.GlobalFlags()
	seen := map[string]bool{}
	for i := range flags {
		for _, n := range names(&flags[i], verb.AgentBrowser) {
			if !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
		}
	}
	return append(out, verb.AgentBrowser.EnvPrefix()+formerPolicy)
}

// formerPolicy is the former name of agent-browser's ACTION_POLICY, which usher does not read. To go on without it would do
// what the user wanted to prevent.
const formerPolicy = "POLICY"

func refuseUnbuilt(src Source) error {
	if src.Mode != verb.AgentBrowser {
		return nil
	}
	name := src.Mode.EnvPrefix() + formerPolicy
	if v, ok := src.Env(name); ok && v != "" {
		return &Error{Code: unsupported, Message: name + " is set, but usher does not support it",
			Hint: "Unset it to continue without it."}
	}
	return nil
}
