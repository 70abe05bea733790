package verb

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/plain"
)

// PluginDef is a plugin of the configuration that speaks agent-browser.plugin.v1: a program that is started for each
// request.
type PluginDef struct {
	Name    string   `json:"name"`
	Command string   `json:"command"` // a path, or a name that is looked for in PATH
	Args    []string `json:"args"`
	// Env are variables besides those of the program that starts it. ${NAME} in a value is replaced when it is started.
	Env map[string]string `json:"env,omitzero"`
	// Capabilities are what it may be used for.
	Capabilities []string `json:"capabilities"`
	Source       string   `json:"source,omitzero"` // where it came from: npm:NAME or github:OWNER/REPO
}

// The capabilities that have commands of their own. Others are the plugin's own, for `plugin run`.
const (
	CredentialRead  = "credential.read"
	BrowserProvider = "browser.provider"
	LaunchMutate    = "launch.mutate"
	CommandRun      = "command.run"
)

// Has reports whether the plugin declares a capability.
func (p *PluginDef) Has(capability string) bool { return slices.Contains(p.Capabilities, capability) }

// ParsePlugin parses the definition of one plugin, a JSON object. Members that it does not know are ignored, as
// agent-browser does.
func ParsePlugin(text string) (PluginDef, error) {
	var p PluginDef
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return p, Invalid("a plugin is not an object with texts name, command and source, and lists args and capabilities",
			`Write {name: vault, command: vault-plugin, capabilities: [credential.read]}.`)
	}
	if err := CheckPluginName(p.Name); err != nil {
		return p, err
	}
	if p.Command == "" || strings.ContainsRune(p.Command, 0) {
		return p, Invalid("the plugin " + plain.Quote(p.Name) + " has no command")
	}
	return p, nil
}

// CheckPluginName checks the name of a plugin: 1 to 64 letters, digits, "-", "_" and ".".
func CheckPluginName(s string) error {
	ok := s != "" && len(s) <= 64
	for _, c := range s {
		ok = ok && (strings.ContainsRune("-_.", c) || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z')
	}
	if !ok {
		return Invalid(plain.Quote(s)+" cannot be the name of a plugin", "Use 1 to 64 letters, digits, -, _ and .")
	}
	return nil
}

// splitItems splits a JSON list into its elements; anything else is one element.
func splitItems(text string) []string {
	var list []jsontext.Value
	if json.Unmarshal([]byte(text), &list) != nil {
		return []string{text}
	}
	out := make([]string, 0, len(list))
	for _, item := range list {
		out = append(out, string(item))
	}
	return out
}
