// Package plugin calls plugins of the protocol agent-browser.plugin.v1: programs that give credentials, browsers or launch
// options, or do something of their own.
//
// A plugin is started for each request. It reads one JSON object from standard input:
//
//	{"protocol":"agent-browser.plugin.v1","type":"credential.resolve","capability":"credential.read","request":{…}}
//
// and writes one to standard output:
//
//	{"protocol":"agent-browser.plugin.v1","success":true,"credential":{…}}
//	{"protocol":"agent-browser.plugin.v1","success":false,"error":"the vault is locked"}
//
// then exits with status 0. What it writes to standard error is quoted in errors; what it writes to standard output is not,
// because that may be a secret.
package plugin

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// Protocol names the protocol in requests and replies.
const Protocol = "agent-browser.plugin.v1"

// The types of requests that usher makes itself. Types of `plugin run` are the plugin's own.
const (
	Manifest          = "plugin.manifest"
	CredentialResolve = "credential.resolve"
	BrowserLaunch     = "browser.launch"
	BrowserClose      = "browser.close"
	LaunchMutate      = "launch.mutate"
)

// Request is what a plugin reads.
type Request struct {
	Protocol   string `json:"protocol"` // set by Call
	Type       string `json:"type"`
	Capability string `json:"capability"`
	Request    any    `json:"request"` // of the type; an object
}

// Reply has the members that all replies have; Call decodes the others into a type of the caller's.
type Reply struct {
	Protocol string `json:"protocol"`
	Success  bool   `json:"success"`
	Error    string `json:"error"` // only if not Success
}

// Host starts plugins for one command.
type Host struct {
	// Plugins are those of the configuration.
	Plugins []verb.PluginDef
	// Env returns a variable of the caller's environment; nil for that of this process.
	Env func(name string) (string, bool)
	// Limit is how long a plugin may take; 0 for [Limit].
	Limit time.Duration
}

// Limit is how long a plugin may take for a request: a person may have to unlock a vault meanwhile.
const Limit = time.Minute

// Bounds of what a plugin writes, in bytes.
const (
	maxReply  = 16 << 20
	maxStderr = 600
)

// Find returns the plugin of a name if it declares a capability. The error is [api.PluginNotFound].
func (h *Host) Find(name, capability string) (*verb.PluginDef, error) {
	var names, able []string
	for i := range h.Plugins {
		p := &h.Plugins[i]
		if p.Name == name && (capability == "" || p.Has(capability)) {
			return p, nil
		}
		names = append(names, p.Name)
		if p.Has(capability) {
			able = append(able, p.Name)
		}
	}
	for _, n := range names {
		if n == name {
			return nil, api.Errorf(api.PluginNotFound, "Plugin '%s' does not declare required capability '%s'", name, capability).
				WithHint("%s", others("Plugins with that capability are", able, "Add it to its capabilities in your configuration if the plugin can do that."))
		}
	}
	return nil, api.Errorf(api.PluginNotFound, "Plugin '%s' is not configured", name).
		WithHint("%s", others("Configured plugins are", names, "Add one with `plugin add`, or to plugins in your own configuration file (see help plugin)."))
}

func others(what string, names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	return what + " " + strings.Join(names, ", ") + "."
}

// With returns the plugins with a capability.
func (h *Host) With(capability string) []*verb.PluginDef {
	var out []*verb.PluginDef
	for i := range h.Plugins {
		if h.Plugins[i].Has(capability) {
			out = append(out, &h.Plugins[i])
		}
	}
	return out
}

// Call starts a plugin with a request, waits for its end and returns its reply, which it also decodes into a pointer
// unless that is nil. The error is [api.PluginFailed], or [api.Timeout].
func (h *Host) Call(ctx context.Context, p *verb.PluginDef, r Request, into any) (jsontext.Value, error) {
	r.Protocol = Protocol
	if r.Request == nil {
		r.Request = map[string]any{}
	}
	in, err := json.Marshal(r, json.Deterministic(true))
	if err != nil {
		return nil, api.Errorf(api.Internal, "encode the request to a plugin: %w", err)
	}
	limit := h.Limit
	if limit == 0 {
		limit = Limit
	}
	rctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ran := h.run(rctx, p, in)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, api.Errorf(api.Timeout, "Plugin '%s' was ended, because it took too long: %w%s", p.Name, context.Cause(ctx), ran.said()).With("plugin", p.Name)
	case ctx.Err() != nil:
		return nil, api.Errorf(api.Cancelled, "Plugin '%s' was ended: %w", p.Name, context.Cause(ctx))
	case rctx.Err() != nil:
		return nil, api.Errorf(api.Timeout, "Plugin '%s' timed out: it did not answer %s within %s%s", p.Name, r.Type, limit, ran.said()).
			WithHint("It was ended, with its child processes. If it waits for a person, such as for the password of a vault, unlock that first; or give more --timeout.")
	}
	return decode(p, &ran, into)
}

// decode checks what a plugin wrote.
func decode(p *verb.PluginDef, ran *ran, into any) (jsontext.Value, error) {
	var exit *exec.ExitError
	switch {
	case ran.large:
		return nil, failed(p, "Plugin '%s' wrote more than %d MB; it was ended", p.Name, maxReply>>20)
	case errors.As(ran.err, &exit):
		return nil, failed(p, "Plugin '%s' exited unsuccessfully: %s%s%s", p.Name, exit, ownError(ran.out), ran.said())
	case ran.err != nil:
		return nil, failed(p, "Failed to start plugin '%s': %w", p.Name, ran.err)
	}
	out := jsontext.Value(bytes.TrimSpace(ran.out))
	var reply Reply
	switch err := json.Unmarshal(out, &reply, jsontext.AllowInvalidUTF8(true)); {
	case len(out) == 0:
		return nil, failed(p, "Plugin '%s' returned invalid JSON: it wrote nothing to standard output%s", p.Name, ran.said())
	case err != nil || out.Kind() != '{':
		return nil, failed(p, "Plugin '%s' returned invalid JSON: its %d bytes on standard output are not one object with texts protocol and error, and success%s", p.Name, len(ran.out), ran.said())
	case reply.Protocol != Protocol:
		return nil, failed(p, "Plugin '%s' used unsupported protocol '%s'; usher speaks %s%s", p.Name, short(reply.Protocol), Protocol, ran.said())
	case !reply.Success && reply.Error == "":
		return nil, failed(p, "Plugin '%s' failed without an error text%s", p.Name, ran.said())
	case !reply.Success:
		return nil, failed(p, "Plugin '%s' failed: %s%s", p.Name, short(reply.Error), ran.said())
	}
	if into != nil {
		if err := json.Unmarshal(out, into, jsontext.AllowInvalidUTF8(true)); err != nil {
			return nil, failed(p, "Plugin '%s' returned a reply with members of the wrong type%s%s", p.Name, place(err), ran.said())
		}
	}
	return out, nil
}

// failed returns the error of a plugin.
func failed(p *verb.PluginDef, format string, args ...any) *api.Error {
	return api.Errorf(api.PluginFailed, format, args...).With("plugin", p.Name).
		WithHint("The program is %s; `plugin show %s` shows how it is started.", p.Command, p.Name)
}

// ownError returns the error text of a reply whose program then exited with another status than 0.
func ownError(out []byte) string {
	var reply Reply
	if json.Unmarshal(out, &reply) != nil || reply.Error == "" {
		return ""
	}
	return "; " + short(reply.Error)
}

// place names the member that has another type, without its value, which may be a secret.
func place(err error) string {
	var wrong *json.SemanticError
	if errors.As(err, &wrong) && wrong.JSONPointer != "" {
		return ": " + short(string(wrong.JSONPointer))
	}
	return ""
}

// short bounds a text of a plugin in a message, and makes it one line.
func short(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if r := []rune(text); len(r) > maxStderr {
		return string(r[:maxStderr]) + "…"
	}
	return text
}
