package agenttool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/input"
	"github.com/usher-browser/usher/internal/session/batch"
	"github.com/usher-browser/usher/internal/verb"
)

// call is one call of the tool.
type call struct {
	agents  *Agents
	h       Host
	request *Request
	in      *input.Input
	agent   *agent
	details *Details
	next    actions

	steps     []*step
	bail      bool
	batch     bool // the steps are rows
	semantic  *input.CompiledSemanticAction
	qa        *input.CompiledQA
	session   string // of the steps
	namespace string
	managed   *managed // nil for a session of the caller's, and for commands without one
	diag      *diagnosis
	json      bool // the caller wants the text as JSON
	images    []Content
}

// Call runs a call.
func (a *Agents) Call(ctx context.Context, h Host, r *Request) *Result {
	c := &call{agents: a, h: h, request: r, agent: a.of(r), details: &Details{}}
	return c.run(ctx)
}

// nested runs a call of a script, in the script's session.
func (a *Agents) nested(ctx context.Context, h Host, r *Request, session string) *Result {
	own := &agent{base: session, owned: true, current: session, mine: map[string]bool{}}
	c := &call{agents: a, h: h, request: r, agent: own, details: &Details{}}
	return c.run(ctx)
}

func (c *call) run(ctx context.Context) *Result {
	in, err := input.Decode(c.request.Input)
	if err != nil {
		return c.invalid(err)
	}
	c.in = in
	if in.Args != nil {
		c.details.Args = redactArgs(in.Args)
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
	return c.execute(ctx)
}

// compile returns the words of the command that the mode stands for. The order is that of the reference's checks.
func (c *call) compile() (words []string, err error) {
	in, d := c.in, c.details
	if in.SemanticAction != nil {
		if c.semantic, err = in.SemanticAction.Compile("semanticAction"); err != nil {
			return nil, err
		}
		d.CompiledSemanticAction, words = c.semantic, c.semantic.Args
	}
	if in.Job != nil {
		if d.CompiledJob, err = in.Job.Compile(); err != nil {
			return nil, err
		}
		words = d.CompiledJob.Args
	}
	if in.QA != nil {
		if c.qa, err = in.QA.Compile(); err != nil {
			return nil, err
		}
		d.CompiledQaPreset, words = c.qa, c.qa.Args
	}
	if in.SourceLookup != nil {
		if d.CompiledSourceLookup, err = in.SourceLookup.Compile(); err != nil {
			return nil, err
		}
		words = d.CompiledSourceLookup.Args
	}
	if in.NetworkSourceLookup != nil {
		if d.CompiledNetworkSourceLookup, err = in.NetworkSourceLookup.Compile(); err != nil {
			return nil, err
		}
		words = d.CompiledNetworkSourceLookup.Args
	}
	if in.Electron != nil {
		if d.CompiledElectron, err = in.Electron.Compile(); err != nil {
			return nil, err
		}
		words = d.CompiledElectron.Args
	}
	if in.Args != nil {
		words = in.Args
	}
	return words, nil
}

// plan makes the steps, and chooses the session.
func (c *call) plan(words []string) error {
	d := c.details
	stdin := c.in.Stdin
	var from []input.CompiledStep
	switch {
	case d.CompiledJob != nil:
		stdin, from = &d.CompiledJob.Stdin, d.CompiledJob.Steps
	case c.qa != nil:
		stdin, from = &c.qa.Stdin, c.qa.Steps
	}
	row, err := prepare(c.h, words, stdin)
	if err != nil {
		return c.explain(err)
	}
	d.EffectiveArgs = redactArgs(words)
	d.Command, d.Subcommand, _ = strings.Cut(row.Call.Verb.Name, " ")
	c.json = row.Call.Bool("json")
	if err := c.choose(row.Call); err != nil {
		return err
	}
	c.bail = true
	c.steps = []*step{{index: 1, words: words, row: row}}
	if row.Call.Verb.Name == "batch" {
		c.batch, c.bail = true, row.Call.Bool("bail")
		if err := c.rows(row, from); err != nil {
			return err
		}
	}
	for _, s := range c.steps {
		if s.row.Call == nil {
			continue
		}
		if err := c.place(s.row.Call, row.Call); err != nil {
			return err
		}
	}
	if err := conflicts(c.steps, c.request.Cwd); err != nil {
		return err
	}
	if path := c.outputPath(); path != "" {
		for _, s := range c.steps {
			if slices.ContainsFunc(destinations(s, c.request.Cwd), func(other string) bool { return sameFile(other, path) }) {
				return invalid("outputPath is the file that step %d (%s) writes: %s. Give it another name.", s.index, s.name(), path)
			}
		}
	}
	return nil
}

// explain keeps what the details have of an error of a command line.
func (c *call) explain(err error) error {
	var flag *flagError
	if errors.As(err, &flag) {
		c.details.InvalidValueFlag = &flag.flag
	}
	switch words := c.in.Args; {
	case len(words) == 1 && (words[0] == "title" || words[0] == "url"):
		c.next.add("use-get-"+words[0], "Reads it.", "get", words[0])
	}
	return err
}

// rows makes a step of each row of a batch.
func (c *call) rows(outer Row, from []input.CompiledStep) error {
	list, err := batch.Rows(outer.Call, strings.NewReader(outer.Stdin))
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return invalid(`The batch has no row. stdin is a JSON array of commands, such as [["open","https://example.com"],["snapshot","-i"]].`)
	}
	c.steps = nil
	for i, line := range list {
		s := &step{index: i + 1, words: line.Words}
		if from != nil {
			s.from = from[i].GeneratedFrom
		}
		err := line.Err
		if err == nil {
			s.row, err = prepare(c.h, line.Words, nil)
		}
		if err == nil {
			switch v := s.row.Call.Verb; {
			case v.Name == "batch", v.Name == "confirm", v.Name == "agent-tool":
				err = invalid("%s cannot be used in a batch.", v.Name)
			case v.Is(verb.Local):
				err = localOnly(v)
			}
		}
		if err != nil {
			e := api.AsError(err)
			wrapped := api.Errorf(e.Code, "Step %d: %s. Nothing was run", i+1, strings.TrimSuffix(e.Message, "."))
			if e.Hint != "" {
				wrapped.Hint = e.Hint
			}
			return c.explain(wrapped)
		}
		c.steps = append(c.steps, s)
	}
	return nil
}

func localOnly(v *verb.Verb) error {
	return api.Errorf(api.InvalidArgument, "%s runs in a shell only", v.Name).WithHint("Run `usher %s` there.", v.Name)
}

// choose chooses the session of the call.
func (c *call) choose(call *verb.Call) error {
	d := c.details
	mode := "auto"
	if c.in.Fresh() {
		mode = "fresh"
	}
	if given := call.Globals.List("namespace"); len(given) > 0 {
		c.namespace, d.Namespace = given[0], given[0]
	}
	if given := call.Globals.List("session"); len(given) > 0 {
		if err := c.agent.mayUse(given[0]); err != nil {
			return err
		}
		c.session = given[0]
		if c.session != c.agent.session() || c.namespace != "" {
			d.SessionName = c.session
			c.next.prefix = append(c.next.prefix, "--session", c.session)
			if c.namespace != "" {
				c.next.prefix = append(c.next.prefix, "--namespace", c.namespace)
			}
			return nil
		}
		mode = "auto" // the name has precedence
	}
	if call.Verb.Is(verb.Local) {
		return localOnly(call.Verb)
	}
	current := c.agent.session()
	c.session = current
	if !needsSession(call.Verb) && c.in.Electron == nil && c.in.SourceLookup == nil && c.in.NetworkSourceLookup == nil {
		return nil
	}
	c.managed = &managed{agent: c.agent, name: current, previous: current, before: c.h.Work("", current) != nil}
	if mode == "fresh" || c.in.Electron != nil && c.in.Electron.Action == "launch" {
		c.managed.fresh, c.session = true, c.agent.next()
		c.managed.name, mode = c.session, "fresh"
	}
	d.SessionMode, d.SessionName, d.UsedImplicitSession = mode, c.session, true
	c.next.prefix = []string{"--session", c.session}
	return nil
}

// place puts a command into the session of the call.
func (c *call) place(row, outer *verb.Call) error {
	give := func(name, value string) error {
		if row.Globals.Has(name) {
			return nil
		}
		if err := row.Give(name, value); err != nil {
			return err
		}
		return nil
	}
	if row != outer {
		for _, name := range outer.Globals.Names() {
			if name == "json" {
				continue
			}
			for _, value := range outer.Globals.List(name) {
				if err := give(name, value); err != nil {
					return err
				}
			}
		}
	}
	err := give("session", c.session)
	if err == nil && c.managed != nil && c.agent.owned && !needsNoIdle(row) {
		err = give("idle-timeout", idle)
	}
	return err
}

// needsNoIdle reports whether a command does not use its session.
func needsNoIdle(call *verb.Call) bool { return !needsSession(call.Verb) || call.Verb.Name == "close" }

// outputPath returns the absolute path of outputPath; "" without it.
func (c *call) outputPath() string {
	if c.in.OutputPath == nil {
		return ""
	}
	path := strings.TrimPrefix(strings.TrimSpace(*c.in.OutputPath), "@")
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.request.Cwd, path)
	}
	return filepath.Clean(path)
}

// guards refuses the call before anything is done, if it must not be made.
func (c *call) guards() *Result {
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
		if c.agent.told.refs == nil {
			return ""
		}
		return c.agent.told.refs.Refs[refID(ref)].Name
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
func (c *call) stale(err *api.Error) *Result {
	c.next.list = nil
	c.next.add("refresh-interactive-refs", "Takes new refs of the present page.", "snapshot", "-i")
	if c.semantic != nil {
		c.next.add("retry-semantic-action-after-stale-ref", "Finds the element anew.", c.semantic.Unnamed()...)
	}
	d := c.details
	d.FailureCategory, d.Error, d.ErrorCode = staleRef, err.Message, string(err.Code)
	c.agent.mu.Lock()
	if c.agent.told.refs != nil {
		d.RefSnapshotRevision = c.agent.told.revision
	}
	c.agent.mu.Unlock()
	return c.finish("error: " + err.Sentence())
}

// execute runs the steps and makes the result.
func (c *call) execute(ctx context.Context) *Result {
	limit := budget(c.steps)
	if c.in.TimeoutMs != nil {
		limit = time.Duration(*c.in.TimeoutMs) * time.Millisecond
	}
	late := api.Errorf(api.Timeout, "the call was not done within %v", limit)
	cctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	began := time.Now()
	runSteps(cctx, c.h, c.steps, c.bail)
	d := c.details
	d.TimedOut = cctx.Err() != nil && ctx.Err() == nil && slices.ContainsFunc(c.steps, func(s *step) bool { return s.status == statusRunning || s.status == statusPending })
	if d.TimedOut {
		d.TimeoutMs = limit.Milliseconds()
	}
	// What follows is about the result. It has its own, short time.
	after, stop := context.WithTimeout(ctx, max(5*time.Second, limit-time.Since(began)))
	defer stop()
	return c.report(after)
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
	if a.Name == "" || a.Action == "fill" && !slices.Contains(editableRoles, a.Role) {
		return words, nil
	}
	var shot snapshotData
	if c.h.Work("", session) != nil {
		g := &diagnosis{h: c.h, session: session}
		shot, _ = g.peek(ctx)
	}
	roles := []string{a.Role}
	if a.Action == "select" && a.Role == "" {
		roles = []string{"combobox", "listbox"}
	}
	found := matching(shot.Refs, roles, a.Name)
	switch {
	case len(found) == 1, len(found) > 1 && (a.Action == "click" || a.Action == "check" || a.Action == "uncheck"):
	case a.Must && len(found) == 0:
		return nil, api.Errorf(api.ElementNotFound, "semanticAction select: the page has no %s %q", strings.Join(roles, " or "), a.Name)
	case a.Must:
		return nil, api.Errorf(api.SelectorAmbiguous, "semanticAction select: %d lists have the name %q; give the selector or ref of one", len(found), a.Name)
	default:
		return words, nil
	}
	c.agent.mu.Lock()
	c.agent.told.note(encode(shot))
	c.agent.mu.Unlock()
	return a.OnRef(found[0].Ref), nil
}

// attached checks that there is a page to examine.
func (c *call) attached(ctx context.Context) *Result {
	page := c.page(ctx)
	if page != nil && (strings.HasPrefix(page.URL, "http://") || strings.HasPrefix(page.URL, "https://")) {
		c.details.QAAttachedTarget = &QATarget{c.session, *page}
		return nil
	}
	what := "no page"
	if page != nil {
		what = page.URL
	}
	c.next.add("list-tabs-before-qa-attached", "Shows what is open.", "tab", "list")
	c.next.add("snapshot-before-qa-attached", "Shows the present page.", "snapshot", "-i")
	return c.invalid(invalid("qa.attached needs an open http or https page; the session shows %s.", what))
}

// titleLimit is how long a page may take to tell its title. One that is blocked has none.
const titleLimit = time.Second

// page returns the page in the session's active tab.
func (c *call) page(ctx context.Context) *Target {
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
	page := &Target{URL: t.URL}
	ctx, cancel := context.WithTimeout(ctx, titleLimit)
	defer cancel()
	row := command(c.h, c.session, "get", "title")
	if c.namespace != "" && row.Call.Give("namespace", c.namespace) != nil {
		return page
	}
	if res, err := c.h.Run(ctx, row); err == nil {
		read(encode(res.Data), page) // its member title
	}
	return page
}

// writeOutput writes the file of outputPath.
func (c *call) writeOutput(data jsontext.Value, text string) error {
	path := c.outputPath()
	if path == "" {
		return nil
	}
	content, source := []byte(text), "text"
	if len(data) > 0 {
		source = "data"
		if content = []byte(data); data.Kind() == '"' {
			var one string
			read(data, &one)
			content = []byte(one)
		} else if pretty := jsontext.Value(slices.Clone(content)); pretty.Indent() == nil {
			content = append(pretty, '\n')
		}
	}
	if err := c.mayWrite(path); err != nil {
		return err
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, content, 0o644)
	}
	if err != nil {
		return api.Errorf(api.FileWriteFailed, "outputPath: %w", err)
	}
	c.details.OutputFile = &OutputFile{path, len(content), source}
	return nil
}

// outputLine names the written file.
func (c *call) outputLine() string {
	o := c.details.OutputFile
	if o == nil || c.json {
		return ""
	}
	return fmt.Sprintf("Output file: %s (%d bytes from %s).", o.Path, o.Bytes, o.Source)
}
