package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/relay/link"
	"github.com/usher-browser/usher/internal/wire"
)

// relayClient is one client of the relay, with a tab of its own.
type relayClient struct {
	s      *relaySoak
	name   string
	rand   *rand.Rand
	conn   *cdp.Conn
	tab    *cdp.Session
	target string          // of the tab
	others map[string]bool // further tabs that it is attached to: their close was lost, or has not come yet
	count  int             // what its page has counted; -1: a command that counts or navigates was lost
	page   int             // the number of its page
	recent []answer
}

// relayMoves are what a client does, each as often as it is listed.
var relayMoves = []func(c *relayClient, ctx context.Context){
	(*relayClient).counts, (*relayClient).counts, (*relayClient).counts, (*relayClient).counts, (*relayClient).counts, (*relayClient).counts,
	(*relayClient).many, (*relayClient).large, (*relayClient).navigate, (*relayClient).tabs, (*relayClient).tabs, (*relayClient).joins,
}

func (c *relayClient) work(ctx context.Context) {
	for ctx.Err() == nil {
		c.s.calm.RLock()
		relayMoves[c.rand.IntN(len(relayMoves))](c, context.WithoutCancel(ctx))
		c.s.calm.RUnlock()
		pause(ctx, time.Duration(c.rand.Int64N(int64(100*time.Millisecond))))
	}
}

// begin connects and opens the client's tab.
func (c *relayClient) begin(ctx context.Context) (err error) {
	if c.conn, err = dialClient(ctx, c.s.server.URL()); err != nil {
		return err
	}
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err := c.conn.Browser().Call(ctx, "Target.createTarget", map[string]string{"url": c.s.site.URL("/small?" + c.name)}, &made); err != nil {
		return err
	}
	c.target = made.TargetID
	if c.tab, err = attachTo(ctx, c.conn, c.target); err == nil {
		err = becomes(ctx, c.tab, "location.search", "?"+c.name)
	}
	return err
}

func (c *relayClient) leave() error {
	if c.conn == nil {
		return nil
	}
	err := c.conn.Close()
	c.conn, c.others = nil, nil
	return err
}

// do runs a command and judges how it ends. It reports whether it succeeded.
func (c *relayClient) do(ctx context.Context, what string, f func(ctx context.Context) error) bool {
	ctx, cancel := context.WithTimeout(ctx, never)
	defer cancel()
	a := answer{args: []string{what}}
	began := time.Now()
	err := f(ctx)
	a.wall = time.Since(began)
	lost := err != nil && strings.Contains(err.Error(), link.ErrLost.Error())
	if err != nil {
		a.code, a.words = "failed", err.Error()
		if lost {
			a.code = "interrupted"
		}
	}
	c.recent = append(c.recent, a)
	if len(c.recent) > 14 {
		c.recent = slices.Delete(c.recent, 0, 1)
	}
	c.s.report.count(c.name, a)
	if a.wall > link.Grace+c.s.slack {
		c.complain(fmt.Sprintf("%s took %.1f s", what, a.wall.Seconds()))
	}
	if err != nil && !lost {
		c.complain(what + ": " + err.Error())
	}
	return err == nil
}

func (c *relayClient) complain(what string) {
	c.s.violation(c.name, what, slices.Clone(c.recent))
}

// counts lets the page count: it must be the same page, and have counted each time.
func (c *relayClient) counts(ctx context.Context) {
	got := 0
	if !c.do(ctx, "count", func(ctx context.Context) error { return evaluate(ctx, c.tab, "window.n = (window.n ?? 0) + 1", &got) }) {
		c.count = -1
		return
	}
	if c.count >= 0 && got != c.count+1 {
		c.complain(fmt.Sprintf("the page has counted to %d, not to %d", got, c.count+1))
	}
	c.count = got
}

// many sends commands at once. The replies must be theirs, in order.
func (c *relayClient) many(ctx context.Context) {
	c.do(ctx, "50 at once", func(ctx context.Context) error {
		var pending []*cdp.Pending[runtime.EvaluateResult]
		for i := range 50 {
			pending = append(pending, cdp.Start(c.tab, runtime.Evaluate, runtime.EvaluateParams{Expression: fmt.Sprint(i), ReturnByValue: new(true)}))
		}
		var lost error
		for i, p := range pending {
			res, err := p.Wait(ctx)
			switch {
			case err != nil:
				lost = err
			case string(res.Result.Value) != fmt.Sprint(i):
				return fmt.Errorf("the reply to %d is %s", i, res.Result.Value)
			}
		}
		return lost
	})
}

// large fetches a megabyte.
func (c *relayClient) large(ctx context.Context) {
	text := ""
	if c.do(ctx, "1 MB", func(ctx context.Context) error { return evaluate(ctx, c.tab, "'é'.repeat(5e5)", &text) }) && len(text) != 1_000_000 {
		c.complain(fmt.Sprintf("a text of 1,000,000 bytes came with %d", len(text)))
	}
}

// navigate loads another page in the client's tab.
func (c *relayClient) navigate(ctx context.Context) {
	c.page++
	query := fmt.Sprintf("?%s-%d", c.name, c.page)
	c.count = 0
	if !c.do(ctx, "navigate", func(ctx context.Context) error {
		return c.tab.Call(ctx, "Page.navigate", map[string]string{"url": c.s.site.URL("/small" + query)}, nil)
	}) {
		c.count = -1
		return
	}
	c.do(ctx, "arrive", func(ctx context.Context) error { return becomes(ctx, c.tab, "location.search", query) })
}

// tabs opens a tab, uses and closes it.
func (c *relayClient) tabs(ctx context.Context) {
	var made struct {
		TargetID string `json:"targetId"`
	}
	c.page++
	query := fmt.Sprintf("?%s-tab-%d", c.name, c.page)
	if !c.do(ctx, "open tab", func(ctx context.Context) error {
		return c.conn.Browser().Call(ctx, "Target.createTarget", map[string]string{"url": c.s.site.URL("/small" + query)}, &made)
	}) {
		return // it may be there: checks compare with the browser
	}
	var tab *cdp.Session
	if c.do(ctx, "attach", func(ctx context.Context) (err error) { tab, err = attachTo(ctx, c.conn, made.TargetID); return err }) {
		if c.others == nil {
			c.others = map[string]bool{}
		}
		c.others[made.TargetID] = true
		c.do(ctx, "use tab", func(ctx context.Context) error { return becomes(ctx, tab, "location.search", query) })
	}
	if c.do(ctx, "close tab", func(ctx context.Context) error {
		return c.conn.Browser().Call(ctx, "Target.closeTarget", map[string]string{"targetId": made.TargetID}, nil)
	}) {
		delete(c.others, made.TargetID)
	}
}

// joins leaves and comes again.
func (c *relayClient) joins(ctx context.Context) {
	c.do(ctx, "leave and join", func(ctx context.Context) (err error) {
		if err := c.leave(); err != nil {
			return err
		}
		if c.conn, err = dialClient(ctx, c.s.server.URL()); err == nil {
			c.tab, err = attachTo(ctx, c.conn, c.target)
		}
		return err
	})
}

// unheard is for connections whose events nobody needs.
type unheard struct{}

func (unheard) Event(cdp.Event) {}
func (unheard) Flush()          {}
func (unheard) Overflow(string) {}
func (unheard) Closed(error)    {}

func dialClient(ctx context.Context, address string) (*cdp.Conn, error) {
	conn, err := wire.Dial(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	return cdp.New(conn, unheard{}), nil
}

func attachTo(ctx context.Context, c *cdp.Conn, target string) (*cdp.Session, error) {
	var made struct {
		SessionID string `json:"sessionId"`
	}
	err := c.Browser().Call(ctx, "Target.attachToTarget", map[string]any{"targetId": target, "flatten": true}, &made)
	return c.Session(made.SessionID), err
}

// evaluate evaluates an expression, waits for a promise, and decodes the value.
func evaluate(ctx context.Context, s *cdp.Session, expression string, result any) error {
	res, err := cdp.Do(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ReturnByValue: new(true), AwaitPromise: new(true)})
	switch {
	case err != nil:
		return err
	case res.ExceptionDetails != nil:
		return fmt.Errorf("%s: %s", expression, res.ExceptionDetails.Text)
	}
	return json.Unmarshal(res.Result.Value, result)
}

// becomes waits until an expression has a value, in whatever document is there.
func becomes(ctx context.Context, s *cdp.Session, expression, want string) error {
	for {
		got := ""
		err := evaluate(ctx, s, expression, &got)
		if err == nil && got == want {
			return nil
		}
		if err != nil && strings.Contains(err.Error(), link.ErrLost.Error()) {
			err = nil
		}
		if !pause(ctx, 20*time.Millisecond) {
			return errors.Join(err, fmt.Errorf("%s is %q, not %q", expression, got, want))
		}
	}
}

// seenTarget is a target as Target.getTargets lists it.
type seenTarget struct {
	ID   string `json:"targetId"`
	Type string `json:"type"`
	URL  string `json:"url"`
}

func targets(ctx context.Context, c *cdp.Conn) ([]seenTarget, error) {
	var got struct {
		Infos []seenTarget `json:"targetInfos"`
	}
	err := c.Browser().Call(ctx, "Target.getTargets", nil, &got)
	return got.Infos, err
}

// pagesOf returns the ids of the web pages.
func pagesOf(all []seenTarget) map[string]bool {
	pages := map[string]bool{}
	for _, t := range all {
		if t.Type == "page" && strings.HasPrefix(t.URL, "http") {
			pages[t.ID] = true
		}
	}
	return pages
}

// pause waits, and reports whether ctx has not ended.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
