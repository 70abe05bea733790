package diff

import (
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the grammar of the commands that compare pages.
func grammar() verb.Set {
	selector := verb.Flag{Name: "selector", Short: "s", Kind: verb.Selector, Value: "sel", Doc: "only this element"}
	full := verb.Flag{Name: "full", Kind: verb.Bool, Doc: "the whole page, not only the viewport"}
	outline := []verb.Flag{
		selector,
		{Name: "interactive", Short: "i", Kind: verb.Bool, Doc: "only elements that can be acted on, headings and table cells"},
		{Name: "compact", Short: "c", Kind: verb.Bool, Doc: "omit containers that have neither text nor a ref"},
		{Name: "depth", Short: "d", Kind: verb.Int, Value: "n", Min: 1, Doc: "only this many levels"},
	}
	threshold := verb.Flag{Name: "threshold", Short: "t", Kind: verb.Float, Value: "0-1", Default: "0.1", Doc: "the distance up to which two colours are the same"}
	fullShort := full
	fullShort.Short = "f"
	return verb.Set{Families: []verb.Family{
		{Name: "diff", Summary: "compare snapshots, screenshots or pages"},
	}, Verbs: []verb.Verb{
		{Name: "diff snapshot", Summary: "what changed since the last snapshot, as a unified diff",
			Help: "Compares with the last snapshot of this tab that was printed, taken with the same options, or with a file that has the output\n" +
				"of snapshot. Refs are not compared, so pages from before a reload or of another build can be. The last snapshot stays the\n" +
				"one to compare with; snapshot --delta compares with the last and replaces it.",
			Flags:    append([]verb.Flag{{Name: "baseline", Short: "b", Kind: verb.Path, Value: "file", Doc: "compare with the snapshot in this file"}}, outline...),
			Examples: []string{"diff snapshot", "diff snapshot --baseline before.txt", "diff snapshot -b before.txt -i -s '#main'"}, Next: []string{"snapshot"},
			Group: verb.GroupDebug, Category: verb.CatSnapshot, Marks: verb.OnTab | verb.TakesRefs | verb.TakesFrame},
		{Name: "diff screenshot", Check: diffScreenshotRules, Summary: "what looks different from a picture, pixel by pixel",
			Help: "Compares with a PNG or JPEG picture of the same size, as screenshot takes it. With --output writes a picture in which the\n" +
				"pixels that differ are red. Colours are compared as people see them (the YIQ distance of pixelmatch).",
			Flags: []verb.Flag{
				{Name: "baseline", Short: "b", Kind: verb.Path, Value: "file", Doc: "the picture to compare with; required"},
				{Name: "output", Short: "o", Kind: verb.Path, Value: "file", Doc: "where to save the picture of the differences"},
				threshold, selector, fullShort,
			},
			Examples: []string{"diff screenshot --baseline before.png", "diff screenshot -b before.png -o diff.png -t 0.2"},
			Group:    verb.GroupDebug, Category: verb.CatSnapshot, Marks: verb.OnTab | verb.TakesRefs | verb.SavesFiles},
		{Name: "diff url", Check: thresholdRules, Also: shownByURL, Summary: "what two addresses show differently",
			Help: "Opens one after the other in a tab behind the active one, with the session's cookies. The active tab stays as it is. The\n" +
				"other one is closed after 10 s, or before the next command that is no diff url.",
			Args: []verb.Arg{{Name: "url1", Kind: verb.URL, Required: true, Doc: "the first address"}, {Name: "url2", Kind: verb.URL, Required: true, Doc: "the second"}},
			Flags: append([]verb.Flag{
				{Name: "screenshot", Kind: verb.Bool, Doc: "compare how they look, too"}, full, threshold,
				{Name: "wait-until", Value: "state", Choices: []string{"load", "domcontentloaded", "networkidle"}, Default: "load",
					Doc: "what to wait for; load at least"},
			}, outline...),
			Examples: []string{"diff url staging.example.com example.com", "diff url v1.example.com v2.example.com --screenshot --full"},
			Group:    verb.GroupDebug, Category: verb.CatNavigate, Marks: verb.Starts | verb.ChangesPage | verb.OpensBehind},
	}}
}

// diffScreenshotRules checks what a comparison of pictures needs.
func diffScreenshotRules(c *verb.Call) *verb.Error {
	if !c.Has("baseline") {
		return &verb.Error{Code: verb.MissingArgument, Message: "diff screenshot needs --baseline <file>: the picture to compare with",
			Hint: "Take one with `screenshot before.png`."}
	}
	return thresholdRules(c)
}

func thresholdRules(c *verb.Call) *verb.Error {
	if t := c.Float("threshold"); t < 0 || t > 1 {
		return verb.Invalid("--threshold: "+plain.Quote(c.Str("threshold"))+" is not from 0 to 1").About("--threshold", c.Str("threshold"))
	}
	return nil
}

// shownByURL returns what `diff url` shows of both pages: their outlines.
func shownByURL(*verb.Call) []string { return []string{"diff snapshot"} }
