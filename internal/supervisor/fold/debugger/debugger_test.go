package debugger_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/debugger"
)

// domain is a Debugger with two claimants that record their calls.
type domain struct {
	*core.Core
	*debugger.Debugger
	first, second *debugger.Claimant
	takes         string // the claimant that takes the next pause
	told          []string
}

func newDomain() *domain {
	c := core.New(false)
	d := &domain{Core: c, Debugger: debugger.New(c)}
	claimant := func(name string) *debugger.Claimant {
		return &debugger.Claimant{
			Paused: func(*cdp.Event) bool {
				d.told = append(d.told, name+" paused")
				return d.takes == name
			},
			Resumed: func(*cdp.Event) { d.told = append(d.told, name+" resumed") },
		}
	}
	d.first, d.second = claimant("first"), claimant("second")
	d.second.ScriptParsed = func(*cdp.Event) { d.told = append(d.told, "second script") }
	d.Add(d.first)
	d.Add(d.second)
	return d
}

// input calls f as one input and returns the commands sent.
func (d *domain) input(f func()) string {
	d.Begin(time.Unix(1000, 0))
	f()
	var sent []string
	for _, e := range d.Effects() {
		sent = append(sent, strings.TrimPrefix(e.Send.Method, "Debugger."))
	}
	return strings.Join(sent, " ")
}

// event reports an event of CDP session S, and returns the commands sent and the claimants called.
func (d *domain) event(method string) (sent, told string) {
	d.told = nil
	sent = d.input(func() {
		d.Debugger.Handlers().Events["Debugger."+method](&cdp.Event{SessionID: "S", Method: "Debugger." + method})
	})
	return sent, strings.Join(d.told, ", ")
}

func (d *domain) expect(t *testing.T, step, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", step, got, want)
	}
}

// The domain is enabled with the first claim and disabled with the last, whichever claimant's they are.
func TestClaims(t *testing.T) {
	for _, firstLeavesFirst := range []bool{true, false} {
		d := newDomain()
		d.expect(t, "first claim", d.input(func() { d.Claim("S", d.first) }), "enable")
		d.expect(t, "again", d.input(func() { d.Claim("S", d.first) }), "")
		d.expect(t, "second claim", d.input(func() { d.Claim("S", d.second) }), "")
		d.expect(t, "of another session", d.input(func() { d.Claim("R", d.second) }), "enable")
		one, other := d.first, d.second
		if !firstLeavesFirst {
			one, other = other, one
		}
		d.expect(t, "first release", d.input(func() { d.Release("S", one) }), "")
		d.expect(t, "of one without a claim", d.input(func() { d.Release("S", one) }), "")
		d.expect(t, "last release", d.input(func() { d.Release("S", other) }), "disable")
		d.expect(t, "where nobody has a claim", d.input(func() { d.Release("S", other) }), "")
		d.expect(t, "a claim behind the last release", d.input(func() { d.Claim("S", one) }), "enable")
	}
}

// A pause is offered to the claimants in the order in which they were added, not in which they claimed, until one takes
// it.
func TestPauses(t *testing.T) {
	d := newDomain()
	for _, c := range []struct {
		name       string
		claims     []*debugger.Claimant
		takes      string
		sent, told string
	}{
		{"nobody's", nil, "first", "", ""},
		{"the first takes it", []*debugger.Claimant{d.second, d.first}, "first", "", "first paused"},
		{"the second takes it", []*debugger.Claimant{d.second, d.first}, "second", "", "first paused, second paused"},
		{"nobody takes it", []*debugger.Claimant{d.second, d.first}, "", "resume", "first paused, second paused"},
		{"without a claim it is not asked", []*debugger.Claimant{d.second}, "first", "resume", "second paused"},
	} {
		d.input(func() {
			for _, claimant := range c.claims {
				d.Claim("S", claimant)
			}
		})
		d.takes = c.takes
		sent, told := d.event("paused")
		d.expect(t, c.name+", sent", sent, c.sent)
		d.expect(t, c.name+", told", told, c.told)
		if _, told := d.event("resumed"); told != "first resumed, second resumed" {
			t.Errorf("%s: the end of the pause is told as %q", c.name, told)
		}
		d.input(func() { d.ForgetSession("S") })
	}
}

// Claimants with ScriptParsed get the scripts of CDP sessions in which they have a claim.
func TestScripts(t *testing.T) {
	d := newDomain()
	for _, c := range []struct {
		claimant *debugger.Claimant
		told     string
	}{{d.first, ""}, {d.second, "second script"}} {
		d.input(func() { d.Claim("S", c.claimant) })
		_, told := d.event("scriptParsed")
		d.expect(t, "a script", told, c.told)
	}
}

// Scripts are excluded if every claimant needs pauses in one script only.
func TestExcludedScripts(t *testing.T) {
	d := newDomain()
	d.first.Only, d.second.Only = "a.js", ""
	pattern := func(f func()) string {
		d.input(f)
		for _, e := range d.Effects() {
			if p, ok := e.Send.Params.(core.Params); ok && e.Send.Method == "Debugger.setBlackboxPatterns" {
				return fmt.Sprint(p["patterns"], p["skipAnonymous"])
			}
		}
		return ""
	}
	d.expect(t, "one script", pattern(func() { d.Claim("S", d.first) }), "[^(?!a.js$)] true")
	d.expect(t, "and all", pattern(func() { d.Claim("S", d.second) }), "[] false")
	d.expect(t, "the claim for all is given back", pattern(func() { d.Release("S", d.second) }), "[^(?!a.js$)] true")
	d.second.Only = "b.js"
	d.expect(t, "two scripts", pattern(func() { d.Claim("S", d.second) }), "[^(?!a.js$|b.js$)] true")
	d.expect(t, "one is left", pattern(func() { d.Release("S", d.first) }), "[^(?!b.js$)] true")
}

// Releasing a claim resumes the pause that the claimant took, and no other.
func TestReleaseOfAPause(t *testing.T) {
	for _, c := range []struct{ takes, releases, resumed, sent string }{
		{takes: "first", releases: "first", sent: "resume"},
		{takes: "second", releases: "first"},
		{takes: "first", releases: "second"},
		{takes: "first", releases: "first", resumed: "yes"},
	} {
		d := newDomain()
		d.input(func() { d.Claim("S", d.first); d.Claim("S", d.second) })
		d.takes = c.takes
		d.event("paused")
		if c.resumed != "" {
			d.input(func() { d.Resume("S") })
		}
		claimant := d.first
		if c.releases == "second" {
			claimant = d.second
		}
		sent := d.input(func() { d.Release("S", claimant) })
		d.expect(t, c.takes+" took it and "+c.releases+" is released", sent, c.sent)
	}
}

// Nothing is sent to a CDP session that has ended. A later one with the same id starts anew.
func TestSessionGone(t *testing.T) {
	d := newDomain()
	d.input(func() { d.Claim("S", d.first); d.Claim("S", d.second) })
	d.takes = "first"
	d.event("paused")
	sent := d.input(func() {
		d.ForgetSession("S")
		d.Release("S", d.first)
	})
	d.expect(t, "a release behind the end", sent, "")
	if sent, told := d.event("paused"); sent != "" || told != "" {
		t.Errorf("a late pause: sent %q, told %q", sent, told)
	}
	d.expect(t, "a new one", d.input(func() { d.Claim("S", d.second) }), "enable")
	d.Renew()
	d.expect(t, "of a renewed model", d.input(func() { d.Claim("S", d.second) }), "enable")
}
