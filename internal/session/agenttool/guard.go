package agenttool

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/artifact"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/snapshot"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
	"github.com/usher-browser/usher/internal/verb"
)

// latch returns an error if a row uses refs although a row before it, by the marks of its verb, replaces the document: the refs belong to
// the document that is open now. A snapshot between them gives new ones.
func latch(steps []*step.Step) (refs []string, err error) {
	var by *step.Step
	for _, s := range steps {
		call := s.Row.Call
		switch {
		case call == nil:
		case call.Verb.Name == "snapshot":
			by = nil
		case step.ReplacesDocument(call.Verb):
			by = s
		case by != nil && call.Verb.Is(verb.TakesRefs):
			if used := snapshot.RefsOf(call); len(used) > 0 {
				return used, api.Errorf(api.StaleRef, "Step %d (%s) uses %s, which is of the page before step %d (%s). Nothing was run", s.Number(), call.Verb.Name,
					strings.Join(used, ", "), by.Number(), by.Row.Call.Verb.Name).WithHint("Put a snapshot -i between them, and use its refs in another call.")
			}
		}
	}
	return nil, nil
}

// freshRefs returns an error if a step acts on a ref that is not known, or whose document is gone. It reads the session's table of refs
// and does not touch the page. Later steps are looked at, too, unless a snapshot comes before them.
func freshRefs(h step.Host, namespace, session string, steps []*step.Step) (refs []string, err error) {
	work := h.Work(namespace, session)
	for _, s := range steps {
		call := s.Row.Call
		if call == nil {
			continue
		}
		if call.Verb.Name == "snapshot" {
			return nil, nil
		}
		if !call.Verb.Is(verb.TakesRefs) {
			continue
		}
		used := snapshot.RefsOf(call)
		if len(used) == 0 {
			continue
		}
		if work == nil {
			return used, api.Errorf(api.StaleRef, "%s %s: the session has no page, so the ref is of one that is gone", call.Verb.Name, used[0])
		}
		work.Refs.Sync(work.Browser.State())
		for _, ref := range used {
			n := 0
			if _, err := fmt.Sscanf(strings.TrimLeft(snapshot.RefID(ref), "e"), "%d", &n); err != nil {
				continue
			}
			found, ok := work.Refs.Lookup(n)
			switch {
			case !ok:
				return used, api.Errorf(api.UnknownRef, "%s %s: no snapshot of this session has given that ref", call.Verb.Name, ref)
			case !found.Alive:
				return used, api.Errorf(api.StaleRef, "%s %s: its document is gone; it was %s %q", call.Verb.Name, ref, found.Role, found.Name)
			}
		}
	}
	return nil, nil
}

var (
	stopWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(stop|halt|pause|end|finish)\b[^.!?\n]{0,60}\b(before|without|prior to|short of)\b[^.!?\n]{0,60}\b(order|ordering|pay|paying|payment|purchase|purchasing|buy|buying|submit|submitting|post|posting|publish|publishing|send|sending|checkout|checking out|confirm|confirming|place|placing|book|booking|finish|finishing)\b` +
			`|\b(do not|don't|dont|never|must not|without)\b[^.!?\n]{0,40}\b(order|ordering|pay|paying|purchase|purchasing|buy|buying|submit|submitting|post|posting|publish|publishing|send|sending|place|placing|check ?out|book|booking|finish|finishing)\b`)
	})
	finalNames = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(place|submit|complete|finish|confirm|finali[sz]e)\b.{0,20}\b(order|purchase|payment|booking|checkout|application|form|post)\b|^\s*(finish|pay( now)?|buy( now)?|purchase|submit|place order|order now|post|publish|send|book now|checkout|check out|confirm)\s*$|\b(pay|buy|order|book|submit) now\b|\bsubmit payment\b|\bpay\b.{0,8}\d`)
	})
	pathLike = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:[\w@.~/-]|\\ )*[\w-]\.(?:png|jpe?g|webp|gif|webm|pdf)\b`)
	})
)

// stops reports whether the user said to stop before a final order, payment or submission.
func stops(prompt string) bool { return prompt != "" && stopWords().MatchString(prompt) }

// pressesEnter returns what presses Enter in a command; "" if nothing does.
func pressesEnter(call *verb.Call) string {
	switch call.Verb.Name {
	case "press", "keydown":
		if slices.Contains([]string{"enter", "return", "numpadenter"}, strings.ToLower(call.Str("key"))) {
			return "the key " + call.Str("key")
		}
	case "type", "keyboard type":
		if strings.ContainsAny(call.Str("text"), "\n\r") {
			return "Enter, which is in the text"
		}
	}
	return ""
}

// stopBoundary returns a guard if the user said to stop before a final order, payment or submission, and a step presses such a control,
// as far as its words tell. It is a safeguard, not a boundary: scripts pass.
func stopBoundary(prompt string, steps []*step.Step, lookup func(ref string) string) *result.PromptGuard {
	if !stops(prompt) {
		return nil
	}
	for _, s := range steps {
		call := s.Row.Call
		if call == nil {
			continue
		}
		name := pressesEnter(call)
		if name == "" && step.IsClick(call) {
			name = finalName(controlNames(call, lookup))
		}
		if name != "" {
			return boundary(s, name, "Nothing was run")
		}
	}
	return nil
}

// finalName returns the first of some names that a final control may have; "" if none may.
func finalName(names []string) string {
	for _, text := range names {
		if finalNames().MatchString(text) {
			return text
		}
	}
	return ""
}

func boundary(s *step.Step, name, done string) *result.PromptGuard {
	return &result.PromptGuard{Reason: "explicit-user-stop-boundary", BlockedTarget: name,
		Message: fmt.Sprintf("The user asked to stop before the final action, and step %d presses %s. %s. Gather evidence on the present page, and report.", s.Number(), result.Quote(name), done)}
}

// beforeFinal returns an error for a step that would press a final control, as the page knows it, though the user said to stop before that. What
// cannot be read is not pressed.
func (c *call) beforeFinal(ctx context.Context, s *step.Step) error {
	if s.Row.Call == nil || !stops(c.request.Prompt) {
		return nil
	}
	names, err := c.pressed(ctx, s.Row.Call)
	if err != nil {
		e := api.AsError(err)
		return api.Errorf(e.Code, "%s was not run, because what it presses could not be read, and the user asked to stop before the final action: %s", s.Row.Call.Verb.Name, e.Message)
	}
	name := finalName(names)
	if name == "" {
		return nil
	}
	c.details.PromptGuard = boundary(s, name, "It was not run, and nothing after it")
	return api.Errorf(api.ActionDenied, "%s", c.details.PromptGuard.Message)
}

// focusedNames is an expression for what the element that has the focus may be called.
const focusedNames = `(() => { let e = document.activeElement; while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement; ` +
	`return e && e !== document.body ? [e.innerText, e.value, e.getAttribute('aria-label')] : []; })()`

// pressed returns what the element that a command presses is called in the page: its text, value and label.
func (c *call) pressed(ctx context.Context, call *verb.Call) (names []string, err error) {
	var got struct {
		Text   string `json:"text"`
		Value  string `json:"value"`
		Result any    `json:"result"`
	}
	read := func(words ...string) error {
		res, err := c.h.Run(ctx, c.own(words...))
		if err == nil {
			result.Read(result.Encode(res.Data), &got)
		}
		return err
	}
	switch {
	case (call.Verb.Name == "press" || call.Verb.Name == "keydown") && slices.Contains([]string{"space", " "}, strings.ToLower(call.Str("key"))):
		err = read("eval", focusedNames)
		list, _ := got.Result.([]any)
		for _, one := range list {
			if text, ok := one.(string); ok {
				names = append(names, text)
			}
		}
		return names, err
	case !step.IsClick(call):
		return nil, nil
	case strings.HasPrefix(call.Verb.Name, "find "):
		err = read(findsText(call)...)
		return []string{got.Text}, err
	case !call.Has("selector"):
		return nil, nil
	}
	in := given(call, "frame")
	for _, words := range [][]string{{"text", call.Str("selector")}, {"attr", call.Str("selector"), "value"}, {"attr", call.Str("selector"), "aria-label"}} {
		got.Text, got.Value = "", ""
		if err := read(slices.Concat([]string{"get"}, words, in)...); err != nil {
			return nil, err
		}
		names = append(names, got.Text, got.Value)
	}
	return names, nil
}

// controlNames returns what a click calls its target, and the name of its ref.
func controlNames(call *verb.Call, lookup func(string) string) (names []string) {
	if strings.HasPrefix(call.Verb.Name, "find ") {
		names = append(names, call.Str(call.Verb.Args[0].Name))
		if call.Verb.Name == "find role" {
			names = append(names, call.Str("name"))
		}
		return names
	}
	if !call.Has("selector") {
		return nil
	}
	text := call.Str("selector")
	if snapshot.IsRef().MatchString(text) {
		return []string{lookup(text)}
	}
	return []string{strings.NewReplacer("#", " ", ".", " ", "-", " ", "_", " ", "[", " ", "]", " ", `"`, " ", "text=", "").Replace(text)}
}

// findsText returns the words of a find that reads the text of the element in place of acting on it.
func findsText(call *verb.Call) []string {
	words := strings.Fields(call.Verb.Name)
	for _, arg := range call.Verb.Args {
		if arg.Name == "action" {
			break
		}
		words = append(words, call.Str(arg.Name))
	}
	return append(append(words, "text"), given(call, "name", "exact", "frame")...)
}

// given returns those of some flags that a command has and was given.
func given(call *verb.Call, names ...string) (words []string) {
	for _, flag := range call.Verb.Flags {
		switch name := flag.Name; {
		case !slices.Contains(names, name) || !call.Has(name):
		case flag.Kind != verb.Bool:
			words = append(words, "--"+name, call.Str(name))
		case call.Bool(name):
			words = append(words, "--"+name)
		}
	}
	return words
}

// promised returns the files that the user's words name as pictures or recordings.
func promised(prompt, cwd string) (files []result.MissingArtifact) {
	for _, path := range pathLike().FindAllString(prompt, 20) {
		kind := "screenshot"
		switch strings.ToLower(filepath.Ext(path)) {
		case ".webm":
			kind = "recording"
		case ".pdf":
			kind = "pdf"
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		files = append(files, result.MissingArtifact{Kind: kind, Path: path, Required: true})
	}
	return files
}

// closeGuard returns a guard if a step closes the browser and files that the user asked for are neither there nor saved by a step before.
func closeGuard(prompt, cwd string, steps []*step.Step, files *artifact.Manifest) *result.PromptGuard {
	if prompt == "" {
		return nil
	}
	var saved []string
	for _, s := range steps {
		if s.Name() != "close" {
			saved = append(saved, artifact.Destinations(s, cwd)...)
			continue
		}
		missing := slices.DeleteFunc(promised(prompt, cwd), func(m result.MissingArtifact) bool { return files.Has(m.Path) || slices.Contains(saved, m.Path) })
		if len(missing) == 0 {
			return nil
		}
		var paths []string
		for _, m := range missing {
			paths = append(paths, m.Path)
		}
		return &result.PromptGuard{Reason: "requested-artifacts-missing-before-close", MissingArtifacts: missing,
			Message: "The user asked for " + strings.Join(paths, ", ") + ", which was not saved yet. The browser was not closed. Save it first, or say why it cannot be saved."}
	}
	return nil
}
