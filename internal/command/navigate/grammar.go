package navigate

import (
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the commands that load pages.
func grammar() verb.Set {
	const moves = verb.OnTab | verb.InvalidatesRefs | verb.ChangesPage | verb.ReportsChanges
	return verb.Set{Verbs: []verb.Verb{
		{Name: "open", Check: openRules, Synonyms: []string{"goto", "navigate"}, Summary: "open an address and wait until it has loaded",
			Help: "Starts a browser if the session has none. Waits for the load event, unless --wait-until says otherwise.\n\n" +
				"Without an address, `open` shows a blank page; its aliases still require a URL.\n\n" +
				"Prints the final address, title and HTTP status; with --snapshot also the page, as `snapshot --compact` does. A page that\n" +
				"is still loading at the deadline stays usable. A bot check or a login page shown instead of the page is reported.",
			Args: []verb.Arg{{Name: "url", Kind: verb.URL, Doc: "the address; localhost and bare IP addresses get http://, all else https://"}},
			Flags: []verb.Flag{
				{Name: "snapshot", Short: "s", Kind: verb.Bool, Doc: "also print the page, with refs to act on"},
				{Name: "wait-until", Kind: verb.String, Value: "state", Choices: []string{"load", untilReady, untilIdle}, Default: "load", Doc: "how far to wait for the page"},
				verb.LoadLimitFlag(), verb.ReaderFlag(),
			},
			Examples: []string{"open example.com", "open -s example.com", "open localhost:3000/cart", "open https://example.com --headers '{\"X-Trace\":\"1\"}'"},
			Next:     []string{"snapshot -i"},
			Group:    verb.GroupNavigate, Category: verb.CatNavigate, Marks: verb.Starts | verb.InvalidatesRefs | verb.ChangesPage},
		{Name: "back", Summary: "go one page back", Group: verb.GroupNavigate, Category: verb.CatNavigate, Marks: moves,
			Examples: []string{"back"}, Next: []string{"snapshot -i"}},
		{Name: "forward", Summary: "go one page forward", Group: verb.GroupNavigate, Category: verb.CatNavigate, Marks: moves,
			Examples: []string{"forward"}, Next: []string{"snapshot -i"}},
		{Name: "reload", Summary: "load it again", Group: verb.GroupNavigate, Category: verb.CatNavigate, Marks: moves,
			Examples: []string{"reload"}, Next: []string{"snapshot -i"}},
	}}
}

func openRules(c *verb.Call) *verb.Error {
	if c.Word != "open" && !c.Has("url") {
		return &verb.Error{Code: verb.MissingArgument, Message: c.Word + " needs <url>: the address to open"}
	}
	return nil
}
