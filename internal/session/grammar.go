package session

import (
	"github.com/usher-browser/usher/internal/verb"
)

// Grammar returns the grammar of the commands about sessions.
func Grammar() verb.Set {
	return verb.Set{Families: []verb.Family{
		{Name: "session", Summary: "the sessions", Bare: "session"},
	}, Verbs: []verb.Verb{
		{Name: "close", Synonyms: []string{"quit", "exit"}, Summary: "end the session and its browser",
			Help:  "Ends this session; a browser that usher attached to is left running. With --all, every session ends.",
			Flags: []verb.Flag{{Name: "all", Kind: verb.Bool, Doc: "end every session"}},
			Group: verb.GroupNavigate, Category: verb.CatSession, Marks: verb.Control | verb.InvalidatesRefs, Examples: []string{"close", "close --all"}},
		{Name: "batch", Summary: "run several commands",
			Help: "Each argument is one command, quoted as a whole. Without arguments the commands are read from standard input: one per\n" +
				"line, with words quoted as in a shell (blank lines and lines that begin with # are skipped), or a JSON array of arrays of\n" +
				"words: [[\"fill\",\"@e5\",\"Ada Lovelace\"],[\"press\",\"Enter\"]]. A failed command does not stop the rest unless --bail is given.",
			Args: []verb.Arg{{Name: "commands", Variadic: true, Raw: true, Doc: "the commands, each as one word"}},
			Flags: []verb.Flag{{Name: "bail", Kind: verb.Bool, Doc: "stop at the first failure"},
				{Name: "omit-command", Kind: verb.Bool, Doc: "number the results instead of repeating the commands"}},
			Examples: []string{"batch \"open example.com\" \"snapshot -i\"", "batch --bail \"fill @e5 Ada\" \"press Enter\" \"wait --load load\"", "batch"},
			Group:    verb.GroupRun, Category: verb.CatSession, Marks: verb.ReadsStdin | verb.TellsPages},
		{Name: "confirm", Summary: "run a held command",
			Help: "Runs exactly the command that was refused with this id (--confirm-actions, or confirm in the file of --action-policy), and\n" +
				"prints its result. An id is valid once, for a minute, in its session, and while the page is the same document. Do not give it\n" +
				"to an agent whose commands you confirm: whoever has a shell can run confirm. See --confirm-interactive.",
			Args:  []verb.Arg{{Name: "id", Required: true, Doc: "the id from the refusal"}},
			Group: verb.GroupSession, Category: verb.CatSession, Marks: verb.Control | verb.TellsPages,
			Examples: []string{"confirm rK7Q2M5XJ3ZB4TNA6WYDLCE2HFU"}},
		{Name: "deny", Summary: "drop a held command",
			Args:  []verb.Arg{{Name: "id", Required: true, Doc: "the id from the refusal"}},
			Group: verb.GroupSession, Category: verb.CatSession, Marks: verb.Control,
			Examples: []string{"deny rK7Q2M5XJ3ZB4TNA6WYDLCE2HFU"}},
		{Name: "session list", Summary: "list the open sessions", Examples: []string{"session list"},
			Group: verb.GroupSession, Category: verb.CatSession, Marks: verb.Control | verb.DaemonOptional},
		{Name: "session info", Summary: "show the session and its browser", Examples: []string{"session info"},
			Group: verb.GroupSession, Category: verb.CatSession, Marks: verb.Control | verb.DaemonOptional | verb.TellsPages},
	}}
}
