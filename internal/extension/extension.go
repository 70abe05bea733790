// Package extension has the browser extension by which usher reaches the tabs of the user's own Chrome, and writes it into a directory
// from which Chrome, Edge and Brave load it ("Load unpacked"). Its sources are in extension/; make generate bundles them into files.
package extension

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/pagescript"
)

//go:embed files
var embedded embed.FS

// DirName is the name of the extension's directory in usher's home.
const DirName = "extension"

const (
	root         = "files"
	manifestName = "manifest.json"
	configName   = "relay.json"
	rulesName    = "reading.json" // made from usher's scripts, and no embedded file
)

// Config is what the extension reads beside its code.
type Config struct {
	Relay string `json:"relay,omitzero"` // address of the relay's /extension, such as ws://127.0.0.1:19222/extension; the default if empty
	Token string `json:"token,omitzero"` // of a pairing that usher made itself, for a profile in which nobody can type a code
}

// manifest has the members of manifest.json that this package reads.
type manifest struct {
	Version     string `json:"version"`
	VersionName string `json:"version_name"`
	Key         string `json:"key"`
}

// Version names the extension of this binary: the version of its manifest and a hash of its files, as in "1.0.0-4be1a2c9". A written
// copy has it as version_name, and the extension sends it to the relay. Two builds with the same files have the same version.
var Version = sync.OnceValue(func() string {
	hash := sha256.New()
	for _, name := range names() {
		fmt.Fprintf(hash, "%s\n", name)
		hash.Write(content(name))
	}
	return read().Version + "-" + hex.EncodeToString(hash.Sum(nil))[:8]
})

// ID is the extension's id in every browser: 32 letters a to p, made from the public key in the manifest.
var ID = sync.OnceValue(func() string {
	key, err := base64.StdEncoding.DecodeString(read().Key)
	if err != nil {
		panic(fmt.Sprintf("the key of the embedded manifest: %v", err))
	}
	sum := sha256.Sum256(key)
	id := []byte(hex.EncodeToString(sum[:16]))
	for i, c := range id {
		if c >= 'a' {
			id[i] = c - 'a' + 'k'
		} else {
			id[i] = c - '0' + 'a'
		}
	}
	return string(id)
})

// Write writes the extension into a directory, which it makes if there is none. Files of an earlier version that this one does not
// have are removed; the directory must be empty or hold an extension of usher's. Each file is replaced as a whole, and the manifest
// last, so that a browser never loads half of one.
func Write(dir string, config Config) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("write the extension: %w", err)
	}
	if err := tidy(dir); err != nil {
		return err
	}
	settings, err := json.Marshal(config)
	if err != nil {
		return fmt.Errorf("write the extension: %w", err)
	}
	for _, name := range names() {
		data := content(name)
		switch name {
		case manifestName:
			continue
		case configName:
			data = append(settings, '\n')
		}
		if err := replace(filepath.Join(dir, filepath.FromSlash(name)), data); err != nil {
			return err
		}
	}
	return replace(filepath.Join(dir, manifestName), named())
}

// Written returns the version of the extension in a directory, as Version names it. The error is fs.ErrNotExist if there is none.
func Written(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return "", fmt.Errorf("read the manifest of the extension: %w", err)
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return "", fmt.Errorf("read the manifest of the extension in %s: %w", dir, err)
	}
	return m.VersionName, nil
}

// tidy removes the files of another version. It refuses a directory that has other files than an extension of usher's.
func tidy(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("write the extension: %w", err)
	}
	if len(entries) == 0 {
		return nil
	}
	var m manifest
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil || m.Key != read().Key {
		return fmt.Errorf("write the extension: %s has other files and no extension of usher's; name an empty directory", dir)
	}
	have := map[string]bool{}
	for _, name := range names() {
		have[filepath.Join(dir, filepath.FromSlash(name))] = true
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || have[path] {
			return err
		}
		return os.Remove(path)
	})
}

// replace writes a file under another name and renames it.
func replace(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write the extension: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return fmt.Errorf("write the extension: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write the extension: %w", err), os.Remove(f.Name()))
	}
	return nil
}

// names lists the files, in order, with slashes.
func names() []string {
	var found []string
	err := fs.WalkDir(embedded, root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = append(found, name[len(root)+1:])
		}
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("list the embedded extension: %v", err))
	}
	return append(found, rulesName)
}

func content(name string) []byte {
	if name == rulesName {
		return pagescript.ReadingRules()
	}
	data, err := embedded.ReadFile(path.Join(root, name))
	if err != nil {
		panic(fmt.Sprintf("read the embedded extension: %v", err))
	}
	return data
}

func read() manifest {
	var m manifest
	if err := json.Unmarshal(content(manifestName), &m); err != nil {
		panic(fmt.Sprintf("read the embedded manifest: %v", err))
	}
	return m
}

// named is the manifest with the version as version_name, which the browser shows and the extension sends.
func named() []byte {
	name, err := jsontext.AppendQuote(nil, Version())
	if err != nil {
		panic(fmt.Sprintf("name the extension: %v", err))
	}
	return bytes.Replace(content(manifestName), []byte(`"key":`), append(append([]byte(`"version_name": `), name...), ",\n  \"key\":"...), 1)
}
