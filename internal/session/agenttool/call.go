package agenttool

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/diagnosis"
	"github.com/usher-browser/usher/internal/session/agenttool/input"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/snapshot"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
)

// call is one call of the tool.
type call struct {
	agents  *Agents
	h       step.Host
	request *Request
	in      *input.Input
	agent   *agent
	details *result.Details
	next    result.Actions

	steps     []*step.Step
	bail      bool
	closeAll  bool // close is of all the agent's sessions
	batch     bool // the steps are rows
	semantic  *input.CompiledSemanticAction
	qa        *input.CompiledQA
	session   string // of the steps
	namespace string
	managed   *managed // nil for a session of the caller's, and for commands without one
	filters   filters
	notes     []string // for the model, from before the commands ran
	diag      *diagnosis.Diagnosis
	json      bool   // the caller wants the text as JSON
	nested    bool   // it is of a script
	link      string // that a download is to click; see linkOf
	images    []result.Content
	began     time.Time
	blocked   bool // when the time was over, the page did not answer
}

// Call runs a call.
func (a *Agents) Call(ctx context.Context, h step.Host, r *Request) *result.Result {
	c := &call{agents: a, h: h, request: r, agent: a.of(r), details: &result.Details{}}
	return c.run(ctx)
}

// nested runs a call of a script, in the script's session.
func (a *Agents) nested(ctx context.Context, h step.Host, r *Request, session string) *result.Result {
	own := &agent{base: session, owned: true, current: session, mine: map[string]bool{}}
	c := &call{agents: a, h: h, request: r, agent: own, details: &result.Details{}, nested: true}
	return c.run(ctx)
}

func (c *call) run(ctx context.Context) *result.Result {
	c.began = time.Now()
	in, err := input.Decode(c.request.Input)
	if err != nil {
		return c.invalid(err)
	}
	c.in = in
	if in.Args != nil {
		c.details.Args = step.RedactArgs(in.Args)
	}
	words, err := c.compile()
	if err == nil {
		err = in.Check(c.h.Work("", c.agent.session()) != nil)
	}
	if err != nil {
		return c.invalid(err)
	}
	if in.Script != nil {
		return c.runScript(ctx)
	}
	if res := c.inspection(words); res != nil {
		return res
	}
	if c.semantic != nil {
		if words, err = c.resolve(ctx, words); err != nil {
			return c.invalid(err)
		}
	}
	if err := c.plan(words); err != nil {
		return c.invalid(err)
	}
	if in.QA != nil && in.QA.IsAttached() {
		if res := c.attached(ctx); res != nil {
			return res
		}
	}
	if res := c.guards(); res != nil {
		return res
	}
	c.keepTab(ctx)
	c.link = c.linkOf(ctx)
	return c.execute(ctx)
}

// guards refuses the call before anything is done, if it must not be made.
func (c *call) guards() *result.Result {
	refs, err := latch(c.steps)
	if err == nil {
		refs, err = freshRefs(c.h, c.namespace, c.session, c.steps)
	}
	if err != nil {
		c.details.RefIDs = refs
		return c.stale(api.AsError(err))
	}
	c.agent.mu.Lock()
	lookup := func(ref string) string {
		if c.agent.told.Refs == nil {
			return ""
		}
		return c.agent.told.Refs.Refs[snapshot.RefID(ref)].Name
	}
	guard := stopBoundary(c.request.Prompt, c.steps, lookup)
	if guard == nil {
		guard = closeGuard(c.request.Prompt, c.request.Cwd, c.steps, &c.agent.files)
	}
	c.agent.mu.Unlock()
	if guard == nil {
		return nil
	}
	c.details.PromptGuard = guard
	res := c.invalid(api.Errorf(api.ActionDenied, "%s", guard.Message))
	return res
}

// stale is the result for refs that cannot be used. What was to be suggested before does not apply.
func (c *call) stale(err *api.Error) *result.Result {
	c.next.List = nil
	if c.unopened() {
		c.suggestOpen(&c.next)
	} else {
		c.next.Add("refresh-interactive-refs", "Takes new refs of the present page.", "snapshot", "-i")
	}
	if c.semantic != nil && c.semantic.Locator != "" { // a selector that is a ref would not find it
		c.next.Add("retry-semantic-action-after-stale-ref", "Finds the element anew.", c.semantic.Unnamed()...)
	}
	d := c.details
	d.FailureCategory, d.Error, d.ErrorCode = result.StaleRef, err.Message, string(err.Code)
	c.agent.mu.Lock()
	if c.agent.told.Refs != nil {
		d.RefSnapshotRevision = c.agent.told.Revision
	}
	c.agent.mu.Unlock()
	return c.finish("error: " + err.Sentence())
}

// execute runs the steps and makes the result.
func (c *call) execute(ctx context.Context) *result.Result {
	limit, late := c.limit(step.Budget(c.steps))
	cctx, cancel := context.WithDeadlineCause(ctx, c.began.Add(limit), late)
	defer cancel()
	if held := c.held(); c.qa != nil && c.qa.Checks.Attached && held != nil {
		step.Refuse(c.steps, held)
	} else {
		step.RunAll(cctx, c.h, c.steps, c.bail, c.beforeFinal)
	}
	d := c.details
	d.TimedOut = cctx.Err() != nil && ctx.Err() == nil && slices.ContainsFunc(c.steps, func(s *step.Step) bool { return s.Status == step.Running || s.Status == step.Pending })
	if d.TimedOut {
		d.TimeoutMs = limit.Milliseconds()
		c.explainLate(ctx, late)
	}
	// What follows is about the result. It has its own, short time.
	after, stop := context.WithTimeout(ctx, max(5*time.Second, limit-time.Since(c.began)))
	defer stop()
	return c.report(after)
}

// limit returns how long the call may take, and the error of one that takes longer.
func (c *call) limit(usual time.Duration) (time.Duration, *api.Error) {
	if c.in.TimeoutMs != nil {
		usual = time.Duration(*c.in.TimeoutMs) * time.Millisecond
	}
	return usual, api.Errorf(api.Timeout, "the call was not done within %v", usual)
}

// resolve finds the element of a semantic action in a snapshot, by its role and its whole name, and returns the command on its ref. What
// is not found there is left to `find`.
func (c *call) resolve(ctx context.Context, words []string) ([]string, error) {
	a, session := c.semantic, c.agent.session()
	if s := c.in.SemanticAction.Session; s != nil {
		session = *s
	}
	if err := c.agent.mayUse(session); err != nil {
		return nil, err
	}
	if a.Name == "" || a.Action == "fill" && !slices.Contains(snapshot.EditableRoles, a.Role) {
		return words, nil
	}
	limit, late := c.limit(step.DefaultTimeout)
	ctx, cancel := context.WithDeadlineCause(ctx, c.began.Add(limit), late)
	defer cancel()
	g := &diagnosis.Diagnosis{Host: c.h, Session: session}
	shot, err := g.Peek(ctx)
	switch {
	case err != nil && a.Must:
		c.session = session
		if s := c.in.SemanticAction.Session; s != nil {
			c.next.Prefix = []string{"--session", *s}
		}
		if e := api.AsError(err); !suggestBlocked(e, &c.next) && c.unopened() {
			c.suggestOpen(&c.next)
		}
		return nil, err
	case err != nil:
		return words, nil // the command itself fails with it
	}
	roles := []string{a.Role}
	if a.Action == "select" && a.Role == "" {
		roles = []string{"combobox", "listbox"}
	}
	found := snapshot.Matching(shot.Refs, roles, a.Name)
	switch {
	case len(found) == 1:
	case a.Must && len(found) == 0:
		if s := c.in.SemanticAction.Session; s != nil {
			c.next.Prefix = []string{"--session", *s}
		}
		c.next.Add("refresh-interactive-refs", "Takes new refs of the present page.", "snapshot", "-i")
		there := ""
		if names := snapshot.Names(shot.Refs, roles); len(names) > 0 {
			there = "; there are: " + strings.Join(names, ", ")
		}
		return nil, api.Errorf(api.ElementNotFound, "semanticAction select: the page has no %s that is named exactly %q%s", strings.Join(roles, " or "), a.Name, there)
	case a.Must:
		return nil, api.Errorf(api.SelectorAmbiguous, "semanticAction select: %d lists have the name %q; give the selector or ref of one", len(found), a.Name)
	default:
		return words, nil
	}
	c.agent.mu.Lock()
	c.agent.told.Note(result.Encode(shot))
	c.agent.mu.Unlock()
	return a.OnRef(found[0].Ref), nil
}

// attached checks that there is a page to examine.
func (c *call) attached(ctx context.Context) *result.Result {
	page := c.page(ctx)
	if page != nil && (strings.HasPrefix(page.URL, "http://") || strings.HasPrefix(page.URL, "https://")) {
		c.details.QAAttachedTarget = &result.QATarget{SessionName: c.session, Target: *page}
		return nil
	}
	what := "no page"
	if page != nil {
		what = page.URL
	}
	c.next.Add("list-tabs-before-qa-attached", "Shows what is open.", "tab", "list")
	c.next.Add("snapshot-before-qa-attached", "Shows the present page.", "snapshot", "-i")
	return c.invalid(step.Invalid("qa.attached needs an open http or https page; the session shows %s.", what))
}

// titleLimit is how long a page may take to tell its title. One that is blocked has none.
const titleLimit = time.Second

// page returns the page in the session's active tab.
func (c *call) page(ctx context.Context) *result.Target {
	work := c.h.Work(c.namespace, c.session)
	if work == nil {
		return nil
	}
	id, ok := work.Active()
	if !ok {
		return nil
	}
	t := work.Browser.State().Tabs[id]
	if t == nil {
		return nil
	}
	page := &result.Target{URL: t.URL}
	if c.blocked {
		return page
	}
	ctx, cancel := context.WithTimeout(ctx, titleLimit)
	defer cancel()
	if res, err := c.h.Run(ctx, c.own("get", "title")); err == nil {
		result.Read(result.Encode(res.Data), page) // its member title
	}
	return page
}
