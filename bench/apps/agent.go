package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest/peer"
)

// agent does steps as a model would: it knows what the tools' answers said, and nothing else.
type agent struct {
	*contender
	session *mcp.ClientSession
	log     io.Writer
	seen    []string // the last whole page, and what later answers showed of it
	last    string   // the last answer
	tally
}

// tally is what a job cost.
type tally struct {
	calls, looks, errors int
	read                 int // bytes of text
}

func (t *tally) add(o tally) {
	t.calls += o.calls
	t.looks += o.looks
	t.errors += o.errors
	t.read += o.read
}

var errNotThere = errors.New("it is in no snapshot")

// do does the steps. What fails once is tried once more after a fresh look, as a model would.
func (a *agent) do(ctx context.Context, steps []step) error {
	for _, s := range steps {
		err := a.step(ctx, s)
		if err != nil && !errors.Is(err, errNotThere) && ctx.Err() == nil {
			a.errors++
			fmt.Fprintf(a.log, "   !! %v\n", err)
			if err := a.call(ctx, a.snapshot); err != nil {
				return err
			}
			a.looks++
			err = a.step(ctx, s)
		}
		if err != nil {
			a.errors++
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

func (a *agent) step(ctx context.Context, s step) error {
	if s.verb == "see" && strings.Contains(a.last, s.text) {
		return nil
	}
	on, err := a.ref(ctx, s.on)
	if err != nil {
		return err
	}
	to, err := a.ref(ctx, s.to)
	if err != nil {
		return err
	}
	for _, c := range a.contender.do(s, on, to) {
		if err := a.call(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// ref is the element's ref in what was read. If it is not there it looks: with the search tool if it knows the page already,
// then at the whole page, which it does once more a moment later.
func (a *agent) ref(ctx context.Context, e element) (string, error) {
	if e.line == nil {
		return e.selector, nil
	}
	if ref := a.known(e); ref != "" {
		return ref, nil
	}
	looks := []call{a.snapshot, a.snapshot, a.snapshot}
	if e.name != "" && len(strings.Join(a.seen, "")) > 1000 { // with less it would rather see the page
		looks[0] = a.find(e.name)
	}
	for i, look := range looks {
		if i > 0 {
			select { // what a model takes to decide to look again
			case <-ctx.Done():
				return "", ctx.Err()
			case <-time.After(time.Second):
			}
		}
		a.looks++
		if err := a.call(ctx, look); err != nil && ctx.Err() != nil {
			return "", err
		}
		if ref := a.known(e); ref != "" {
			return ref, nil
		}
	}
	return "", errNotThere
}

// known is the element's ref in what was read, the newest first; or its text, where text is a target and has no ref.
func (a *agent) known(e element) string {
	for i := len(a.seen) - 1; i >= 0; i-- {
		ref, text := "", false
		for line := range strings.Lines(a.seen[i]) {
			bare := strings.TrimRight(a.contender.ref.ReplaceAllString(line, ""), "\n")
			switch m := a.contender.ref.FindStringSubmatch(line); {
			case ref != "" && e.before.MatchString(bare):
				return ref
			case !e.line.MatchString(bare):
			case m == nil:
				text = true
			case e.before == nil:
				return m[1]
			default:
				ref = m[1]
			}
		}
		if text && e.before == nil && a.byText != nil {
			return a.byText(e.name)
		}
	}
	return ""
}

// call makes a call and reads the answer.
func (a *agent) call(ctx context.Context, c call) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	fmt.Fprintf(a.log, ">> %s %v\n", c.tool, c.args)
	a.calls++
	res, err := a.session.CallTool(ctx, &mcp.CallToolParams{Name: c.tool, Arguments: c.args})
	if err != nil {
		return fmt.Errorf("%s: %w", c.tool, err)
	}
	text := peer.Text(res)
	a.read += len(text)
	fmt.Fprintf(a.log, "%s\n", text)
	if res.IsError {
		return fmt.Errorf("%s %v: %s", c.tool, c.args, text)
	}
	a.learn(c.tool, text)
	return nil
}

var refs = regexp.MustCompile(`@e(\d+)(?:-@e(\d+))?`)

func (a *agent) learn(tool, text string) {
	a.last = text
	if a.gone != nil {
		for _, m := range a.gone.FindAllStringSubmatch(text, -1) {
			a.forget(m[1])
		}
	}
	switch {
	case a.shows(tool):
		a.seen = []string{text}
	case tool == "browser_navigate":
		a.seen = nil
	case a.contender.ref.MatchString(text):
		a.seen = append(a.seen, text)
	}
}

// forget drops the lines of refs that an answer says are gone: "@e5, @e7-@e9".
func (a *agent) forget(list string) {
	gone := map[string]bool{}
	for _, m := range refs.FindAllStringSubmatch(list, -1) {
		from, _ := strconv.Atoi(m[1]) // digits
		to := from
		if m[2] != "" {
			to, _ = strconv.Atoi(m[2])
		}
		for n := from; n <= to; n++ {
			gone[fmt.Sprintf("e%d", n)] = true
		}
	}
	for i, text := range a.seen {
		var kept strings.Builder
		for line := range strings.Lines(text) {
			if m := a.contender.ref.FindStringSubmatch(line); m == nil || !gone[m[1]] {
				kept.WriteString(line)
			}
		}
		a.seen[i] = kept.String()
	}
}
