package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/session/mine"
	"github.com/usher-browser/usher/internal/session/results"
)

// Relay is the relay to the user's own Chrome.
func (r *Registry) Relay() *mine.Host { return r.relay }

// connector returns how a browser comes. That of the user comes through the relay, which is started.
func (r *Registry) connector(o browserhost.Options) browserhost.Connector {
	o.Version = r.opts.Version
	if o.Mine {
		port := o.RelayPort
		o.Relay = func() (browserhost.Relay, error) {
			if !r.relay.Running() {
				if _, err := r.relay.Start(port, ""); err != nil {
					return nil, err
				}
			}
			return r.relay, nil
		}
	}
	return browserhost.New(o)
}

// relayPort returns the port of the relay in the settings.
func relayPort(set *config.Settings) int {
	return set.Int("relay-port")
}

func (s *Session) relayStart(_ context.Context, cmd Command) (run.Result, error) {
	mode := ""
	if cmd.Call.Bool("single-active") {
		mode = "single-active"
	}
	started, err := s.reg.relay.Start(relayPort(cmd.Settings), mode)
	if err != nil {
		return run.Result{}, err
	}
	data := s.reg.relayState()
	data.Started = started
	return run.Result{Data: data, Text: data.Text()}, nil
}

func (s *Session) relayStop(context.Context, Command) (run.Result, error) {
	stopped := s.reg.relay.Stop()
	text := "✓ Relay stopped"
	if !stopped {
		text = "no relay is running"
	}
	return run.Result{Data: &results.RelayStopped{Stopped: stopped}, Text: text}, nil
}

func (s *Session) relayStatus(context.Context, Command) (run.Result, error) {
	data := s.reg.relayState()
	return run.Result{Data: data, Text: data.Text()}, nil
}

// relayState returns the state of the relay.
func (r *Registry) relayState() *results.Relay {
	st, extension, ok := r.relay.Status()
	data := &results.Relay{Running: ok}
	if !ok {
		return data
	}
	data.Port, data.Paired, data.Clients = r.relay.Port(), extension, st.Clients
	if data.Connected = st.Link.Connected; data.Connected {
		data.Since = st.Link.Since.UTC().Format(time.RFC3339)
		data.Browser, data.ExtensionVersion = st.Link.Hello.Product, st.Link.Hello.Version
		data.Tabs, data.Attached, data.Mode, data.Restrictions = st.Tabs, st.Attached, st.Settings.Mode, restrictionsOf(st.Settings.ReadOnly, st.Settings.LockURL, st.Settings.NoNewTabs)
	}
	return data
}

// restrictionsOf names what the user does not allow.
func restrictionsOf(readOnly, lockURL, noNewTabs bool) []string {
	var list []string
	for _, x := range []struct {
		on   bool
		name string
	}{{readOnly, "read-only"}, {lockURL, "lock-url"}, {noNewTabs, "no-new-tabs"}} {
		if x.on {
			list = append(list, x.name)
		}
	}
	return list
}

// extensionPair shows a code with which the extension pairs.
func (s *Session) extensionPair(_ context.Context, cmd Command) (run.Result, error) {
	if _, err := s.reg.relay.Start(relayPort(cmd.Settings), ""); err != nil {
		return run.Result{}, err
	}
	code, until, ok := s.reg.relay.Pair()
	if !ok {
		return run.Result{}, api.Errorf(api.DaemonStopping, "the relay has just ended")
	}
	left := time.Until(until).Round(time.Minute)
	text := fmt.Sprintf("Pairing code: %s %s\nType it into the popup of usher's extension in Chrome within %s.", code[:4], code[4:], strings.TrimSuffix(left.String(), "0s"))
	return run.Result{Data: &results.Pairing{Code: code, ExpiresAt: until.UTC().Format(time.RFC3339), Port: s.reg.relay.Port()}, Text: text}, nil
}
