// Package sealed encrypts and decrypts files with secrets: saved states and the auth vault.
package sealed

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/zalando/go-keyring"

	"github.com/usher-browser/usher/internal/api"
)

// The modes of --state-encryption besides auto, which encrypts if there is a key in the environment.
const (
	Keyring = "keyring" // with the key in the keyring of the operating system
	Off     = "off"
)

// Keys are the keys of a caller. An encrypted file is a nonce of 12 bytes and what AES-256-GCM makes of the JSON; the
// key is the SHA-256 of the key's text. That is the form of agent-browser's encrypted files.
type Keys struct {
	mode string // of --state-encryption; empty for auto
	text string // from the environment; empty for none
	from string // the name of its variable
	err  error  // the variable is not usable
}

// keyVariables are the variables with a key, and whether the text has to be 64 hexadecimal digits. agent-browser takes
// any text.
var keyVariables = []struct {
	name   string
	strict bool
}{{"USHER_ENCRYPTION_KEY", true}, {"AGENT_BROWSER_ENCRYPTION_KEY", false}}

// KeysOf returns the keys of a caller with that environment.
func KeysOf(mode string, env func(string) (string, bool)) Keys {
	k := Keys{mode: mode}
	for _, v := range keyVariables {
		text, ok := env(v.name)
		if !ok || text == "" {
			continue
		}
		k.text, k.from = text, v.name
		if raw, err := hex.DecodeString(text); v.strict && (err != nil || len(raw) != 32) {
			k.err = api.Errorf(api.InvalidArgument, "%s is not 64 hexadecimal digits", v.name).WithHint("Make a key with `openssl rand -hex 32`.")
		}
		break
	}
	return k
}

// Encrypts reports whether new files are encrypted.
func (k *Keys) Encrypts() bool {
	return k.mode == Keyring || k.mode != Off && k.from != ""
}

// Err returns why the key of the environment cannot be used; nil if it can, or is not needed.
func (k *Keys) Err() error {
	if k.mode == Off {
		return nil
	}
	return k.err
}

// Extension returns the extension of new files.
func (k *Keys) Extension() string {
	if k.Encrypts() {
		return ".json.enc"
	}
	return ".json"
}

// Encrypted reports whether the content of a file is encrypted: it does not begin as JSON does. The first byte of an
// encrypted file is random, and never one of those.
func Encrypted(raw []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(raw, []byte("\ufeff")), " \t\r\n")
	return len(raw) >= nonceSize+tagSize && !bytes.HasPrefix(text, []byte("{")) && !bytes.HasPrefix(text, []byte("["))
}

const (
	nonceSize = 12
	tagSize   = 16

	// Overhead is how much longer an encrypted file is, in bytes.
	Overhead = nonceSize + tagSize
)

// Seal encrypts the content of a file if keys say so. It never returns plain content where encryption was asked for.
func (k *Keys) Seal(raw []byte) ([]byte, error) {
	if !k.Encrypts() {
		return raw, nil
	}
	text := k.text
	if k.mode == Keyring {
		var err error
		if text, err = keyringKey(true); err != nil {
			return nil, err
		}
	} else if k.err != nil {
		return nil, k.err
	}
	gcm, err := gcmOf(text)
	if err != nil {
		return nil, err
	}
	for {
		nonce := make([]byte, nonceSize)
		if _, err := rand.Read(nonce); err != nil {
			return nil, api.Errorf(api.Internal, "encrypt: %w", err)
		}
		if out := gcm.Seal(nonce, nonce, raw, nil); Encrypted(out) {
			return out, nil
		}
	}
}

// Open decrypts the content of a file. The key in the environment or key file and that of the keyring are both tried; with
// [Keyring], that of the keyring first.
func (k *Keys) Open(path string, raw []byte) ([]byte, error) {
	if k.mode != Keyring && k.err != nil {
		return nil, k.err
	}
	inKeyring := func() (string, string, error) { text, err := keyringKey(false); return text, "the keyring", err }
	given := func() (string, string, error) { return k.text, k.from, k.err }
	order := []func() (string, string, error){given, inKeyring}
	if k.mode == Keyring {
		slices.Reverse(order)
	}
	var tried []string
	var failed error // to get the first key
	for _, key := range order {
		text, from, err := key()
		if err != nil && failed == nil && len(tried) == 0 {
			failed = err
		}
		if err != nil || text == "" {
			continue
		}
		if out := open(text, raw); out != nil {
			return out, nil
		}
		tried = append(tried, from)
	}
	if failed != nil {
		return nil, api.Errorf(api.CodeOf(failed), "%s is encrypted, or not such a file: %w", path, failed).With("path", path).
			WithHint("Set USHER_ENCRYPTION_KEY to the key that it was saved with.")
	}
	return nil, api.Errorf(api.WrongKey, "%s cannot be decrypted with the key of %s: it was encrypted with another key, or it is damaged", path, strings.Join(tried, " or of ")).
		With("path", path).WithHint("Set USHER_ENCRYPTION_KEY to the key that it was saved with. Nothing was changed.")
}

// open returns the decrypted content, or nil if the key is not that of the file.
func open(key string, raw []byte) []byte {
	gcm, err := gcmOf(key)
	if err != nil {
		return nil
	}
	out, err := gcm.Open([]byte{}, raw[:nonceSize], raw[nonceSize:], nil)
	if err != nil {
		return nil
	}
	return out
}

func gcmOf(text string) (cipher.AEAD, error) {
	key := sha256.Sum256([]byte(text))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, api.Errorf(api.Internal, "encrypt: %w", err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, api.Errorf(api.Internal, "encrypt: %w", err)
	}
	return gcm, nil
}

// The entry of the keyring.
const (
	keyringService = "usher"
	keyringUser    = "state-encryption"
)

// reachable reports whether there can be a keyring. On Linux and BSD it is a service on the session's D-Bus; the library
// would start a bus of its own if there were none.
func reachable() error {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" || os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return nil
	}
	if bus := "/run/user/" + strconv.Itoa(os.Getuid()) + "/bus"; !exists(bus) {
		return errors.New("there is no D-Bus session: DBUS_SESSION_BUS_ADDRESS is not set, and there is no " + bus)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// OrKeyFile returns the keys with, if there is none in the environment or the keyring is not wanted, the key in a file,
// which is created. Files are then always encrypted.
func (k Keys) OrKeyFile(path string) (Keys, error) {
	if k.from != "" || k.mode == Keyring {
		return k, k.err
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if raw, err = newKeyFile(path); err != nil {
			return k, api.Errorf(api.FileWriteFailed, "make a key to encrypt with: %w", err).With("path", path)
		}
	}
	if err != nil {
		return k, api.Errorf(api.InvalidState, "read the key file: %w", err).With("path", path)
	}
	text := strings.TrimSpace(string(raw))
	if key, err := hex.DecodeString(text); err != nil || len(key) != 32 {
		return k, api.Errorf(api.WrongKey, "%s is not 64 hexadecimal digits", path).With("path", path).WithHint("Restore the file from a backup; what was encrypted with it cannot be read otherwise.")
	}
	k.mode, k.text, k.from = "", text, path
	return k, nil
}

// newKeyFile creates a key file, or reads one that another process has just created.
func newKeyFile(path string) ([]byte, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	text := []byte(hex.EncodeToString(key) + "\n")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return os.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	return text, errors.Join(err, f.Close())
}

// keyringKey returns the key in the keyring of the operating system; create makes one if there is none.
func keyringKey(create bool) (string, error) {
	if err := reachable(); err != nil {
		return "", api.Errorf(api.KeyringUnavailable, "read the key from the keyring of the operating system: %w", err)
	}
	text, err := keyring.Get(keyringService, keyringUser)
	switch {
	case err == nil:
		return text, nil
	case !errors.Is(err, keyring.ErrNotFound):
		return "", api.Errorf(api.KeyringUnavailable, "read the key from the keyring of the operating system: %w", err)
	case !create:
		return "", api.Errorf(api.WrongKey, "there is no key in the environment, and none in the keyring")
	}
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		return "", api.Errorf(api.Internal, "make a key: %w", err)
	}
	text = hex.EncodeToString(raw)
	if err := keyring.Set(keyringService, keyringUser, text); err != nil {
		return "", api.Errorf(api.KeyringUnavailable, "store a key in the keyring of the operating system: %w", err)
	}
	return text, nil
}
