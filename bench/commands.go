package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
)

// measured is a command line that both programs have. In its words and in those of the commands around it, {n} is the number
// of the round and {out} a path that no other round has.
type measured struct {
	page  string            // opened once, before the first round
	once  []string          // commands before the first round
	files map[string]string // written before that, by their paths in the home
	each  string            // the command before each round
	line  string            // the command line that is timed
	after string            // the command after each round
	pause time.Duration     // before the timed command: what the round before began, such as the end of a renderer, is over then
	slow  bool              // takes seconds, at least with one of the programs: three rounds
	bar   float64           // ratio of our median to theirs, at most; 1 if not set
}

// commandRows are a row for every command that both programs have.
func commandRows(site *cdptest.Site) []row {
	var rows []row
	for _, group := range [][]measured{navigationLines(site), actionLines(site), readingLines(site), waitLines(site), deviceLines(site), networkLines(site),
		stateLines(site), tabLines(site), debugLines(site), fileLines(site)} {
		for _, m := range group {
			rows = append(rows, m.row())
		}
	}
	return rows
}

func (m measured) row() row {
	bar := m.bar
	if bar == 0 {
		bar = 1
	}
	name := m.line
	if len(name) > 40 {
		name = name[:37] + "..."
	}
	return row{
		name: name, bar: bar, command: true, slow: m.slow,
		prepare: func(at *round) error {
			for path, text := range m.files {
				path = filepath.Join(at.program.Home, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					return err
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					return err
				}
			}
			if m.page != "" {
				if err := at.do([]string{"open", m.page}); err != nil {
					return err
				}
			}
			for _, line := range m.once {
				if err := at.do(at.words(line)); err != nil {
					return err
				}
			}
			return nil
		},
		measure: func(at *round) (float64, error) {
			if m.each != "" {
				if err := at.do(at.words(m.each)); err != nil {
					return 0, err
				}
			}
			time.Sleep(m.pause + at.rest())
			value, err := at.timed(nil, at.words(m.line)...)
			if err == nil && m.after != "" {
				err = at.do(at.words(m.after))
			}
			return value, err
		},
	}
}

// rest is the pause before a timed command: between zero and one frame of a browser, and spread evenly over the rounds (multiples of the
// golden ratio), each for two rounds, because the programs run in the other order in every second one. A command that waits for a frame leaves
// the clocks of both browsers at a fixed distance; without the pause the commands that follow measure that distance, which is a matter of
// chance: what one program gains the other loses, and the sum of both is two frames.
func (at *round) rest() time.Duration {
	const frame = time.Second / 60
	_, part := math.Modf(float64(at.number/2) * math.Phi)
	return time.Duration(part * float64(frame))
}

// words splits a line at its spaces; a word in single quotes may contain some.
func (at *round) words(line string) []string {
	filled := strings.NewReplacer("{n}", strconv.Itoa(at.number), "{out}", filepath.Join(at.program.Home, fmt.Sprintf("out-%d", at.number)),
		"{home}", at.program.Home).Replace(line)
	var words []string
	for i, part := range strings.Split(filled, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

func navigationLines(site *cdptest.Site) []measured {
	small := site.URL("/small")
	return []measured{
		{page: small, line: "open " + small + "?{n}"},
		{page: small, line: "reload"},
		{each: "open " + small + "?first", line: "back", once: []string{"open " + small}, bar: 0.1},
		{page: small, once: []string{"open " + small + "?second"}, each: "back", line: "forward", bar: 0.1},
		{page: small, line: "pushstate /small?{n}"},
	}
}

func actionLines(site *cdptest.Site) []measured {
	forms := site.URL("/forms?stay")
	return []measured{
		{page: forms, line: "click #tick"},
		{page: forms, line: "dblclick #text"},
		{page: forms, each: "hover h1", line: "hover #send"},
		{page: forms, each: "focus #email", line: "focus #text"},
		{page: forms, line: "tap #check"},
		{page: forms, line: "fill #text 'some words {n}'"},
		{page: forms, line: "type #text word"},
		{page: forms, once: []string{"focus #text"}, line: "press a"},
		{page: forms, once: []string{"focus #text"}, line: "keydown Shift", after: "keyup Shift"},
		{page: forms, once: []string{"focus #text"}, each: "keydown Shift", line: "keyup Shift"},
		{page: forms, once: []string{"focus #text"}, line: "keyboard type abc"},
		{page: forms, once: []string{"focus #text"}, line: "keyboard inserttext abc"},
		{page: forms, each: "select #one r", line: "select #one ''"},
		{page: forms, each: "uncheck #check", line: "check #check"},
		{page: forms, each: "check #check", line: "uncheck #check"},
		{page: site.URL("/drag"), each: "reload", line: "drag #card #bin"},
		{page: site.URL("/tall"), each: "eval scrollTo(0,0)", line: "scroll down 10"},
		{page: site.URL("/small"), line: "scroll down 10"},
		{page: site.URL("/tall"), each: "eval scrollTo(0,0)", line: "scroll down 1000"},
		{page: forms, each: "eval scrollTo(0,0)", line: "scrollintoview #pick"},
		{page: site.URL("/tall"), each: "eval scrollTo(0,0)", line: "swipe up 100"},
		{page: forms, each: "mouse move 5 5", line: "mouse move 100 100"},
		{page: forms, each: "mouse move 5 5", line: "mouse down", after: "mouse up"},
		{page: forms, each: "mouse down", line: "mouse up"},
		{page: site.URL("/tall"), line: "mouse wheel 10"},
		{page: forms, line: "find role button hover --name Send"},
		{page: forms, line: "find text 'Send' hover"},
		{page: forms, line: "find label Text fill words"},
		{page: forms, line: "find placeholder Words fill words"},
		{page: forms, line: "find first input hover"},
		{page: forms, line: "find nth 1 input hover"},
		{page: forms, each: "wait 50", line: "highlight #text"}, // the mark is drawn after the command has returned, for 10 ms
	}
}

func readingLines(site *cdptest.Site) []measured {
	forms := site.URL("/forms")
	list := []measured{
		{page: forms, line: "snapshot"}, {page: forms, line: "snapshot -i"}, {page: forms, line: "snapshot -c"}, {page: forms, line: "snapshot -i -d 3"},
		{page: forms, line: "snapshot -i --urls"}, {page: site.URL("/frames"), line: "snapshot -i"},
		{page: forms, line: "read"}, {page: forms, line: "read " + site.URL("/small")}, {page: forms, line: "read --outline"},
		{page: forms, line: "eval 1"}, {page: forms, line: "eval document.title"},
		{page: site.URL("/console?auto"), line: "console"}, {page: site.URL("/console?auto"), line: "errors"},
	}
	for _, line := range []string{"get text h1", "get html #editable", "get value #readonly", "get attr #text placeholder", "get count input", "get box #text",
		"get styles h1", "get title", "get url", "get cdp-url", "is visible #text", "is enabled #text", "is checked #checked"} {
		list = append(list, measured{page: forms, line: line})
	}
	return list
}

func waitLines(site *cdptest.Site) []measured {
	small := site.URL("/small")
	var list []measured
	for _, line := range []string{"wait h1", "wait 1", "wait --text Small", "wait --url **/small*", "wait --load load", "wait --fn true"} {
		list = append(list, measured{page: small, line: line})
	}
	return append(list, measured{page: small, line: "batch 'get title' 'get url' 'is visible h1'"})
}

func deviceLines(site *cdptest.Site) []measured {
	small := site.URL("/small")
	return []measured{
		{page: small, each: "set viewport 800 600", line: "set viewport 900 700"},
		{page: small, line: "set device 'iPhone 14'"}, {page: small, line: "set geo 52.5 13.{n}"}, {page: small, each: "set offline off", line: "set offline on"},
		{page: small, each: "set offline on", line: "set offline off"}, {page: small, line: `set headers {"X-N":"{n}"}`},
		{page: small, line: "set credentials ada secret{n}"}, {page: small, each: "set media light", line: "set media dark"},
		{page: small, line: "clipboard write words{n}"}, {page: small, once: []string{"clipboard write words"}, line: "clipboard read"},
	}
}

func networkLines(site *cdptest.Site) []measured {
	small := site.URL("/small")
	return []measured{
		{page: small, line: "network route **/none{n} --abort", after: "network unroute"},
		{page: small, each: "network route **/none --abort", line: "network unroute **/none"},
		{page: site.URL("/fetches?n=20&auto"), line: "network requests"},
		{page: small, line: "network har start", after: "network har stop {out}.har"},
		{page: small, each: "network har start", line: "network har stop {out}.har"},
	}
}

func stateLines(site *cdptest.Site) []measured {
	small := site.URL("/small")
	save := func(name, page string) string {
		return "auth save " + name + " --url " + site.URL(page) + " --username ada --password secret"
	}
	login := save("site", "/sign-in")
	return []measured{
		{page: small, once: []string{"cookies set a 1"}, line: "cookies"}, {page: small, line: "cookies set a {n}"},
		{page: small, each: "cookies set a 1", line: "cookies clear"},
		{page: small, once: []string{"storage local set k v"}, line: "storage local"}, {page: small, line: "storage local set k {n}"},
		{page: small, each: "storage local set k v", line: "storage local clear"}, {page: small, line: "storage session"},
		{page: small, once: []string{"cookies set a 1"}, line: "state save {out}.json"},
		{page: small, once: []string{"cookies set a 1", "state save {home}/state.json"}, line: "state load {home}/state.json"},
		{page: small, line: "state list"}, {page: small, once: []string{"state save {home}/state.json"}, line: "state show {home}/state.json"},
		{line: "auth save name{n} --url https://x.example --username ada --password secret"},
		{once: []string{login}, line: "auth list"}, {once: []string{login}, line: "auth show site"},
		// agent-browser knows the names of the first form's fields; those of the second it awaits for 5 s each.
		{page: small, once: []string{login}, line: "auth login site"},
		{page: small, once: []string{save("plain", "/sign-in-plain")}, line: "auth login plain", slow: true, bar: 0.1},
		{page: small, line: "session"}, {page: small, line: "session list"}, {page: small, line: "session info"},
		{line: "--version"}, {line: "--help"}, {line: "click --help"}, {line: "skills list"},
		{page: small, line: "profiles", files: map[string]string{".config/google-chrome/Local State": `{"profile":{"info_cache":{"Default":{"name":"Person 1"},"Profile 1":{"name":"Work"}}}}`}},
	}
}

func tabLines(site *cdptest.Site) []measured {
	small := site.URL("/small")
	return []measured{
		{page: small, line: "tab list"}, {page: small, line: "tab new " + small + "?{n}", after: "tab close", pause: 300 * time.Millisecond},
		{page: small, each: "tab new " + small, line: "tab close"},
		{page: small, once: []string{"tab new " + small}, each: "tab t2", line: "tab t1"},
		{page: site.URL("/frames"), each: "frame main", line: "frame #same"}, {page: site.URL("/frames"), each: "frame #same", line: "frame main"},
		{page: small, line: "dialog status"},
	}
}

func debugLines(site *cdptest.Site) []measured {
	small := site.URL("/small")
	return []measured{
		{page: small, line: "trace start", after: "trace stop {out}.json"},
		{page: small, each: "trace start", line: "trace stop {out}.json"},
		{page: small, line: "profiler start", after: "profiler stop {out}.json"},
		{page: small, each: "profiler start", line: "profiler stop {out}.json"},
		{page: small, line: "vitals", slow: true}, {page: site.URL("/forms"), line: "a11y"},
		{page: small, once: []string{"snapshot"}, line: "diff snapshot"},
		{page: small, once: []string{"screenshot {home}/base.png"}, line: "diff screenshot --baseline {home}/base.png"},
		{page: small, line: "diff url " + small + "?1 " + small + "?2"},
		{page: small, line: "record start {out}.webm", after: "record stop"},
		{page: small, each: "record start {out}.webm", line: "record stop"},
	}
}

func fileLines(site *cdptest.Site) []measured {
	small, forms := site.URL("/small"), site.URL("/forms")
	return []measured{
		{page: small, line: "screenshot {out}.png"}, {page: forms, line: "screenshot {out}.png"}, {page: forms, line: "screenshot --full {out}.png"},
		{page: forms, line: "screenshot #text {out}.png"}, {page: forms, line: "screenshot --annotate {out}.png"},
		{page: forms, line: "screenshot --if-changed {out}.png"}, {page: forms, line: "pdf {out}.pdf"},
		{page: site.URL("/download"), line: "download #attachment {out}.csv"},
		{page: site.URL("/upload"), once: []string{"screenshot {home}/up.png"}, line: "upload #file {home}/up.png"},
	}
}
