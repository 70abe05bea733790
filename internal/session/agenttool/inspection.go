package agenttool

import (
	"context"
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/compact"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
	"github.com/usher-browser/usher/internal/skills"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/help"
)

// inspection answers calls for texts about the program itself; nil for others.
func (c *call) inspection(words []string) *result.Result {
	text, sub := "", ""
	for _, w := range words {
		if w == "--" {
			break
		}
		switch w {
		case "--help", "-h":
			topic, err := help.Text(c.h.Table(), verb.Usher, topicOf(c.h, words)...)
			if err != nil {
				return c.invalid(err)
			}
			text = topic
		case "--version", "-V":
			text = "usher"
		}
	}
	if text == "" && len(words) > 0 && words[0] == "skills" {
		out, err := skillText(words[1:])
		if err != nil {
			return c.invalid(err)
		}
		text, sub = out, "skills"
	}
	if text == "" {
		return nil
	}
	c.details.EffectiveArgs, c.details.SuccessCategory = words, result.Completed
	if sub == "" {
		c.details.Inspection, c.details.SuccessCategory = true, result.Inspection
	}
	c.details.Command = words[0]
	s := &step.Step{Index: 1, Words: words, Status: step.Completed}
	s.Result.Text, s.Data = text, result.Encode(text)
	if sub == "" { // a long text once, not twice
		compact.Shorten(context.Background(), c.h, s)
		c.details.FullOutputPath = s.Spilled
	}
	return c.finish(s.Result.Text)
}

// topicOf returns the words that are a command.
func topicOf(h step.Host, words []string) (topic []string) {
	for _, w := range words {
		if strings.HasPrefix(w, "-") {
			continue
		}
		if help.Check(h.Table(), verb.Usher, strings.Join(append(topic, w), " ")) == nil {
			topic = append(topic, w)
		}
	}
	return topic
}

// skillText returns the texts of `skills get`, or the list.
func skillText(words []string) (string, error) {
	all, err := skills.BuiltIn()
	if err != nil {
		return "", api.Errorf(api.Internal, "skills: %w", err)
	}
	var b strings.Builder
	if len(words) == 0 || words[0] == "list" {
		for _, s := range all {
			fmt.Fprintf(&b, "%s: %s\n", s.Name, s.Description)
		}
		return strings.TrimSpace(b.String()), nil
	}
	if words[0] != "get" {
		return "", step.Invalid("skills %s cannot be used here: give skills list, or skills get NAME.", words[0])
	}
	for _, name := range words[1:] {
		if strings.HasPrefix(name, "-") {
			continue
		}
		found := false
		for _, s := range all {
			if s.Name == name {
				found = true
				b.WriteString(s.Content)
			}
		}
		if !found {
			return "", step.Invalid("There is no skill %q. skills list names them.", name)
		}
	}
	return b.String(), nil
}
