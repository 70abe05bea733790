package session_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
)

// repetitions returns how often a leak test repeats its actions: n, or USHER_ROUNDS.
func repetitions(t *testing.T, n int) int {
	if text := os.Getenv("USHER_ROUNDS"); text != "" {
		more, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return more
	}
	return n
}

// bounded are maps and lists that keep a limited number of ended entries, for later queries; go run ./soak -tabs 10000
// shows that they stop growing.
var bounded = []string{"journal.record.provisional",
	"supervisor/stream.Stream.list", // 10,000 changes, 4 MB
	"supervisor/model.State.Gone", "supervisor/model.State.Downloads", "supervisor/model.State.Recent",
	"supervisor/fold/targets.Targets.remoteAddresses", // 1,000
	"supervisor/fold/targets.Targets.keptOrder",       // 100
	"journal.ring[", "journal.network.chains", "journal.network.orphans", "journal.chain.", "journal.Request.", "journal.Message.", // by the journal's limits, of each tab
	"journal.Journal.lastMessage",                        // 4,096
	"view.Refs.gone", "view.Refs.runs", "view.document.", // 500 documents, 20,000 refs
	"world.Worlds.known",                 // 64, or twice those that live
	"command/run/downloads.Session.gone", // those of State.Downloads
	"chrome.tail.buf",
}

// TestNoLeaks: no map or list grows with the number of tabs, frames, documents, dialogs, downloads, requests and
// sessions that have ended. Each is created and ended a number of times, the entries of all maps and lists are counted,
// and the same is done again.
func TestNoLeaks(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	frames := `eval document.body.insertAdjacentHTML("beforeend","<iframe/src=/small></iframe><iframe/src=` + site.Cross("/small") + `></iframe>"),1`
	for name, deed := range map[string]struct {
		rounds int
		do     func(t *testing.T, c *client, i int)
	}{
		"tabs": {22, func(t *testing.T, c *client, i int) {
			c.must(t, fmt.Sprintf("tab new --label l%d %s", i, site.URL("/small")))
			c.must(t, "snapshot -i")
			c.must(t, "find role button click")
			c.must(t, "screenshot")
			c.must(t, "console")
			c.must(t, "get text button --color-scheme "+[]string{"dark", "light"}[i%2])
			c.must(t, "tab close")
		}},
		"frames": {12, func(t *testing.T, c *client, _ int) {
			c.must(t, frames)
			c.must(t, "snapshot -i")
			_, _ = c.run(t.Context(), `hover iframe`) // whether it succeeds does not matter
			c.must(t, `eval document.querySelectorAll("iframe").forEach(f=>f.remove()),1`)
		}},
		"documents": {20, func(t *testing.T, c *client, i int) {
			c.must(t, "open "+site.URL("/small?"+strconv.Itoa(i)))
			c.must(t, "snapshot -i")
			c.must(t, "find role button click")
		}},
		"dialogs": {24, func(t *testing.T, c *client, i int) {
			c.must(t, "eval --on-dialog accept confirm("+strconv.Itoa(i)+")")
		}},
		"requests": {24, func(t *testing.T, c *client, i int) {
			c.must(t, `eval fetch("/small?`+strconv.Itoa(i)+`").then(r=>r.text()).then(()=>console.log(1))`)
			c.must(t, "network requests")
		}},
		"downloads": {12, func(t *testing.T, c *client, i int) {
			c.must(t, `eval (()=>{const/**/a=document.createElement("a");a.href="data:application/octet-stream,x";a.download="f`+strconv.Itoa(i)+`";a.id="d";document.querySelector("#d")?.remove();a.textContent="d";document.body.append(a)})(),1`)
			_, _ = c.run(t.Context(), "download #d f"+strconv.Itoa(i)+" --timeout 3s") // the eleventh needs a person's consent
		}},
		"sessions": {6, func(t *testing.T, c *client, i int) {
			s := fmt.Sprintf(" --session s%d --share 4", i)
			c.must(t, "open "+site.URL("/small")+s+" --permissions camera=allow,geolocation=ask --credentials u:p@http://x"+strconv.Itoa(i)+` --dialog-bridge on --user-agent X`)
			c.must(t, "snapshot -i"+s)
			c.must(t, "close"+s)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t)
			c.must(t, "open "+site.URL("/small")+" --share 4")
			n := repetitions(t, deed.rounds)
			i := 0
			turn := func(n int) map[string]int {
				for range n {
					deed.do(t, c, i)
					i++
				}
				c.must(t, "eval 1") // all earlier events have been handled
				return cdptest.Census(c.registry)
			}
			turn(n / 2)
			first := turn(n)
			second := turn(n)
			for where := range second {
				if slices.ContainsFunc(bounded, func(begins string) bool { return strings.HasPrefix(where, begins) }) {
					delete(second, where)
				}
			}
			for _, grown := range cdptest.Grown(first, second, max(3, n/2)) {
				t.Error(grown)
			}
		})
	}
}
