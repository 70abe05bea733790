package policy

import (
	"strings"
	"testing"
)

func TestPermissions(t *testing.T) {
	parse := func(words string) map[string]PermissionPolicy {
		t.Helper()
		got, err := ParsePermissions(strings.Split(words, ","))
		if err != nil {
			t.Fatalf("%s: %v", words, err)
		}
		return got
	}
	if got := parse("ask"); len(got) != 2 || got["geolocation"] != PermissionAsk || got["notifications"] != PermissionAsk {
		t.Errorf("ask is %v", got)
	}
	if got := parse("deny"); len(got) != len(PermissionNames()) || got["midi"] != PermissionDeny {
		t.Errorf("deny is %v", got)
	}
	if got := parse("browser"); len(got) != 0 {
		t.Errorf("browser is %v", got)
	}
	for _, words := range []string{"deny,camera=allow,geolocation=ask,midi=browser", "camera=allow,midi=browser,geolocation=ask,deny"} {
		got := parse(words)
		if got["camera"] != PermissionAllow || got["geolocation"] != PermissionAsk || got["microphone"] != PermissionDeny || got["midi"] != "" {
			t.Errorf("%s is %v", words, got)
		}
	}
	for word, says := range map[string]string{
		"camera=ask":     "geolocation and notifications",
		"clipboard=deny": "clipboard-read, clipboard-write",
		"camera=yes":     "ask, allow, deny",
		"camera":         "ask, allow, deny",
		"":               "ask, allow, deny",
	} {
		if _, err := ParsePermissions([]string{word}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", word, err)
		}
	}
}
