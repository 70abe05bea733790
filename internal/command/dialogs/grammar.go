package dialogs

import (
	"slices"

	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the commands about dialogs and whatever else the browser waits for.
func grammar() verb.Set {
	const reads = verb.NeedsBrowser | verb.Control
	return verb.Set{Families: []verb.Family{
		{Name: "dialog", Summary: "answer alert, confirm and prompt"},
		{Name: "interrupt", Summary: "list and answer interruptions", Bare: "interrupt list"},
	}, Verbs: []verb.Verb{
		{Name: "dialog accept", Summary: "answer the open dialog with OK", Args: []verb.Arg{{Name: "text", Rest: true, Raw: true, Doc: "what to enter into a prompt"}},
			Examples: []string{"dialog accept", "dialog accept \"my answer\""}, Next: []string{"snapshot -i"},
			Group: verb.GroupWatch, Category: verb.CatDialog, Marks: reads | verb.WorksOffline | verb.ChangesPage | verb.InvalidatesRefs | verb.ReportsChanges},
		{Name: "dialog dismiss", Summary: "answer the open dialog with Cancel", Examples: []string{"dialog dismiss"}, Next: []string{"snapshot -i"},
			Group: verb.GroupWatch, Category: verb.CatDialog, Marks: reads | verb.WorksOffline | verb.ChangesPage | verb.InvalidatesRefs | verb.ReportsChanges},
		{Name: "dialog status", Summary: "whether a dialog is open, with its text", Examples: []string{"dialog status"},
			Next: []string{"dialog accept", "dialog dismiss"}, Group: verb.GroupWatch, Category: verb.CatDialog, Marks: reads | verb.WorksOffline},
		{Name: "interrupt list", Summary: "list interruptions: dialogs, file choosers, HTTP authentication, permission requests, notices",
			Help:  "Prints id, origin and the commands that answer each. The word interrupt alone does the same.",
			Flags: []verb.Flag{{Name: "all", Kind: verb.Bool, Doc: "also closed ones, with their outcome"}}, Examples: []string{"interrupt", "interrupt list --all"},
			Next: []string{"interrupt answer <id> ..."}, Group: verb.GroupWatch, Category: verb.CatDialog, Marks: reads | verb.WorksOffline},
		{Name: "interrupt answer", Also: filesGiven, Summary: "answer an interruption",
			Help: "Dialog: accept [text] or dismiss. File chooser: files or dismiss. HTTP authentication: --username and a password, or dismiss.\n" +
				"Permission request: allow or deny. Others: ok. Give passwords with --password-stdin or USHER_PASSWORD, since other users of the\n" +
				"machine can see a command line. --upload-root lists the directories files may come from, --credentials answers HTTP\n" +
				"authentication automatically; without them subresources that request it are canceled and listed here. Only geolocation and\n" +
				"notifications can be asked for (--permissions geolocation=ask); --permissions allows or denies every permission beforehand.",
			Args: []verb.Arg{{Name: "id", Required: true, Doc: "the id from interrupt list: i-3, d-1"},
				{Name: "answer", Variadic: true, Raw: true, Doc: "accept, dismiss, allow, deny, ok, or files"}},
			Flags: []verb.Flag{{Name: "username", Kind: verb.String, Value: "name", Raw: true, Doc: "for HTTP authentication; default: USHER_USERNAME"},
				{Name: "password", Kind: verb.String, Value: "word", Raw: true, Doc: "for HTTP authentication; default: USHER_PASSWORD"},
				{Name: "password-stdin", Kind: verb.Bool, Doc: "read the password from standard input"}},
			Examples: []string{"interrupt answer i-3 report.pdf", "interrupt answer i-4 --username ada --password-stdin < secret", "interrupt answer i-5 allow", "interrupt answer d-1 dismiss"},
			Next:     []string{"snapshot -i"}, Group: verb.GroupWatch, Category: verb.CatDialog, Marks: reads | verb.ChangesPage | verb.InvalidatesRefs | verb.ReadsFiles | verb.ReadsStdin | verb.ReportsChanges},
		{Name: "dialog policy", Summary: "show or set the policy for dialogs without a matching rule",
			Help: "must_respond leaves dialogs open for you and dismisses them after --timeout (default 5 minutes); auto_dismiss and auto_accept\n" +
				"answer at once. The new policy also applies to an open dialog.",
			Args:     []verb.Arg{{Name: "policy", Choices: []string{"must_respond", "auto_dismiss", "auto_accept"}, Doc: "the new policy"}},
			Examples: []string{"dialog policy", "dialog policy auto_accept", "dialog policy must_respond --timeout 60s"},
			Group:    verb.GroupWatch, Category: verb.CatDialog, Marks: reads},
		{Name: "dialog rule", Check: dialogRules, Summary: "list, add or remove rules that answer dialogs automatically",
			Help: "A rule is accept, dismiss or ask with conditions: kind=alert|confirm|prompt|beforeunload, tab= (id, label or target id),\n" +
				"frame= (id, name or URL), origin=, message=. * matches anything, /.../ and /.../i are regular expressions; a message without *\n" +
				"matches as a substring. text= is the answer to a prompt, name= the name of the rule. The first match of --on-dialog, the rules\n" +
				"added here, --dialog-rules and the configuration (dialog_rules) decides, then the policy; ask leaves the dialog open. `status`\n" +
				"shows which rule closed what.",
			Args: []verb.Arg{{Name: "action", Choices: []string{"list", "add", "remove"}, Doc: "default: list"},
				{Name: "words", Variadic: true, Raw: true, Doc: "the rule to add, or the names of those to remove"}},
			Examples: []string{"dialog rule", "dialog rule add accept kind=beforeunload", "dialog rule add dismiss tab=t2",
				"dialog rule add dismiss origin=https://*.example.com 'message=/cookie/i' name=cookies", "dialog rule remove cookies"},
			Next: []string{"status"}, Group: verb.GroupWatch, Category: verb.CatDialog, Marks: reads},
		{Name: "status", Summary: "open dialogs, frames, console errors",
			Help: "Answers at once, even while the page is blocked. JSON: pending_dialogs, recent_dialogs (last 20), frame_tree of the active tab\n" +
				"(30 frames), console_errors (last 50).",
			Flags:    []verb.Flag{{Name: "all-frames", Kind: verb.Bool, Doc: "the whole frame tree"}},
			Examples: []string{"status", "status --json", "status --all-frames"}, Next: []string{"dialog accept", "dialog dismiss"},
			Group: verb.GroupWatch, Category: verb.CatLogs, Marks: reads},
	}}
}

// dialogRules parses the words of `dialog rule`.
func dialogRules(c *verb.Call) *verb.Error {
	if !c.Has("action") {
		c.Set("action", "list")
	}
	words := c.List("words")
	switch action := c.Str("action"); {
	case action == "list" && len(words) > 0:
		return &verb.Error{Code: verb.InvalidArgument, Message: "dialog rule list takes no words"}
	case action != "list" && len(words) == 0:
		return &verb.Error{Code: verb.MissingArgument, Message: "dialog rule " + action + " needs words: a rule to add, or names of rules to remove"}
	case action == "add":
		if _, err := policy.ParseDialogRule(words); err != nil {
			return verb.Invalid("dialog rule add: " + err.Error())
		}
	}
	return nil
}

// answerWords are answers that are not files. A file of such a name is written with a directory: ./ok.
var answerWords = []string{"accept", "allow", "deny", "dismiss", "ok"}

// filesGiven returns upload for an answer that has files.
func filesGiven(c *verb.Call) []string {
	if words := c.List("answer"); len(words) == 0 || slices.Contains(answerWords, words[0]) {
		return nil
	}
	return []string{"upload"}
}
