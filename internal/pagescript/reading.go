package pagescript

import (
	"slices"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// call is how the functions of a script are called: Before, the function's name, Open, one JSON text or nothing, Close.
type call struct {
	Before string   `json:"before"`
	Open   string   `json:"open"`
	Close  string   `json:"close"`
	Reads  []string `json:"reads"` // the functions that change nothing of the page
}

// callsOfAgent are those of the script. A function that Reads does not list may act.
var callsOfAgent = call{
	Before: Ensure + "?" + global + ".", Open: "(", Close: `):"` + Absent + `"`,
	Reads: []string{
		"attribute", "awaitEntered", "awaitEventReport", "awaitState", "box", "boxes", "busy", "byId", "count", "drawn", "elements", "environment", "find", "html",
		"idOf", "idle", "link", "located", "locator", "loginForm", "markup", "matches", "node", "observeFrame", "pageTools", "permissions", "pixelRatio",
		"settle", "snapshot", "source", "status", "styles", "successor", "suspects", "takeEventReport", "text", "texts", "uploadField", "value", "viewport",
		"vitals", "windowFocus", "withInternals",
	},
}

// callsOfStorage are those of the script for the storage of an origin.
var callsOfStorage = sync.OnceValue(func() call {
	return call{Before: "(" + storage + ").", Open: "(JSON.parse(", Close: "))", Reads: []string{"get", "list", "origin"}}
})

// functions are the texts of Runtime.callFunctionOn that change nothing of the page.
var functions = []string{AdoptClosedRoot, IDOf, Located, RootOf, UpdateInternals}

// Rules tell usher's own calls that only read from all other scripts, for the browser extension: the same as [Reading] and
// [ReadingFunction].
type Rules struct {
	Scripts   []string `json:"scripts"` // whole expressions, and sources for new documents
	Calls     []call   `json:"calls"`
	Functions []string `json:"functions"` // whole texts of functions
}

// rules are made when they are needed: they have the script twice.
var rules = sync.OnceValue(func() Rules {
	return Rules{Scripts: []string{Make(), Install(), Ensure}, Calls: []call{callsOfAgent, callsOfStorage()}, Functions: functions}
})

// ReadingRules returns the rules as JSON.
func ReadingRules() []byte {
	text, err := jsonv2.Marshal(rules(), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic("the rules of reading calls: " + err.Error())
	}
	return text
}

// Reading reports whether an expression, or a source for new documents, is usher's own and only reads the page, or brings a script
// there that does nothing by itself.
func Reading(expression string) bool {
	if slices.Contains(rules().Scripts, expression) {
		return true
	}
	for _, c := range rules().Calls {
		rest, ok := strings.CutPrefix(expression, c.Before)
		if !ok {
			continue
		}
		fn, rest, _ := strings.Cut(rest, c.Open)
		arg, ok := strings.CutSuffix(rest, c.Close)
		return ok && slices.Contains(c.Reads, fn) && (arg == "" || jsontext.Value(arg).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)))
	}
	return false
}

// Acting reports whether an expression begins as a call of usher's own and is not [Reading].
func Acting(expression string) bool {
	own := slices.ContainsFunc(rules().Calls, func(c call) bool { return strings.HasPrefix(expression, c.Before) })
	return own && !Reading(expression)
}

// ReadingFunction reports whether the function of a Runtime.callFunctionOn is usher's own and only reads the page.
func ReadingFunction(text string) bool { return slices.Contains(functions, text) }
