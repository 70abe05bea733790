package options

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// Outdated is a tab that does not have the options in force.
type Outdated struct {
	Session    string // the CDP session that they were sent in; a newer one has got all of them in its set-up
	candidates []Live // those it had, and those that were sent without a reply
	bare       bool   // it was set up before there were options
}

// Bare returns a tab that was set up, in a CDP session, before there were options.
func Bare(session string) Outdated { return Outdated{Session: session, bare: true} }

// With returns t with options that the tab may also have.
func (t Outdated) With(o Live) Outdated {
	if !slices.ContainsFunc(t.candidates, func(had Live) bool { return maps.Equal(had, o) }) {
		t.candidates = append(slices.Clone(t.candidates), o)
	}
	return t
}

// Send sends a tab the commands that turn every option it may have into the ones in force. It ends when the tab cannot
// answer.
func (t Outdated) Send(ctx context.Context, to *supervisor.Browser, tab model.TargetID, now Pages) error {
	ctx, stop := to.Guard(ctx, tab)
	defer stop()
	for _, cmd := range t.missing(now) {
		if cmd.Frames {
			post(to, tab, cmd)
		}
		if err := to.Session(t.Session).Call(ctx, cmd.Method, cmd.Params, nil); err != nil && (!cmd.Process || !inEffect(err)) {
			if b := to.Blocked(err, tab); b != nil && b.Gone {
				return nil
			}
			return err
		}
	}
	return nil
}

// missing lists the commands of Send.
func (t Outdated) missing(now Pages) (cmds []model.InitCommand) {
	sent := map[string]bool{}
	if t.bare {
		cmds = now.Init()
	}
	for _, cmd := range cmds {
		sent[cmd.Method] = true
	}
	for _, had := range t.candidates {
		for _, cmd := range now.Change(had) {
			if !sent[cmd.Method] {
				cmds = append(cmds, cmd)
			}
			sent[cmd.Method] = true
		}
	}
	return cmds
}

// post sends a command to the out-of-process frames of a tab without waiting for replies: their set-up is like the
// page's.
func post(to *supervisor.Browser, tab model.TargetID, cmd model.InitCommand) {
	t := to.State().Tabs[tab]
	if t == nil {
		return
	}
	for _, f := range t.Frames {
		if f.OOPIF && f.ID != t.Main && f.Session != "" {
			to.Session(f.Session).Post(cmd.Method, cmd.Params, nil)
		}
	}
}

// Refused reports whether the browser rejects an option, as opposed to a tab that could not receive it. A page that
// crashes, or closes, during the call answers with an error, too.
func Refused(err error, by *supervisor.Browser, tab model.TargetID) bool {
	var no *cdp.Error
	if !errors.As(err, &no) || no.Code == -32001 || no.Code == -32603 || world.DocumentGone(err) || by.Blocked(err, tab) != nil {
		return false
	}
	for _, word := range []string{"crashed", "closed", "detached", "Not attached"} {
		if strings.Contains(no.Message, word) {
			return false
		}
	}
	return true
}

// inEffect reports whether the browser refuses a command because another page of the process has sent it.
func inEffect(err error) bool {
	var no *cdp.Error
	return errors.As(err, &no) && strings.Contains(no.Message, "already in effect")
}
