package agenttool

import (
	"errors"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/artifact"
	"github.com/usher-browser/usher/internal/session/agenttool/input"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
	"github.com/usher-browser/usher/internal/session/batch"
	"github.com/usher-browser/usher/internal/verb"
)

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
	if c.in.Args != nil {
		given, err := c.filters.take(words)
		if err != nil {
			return err
		}
		words = given
	}
	words = c.ownSessions(words)
	row, err := step.Prepare(c.h, words, stdin)
	if err != nil {
		return c.explain(err)
	}
	d.EffectiveArgs = step.RedactArgs(words)
	d.Command, d.Subcommand, _ = strings.Cut(row.Call.Verb.Name, " ")
	c.json = row.Call.Bool("json")
	if err := c.choose(row.Call); err != nil {
		return err
	}
	c.bail = true
	c.steps = []*step.Step{{Index: 1, Words: words, Row: row}}
	if row.Call.Verb.Name == "batch" {
		c.batch, c.bail = true, row.Call.Bool("bail")
		if err := c.rows(row, from); err != nil {
			return err
		}
	}
	for _, s := range c.steps {
		if s.Row.Call == nil {
			continue
		}
		if err := c.place(s.Row.Call, row.Call); err != nil {
			return err
		}
	}
	if err := artifact.Conflicts(c.steps, c.request.Cwd); err != nil {
		return err
	}
	if path := c.outputPath(); path != "" {
		for _, s := range c.steps {
			if slices.ContainsFunc(artifact.Destinations(s, c.request.Cwd), func(other string) bool { return artifact.SameFile(other, path) }) {
				return step.Invalid("outputPath is the file that step %d (%s) writes: %s. Give it another name.", s.Number(), s.Name(), path)
			}
		}
	}
	return nil
}

// explain keeps what the details have of an error of a command line.
func (c *call) explain(err error) error {
	var flag *step.FlagError
	if errors.As(err, &flag) {
		c.details.InvalidValueFlag = &flag.Flag
	}
	switch words := c.in.Args; {
	case len(words) == 1 && (words[0] == "title" || words[0] == "url"):
		c.next.Add("use-get-"+words[0], "Reads it.", "get", words[0])
	}
	return err
}

// rows makes a step of each row of a batch.
func (c *call) rows(outer step.Row, from []input.CompiledStep) error {
	list, err := batch.Rows(outer.Call, strings.NewReader(outer.Stdin))
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return step.Invalid(`The batch has no row. stdin is a JSON array of commands, such as [["open","https://example.com"],["snapshot","-i"]].`)
	}
	c.steps = nil
	for i, line := range list {
		s := &step.Step{Index: i + 1, Words: line.Words}
		if from != nil {
			s.From, s.Place = from[i].GeneratedFrom, from[i].Place
			s.Empty = s.From == input.FromReset || s.From == input.FromBaseline // the row after them starts the browser
		}
		err := line.Err
		if err == nil {
			s.Words = c.ownSessions(line.Words)
			s.Row, err = step.Prepare(c.h, s.Words, nil)
		}
		if err == nil {
			switch v := s.Row.Call.Verb; {
			case v.Name == "batch", v.Name == "confirm", v.Name == "agent-tool":
				err = step.Invalid("%s cannot be used in a batch.", v.Name)
			case v.Is(verb.Local):
				err = localOnly(v)
			}
		}
		if err != nil {
			e := api.AsError(err)
			wrapped := api.Errorf(e.Code, "Step %d: %s. Nothing was run", s.Number(), strings.TrimSuffix(e.Message, "."))
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
			c.next.Prefix = append(c.next.Prefix, "--session", c.session)
			if c.namespace != "" {
				c.next.Prefix = append(c.next.Prefix, "--namespace", c.namespace)
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
	if !step.NeedsSession(call.Verb) && c.in.Electron == nil && c.in.SourceLookup == nil && c.in.NetworkSourceLookup == nil {
		return nil
	}
	c.managed = &managed{agent: c.agent, name: current, previous: current, before: c.h.Work("", current) != nil}
	if mode == "fresh" || c.in.Electron != nil && c.in.Electron.Action == "launch" {
		c.managed.fresh, c.session = true, c.agent.next()
		c.managed.name, mode = c.session, "fresh"
	}
	d.SessionMode, d.SessionName, d.UsedImplicitSession = mode, c.session, true
	c.next.Prefix = []string{"--session", c.session}
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
func needsNoIdle(call *verb.Call) bool {
	return !step.NeedsSession(call.Verb) || call.Verb.Name == "close"
}
