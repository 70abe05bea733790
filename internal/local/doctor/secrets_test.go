package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest/localtest"
)

func TestSecretsOpenToOthers(t *testing.T) {
	t.Parallel()
	d := machine(t, nil, nil)
	d.configuration()
	open, closed := filepath.Join(d.dirs.State, "shop-default.json"), filepath.Join(d.dirs.State, "other.json.enc")
	localtest.WriteFile(t, open, "{}", 0o644)
	localtest.WriteFile(t, closed, "x", 0o600)
	d.secrets()
	d.expect(t, "states", Warn, "1 of 2 saved states", open, "--fix")
	if info, err := os.Stat(open); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("without --fix: %v, %v", info.Mode(), err)
	}
	d.fix, d.checks = true, nil
	d.secrets()
	d.expect(t, "states", Pass, "mended: closed 1 saved state to others")
	if info, err := os.Stat(open); err != nil || info.Mode().Perm() != 0o600 || len(d.fixed) != 1 {
		t.Errorf("with --fix: %v, %v, %v", info.Mode(), err, d.fixed)
	}
	d.checks = nil
	d.secrets()
	d.expect(t, "states", Pass, "2 saved states, closed to others")
}

func TestEncryptionKey(t *testing.T) {
	t.Parallel()
	for value, status := range map[string]Status{"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef": Pass, "secret": Fail} {
		d := machine(t, nil, []string{"USHER_ENCRYPTION_KEY=" + value})
		d.configuration()
		d.secrets()
		d.expect(t, "encryption-key", status, "USHER_ENCRYPTION_KEY")
	}
}

func TestProviders(t *testing.T) {
	t.Parallel()
	d := machine(t, nil, nil)
	d.configuration()
	d.providers()
	d.expect(t, "search", Pass, "none")
	d = machine(t, nil, []string{"TAVILY_API_KEY=x", "USHER_SEARCH_PROVIDER=brave"})
	d.configuration()
	d.providers()
	d.expect(t, "search", Warn, "brave")
	d = machine(t, nil, []string{"TAVILY_API_KEY=x"})
	d.configuration()
	d.providers()
	d.expect(t, "search", Pass, "TAVILY_API_KEY")
}
