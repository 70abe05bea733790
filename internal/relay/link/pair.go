package link

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/config/dirs"
)

// A pairing code can be guessed with probability 5 in 100 million before it ends.
const (
	codeDigits = 8
	codeLife   = 5 * time.Minute
	codeTries  = 5
)

// Pairing knows which extension may connect, and what CDP clients must know. It is kept in a file that only the user can read.
type Pairing struct {
	path string

	mu    sync.Mutex
	kept  kept      // guarded by mu: what the file has
	code  string    // guarded by mu: that may be used once; "" for none
	until time.Time // guarded by mu: the end of the code
	tries int       // guarded by mu: that are left for the code
}

// kept is what the file has.
type kept struct {
	Clients   string `json:"clients"`             // the token of CDP clients
	Extension string `json:"extension,omitempty"` // the id of the paired extension
	Token     string `json:"token,omitempty"`     // its token
}

// OpenPairing reads the file in a directory, and makes it if there is none.
func OpenPairing(dir string) (*Pairing, error) {
	p := &Pairing{path: filepath.Join(dir, "relay.json")}
	text, err := dirs.ReadPrivate(p.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("read the pairing of the extension: %w", err)
	default:
		if err := json.Unmarshal(text, &p.kept); err != nil {
			return nil, fmt.Errorf("read the pairing of the extension: %s: %w; remove the file and pair anew", p.path, err)
		}
	}
	if len(p.kept.Clients) < 43 {
		p.kept.Clients = newToken()
		if err := p.save(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// newToken returns 32 random bytes in base64url: 43 characters.
func newToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// save writes the file. The caller holds mu, or is the only one.
func (p *Pairing) save() error {
	text, err := json.Marshal(p.kept)
	if err == nil {
		err = dirs.WriteSecret(p.path, text)
	}
	if err != nil {
		return fmt.Errorf("save the pairing of the extension: %w", err)
	}
	return nil
}

// ClientToken is the token of CDP clients.
func (p *Pairing) ClientToken() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept.Clients
}

// Extension returns the id of the paired extension; "" without one.
func (p *Pairing) Extension() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept.Extension
}

// NewCode returns a code with which an extension can pair once, within five minutes and five attempts. An earlier code ends.
func (p *Pairing) NewCode() (code string, until time.Time) {
	n, err := rand.Int(rand.Reader, big.NewInt(100_000_000))
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.code, p.until, p.tries = fmt.Sprintf("%0*d", codeDigits, n), time.Now().Add(codeLife), codeTries
	return p.code, p.until
}

// Pin pairs with an extension without a code: usher itself has loaded it into a browser that it launched. The extension must have
// the token.
func (p *Pairing) Pin(extension string) (token string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept.Extension, p.kept.Token = extension, newToken()
	return p.kept.Token, p.save()
}

// awaits reports whether an extension that is not the paired one may try a code.
func (p *Pairing) awaits() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.code != "" && time.Now().Before(p.until) || p.kept.Extension == ""
}

// admit decides whether an extension may connect. made is its new token, if it has just paired. The error has a status of the
// contract and a reason for its user.
func (p *Pairing) admit(extension, token, code string) (made string, refused *refusal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if code != "" {
		return p.pair(extension, code)
	}
	switch {
	case token == "" || p.kept.Token == "":
		return "", &refusal{statusNotPaired, "not paired: run `usher extension pair` and type the code here"}
	case extension != p.kept.Extension || subtle.ConstantTimeCompare([]byte(token), []byte(p.kept.Token)) != 1:
		return "", &refusal{statusWrong, "wrong token: run `usher extension pair` and type the code here"}
	}
	return "", nil
}

// pair takes a code. The caller holds mu.
func (p *Pairing) pair(extension, code string) (made string, refused *refusal) {
	if p.code == "" || !time.Now().Before(p.until) {
		p.code = ""
		return "", &refusal{statusWrong, "no code is valid now: run `usher extension pair`"}
	}
	if subtle.ConstantTimeCompare([]byte(code), []byte(p.code)) != 1 {
		if p.tries--; p.tries <= 0 {
			p.code = ""
			return "", &refusal{statusWrong, "wrong code, too often: run `usher extension pair` again"}
		}
		return "", &refusal{statusWrong, fmt.Sprintf("wrong code: %d more attempts", p.tries)}
	}
	before := p.kept
	p.code, p.kept.Extension, p.kept.Token = "", extension, newToken()
	if err := p.save(); err != nil {
		p.kept = before
		return "", &refusal{statusWrong, err.Error()}
	}
	return p.kept.Token, nil
}
