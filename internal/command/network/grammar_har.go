package network

import (
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/verb"
)

func harVerb() verb.Verb {
	return verb.Verb{Name: "network har", Check: harRules, Also: replayedScript, Prepares: func(c *verb.Call) bool { return c.Str("action") != "stop" }, Summary: "record requests as HAR 1.2, or replay a HAR",
		Help: "`network har start [path]` records every request of the session: headers as sent, cookies, bodies, timings, redirects,\n" +
			"failed and cached requests, messages of WebSockets. `network har stop [path]` ends that. The file is written as requests\n" +
			"come, as PATH.….partial in the same directory, and is a valid HAR at any time; `close` also ends the recording. Only its\n" +
			"owner can read it (mode 0600), because it contains cookies and passwords. Bodies are cut after 16 MB. Without a browser, start and\n" +
			"replay start one, so that they hold for the first page.\n\n" +
			"`network har replay <path>` answers requests with the recorded responses, chosen by method, URL and body; several for one\n" +
			"request are given in their order, and the last repeatedly. `network unroute <path>` ends that.",
		Args: []verb.Arg{{Name: "action", Required: true, Choices: []string{"start", "stop", "replay"}, Doc: "start, stop or replay"},
			{Name: "path", Kind: verb.Path, Doc: "the file; without one, a file in the session's directory"}},
		Flags: []verb.Flag{{Name: "content", Kind: verb.String, Value: "bodies", Choices: []string{"text", "all", "none"}, Default: "text",
			Doc: "start: record the bodies of these responses"},
			{Name: "not-found", Kind: verb.String, Value: "what", Choices: []string{"continue", "abort"}, Default: "continue",
				Doc: "replay: what happens to other requests"},
			{Name: "url", Kind: verb.String, Value: "pattern", Default: "**", Doc: "replay: only requests that match, as in network route"}},
		Examples: []string{"network har start traffic.har", "network har start --content all", "network har stop", "network har stop ./capture.har",
			"network har replay traffic.har", "network har replay traffic.har --url '**/api/*' --not-found abort"},
		Group: verb.GroupWatch, Category: verb.CatNetwork, Marks: verb.NeedsBrowser | verb.Control | verb.SavesFiles | verb.ReadsFiles}
}

func harRules(c *verb.Call) *verb.Error {
	action := c.Str("action")
	for flag, of := range map[string]string{"content": "start", "not-found": "replay", "url": "replay"} {
		if c.Has(flag) && action != of {
			return verb.Invalid("network har " + action + " takes no --" + flag)
		}
	}
	if action == "replay" && c.Str("path") == "" {
		return &verb.Error{Code: verb.MissingArgument, Message: "network har replay needs the path of a HAR"}
	}
	if _, err := policy.ParseURLGlob(c.Str("url")); c.Has("url") && err != nil {
		return verb.Invalid("--url: " + plain.Quote(c.Str("url")) + " is not a pattern: " + err.Error())
	}
	return nil
}

// replayedScript returns eval for a file whose responses pages get: whoever wrote it chose the scripts in them.
func replayedScript(c *verb.Call) []string {
	if c.Str("action") != "replay" {
		return nil
	}
	return []string{"eval"}
}
