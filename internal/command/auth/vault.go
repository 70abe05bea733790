package auth

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/sealed"
)

// profile is a login as it is stored, encrypted.
type profile struct {
	Profile
	Password string `json:"password"`
	// TOTP is the secret of one-time codes, in Base32.
	TOTP string `json:"totp,omitzero"`
	// code is a one-time code; empty if there is none, or if it is made from TOTP.
	code string
}

// without returns an address without the password, which is in the query of the page that a form with the method GET leads
// to.
func (p *profile) without(address string) string {
	at := strings.IndexAny(address, "?#")
	if at < 0 || p.Password == "" {
		return address
	}
	hide := strings.NewReplacer(url.QueryEscape(p.Password), policy.Mark, url.PathEscape(p.Password), policy.Mark, p.Password, policy.Mark)
	return address[:at] + hide.Replace(address[at:])
}

// vault is the directory of stored logins.
type vault struct {
	dir  string
	keys sealed.Keys
}

// Files of the vault have this extension. Its key is in keyFile unless the environment or the keyring has one.
const (
	extension = ".enc"
	keyFile   = ".key"
)

// maxFile bounds a file of the vault, in bytes.
const maxFile = 1 << 20

// openVault returns the vault of the user.
func openVault(e *run.Env) (*vault, error) {
	v := &vault{dir: filepath.Join(filepath.Dir(e.Settings.StateDir), "auth")}
	if err := dirs.MakePrivate(v.dir); err != nil {
		return nil, api.Errorf(api.FileWriteFailed, "make the directory of the auth vault: %w", err)
	}
	keys, err := sealed.KeysOf(e.Settings.StateEncryption, e.LookupEnv).OrKeyFile(filepath.Join(v.dir, keyFile))
	if err != nil {
		return nil, err
	}
	v.keys = keys
	return v, nil
}

func (v *vault) path(name string) string { return filepath.Join(v.dir, name+extension) }

// save writes a login, and replaces one of that name.
func (v *vault) save(name string, p *profile) error {
	raw, err := json.Marshal(p)
	if err != nil {
		return api.Errorf(api.Internal, "encode the login: %w", err)
	}
	if raw, err = v.keys.Seal(raw); err != nil {
		return err
	}
	return media.WriteOwn(v.path(name), func(w io.Writer) error { _, err := io.Copy(w, bytes.NewReader(raw)); return err })
}

// load reads a login. The error is [api.LoginNotFound], [api.WrongKey] or [api.InvalidState].
func (v *vault) load(name string) (*profile, error) {
	path := v.path(name)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, v.notFound(name)
	}
	if err != nil {
		return nil, api.Errorf(api.InvalidState, "read the login %s: %w", name, err).With("path", path)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil || !sealed.Encrypted(raw) {
		return nil, api.Errorf(api.InvalidState, "%s is no file of the auth vault", path).With("path", path).WithHint("Save the login again with `auth save %s`.", name)
	}
	if raw, err = v.keys.Open(path, raw); err != nil {
		return nil, err
	}
	var p profile
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, api.Errorf(api.InvalidState, "%s is damaged", path).With("path", path).WithHint("Save the login again with `auth save %s`.", name)
	}
	return &p, nil
}

func (v *vault) notFound(name string) error {
	err := api.Errorf(api.LoginNotFound, "there is no saved login %s", plain.Quote(name))
	if names, _ := v.names(); len(names) > 0 {
		return err.WithHint("Saved logins are %s.", strings.Join(names, ", "))
	}
	return err.WithHint("Save one with `auth save %s --url URL --username NAME --password-stdin`.", name)
}

// names lists the logins, sorted.
func (v *vault) names() ([]string, error) {
	entries, err := os.ReadDir(v.dir)
	if err != nil {
		return nil, api.Errorf(api.InvalidState, "list the auth vault: %w", err)
	}
	names := []string{}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), extension); ok && name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// remove deletes a login.
func (v *vault) remove(name string) error {
	err := os.Remove(v.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return v.notFound(name)
	}
	if err != nil {
		return api.Errorf(api.FileWriteFailed, "delete the login %s: %w", name, err)
	}
	return nil
}
