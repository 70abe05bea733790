// Package policy has the rules about what may happen without a question to the agent: pure functions over data, with no
// clock and no I/O.
//
// A [DialogRule] is the answer to the JavaScript dialogs it matches. It is written as words, the same in a
// configuration file and on a command line:
//
//	accept kind=beforeunload
//	dismiss origin=https://*.example.com message=/cookie/i name=cookies
//	accept kind=prompt message='Your name*' text=Ada
//	ask message='Delete *'
package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// DialogAction is what a rule does with a dialog.
type DialogAction string

// The actions of a rule.
const (
	Accept  DialogAction = "accept"  // OK, a prompt with the rule's text or else its default
	Dismiss DialogAction = "dismiss" // Cancel
	Ask     DialogAction = "ask"     // leave it to the agent, until the watchdog's timeout
)

// DialogKinds returns the kinds of dialogs, as the protocol names them.
func DialogKinds() []string { return []string{"alert", "confirm", "prompt", "beforeunload"} }

// DialogRule is the answer to the dialogs it matches. Of several rules the first that matches applies.
type DialogRule struct {
	// Name identifies the rule that closed a dialog.
	Name   string
	Action DialogAction
	// Text is the answer to a prompt if HasText is set.
	Text    string
	HasText bool

	// The conditions: all that are set must be true.

	Kind    string  // alert, confirm, prompt or beforeunload
	Tab     string  // the target id of the tab
	Frame   Pattern // the id, the name or the URL of the frame
	Origin  Pattern
	Message Pattern
}

// Dialog is the input of a rule. Its texts are page content.
type Dialog struct {
	Kind                         string
	Tab                          string // its target id
	FrameID, FrameName, FrameURL string
	Origin                       string
	Message                      string
}

// Matches reports whether the rule matches this dialog.
func (r *DialogRule) Matches(d *Dialog) bool {
	return (r.Kind == "" || r.Kind == d.Kind) && (r.Tab == "" || r.Tab == d.Tab) && r.Origin.Match(d.Origin) && r.Message.Match(d.Message) &&
		(r.Frame.Match(d.FrameURL) || r.Frame.String() == d.FrameID || d.FrameName != "" && r.Frame.Match(d.FrameName))
}

// ParseDialogRule parses a rule from its words: the action, and conditions as name=value.
func ParseDialogRule(words []string) (DialogRule, error) {
	var r DialogRule
	seen := map[string]bool{}
	for _, w := range words {
		key, value, hasValue := strings.Cut(w, "=")
		if isAction(key) {
			if r.Action != "" {
				return DialogRule{}, fmt.Errorf("two actions are given, %s and %s; a rule has one", r.Action, key)
			}
			answer, err := ParseDialogAnswer(w)
			if err != nil {
				return DialogRule{}, err
			}
			r.Action = answer.Action
			if answer.HasText {
				r.Text, r.HasText = answer.Text, true
			}
			continue
		}
		if !hasValue {
			return DialogRule{}, fmt.Errorf("%q is neither an action (accept, dismiss, ask) nor a condition such as kind=confirm", w)
		}
		if seen[key] {
			return DialogRule{}, fmt.Errorf("%s= is given twice", key)
		}
		seen[key] = true
		if err := r.set(key, value); err != nil {
			return DialogRule{}, err
		}
	}
	return r, r.check()
}

func (r *DialogRule) set(key, value string) (err error) {
	switch key {
	case "name":
		if value == "" || len(value) > 64 || strings.ContainsFunc(value, func(c rune) bool { return c <= ' ' }) {
			return fmt.Errorf("%q cannot be the name of a rule; use 1 to 64 characters without spaces", value)
		}
		r.Name = value
	case "kind":
		if !slices.Contains(DialogKinds(), value) {
			return fmt.Errorf("%q is not a kind of dialog; the kinds are %s", value, strings.Join(DialogKinds(), ", "))
		}
		r.Kind = value
	case "tab":
		if value == "" {
			return errors.New("tab= names no tab")
		}
		r.Tab = value
	case "text":
		r.Text, r.HasText = value, true
	case "frame":
		r.Frame, err = parsePattern(value, false)
	case "origin":
		r.Origin, err = originPattern(value)
	case "message":
		r.Message, err = parsePattern(value, true)
	default:
		return fmt.Errorf("%q is not a condition; the conditions are kind, tab, frame, origin, message, and text and name", key)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

func (r *DialogRule) check() error {
	switch {
	case r.Action == "":
		return errors.New("the rule has no action; begin it with accept, dismiss or ask")
	case r.HasText && r.Action != Accept:
		return fmt.Errorf("text= needs the action accept, and the rule says %s", r.Action)
	case r.HasText && r.Kind != "" && r.Kind != "prompt":
		return fmt.Errorf("text= is for prompts, and the rule is for %s", r.Kind)
	}
	return nil
}

// ParseDialogAnswer parses the answer to any dialog: accept, accept=text, dismiss or ask.
func ParseDialogAnswer(word string) (DialogRule, error) {
	action, text, hasText := strings.Cut(word, "=")
	r := DialogRule{Action: DialogAction(action), Text: text, HasText: hasText}
	if !isAction(action) {
		return DialogRule{}, fmt.Errorf("%q is not accept, accept=text, dismiss or ask", word)
	}
	return r, r.check()
}

func isAction(word string) bool {
	return word == string(Accept) || word == string(Dismiss) || word == string(Ask)
}

// MarshalJSON writes the rule as its words.
func (r DialogRule) MarshalJSON() ([]byte, error) { return json.Marshal(r.Words()) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *DialogRule) UnmarshalJSON(data []byte) error {
	var words []string
	if err := json.Unmarshal(data, &words); err != nil {
		return err
	}
	read, err := ParseDialogRule(words)
	*r = read
	return err
}

// Words returns the rule as ParseDialogRule parses it.
func (r *DialogRule) Words() []string {
	out := []string{string(r.Action)}
	add := func(key, value string) {
		if value != "" {
			out = append(out, key+"="+value)
		}
	}
	add("kind", r.Kind)
	add("tab", r.Tab)
	add("frame", r.Frame.String())
	add("origin", r.Origin.String())
	add("message", r.Message.String())
	if r.HasText {
		out = append(out, "text="+r.Text)
	}
	add("name", r.Name)
	return out
}
