package wait

import (
	"strings"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the command that waits.
func grammar() verb.Set {
	return verb.Set{Verbs: []verb.Verb{
		{Name: "wait", Check: waitRules, Prepares: func(c *verb.Call) bool { return c.Form == verb.FormTime }, Summary: "wait for an element, time, text, address, load, script or download",
			Help: "Give exactly one condition. A bare number is milliseconds. In --url, * matches anything; text without * matches as a substring.\n" +
				"--download returns each download once, oldest first: running ones, those that ended since the last command that may change\n" +
				"the page, or the next one.",
			Args: []verb.Arg{{Name: "target", Doc: "an element, or a time such as 500 or 2s"}},
			Flags: []verb.Flag{
				{Name: "state", Kind: verb.String, Value: "state", Default: "visible", Choices: []string{"visible", "hidden", "attached", "detached"}, Doc: "the state of the element to wait for"},
				{Name: "text", Short: "t", Kind: verb.String, Value: "text", Raw: true, Doc: "wait until the page shows this text"},
				{Name: "wide", Kind: verb.Bool, Hidden: true, Doc: "with --text: also in the value of a field, and over several blocks"},
				{Name: "url", Short: "u", Kind: verb.String, Value: "glob", Doc: "wait until the address matches"},
				{Name: "load", Short: "l", Kind: verb.String, Value: "state", Choices: []string{"load", "domcontentloaded", "networkidle"}, Doc: "wait until the page has reached this state"},
				{Name: "fn", Short: "f", Kind: verb.String, Value: "js", Raw: true, Runs: "eval", Doc: "wait until this expression is true"},
				{Name: "download", Short: "d", Kind: verb.Path, Value: "path", Optional: true, Runs: "download", Doc: "wait for a download, and move it to path if given"},
			},
			Examples: []string{"wait @e4", "wait '#paid' --frame checkout", "wait '#spinner' --state hidden", "wait 500", "wait --text \"Order placed\"", "wait --url '**/thanks'",
				"wait --load networkidle", "wait --fn \"window.ready === true\"", "wait --download report.csv --timeout 60s"},
			Next:  []string{"snapshot -i"},
			Group: verb.GroupWait, Category: verb.CatWait, Marks: verb.OnTab | verb.TakesRefs | verb.SavesFiles | verb.TakesFrame | verb.ReportsChanges},
	}}
}

func waitRules(c *verb.Call) *verb.Error {
	var given []string
	for _, f := range [...]string{verb.FormURL, verb.FormLoad, verb.FormFn, verb.FormText, verb.FormDownload} {
		if c.Has(f) {
			given = append(given, "--"+f)
			c.Form = f
		}
	}
	if c.Has("target") {
		target := c.Str("target")
		given = append(given, plain.Quote(target))
		c.Form = verb.FormSelector
		if startsWithDigit(target) {
			c.Form = verb.FormTime
			if _, err := verb.ParseDuration(target); err != nil {
				return verb.AsError(err)
			}
		} else if _, err := verb.ParseSelector(target); err != nil {
			return verb.AsError(err)
		}
	}
	switch {
	case len(given) == 0:
		return &verb.Error{Code: verb.MissingArgument, Message: "wait needs something to wait for",
			Accepted: []string{"a selector", "a time", "--text", "--url", "--load", "--fn", "--download"}}
	case len(given) > 1:
		return &verb.Error{Code: verb.InvalidArgument, Message: "wait accepts one condition, and was given " + strings.Join(given, " and ")}
	case c.Has("frame") && (c.Form == verb.FormTime || c.Form == verb.FormDownload):
		return &verb.Error{Code: verb.InvalidArgument, Message: "--frame cannot be combined with " + given[0]}
	case c.Bool("wide") && c.Form != verb.FormText:
		return &verb.Error{Code: verb.InvalidArgument, Message: "--wide needs --text"}
	case c.Has("state") && c.Form != verb.FormSelector:
		return &verb.Error{Code: verb.InvalidArgument, Message: "--state needs a selector"}
	case c.Form != verb.FormDownload && c.Form != verb.FormSelector && c.Form != verb.FormTime && strings.TrimSpace(c.Str(c.Form)) == "":
		return verb.Invalid("--" + c.Form + ": cannot wait for empty text")
	}
	return nil
}

// startsWithDigit reports whether a text is a time and no selector: no CSS selector begins with a digit. With a sign it
// is a time out of range.
func startsWithDigit(s string) bool {
	s = strings.TrimPrefix(s, "-")
	s = strings.TrimPrefix(s, ".")
	return s != "" && s[0] >= '0' && s[0] <= '9'
}
