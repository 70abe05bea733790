// Package auth has the commands that save logins and log in with them.
package auth

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
)

// Profile is a saved login without its secrets.
type Profile struct {
	Name     string `json:"name"`
	URL      string `json:"url"` // of the login page
	Username string `json:"username"`
	// The CSS selectors of the form; null for what is found by itself.
	UsernameSelector *string `json:"usernameSelector"`
	PasswordSelector *string `json:"passwordSelector"`
	SubmitSelector   *string `json:"submitSelector"`
	// CheckURL and CheckText are what proves a login, if given.
	CheckURL  string `json:"checkUrl,omitzero"`
	CheckText string `json:"checkText,omitzero"`
	// OneTimeCodes reports whether the login has a secret for one-time codes.
	OneTimeCodes bool `json:"oneTimeCodes,omitzero"`
}

// Saved is the result of `auth save`.
type Saved struct {
	Saved string `json:"saved"` // the name
}

// Shown is the result of `auth show`.
type Shown struct {
	Profile Profile `json:"profile"`
}

// Row is a login in a list.
type Row struct {
	Name     string `json:"name"`
	URL      string `json:"url"`
	Username string `json:"username"`
	Error    string `json:"error,omitzero"` // why it cannot be read; the other members are empty then
}

// Listed is the result of `auth list`.
type Listed struct {
	Profiles []Row `json:"profiles"`
}

// Deleted is the result of `auth delete`.
type Deleted struct {
	Deleted string `json:"deleted"` // the name
}

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"auth save":   run.Handle(save),
		"auth login":  run.Handle(login),
		"auth list":   run.Handle(list),
		"auth show":   run.Handle(show),
		"auth delete": run.Handle(remove),
	}}
}

// maxPassword bounds what is read from standard input, in bytes.
const maxPassword = 64 << 10

func save(_ context.Context, e *run.Env, c *verb.Call) (run.Reply[Saved], error) {
	var res run.Reply[Saved]
	p := profile{Profile: Profile{Name: c.Str("name"), URL: c.Str("url"), Username: c.Str("username")}, Password: c.Str("password")}
	p.override(c)
	switch {
	case p.URL == "":
		return res, missing("--url", "the address of the login page")
	case p.Username == "":
		return res, missing("--username", "the user name")
	case c.Bool("password-stdin") && c.Has("password"):
		return res, api.Errorf(api.InvalidArgument, "--password and --password-stdin exclude each other")
	}
	if u, err := url.Parse(p.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return res, api.Errorf(api.InvalidArgument, "--url %s is not an http or https address", p.URL)
	}
	if c.Bool("password-stdin") {
		raw, err := io.ReadAll(io.LimitReader(e.Stdin, maxPassword))
		if err != nil {
			return res, api.Errorf(api.InvalidArgument, "read the password from standard input: %w", err)
		}
		p.Password = strings.TrimRight(string(raw), "\r\n")
	}
	if p.Password == "" {
		return res, missing("--password-stdin", "the password on standard input")
	}
	if c.Has("totp-secret") {
		secret, err := secretOf(c.Str("totp-secret"))
		if err != nil {
			return res, err
		}
		p.TOTP, p.OneTimeCodes = secret, true
	}
	v, err := openVault(e)
	if err != nil {
		return res, err
	}
	if err := v.save(p.Name, &p); err != nil {
		return res, err
	}
	res.Data = Saved{p.Name}
	res.Text = fmt.Sprintf("✓ Login %s saved", plain.Quote(p.Name))
	if c.Has("password") {
		res.Warning = "other users of this machine may have seen the password in the list of processes; --password-stdin avoids that"
	}
	return res, nil
}

func missing(flag, what string) error {
	return api.Errorf(api.MissingArgument, "auth save: %s is missing", what).WithHint("Give %s.", flag)
}

// override sets what the flags of a call say in place of the saved values.
func (p *profile) override(c *verb.Call) {
	for name, to := range map[string]**string{"username-selector": &p.UsernameSelector, "password-selector": &p.PasswordSelector, "submit-selector": &p.SubmitSelector} {
		if c.Has(name) {
			*to = new(c.Str(name))
		}
	}
	if c.Has("check-url") || c.Has("check-text") {
		p.CheckURL, p.CheckText = c.Str("check-url"), c.Str("check-text")
	}
}

// secretOf returns the secret of one-time codes in Base32, from itself or an otpauth address.
func secretOf(text string) (string, error) {
	secret := strings.ToUpper(strings.ReplaceAll(text, " ", ""))
	if strings.HasPrefix(text, "otpauth://") {
		key, err := otp.NewKeyFromURL(text)
		if err != nil || key.Type() != "totp" || key.Period() != 30 || key.Digits() != otp.DigitsSix || key.Algorithm() != otp.AlgorithmSHA1 {
			return "", api.Errorf(api.InvalidArgument, "--totp-secret is no otpauth:// address of time-based codes with 6 digits, SHA-1 and 30 seconds")
		}
		secret = key.Secret()
	}
	if _, err := totp.GenerateCode(secret, time.Unix(0, 0)); err != nil {
		return "", api.Errorf(api.InvalidArgument, "--totp-secret is not Base32")
	}
	return secret, nil
}

func list(_ context.Context, e *run.Env, _ *verb.Call) (run.Reply[Listed], error) {
	res := run.Reply[Listed]{Data: Listed{Profiles: []Row{}}}
	v, err := openVault(e)
	if err != nil {
		return res, err
	}
	names, err := v.names()
	if err != nil {
		return res, err
	}
	var lines []string
	for _, name := range names {
		row := Row{Name: name}
		if p, err := v.load(name); err != nil {
			row.Error = err.Error()
			lines = append(lines, name+" - "+row.Error)
		} else {
			row.URL, row.Username = p.URL, p.Username
			lines = append(lines, fmt.Sprintf("%s - %s (%s)", name, p.URL, p.Username))
		}
		res.Data.Profiles = append(res.Data.Profiles, row)
	}
	if res.Text = strings.Join(lines, "\n"); len(lines) == 0 {
		res.Text = "No saved logins"
	}
	if e.Settings.Compatible {
		res.Text = theirList(res.Data.Profiles)
	}
	return res, nil
}

// theirList is the text of `auth list` under the program name agent-browser.
func theirList(rows []Row) string {
	if len(rows) == 0 {
		return "No auth profiles saved"
	}
	lines := []string{"Auth profiles:"}
	for _, r := range rows {
		if r.Error != "" {
			lines = append(lines, "  "+r.Name+" - "+r.Error)
		} else {
			lines = append(lines, "  "+r.Name+" "+r.Username+" "+r.URL)
		}
	}
	return strings.Join(lines, "\n")
}

func show(_ context.Context, e *run.Env, c *verb.Call) (run.Reply[Shown], error) {
	v, err := openVault(e)
	if err != nil {
		return run.Reply[Shown]{}, err
	}
	p, err := v.load(c.Str("name"))
	if err != nil {
		return run.Reply[Shown]{}, err
	}
	format := "name      %s\nurl       %s\nusername  %s"
	if e.Settings.Compatible {
		format = "Name: %s\nURL: %s\nUsername: %s"
	}
	text := fmt.Sprintf(format, p.Name, p.URL, p.Username)
	for _, field := range []struct {
		label string
		value *string
	}{{"username field", p.UsernameSelector}, {"password field", p.PasswordSelector}, {"submit button", p.SubmitSelector}} {
		switch {
		case field.value == nil:
		case e.Settings.Compatible:
			text += "\n" + strings.ToUpper(field.label[:1]) + field.label[1:] + ": " + *field.value
		default:
			text += "\n" + field.label + "  " + *field.value
		}
	}
	return run.Reply[Shown]{Data: Shown{p.Profile}, Text: text}, nil
}

func remove(_ context.Context, e *run.Env, c *verb.Call) (run.Reply[Deleted], error) {
	v, err := openVault(e)
	if err != nil {
		return run.Reply[Deleted]{}, err
	}
	if err := v.remove(c.Str("name")); err != nil {
		return run.Reply[Deleted]{}, err
	}
	return run.Reply[Deleted]{Data: Deleted{c.Str("name")}, Text: fmt.Sprintf("✓ Login %s deleted", plain.Quote(c.Str("name")))}, nil
}
