package extension

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
)

// The id is what relays pin and what the browser makes of the key; a change of it unpairs everyone.
func TestID(t *testing.T) {
	if got, want := ID(), "fiamjmhahjgkmaohfojilboniobfgodm"; got != want {
		t.Errorf("ID() = %q, want %q", got, want)
	}
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "extension")
	if err := Write(dir, Config{Relay: "ws://127.0.0.1:1/extension", Token: "t"}); err != nil {
		t.Fatal(err)
	}
	version, err := Written(dir)
	if err != nil || version != Version() || !regexp.MustCompile(`^\d+\.\d+\.\d+-[0-9a-f]{8}$`).MatchString(version) {
		t.Errorf("Written = %q, %v; want %q", version, err, Version())
	}
	var config Config
	if data, err := os.ReadFile(filepath.Join(dir, configName)); err != nil || json.Unmarshal(data, &config) != nil || config.Token != "t" {
		t.Errorf("%s = %s, %v", configName, data, err)
	}
	left := filepath.Join(dir, "old.js")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, Config{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("a file of an earlier version stayed")
	}
	for _, name := range names() {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestWriteKeepsOtherFiles(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "thesis.txt")
	if err := os.WriteFile(mine, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, Config{}); err == nil {
		t.Error("wrote into a directory with other files")
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

// The manifest asks for what the code uses and for nothing else: users read the list.
func TestManifest(t *testing.T) {
	var m struct {
		Version     int      `json:"manifest_version"`
		Permissions []string `json:"permissions"`
		Optional    []string `json:"optional_permissions"`
		Hosts       []string `json:"host_permissions"`
		Scripts     []any    `json:"content_scripts"`
		External    any      `json:"externally_connectable"`
		Web         []any    `json:"web_accessible_resources"`
	}
	if err := json.Unmarshal(content(manifestName), &m); err != nil {
		t.Fatal(err)
	}
	if want := []string{"alarms", "debugger", "downloads", "storage", "tabGroups", "tabs"}; m.Version != 3 || !slices.Equal(m.Permissions, want) {
		t.Errorf("manifest version %d with permissions %v, want 3 with %v", m.Version, m.Permissions, want)
	}
	if want := []string{"http://127.0.0.1/*", "http://localhost/*"}; !slices.Equal(m.Hosts, want) {
		t.Errorf("host permissions %v, want %v", m.Hosts, want)
	}
	if m.Optional != nil || m.Scripts != nil || m.External != nil || m.Web != nil {
		t.Errorf("pages can reach the extension, or it can ask for more: %+v", m)
	}
}
