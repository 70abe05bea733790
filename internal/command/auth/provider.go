package auth

import (
	"context"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/plugin"
	"github.com/usher-browser/usher/internal/verb"
)

// credentialRequest is the request credential.resolve.
type credentialRequest struct {
	ItemRef     *string `json:"itemRef"`
	ProfileName string  `json:"profileName"`
	URL         *string `json:"url"`
}

// credentialReply is the reply. OTP is a one-time code that is valid now, TOTP the secret of such codes or an otpauth://
// address.
type credentialReply struct {
	Credential *struct {
		Username         string  `json:"username"`
		Password         string  `json:"password"`
		URL              string  `json:"url"`
		OTP              string  `json:"otp"`
		TOTP             string  `json:"totp"`
		UsernameSelector *string `json:"usernameSelector"`
		PasswordSelector *string `json:"passwordSelector"`
		SubmitSelector   *string `json:"submitSelector"`
	} `json:"credential"`
}

// profileOf returns the login of a call: a saved one, or one whose credentials come from a plugin.
func profileOf(ctx context.Context, e *run.Env, c *verb.Call) (*profile, error) {
	v, err := openVault(e)
	if err != nil {
		return nil, err
	}
	p, err := v.load(c.Str("name"))
	if !c.Has("credential-provider") {
		return p, err
	}
	if api.CodeOf(err) == api.LoginNotFound {
		p, err = &profile{Profile: Profile{Name: c.Str("name")}}, nil
	}
	if err != nil {
		return nil, err
	}
	return p, p.resolve(ctx, e, c)
}

// resolve takes the credentials from a plugin. The site on which they may be entered is that of the saved login, or the one
// that the plugin names: --url may only name another page of it.
func (p *profile) resolve(ctx context.Context, e *run.Env, c *verb.Call) error {
	host := e.Plugins()
	def, err := host.Find(c.Str("credential-provider"), verb.CredentialRead)
	if err != nil {
		return err
	}
	r := credentialRequest{ProfileName: p.Name}
	if c.Has("item") {
		r.ItemRef = new(c.Str("item"))
	}
	switch {
	case c.Has("url"):
		r.URL = new(c.Str("url"))
	case p.URL != "":
		r.URL = &p.URL
	}
	var reply credentialReply
	if _, err := host.Call(ctx, def, plugin.Request{Type: plugin.CredentialResolve, Capability: verb.CredentialRead, Request: r}, &reply); err != nil {
		return err
	}
	got := reply.Credential
	refused := func(format string, args ...any) error {
		return api.Errorf(api.PluginFailed, "Credential plugin '%s' "+format, append([]any{def.Name}, args...)...).With("plugin", def.Name)
	}
	switch {
	case got == nil:
		return refused("returned no credential")
	case got.Password == "":
		return refused("returned a credential without a password")
	}
	if got.TOTP != "" {
		if p.TOTP, err = secretOf(got.TOTP); err != nil {
			return refused("returned a totp that is neither a Base32 secret nor an otpauth:// address")
		}
	}
	p.Password, p.code = got.Password, got.OTP
	if got.Username != "" || p.Username == "" {
		p.Username = got.Username
	}
	for to, from := range map[**string]*string{&p.UsernameSelector: got.UsernameSelector, &p.PasswordSelector: got.PasswordSelector, &p.SubmitSelector: got.SubmitSelector} {
		if from != nil && *from != "" {
			*to = from
		}
	}
	return p.placeAt(got.URL, c)
}

// placeAt determines the site of a login from the saved address, the plugin's and that of the call.
func (p *profile) placeAt(named string, c *verb.Call) error {
	doing := "auth login " + p.Name
	if named != "" {
		address, err := verb.NormalizeURL(named)
		if err != nil {
			return api.Errorf(api.PluginFailed, "%s: the plugin names the address %s, which is none", doing, plain.Quote(named))
		}
		if p.URL != "" {
			return sameSite(p.URL, address, doing)
		}
		p.URL = address
	}
	switch {
	case p.URL != "":
		return nil
	case c.Has("url"):
		p.URL = c.Str("url")
		return nil
	}
	return api.Errorf(api.MissingArgument, "%s: neither a saved login nor the plugin says on which site the credentials may be entered", doing).
		WithHint("Give the login page with --url.")
}

// oneTimeCode returns a one-time code that is valid now.
func (p *profile) oneTimeCode() (string, error) {
	if p.code != "" {
		return p.code, nil
	}
	return totp.GenerateCode(p.TOTP, time.Now())
}
