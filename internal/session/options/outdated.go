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
}

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
	sent := map[string]bool{}
	for _, had := range t.candidates {
		for _, cmd := range now.Change(had) {
			if sent[cmd.Method] {
				continue
			}
			sent[cmd.Method] = true
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
	}
	return nil
}

// Post sends a tab that was set up before there were options the commands for a new page. Like its set-up it does not wait
// for replies: what a dialog or a crash holds up waits with everything else that is sent to the tab.
func (o Pages) Post(to *supervisor.Browser, t *model.Tab) {
	for _, cmd := range o.Init() {
		if cmd.Frames {
			post(to, t.ID, cmd)
		}
		to.Session(t.Session).Post(cmd.Method, cmd.Params, nil)
	}
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
