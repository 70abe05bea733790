package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The files with the classes whose methods code calls, and the names of their objects in docs/code.md.
var codeClasses = map[string]string{
	"Page": "page", "Frame": "page and frames", "Finds": "page, frames and locators", "Locator": "locators", "FunctionLocator": "Puppeteer's locators of functions",
	"Actions": "locators and element handles", "JSHandle": "handles", "ElementHandle": "element handles", "Tab": "tab", "Context": "page.context()", "Browser": "browser",
	"Target": "targets", "Events": "page, context, browser, workers and WebSockets", "Keyboard": "page.keyboard", "Mouse": "page.mouse", "Touchscreen": "page.touchscreen", "Accessibility": "page.accessibility",
	"Dialog": "dialogs", "ConsoleMessage": "console messages", "Request": "requests", "Response": "responses", "InterceptedRequest": "intercepted requests",
	"Route": "routes", "FetchedResponse": "responses of route.fetch", "Download": "downloads", "FileChooser": "file choosers", "CDPSession": "CDP sessions",
	"APIRequestContext": "page.request", "Clock": "page.clock", "Worker": "workers", "WebSocket": "WebSockets", "APIResponse": "responses of page.request",
}

// internalMethods are public in TypeScript for the other files only.
var internalMethods = []string{"frameOf", "infos", "loadTimeout", "entry", "find", "query", "one", "until", "again", "limit", "late", "awaitURL", "capture", "evaluateAll",
	"argument", "timed", "target", "absolute", "emitter", "act", "open", "renew", "usable", "main", "kind", "unrouteHARs", "isPlain", "plainValue", "hides", "ended", "workersOf", "tellOfAction", "observed", "keep", "picture", "take"}

var (
	classLine  = regexp.MustCompile(`^export (?:abstract )?class (\w+)`)
	methodLine = regexp.MustCompile(`^  (?:override |async |get )*([\w$]+)(?:<[^>]*>)?\(`)
)

// codeMethods returns the methods of each class that code has.
func codeMethods(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("../../ui/script/src/*.ts")
	if err != nil || len(files) == 0 {
		t.Fatalf("find the facade: %v", err)
	}
	all := map[string][]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		class := ""
		for line := range strings.Lines(string(text)) {
			if m := classLine.FindStringSubmatch(line); m != nil {
				class = m[1]
			} else if line == "}\n" {
				class = ""
			}
			m := methodLine.FindStringSubmatch(line)
			if m == nil || codeClasses[class] == "" || m[1] == "constructor" || slices.Contains(internalMethods, m[1]) || slices.Contains(all[class], m[1]) {
				continue
			}
			all[class] = append(all[class], m[1])
		}
	}
	return all
}

// TestMethodsHaveCases: each method of what code has in scope is called in a script of the tests, and listed in docs/code.md.
func TestMethodsHaveCases(t *testing.T) {
	cases, err := os.ReadFile("testdata/script/methods.txtar")
	if err != nil {
		t.Fatal(err)
	}
	listed, err := os.ReadFile("../../docs/code.md")
	if err != nil {
		t.Fatal(err)
	}
	all := codeMethods(t)
	if len(all) < len(codeClasses) {
		t.Errorf("there are methods of %d classes, want those of %d", len(all), len(codeClasses))
	}
	for _, class := range slices.Sorted(maps.Keys(all)) {
		row := "| " + codeClasses[class] + " | `" + strings.Join(all[class], "`, `") + "` |"
		if !strings.Contains(string(listed), row) {
			t.Errorf("docs/code.md lacks the row\n%s", row)
		}
		for _, name := range all[class] {
			if !regexp.MustCompile(`\.`+regexp.QuoteMeta(name)+`\b`).Match(cases) && !strings.Contains(string(cases), "."+name+"(") {
				t.Errorf("%s.%s has no case in methods.txtar", class, name)
			}
		}
	}
}
