package sealed_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/sealed"
)

// inKeyring is set in a process with a keyring of its own.
const inKeyring = "SEALED_TEST_IN_KEYRING"

// TestKeyring uses GNOME's keyring, on a bus of its own, where it is installed.
func TestKeyring(t *testing.T) {
	if os.Getenv(inKeyring) != "" {
		keepsInKeyring(t)
		return
	}
	for _, program := range []string{"dbus-run-session", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("needs", program)
		}
	}
	const script = `printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$0" -test.run '^TestKeyring$' -test.v`
	cmd := exec.CommandContext(t.Context(), "dbus-run-session", "--", "sh", "-c", script, os.Args[0])
	home := t.TempDir()
	cmd.Env = append(os.Environ(), inKeyring+"=1", "HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_DATA_HOME="+filepath.Join(home, "data"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func keepsInKeyring(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	ring := sealed.KeysOf(sealed.Keyring, none)
	secret := []byte(`{"cookies":[]}`)
	file, err := ring.Seal(secret)
	if err != nil {
		t.Fatal(err)
	}
	other, err := sealed.KeysOf("auto", none).OrKeyFile(filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	for name, keys := range map[string]sealed.Keys{"keyring": ring, "no key given": sealed.KeysOf("auto", none), "another key given": other} {
		if got, err := keys.Open("file", file); err != nil || string(got) != string(secret) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	file[20] ^= 1
	if _, err := other.Open("file", file); api.CodeOf(err) != api.WrongKey {
		t.Errorf("a damaged file: %v", err)
	}
}
