package toolset

import (
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/verb"
)

// Output is the result of a command about tools.
type Output struct {
	Data     any
	Text     string
	Warnings []string
}

// Command implements `tools list`, `show`, `enable` and `disable`.
func (s *Setup) Command(call *verb.Call, host *tool.Host) (Output, error) {
	change := s.Change()
	switch call.Verb.Name {
	case "tools enable", "tools disable":
		on := call.Verb.Name == "tools enable"
		if err := change.Turn(on, call.List("names")...); err != nil {
			return Output{}, err
		}
		edits := change.Edits()
		if err := config.Apply(s.config.Path, edits); err != nil {
			return Output{}, err
		}
		return s.changed(change, host, len(edits) > 0)
	}
	r, err := s.Report(change.Choice, host)
	if err != nil {
		return Output{}, err
	}
	out := Output{Warnings: s.Warnings}
	if call.Verb.Name == "tools show" {
		out.Data, out.Text, err = r.Show(call.Str("name"))
		return out, err
	}
	out.Text = r.Text(call.Bool("all"))
	out.Data = r.brief(call.Bool("all"))
	return out, nil
}

// changed returns the result of `tools enable` and `tools disable`.
func (s *Setup) changed(c *Change, host *tool.Host, written bool) (Output, error) {
	r, err := s.Report(c.Choice, host)
	if err != nil {
		return Output{}, err
	}
	text := "nothing to change"
	if written {
		text = "✓ Written to " + s.config.Path
	}
	text += fmt.Sprintf("\n%s: %s on, about %s tokens (%s)", r.Platform, tool.Count(r.Served, "tool"), thousands(r.Tokens), strings.Join(c.Choice.Enabled, ", "))
	names := []string{}
	for _, e := range r.Tools {
		if e.Served() {
			names = append(names, e.Name)
		}
	}
	return Output{
		Data: Changed{written, s.config.Path, r.Platform, c.Choice.Enabled, names, r.Tokens, c.Notes},
		Text: text, Warnings: c.Notes,
	}, nil
}
