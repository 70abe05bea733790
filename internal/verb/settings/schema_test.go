package settings_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v4"

	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/settings"
)

// schema returns the schema of a mode, resolved.
func schema(t *testing.T, mode verb.Mode) *jsonschema.Resolved {
	t.Helper()
	text, err := settings.Schema(mode)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSchemaOfExamples validates the example of every setting, as it stands in help and docs/CONFIG.md.
func TestSchemaOfExamples(t *testing.T) {
	r := schema(t, verb.Usher)
	for _, s := range settings.All() {
		line := strings.ReplaceAll(s.YAML(), "NAME", "some")
		var value any
		if err := yaml.Unmarshal([]byte(line), &value); err != nil {
			t.Fatal(err)
		}
		if err := r.Validate(value); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestSchemaAccepts(t *testing.T) {
	r, other := schema(t, verb.Usher), schema(t, verb.AgentBrowser)
	for _, c := range []struct {
		in     string
		of     *jsonschema.Resolved
		accept bool
	}{
		{`{"$schema": "./usher.schema.json", "user_agent": "x", "userAgent": "y", "user-agent": "z"}`, r, true},
		{`{"timeout": 5000, "viewport": "800x600", "args": "--lang=de", "restore": true, "cdp": 9222}`, r, true},
		{`{"security": {"website_blocklist": {"domains": ["a.example"]}}}`, r, true},
		{`{"mcp_servers": {"a": {"command": "x", "env": {"K": "v"}}}}`, r, true},
		{`{"headed": "perhaps"}`, r, false},
		{`{"hedaed": true}`, r, false},
		{`{"color-scheme": "blue"}`, r, false},
		{`{"timeout": "soon"}`, r, false},
		{`{"screenshot-quality": 101}`, r, false},
		{`{"mcp_servers": {"a": {"comand": "x"}}}`, r, false},
		{`{"headed": true, "userAgent": "x", "somethingNew": 1, "idleTimeout": "30m"}`, other, true},
		{`{"headed": 3}`, other, false},
	} {
		var value any
		if err := json.Unmarshal([]byte(c.in), &value); err != nil {
			t.Fatal(err)
		}
		if err := c.of.Validate(value); (err == nil) != c.accept {
			t.Error(fmt.Sprintf("%s: accepted %t", c.in, err == nil), err)
		}
	}
}
