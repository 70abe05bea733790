package vm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/script/message"
)

// advise adds the next step to an error that agents commonly make.
func (m *machine) advise(e *message.Error) {
	if m.run == nil {
		return
	}
	if e.Unhandled {
		e.Hint = strings.TrimSpace(e.Hint + " Nothing waited for what failed: add the await that is missing, or catch the error where it happens.")
	}
	if e.Hint != "" {
		return
	}
	switch e.Name {
	case "":
		if e.Message == "null" { // what the engine throws when there is no memory for an error
			e.Message = "null was thrown, by the code or because there was no memory left"
			e.Hint = m.memoryHint()
		}
	case "ReferenceError":
		e.Hint = referenceHint(e.Message)
	case "SyntaxError":
		e.Hint = syntaxHint(m.line(e.Line))
	case "InternalError":
		if e.Message == "out of memory" {
			e.Hint = m.memoryHint()
		}
	}
}

func (m *machine) memoryHint() string {
	return fmt.Sprintf("The values of one run may take %d MB: keep less of them at a time.", m.memory>>20)
}

// line returns a line of the code.
func (m *machine) line(n int) string {
	lines := strings.Split(m.run.Code, "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
}

// absent are names that code for Node or for pages uses.
var absent = []string{
	"process", "require", "module", "exports", "fs", "path", "os", "http", "https", "fetch", "XMLHttpRequest", "WebSocket", "__dirname",
	"__filename", "global", "Deno", "Bun", "localStorage", "sessionStorage", "navigator", "Intl",
}

// launchers are names with which code for Node starts a browser, ofRunners those of test runners.
var (
	launchers = []string{"puppeteer", "playwright", "chromium", "firefox", "webkit"}
	ofRunners = []string{"expect", "test", "it", "describe", "assert"}
)

// inPage are names that exist in the page only.
var inPage = []string{"document", "window", "location", "localStorage", "sessionStorage", "navigator", "history", "self", "alert"}

var undefinedName = regexp.MustCompile(`^'?([\w$]+)'? is not defined`)

func referenceHint(text string) string {
	if strings.HasPrefix(text, "could not load module") {
		return "Modules cannot be loaded. " + exists
	}
	found := undefinedName.FindStringSubmatch(text)
	switch {
	case found == nil:
		return ""
	case slices.Contains(inPage, found[1]):
		return fmt.Sprintf("The code runs beside the page, not in it: read %s with tab.evaluate(() => ...).", found[1])
	case slices.Contains(launchers, found[1]):
		return "The browser runs already: use page and browser, without launch, connect and close. For a device there is page.emulate({viewport, userAgent})."
	case slices.Contains(ofRunners, found[1]):
		return fmt.Sprintf("There is no %s, which is a test runner's: wait with locator.waitFor() or page.waitForFunction(), or compare what you read and throw.", found[1])
	case found[1] == "require":
		return "There is no require: the code has no modules, files, network or processes of its own. A script for Puppeteer or Playwright runs without its lines of require, launch and close: page, browser and TimeoutError are there. " + exists
	case slices.Contains(absent, found[1]):
		return fmt.Sprintf("There is no %s: the code has no files, network or processes of its own. %s", found[1], exists)
	}
	return ""
}

// exists names what code has.
const exists = "It has tab, page and browser, display and console, timers, URL, Buffer, TextEncoder, AbortController and structuredClone."

var (
	importLine = regexp.MustCompile(`^\s*(import\b\s*[\w{*'"]|export\b)`)
	typeLine   = regexp.MustCompile(`^\s*(interface\s+\w+|type\s+\w+\s*=|enum\s+\w+|declare\s|abstract\s+class)|\b(let|const|var)\s+\w+\s*:|[(,]\s*\w+\??\s*:\s*[\w{\[]+[^?]*\)\s*(=>|\{|:)|\)\s*:\s*\w+[^?]*(=>|\{)|\bas\s+(const|any|unknown|string|number|\w+\[\]|[A-Z]\w*)|\w!\.`)
)

func syntaxHint(line string) string {
	switch {
	case importLine.MatchString(line):
		return "The code is the body of a function: it cannot import or export. " + exists
	case typeLine.MatchString(line):
		return "This looks like TypeScript: write JavaScript, without types."
	}
	return ""
}
