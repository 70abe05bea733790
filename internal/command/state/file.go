package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/sealed"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Saved is a saved state, in Playwright's storageState format.
type Saved struct {
	Cookies []Cookie `json:"cookies"`
	Origins []Origin `json:"origins"`
	// RestoreKey is the name of --restore under which it was saved. Playwright and agent-browser ignore this member.
	RestoreKey string `json:"restoreKey,omitzero"`
}

// Origin is what one origin has stored. The storage of third-party frames that the browser keeps apart by the page
// around them is not contained, as in Playwright's files.
type Origin struct {
	Origin       string  `json:"origin"`
	LocalStorage []Entry `json:"localStorage"`
	// SessionStorage is that of a tab that shows the origin. Playwright ignores this member; agent-browser has it, too.
	SessionStorage []Entry `json:"sessionStorage,omitempty"`
	// IndexedDB is the list of databases as Playwright saves them with `indexedDB: true`: name, version, and stores with
	// their keyPath or keyPathArray, autoIncrement, indexes and records.
	IndexedDB jsontext.Value `json:"indexedDB,omitzero"`
}

// Entry is one key of a storage area.
type Entry struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// empty reports whether nothing is stored.
func (o *Origin) empty() bool {
	return len(o.LocalStorage) == 0 && len(o.SessionStorage) == 0 && o.databases() == 0
}

func (o *Origin) databases() int {
	var list []jsontext.Value
	if len(o.IndexedDB) == 0 || jsonv2.Unmarshal(o.IndexedDB, &list, lenient()) != nil { // checked when it was read
		return 0
	}
	return len(list)
}

// lenient allows what pages may store: strings that are not Unicode.
func lenient() jsonv2.Options { return jsontext.AllowInvalidUTF8(true) }

// Marshal returns the content of a file.
func (s *Saved) Marshal() ([]byte, error) {
	raw, err := jsonv2.Marshal(s, lenient(), jsontext.WithIndent("  "))
	if err != nil {
		return nil, api.Errorf(api.Internal, "encode the state: %w", err)
	}
	return append(raw, '\n'), nil
}

// parse reads the content of a file. The error is [api.InvalidState].
func parse(path string, raw []byte) (*Saved, error) {
	bad := func(format string, args ...any) error {
		return api.Errorf(api.InvalidState, "%s is not a saved state: %w", path, fmt.Errorf(format, args...)).With("path", path)
	}
	var s Saved
	if err := jsonv2.Unmarshal(bytes.TrimPrefix(raw, []byte("\ufeff")), &s, lenient()); err != nil {
		return nil, bad("%w", readable(err))
	}
	for i := range s.Cookies {
		c := &s.Cookies[i]
		if err := c.check(); err != nil {
			return nil, bad("cookie %d: %w", i+1, err)
		}
	}
	for i := range s.Origins {
		o := &s.Origins[i]
		if strings.HasPrefix(o.Origin, "http") && model.Origin(o.Origin) != o.Origin || o.Origin == "" {
			return nil, bad("origin %d: %q is not an origin, such as https://example.com", i+1, o.Origin)
		}
		var list []struct {
			Name    string           `json:"name"`
			Version uint64           `json:"version"`
			Stores  []jsontext.Value `json:"stores"`
		}
		if len(o.IndexedDB) > 0 {
			if err := jsonv2.Unmarshal(o.IndexedDB, &list, lenient()); err != nil {
				return nil, bad("origin %s: indexedDB: %w", o.Origin, readable(err))
			}
		}
	}
	return &s, nil
}

// readable returns an error of the JSON decoder without Go's types and without the content.
func readable(err error) error {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return fmt.Errorf("it is no JSON, or ends too early (at byte %d)", syntax.ByteOffset)
	}
	var wrong *jsonv2.SemanticError
	if errors.As(err, &wrong) {
		where := string(wrong.JSONPointer)
		if where == "" {
			where = "the whole file"
		}
		return fmt.Errorf("%s has another type than in the storageState format of Playwright", where)
	}
	return err
}

// mostBytes is the largest file that is read.
const mostBytes = 256 << 20

// Read reads a file, decrypted if necessary. Errors: [api.FileNotFound], [api.InvalidState], [api.WrongKey],
// [api.KeyringUnavailable].
func Read(ctx context.Context, path string, keys sealed.Keys) (*Saved, error) {
	raw, err := files.Read(ctx, path, mostBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, api.Errorf(api.FileNotFound, "there is no saved state %s", path).With("path", path).
			WithHint("`state list` shows the saved states; relative paths are relative to the directory the command ran in.")
	case err != nil:
		return nil, api.Errorf(api.FileNotFound, "read the saved state %s: %w", path, err).With("path", path)
	}
	if sealed.Encrypted(raw) {
		if raw, err = keys.Open(path, raw); err != nil {
			return nil, err
		}
	}
	return parse(path, raw)
}

// Write writes a file with mode 0600, encrypted if keys say so. The file appears complete or not at all.
func Write(path string, s *Saved, keys sealed.Keys) error {
	raw, err := s.Marshal()
	if err != nil {
		return err
	}
	if raw, err = keys.Seal(raw); err != nil {
		return err
	}
	if err := dirs.WriteSecret(path, raw); err != nil {
		return api.Errorf(api.FileWriteFailed, "write the saved state %s: %w", path, err).With("path", path).
			WithHint("Give the path of another file, or a name, which is kept in usher's own directory.")
	}
	return nil
}

// Cookie is a cookie in Playwright's form.
type Cookie struct {
	Name     string  `json:"name"`
	Value    string  `json:"value"`
	Domain   string  `json:"domain"`  // with a dot before it, subdomains get the cookie, too
	Path     string  `json:"path"`    // empty counts as /
	Expires  float64 `json:"expires"` // seconds since 1970; -1 for the end of the browser session
	HTTPOnly bool    `json:"httpOnly"`
	Secure   bool    `json:"secure"`
	// SameSite is Strict, Lax or None; absent if the server set none, which browsers take as Lax.
	SameSite string `json:"sameSite,omitzero"`
	// PartitionKey is the site of the page in which a partitioned cookie is sent, and HasCrossSiteAncestor whether the
	// frame that set it had a frame of another site around it.
	PartitionKey         string `json:"partitionKey,omitzero"`
	HasCrossSiteAncestor *bool  `json:"_crHasCrossSiteAncestor,omitzero"`
}

// check reports what a cookie lacks.
func (c *Cookie) check() error {
	switch {
	case c.Name == "" && c.Value == "":
		return errors.New("it has neither name nor value")
	case strings.Trim(c.Domain, ".") == "":
		return fmt.Errorf("%q has no domain", c.Name)
	case c.SameSite != "" && c.SameSite != "Strict" && c.SameSite != "Lax" && c.SameSite != "None":
		return fmt.Errorf("%q has the sameSite %q, which is not Strict, Lax or None", c.Name, c.SameSite)
	case math.IsNaN(c.Expires) || math.IsInf(c.Expires, 0):
		return fmt.Errorf("%q has no valid time of expiry", c.Name)
	}
	return nil
}

// session reports whether the cookie ends with the browser session.
func (c *Cookie) session() bool { return c.Expires <= 0 }
