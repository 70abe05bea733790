package doctor

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// secrets checks the files that contain logins, and the key that encrypts them.
func (d *doctor) secrets() {
	for _, name := range []string{"USHER_ENCRYPTION_KEY", "AGENT_BROWSER_ENCRYPTION_KEY"} {
		text := d.req.Getenv(name)
		if text == "" {
			continue
		}
		if raw, err := hex.DecodeString(text); err != nil || len(raw) != 32 {
			if name == "USHER_ENCRYPTION_KEY" {
				d.fail(security, "encryption-key", "Make one with `openssl rand -hex 32`; files that another key encrypted need that one.", "%s is not 64 hexadecimal digits", name)
				return
			}
			d.warn(security, "encryption-key", "Make one with `openssl rand -hex 32`.", "%s is not 64 hexadecimal digits; agent-browser makes a key from such a text in its own way", name)
			break
		}
		d.pass(security, "encryption-key", "%s is set: saved states and logins are encrypted with it", name)
		break
	}
	auth := filepath.Join(filepath.Dir(d.dirs.State), "auth")
	for _, kind := range []struct{ id, noun, dir string }{{"states", "saved state", d.dirs.State}, {"logins", "stored login", auth}} {
		d.closed(kind.id, kind.noun, kind.dir)
	}
}

// closed checks that nobody else can read the files of a directory.
func (d *doctor) closed(id, noun, dir string) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return
	}
	if err != nil {
		d.warn(security, id, "", "the directory cannot be read: %v", err)
		return
	}
	n := 0
	var open []string
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.Contains(e.Name(), ".json") && !strings.Contains(e.Name(), ".enc") {
			continue
		}
		n++
		if d.goos != "windows" && info.Mode().Perm()&0o077 != 0 {
			open = append(open, filepath.Join(dir, e.Name()))
		}
	}
	if open == nil {
		d.pass(security, id, "%s, closed to others: %s", count(n, noun), dir)
		return
	}
	if d.repair(security, id, fmt.Sprintf("closed %s to others in %s", count(len(open), noun), dir), func() error {
		for _, path := range open {
			if err := os.Chmod(path, 0o600); err != nil {
				return err
			}
		}
		return nil
	}) || d.fix {
		return
	}
	d.warn(security, id, "Run `usher doctor --fix`, which closes them.", "%d of %s can be read by others: %s", len(open), count(n, noun), strings.Join(open[:min(3, len(open))], ", "))
}

// providers reports the services that some commands use. It asks none of them.
func (d *doctor) providers() {
	var have []string
	for _, name := range []string{"BRAVE_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY", "SEARXNG_URL"} {
		if d.req.Getenv(name) != "" {
			have = append(have, name)
		}
	}
	chosen := d.str("search-provider")
	switch {
	case chosen != "" && !strings.Contains(strings.ToLower(strings.Join(have, " ")), chosen):
		d.warn(providers, "search", "Set its key, or another --search-provider.", "web search is set to %s, whose variable is not in the environment", chosen)
	case have == nil:
		d.pass(providers, "search", "none, which only `web search` needs (BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY or SEARXNG_URL)")
	default:
		d.pass(providers, "search", "`web search` finds %s in the environment", strings.Join(have, ", "))
	}
}
