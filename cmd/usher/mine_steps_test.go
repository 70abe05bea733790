package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/peer"
)

// desk is a site whose pages need a login, with a list of tasks for each way in which they are made.
type desk struct {
	mu    sync.Mutex
	tasks map[string]string // guarded by mu: by the way
}

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/login" {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "ada", Path: "/", HttpOnly: true})
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	cookie, err := r.Cookie("session")
	if err != nil {
		http.Error(w, "log in first", http.StatusUnauthorized)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	by := r.FormValue("by")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch r.URL.Path {
	case "/":
		fmt.Fprintf(w, "<title>Desk</title><p id=who>Signed in as %s</p>", cookie.Value)
	case "/new":
		fmt.Fprintf(w, `<title>New task</title><form method=post action=/add><input type=hidden name=by value=%q>
			<label>Title <input id=title name=title></label>
			<label>Priority <select id=priority name=priority><option>low<option>high</select></label>
			<label><input type=checkbox id=urgent name=urgent value=urgent> Urgent</label><button id=add>Add</button></form>`, by)
	case "/add":
		d.tasks[by] = fmt.Sprintf("%s: %s, %s, %s", cookie.Value, r.FormValue("title"), r.FormValue("priority"), r.FormValue("urgent"))
		http.Redirect(w, r, "/list?by="+by, http.StatusSeeOther)
	case "/list":
		fmt.Fprintf(w, `<title>Tasks</title><ul><li>%s</ul><p id=status></p><button id=archive onclick="if (confirm('Archive all?'))
			fetch('/archive?by=%s', {method: 'POST'}).then(() => { document.getElementById('status').textContent = 'archived' })">Archive</button>`, d.tasks[by], by)
	case "/archive":
		d.tasks[by] += ", archived"
	}
}

// TestTenStepsInTheUsersChrome does the same task in five ways, in a Chrome whose user is logged in and has the page open: find the tab, read who
// is logged in, open another, fill in a text, select, check, send, read the list, archive it with a dialog, close the tab.
func TestTenStepsInTheUsersChrome(t *testing.T) {
	d := &desk{tasks: map[string]string{}}
	server := httptest.NewServer(d)
	defer server.Close()
	o := newOwner(t)
	user := o.page(server.URL + "/login")
	o.until(user, "document.title", `"Desk"`)
	o.usher("--browser", "mine", "tab", "list")

	for _, way := range []struct {
		name string
		do   func(t *testing.T) (who, list string)
	}{
		{"cli", o.byCommands(server.URL)},
		{"mcp", o.byTools(server.URL)},
		{"execute", o.byExecute(server.URL)},
		{"playwright", o.byLibrary(server.URL, "playwright")},
		{"puppeteer", o.byLibrary(server.URL, "puppeteer")},
	} {
		t.Run(way.name, func(t *testing.T) {
			o.t = t
			who, list := way.do(t)
			if who != "Signed in as ada" || list != "ada: Pay rent, high, urgent" {
				t.Errorf("it read %q and %q", who, list)
			}
		})
	}
	o.t = t
	want := map[string]string{}
	for _, name := range []string{"cli", "mcp", "execute", "playwright", "puppeteer"} {
		want[name] = "ada: Pay rent, high, urgent, archived"
	}
	d.mu.Lock()
	if !maps.Equal(d.tasks, want) {
		t.Errorf("the tasks in the end: %q", d.tasks)
	}
	d.mu.Unlock()
	if out := o.usher("--browser", "mine", "tab", "list"); strings.Contains(out, "/list") || !strings.Contains(out, "Desk") {
		t.Errorf("the tabs in the end:\n%s", out)
	}
}

var deskTab = regexp.MustCompile(`\[(t\d+)\] Desk`)

func (o *owner) byCommands(site string) func(*testing.T) (string, string) {
	return func(t *testing.T) (who, list string) {
		u := func(argv ...string) string {
			return o.usher(append([]string{"--browser", "mine", "--session", "cli"}, argv...)...)
		}
		tabs := u("tab", "list")
		m := deskTab.FindStringSubmatch(tabs)
		if m == nil {
			t.Fatalf("no tab with the desk:\n%s", tabs)
		}
		u("tab", "switch", m[1])
		who = u("get", "text", "#who")
		u("tab", "new", site+"/new?by=cli")
		u("fill", "#title", "Pay rent")
		u("select", "#priority", "high")
		u("check", "#urgent")
		u("click", "#add")
		list = u("get", "text", "li")
		u("click", "#archive")
		u("dialog", "accept")
		u("wait", "--text", "archived")
		u("tab", "close")
		u("close")
		return who, list
	}
}

// agent connects an MCP client to the user's Chrome.
func (o *owner) agent(t *testing.T, session string) agent {
	t.Helper()
	server := exec.Command("usher", "--browser", "mine", "--session", session, "mcp", "--toolsets", "browser,playwright")
	server.Env, server.Stderr, server.Dir = append(os.Environ(), o.env...), os.Stderr, t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
	defer cancel()
	client, err := newClient(t, "test", nil).Connect(ctx, &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Errorf("the server ended badly: %v", err)
		}
	})
	return agent{ClientSession: client, t: t, env: o.env}
}

func (o *owner) byTools(site string) func(*testing.T) (string, string) {
	return func(t *testing.T) (who, list string) {
		a := o.agent(t, "mcp")
		text := func(expression string) string {
			return fmt.Sprint(a.must("browser_console", map[string]any{"expression": expression})["result"])
		}
		id := ""
		for _, tab := range a.must("browser_tabs", map[string]any{"action": "list"})["tabs"].([]any) {
			if tab := tab.(map[string]any); tab["title"] == "Desk" {
				id = fmt.Sprint(cmp.Or(tab["id"], tab["tab"]))
			}
		}
		a.must("browser_tabs", map[string]any{"action": "switch", "tab": id})
		who = text("document.querySelector('#who').textContent")
		a.must("browser_tabs", map[string]any{"action": "new", "url": site + "/new?by=mcp"})
		a.must("browser_type", map[string]any{"ref": "#title", "text": "Pay rent"})
		a.must("browser_select", map[string]any{"ref": "#priority", "values": []string{"high"}})
		a.must("browser_check", map[string]any{"ref": "#urgent"})
		a.must("browser_click", map[string]any{"ref": "#add"})
		list = text("document.querySelector('li').textContent")
		a.must("browser_click", map[string]any{"ref": "#archive"})
		a.must("browser_dialog", map[string]any{"action": "accept"})
		a.must("browser_wait", map[string]any{"text": "archived"})
		a.must("browser_tabs", map[string]any{"action": "close"})
		return who, list
	}
}

func (o *owner) byExecute(site string) func(*testing.T) (string, string) {
	return func(t *testing.T) (who, list string) {
		content, data := o.agent(t, "execute").execute(`const desk = context.pages().find((p) => p.url() === '` + site + `/');
			const who = await desk.textContent('#who');
			const page = await context.newPage();
			await page.goto('` + site + `/new?by=execute');
			await page.fill('#title', 'Pay rent');
			await page.selectOption('#priority', 'high');
			await page.check('#urgent');
			await page.click('#add');
			const list = await page.textContent('li');
			page.once('dialog', (d) => d.accept());
			await page.click('#archive');
			await page.waitForSelector('text=archived');
			await page.close();
			return who + '|' + list;`)
		if data["success"] != true {
			t.Fatal(content)
		}
		who, list, _ = strings.Cut(content, "|")
		return who, list
	}
}

func (o *owner) byLibrary(site, library string) func(*testing.T) (string, string) {
	return func(t *testing.T) (who, list string) {
		dir := filepath.Join("..", "..", ".cache", "scripts")
		if _, err := peer.Modules(t.Context(), filepath.Join("..", "..", "bench", "scripts", "package.json"), dir); err != nil {
			t.Fatal(err)
		}
		script, err := os.ReadFile(filepath.Join("testdata", "playwright", "ten-steps.js"))
		if err != nil {
			t.Fatal(err)
		}
		address := o.usher("--browser", "mine", "get", "cdp-url")
		cmd := exec.CommandContext(t.Context(), "node", "-e", string(script), library, address, site)
		cmd.Dir = dir // where require looks
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			if rest, ok := strings.CutPrefix(line, "who: "); ok {
				who = strings.TrimSpace(rest)
			} else if rest, ok := strings.CutPrefix(line, "list: "); ok {
				list = strings.TrimSpace(rest)
			}
		}
		return who, list
	}
}
