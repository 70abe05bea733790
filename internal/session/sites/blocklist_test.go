package sites

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/verb"
)

func settingsOf(t *testing.T, words ...string) *config.Settings {
	t.Helper()
	call, err := verb.NewTable(command.Grammar()...).Parse(append([]string{"open"}, words...), verb.Usher)
	if err != nil {
		t.Fatal(err)
	}
	set, err := config.Load(config.Source{Mode: verb.Usher, Env: func(string) (string, bool) { return "", false }, Flags: call.Globals})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestBlocklistFollowsItsFile: a blocklist is read again only after its file has changed.
func TestBlocklistFollowsItsFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "blocked.txt")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one.example\n")
	set := settingsOf(t, "--blocked-sites", "named.example", "--blocked-sites-file", path)
	var lists Blocklists
	first, err := lists.Of(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := lists.Of(t.Context(), set); err != nil || again != first {
		t.Errorf("read again: %v", err)
	}
	write("one.example\ntwo.example\n")
	second, err := lists.Of(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"named.example", "one.example", "two.example"} {
		if _, _, found := second.Match(host); !found {
			t.Errorf("%s is not on the list", host)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	list, err := lists.Of(t.Context(), set)
	if err == nil {
		t.Fatal("a list that is gone was read")
	}
	if r := (&policy.Sites{Blocked: list, BlocklistErr: err, Private: true}).Open(t.Context(), "http://127.0.0.1/"); r == nil || r.Rule != policy.RuleBroken {
		t.Errorf("with a broken list: %v", r)
	}
}
