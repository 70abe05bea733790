package agenttool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/artifact"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/snapshot"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
)

// idle is after which time without a call a managed session ends.
const idle = "900000" // ms

// releasedIdle is how long a managed session outlives the server of its client. A client that starts its server again within that time
// goes on where it was.
const releasedIdle = "30000" // ms

// prefix begins the names of managed sessions.
const prefix = "agent-"

// maxAgents bounds the agents that are remembered. Those whose sessions have ended are forgotten first, then the oldest.
const maxAgents = 256

// Agents are what the tool knows of its callers. It is safe for concurrent use.
type Agents struct {
	mu   sync.Mutex
	all  map[string]*agent // guarded by mu: by the base of their sessions' names
	tick int               // guarded by mu
}

// agent is one caller: its sessions, and what it has been told of them.
type agent struct {
	base  string // of the names of its sessions
	seed  string
	owned bool // its sessions are the tool's, not a person's
	used  int  // guarded by Agents.mu

	mu      sync.Mutex
	ordinal int               // guarded by mu: of fresh sessions; it only grows
	current string            // guarded by mu: the session that calls use
	mine    map[string]bool   // guarded by mu: sessions with a browser that the tool started
	tab     tabPlace          // guarded by mu: where the last call was
	apps    map[string]string // guarded by mu: the launches of apps, by session
	scripts map[string]bool   // guarded by mu: sessions of scripts that could not be closed
	told    snapshot.Told     // guarded by mu
	files   artifact.Manifest // guarded by mu
}

// of returns the agent of a request.
func (a *Agents) of(r *Request) *agent {
	base, owned := r.Session, false
	if base == "" {
		base, owned = baseName(r.Client, r.Cwd), true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = map[string]*agent{}
	}
	a.tick++
	found := a.all[base]
	if found == nil {
		a.forget()
		found = &agent{base: base, seed: r.Client, owned: owned, current: base, mine: map[string]bool{}}
		a.all[base] = found
	}
	found.used = a.tick
	return found
}

// forget makes room for another agent. The caller holds mu.
func (a *Agents) forget() {
	for len(a.all) >= maxAgents {
		oldest := ""
		for base, one := range a.all {
			if oldest == "" || one.used < a.all[oldest].used {
				oldest = base
			}
		}
		delete(a.all, oldest)
	}
}

// baseName returns the name of a client's session: readable, and different for each client and directory.
func baseName(client, cwd string) string {
	slug := strings.Trim(strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			return c
		}
		return '-'
	}, strings.ToLower(filepath.Base(cwd))), "-")
	if len(slug) > 24 {
		slug = strings.Trim(slug[:24], "-")
	}
	if slug == "" {
		slug = "dir"
	}
	return prefix + slug + "-" + digest("session:"+client, 12) + "-" + digest("cwd:"+cwd, 8)
}

func digest(text string, n int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:n]
}

// next returns the name of the next fresh session.
func (a *agent) next() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ordinal++
	return a.base + "-fresh-" + digest(fmt.Sprintf("fresh:%s:%s:%d", a.base, a.seed, a.ordinal), 10)
}

func (a *agent) session() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.current
}

// mayUse returns an error for the managed session of another agent.
func (a *agent) mayUse(session string) error {
	a.mu.Lock()
	own := a.scripts[session]
	a.mu.Unlock()
	if own || !strings.HasPrefix(session, prefix) || session == a.base || strings.HasPrefix(session, a.base+"-fresh-") {
		return nil
	}
	return step.Invalid("--session %s is the session of another agent. Omit --session for your own, or use a name that does not begin with %s.", session, prefix)
}

// ownSessions returns the words of a command without the --all of close, which would end the sessions of the person and of other agents: an agent
// ends its own.
func (c *call) ownSessions(words []string) []string {
	at := slices.Index(words, "--all")
	if at < 0 || !slices.Contains(words, "close") {
		return words
	}
	without := slices.Delete(slices.Clone(words), at, at+1)
	if row, err := step.Prepare(c.h, without, nil); err != nil || row.Call == nil || row.Call.Verb.Name != "close" {
		return words
	}
	c.closeAll = true
	return without
}

// closeOthers ends the sessions of the agent but that of the call.
func (c *call) closeOthers(ctx context.Context) {
	a := c.agent
	a.mu.Lock()
	names := slices.Sorted(maps.Keys(a.mine))
	a.mu.Unlock()
	for _, name := range append(names, a.session()) {
		if name == c.session || c.h.Work("", name) == nil {
			continue
		}
		if _, err := c.h.Run(ctx, step.Command(c.h, "", name, "close")); err != nil {
			c.diag.Say("The session " + name + " could not be closed: " + api.AsError(err).Message)
			continue
		}
		a.mu.Lock()
		delete(a.mine, name)
		a.mu.Unlock()
	}
}

// leave notes the session of a script that could not be closed.
func (a *agent) leave(session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.scripts == nil {
		a.scripts = map[string]bool{}
	}
	a.scripts[session] = true
}

// managed is the session that a call uses, if the tool manages it.
type managed struct {
	agent    *agent
	name     string // that the call uses
	previous string // the current one before
	before   bool   // that one had a browser
	fresh    bool
}

// settle says what became of the session, and makes it the current one if it lives.
func (m *managed) settle(ctx context.Context, h step.Host, mode string, ok, closed bool) *result.ManagedSessionOutcome {
	live := h.Work("", m.name) != nil
	out := &result.ManagedSessionOutcome{SessionMode: mode, ActiveBefore: m.before, Succeeded: ok, PreviousSessionName: m.previous}
	a := m.agent
	a.mu.Lock()
	current := a.current
	switch {
	case closed:
		out.Status, out.Summary = "closed", "The session was closed; the next call starts another."
		delete(a.mine, m.name)
	case m.fresh && live && m.before && m.previous != m.name:
		out.Status, out.ReplacedSessionName = "replaced", m.previous
		out.Summary = "The fresh session is the current one; the one before is closed."
	case live && (m.fresh || !m.before):
		out.Status, out.Summary = "created", "The session was started."
	case live:
		out.Status, out.Summary = "unchanged", "The session goes on."
	case m.fresh && m.before:
		out.Status, out.Summary = "preserved", "The fresh session did not start; the one before goes on."
	case m.fresh:
		out.Status, out.Summary = "abandoned", "The fresh session did not start, and there is no other."
	default:
		out.Status, out.Summary = "unchanged", "The session has no browser."
	}
	if m.fresh || closed {
		out.AttemptedSessionName = m.name
	}
	replaced := ""
	if live {
		a.mine[m.name] = a.owned || m.fresh
		if m.fresh && current == m.previous {
			a.current = m.name
			replaced = out.ReplacedSessionName
		}
	}
	a.mu.Unlock()
	if closed && a.owned {
		next := a.next()
		a.mu.Lock()
		if a.current == m.name {
			a.current = next
		}
		a.mu.Unlock()
	}
	if replaced != "" {
		_, err := h.Run(ctx, step.Command(h, "", replaced, "close"))
		done := err == nil || h.Work("", replaced) == nil
		out.ReplacedSessionClosed = &done
		if !done {
			out.Summary = "The fresh session is the current one; the one before could not be closed: " + api.AsError(err).Message
		}
		a.mu.Lock()
		delete(a.mine, replaced)
		a.mu.Unlock()
	}
	out.CurrentSessionName = a.session()
	out.ActiveAfter = h.Work("", out.CurrentSessionName) != nil
	return out
}

// Release is called when the server of a client ends. Its sessions end soon, unless it comes back.
func (a *Agents) Release(ctx context.Context, h step.Host, r *Request) error {
	one := a.of(r)
	one.mu.Lock()
	one.told.Forget() // the client that comes back has no refs
	one.files.Forget()
	var names []string
	for name, mine := range one.mine {
		if mine {
			names = append(names, name)
		}
	}
	one.mu.Unlock()
	slices.Sort(names)
	var errs []error
	for _, name := range names {
		if h.Work("", name) == nil {
			continue
		}
		row := step.Command(h, "", name, "session", "info")
		if err := row.Call.Give("idle-timeout", releasedIdle); err != nil {
			return err
		}
		_, err := h.Run(ctx, row)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
