package main

import (
	"strings"

	"github.com/usher-browser/usher/internal/cdptest"
)

// scenario is a row of commands that both programs run in a session of their own, one after another. A word {Name} is the ref
// of the element of that name in the program's last snapshot; {request} is the id of the last request it listed;
// {home} is a directory of the program's own.
type scenario struct {
	name  string
	steps [][]string
}

func line(words ...string) []string { return words }

func scenarios(site *cdptest.Site) []scenario {
	return []scenario{
		{"navigation", [][]string{
			line("open", site.URL("/small")), line("get", "title"), line("get", "url"),
			line("goto", site.URL("/forms")), line("navigate", site.URL("/roles")), line("back"), line("forward"), line("reload"),
			line("open", site.URL("/status/404")), line("open", site.URL("/redirect?n=2")),
			line("open", "http://127.0.0.1:1/"), line("open", "no scheme at all"), line("close"),
		}},
		{"reading", [][]string{
			line("open", site.URL("/forms")),
			line("get", "text", "h1"), line("get", "html", "#editable"), line("get", "value", "#readonly"), line("get", "attr", "#text", "placeholder"),
			line("get", "attr", "#text", "nothing"), line("get", "count", "input"), line("get", "box", "#text"), line("get", "styles", "h1"),
			line("is", "visible", "#text"), line("is", "enabled", "#disabled"), line("is", "checked", "#checked"), line("is", "visible", "#covered-check"),
			line("get", "text", "#none"), line("get", "text", "p:bad("), line("get", "text", "@e9999"), line("get", "cdp-url"),
			line("get", "text", "xpath=//h2"),
		}},
		{"eval", [][]string{
			line("open", site.URL("/small")),
			line("eval", "1"), line("eval", "'words'"), line("eval", "null"), line("eval", "undefined"), line("eval", "NaN"), line("eval", "10n"),
			line("eval", "({a: [1, {b: true}]})"), line("eval", "Promise.resolve(7)"), line("eval", "lost.thing"), line("eval", "throw new Error('thrown')"),
			line("eval", "document.title"),
		}},
		{"snapshot", [][]string{
			line("open", site.URL("/")), line("snapshot"), line("snapshot", "-i"), line("snapshot", "-c"), line("snapshot", "-d", "2"),
			line("snapshot", "-s", "#search"), line("snapshot", "-i", "-u"),
			line("open", site.URL("/frames")), line("snapshot", "-i"),
			line("open", site.URL("/shadow")), line("snapshot", "-i"),
			line("open", "about:blank"), line("snapshot", "-i"), line("snapshot"),
		}},
		{"actions", [][]string{
			line("open", site.URL("/forms?stay")), line("snapshot", "-i"),
			line("click", "#check"), line("click", "{Checkbox}"), line("dblclick", "#text"), line("hover", "#send"), line("focus", "#text"),
			line("fill", "#text", "some words"), line("type", "#text", " more"), line("fill", "{E-mail}", "a@b.example"), line("press", "Tab"), line("key", "End"),
			line("keydown", "Shift"), line("keyup", "Shift"), line("keyboard", "type", "abc"), line("keyboard", "inserttext", "def"),
			line("select", "#one", "r"), line("select", "#many", "a", "c"), line("select", "#one", "Purple"), line("check", "#r1"), line("uncheck", "#checked"),
			line("fill", "#editable", "new text"), line("get", "text", "#editable"),
			line("scroll", "down", "100"), line("scrollintoview", "#pick"), line("click", "#none"), line("click", "#disabled"), line("click", "@e9999"),
			line("fill", "#send", "x"), line("check", "#send"), line("press", "NoSuchKey"),
		}},
		{"obstacles", [][]string{
			line("open", site.URL("/states")), line("click", "#none"), line("click", "#invisible"), line("click", "#outside"), line("click", "#fine"),
			line("open", site.URL("/covered?ms=60000")), line("--timeout", "500", "click", "#under"), line("click", "#through"),
		}},
		{"device", [][]string{
			line("open", site.URL("/small")), line("set", "viewport", "800", "600"), line("set", "viewport", "800", "600", "2"), line("set", "device", "iPhone 14"),
			line("set", "device", "No Such Phone"), line("set", "geo", "52.5", "13.4"), line("set", "geolocation", "1", "2"), line("set", "offline"), line("set", "offline", "off"),
			line("set", "headers", `{"X-Team":"qa"}`), line("set", "headers", "no object"), line("set", "credentials", "ada", "secret"), line("set", "media", "dark"),
			line("set", "media", "light", "reduced-motion"), line("eval", "matchMedia('(prefers-color-scheme: light)').matches"),
		}},
		{"touch", [][]string{
			line("open", site.URL("/forms?stay")), line("tap", "#check"), line("is", "checked", "#check"), line("swipe", "up", "100"), line("tap", "#none"),
			line("highlight", "h1"), line("pushstate", "/forms?pushed"), line("get", "url"), line("clipboard", "write", "some text"), line("clipboard", "read"),
		}},
		{"cookies", [][]string{
			line("open", site.URL("/small")), line("cookies"), line("cookies", "set", "a", "1"), line("cookies", "get"), line("cookies", "clear"),
			line("cookies", "set", "b", "2", "--httpOnly", "--sameSite", "Strict", "--expires", "1798761600", "--path", "/"), line("cookies"),
			line("cookies", "set", "a"), line("cookies", "clear"), line("cookies"),
		}},
		{"storage", [][]string{
			line("open", site.URL("/small")), line("storage", "local"), line("storage", "local", "set", "k", "v"), line("storage", "local"),
			line("storage", "local", "get", "k"), line("storage", "local", "k"), line("storage", "local", "get", "none"), line("storage", "local", "set", "k"),
			line("storage", "session", "set", "s", "1"), line("storage", "session"), line("storage", "session", "clear"), line("storage", "local", "clear"),
			line("storage", "cloud"),
		}},
		{"state", [][]string{
			line("open", site.URL("/small")), line("cookies", "set", "a", "1"), line("storage", "local", "set", "k", "v"),
			line("state", "save", "{home}/s.json"), line("state", "load", "{home}/s.json"), line("state", "show", "{home}/s.json"),
			line("state", "load", "{home}/none.json"), line("state", "list"), line("state", "clear", "nothing"), line("state", "clean", "--older-than", "3"),
			line("state", "save"), line("state", "bogus"), line("state", "clean"),
		}},
		{"pointer", [][]string{
			line("open", site.URL("/drag")), line("drag", "#card", "#bin"), line("get", "text", "#bin"),
			line("mouse", "move", "40", "120"), line("mouse", "down"), line("mouse", "up"), line("mouse", "wheel", "100"),
		}},
		{"waiting", [][]string{
			line("open", site.URL("/waits?ms=300")), line("wait", "#comes"), line("wait", "--text", "the words are here"), line("wait", "--url", "**/waits?arrived=*"),
			line("wait", "--fn", "window.ready"), line("wait", "--load", "load"), line("wait", "50"), line("wait", "#goes", "--state", "detached"),
			line("wait", "#never", "--timeout", "300"), line("wait", "--text", "never said", "--timeout", "300"),
		}},
		{"find", [][]string{
			line("open", site.URL("/roles")),
			line("find", "role", "button", "click", "--name", "Same name, longer"), line("find", "text", "A link", "text"), line("find", "label", "Labelled field", "fill", "words"),
			line("find", "placeholder", "Type here", "fill", "other"), line("find", "alt", "A described picture", "hover"), line("find", "title", "A titled field", "text"),
			line("find", "testid", "labelled-field", "fill", "third"), line("find", "first", ".item", "text"), line("find", "last", ".item", "text"),
			line("find", "nth", "1", ".item", "text"), line("find", "text", "Nowhere at all", "click"), line("find", "role", "button", "click", "--name", "Nowhere"),
		}},
		{"tabs and frames", [][]string{
			line("open", site.URL("/frames")), line("frame", "#same"), line("get", "text", "#b"), line("frame", "main"),
			line("tab"), line("tab", "list"), line("tab", "new", site.URL("/small")), line("tab", "new", site.URL("/roles"), "--label", "found"), line("tab", "list"),
			line("tab", "t1"), line("tab", "found"), line("tab", "close"), line("tab", "t99"), line("window", "new"), line("tab", "close", "t1"),
		}},
		{"dialogs", [][]string{
			line("open", site.URL("/dialogs")), line("dialog", "status"), line("click", "#confirm"), line("dialog", "status"), line("dialog", "accept"),
			line("click", "#prompt"), line("dialog", "accept", "given words"), line("get", "text", "#answer"), line("click", "#confirm"), line("dialog", "dismiss"), line("dialog", "accept"),
		}},
		{"journal", [][]string{
			line("open", site.URL("/console?auto")), line("wait", "300"), line("console"), line("errors"), line("console", "--clear"), line("console"),
			line("open", site.URL("/fetches?n=3")), line("click", "#start"), line("wait", "--text", "done 3"), line("network", "requests"), line("network", "requests", "--type", "fetch"),
			line("network", "requests", "--status", "200"), line("network", "request", "{request}"), line("network", "requests", "--clear"), line("network", "request", "nothing"),
		}},
		{"network", [][]string{
			line("open", site.URL("/small")), line("network", "route", "**/echo*", "--body", "mocked"), line("eval", "fetch('/echo?x').then(r => r.text())"),
			line("network", "unroute", "**/echo*"), line("network", "route", "**/echo*", "--abort"), line("eval", "fetch('/echo?x').catch(() => 'failed')"),
			line("network", "unroute"), line("eval", "fetch('/echo?x').then(r => r.status)"), line("network", "route"), line("network", "unroute", "**/none"),
			line("network", "har", "start"), line("network", "har", "stop", "{home}/traffic.har"), line("network", "har", "start"),
			line("network", "har", "stop", "{home}/none/traffic.har"), line("network", "har", "stop"), line("network", "har", "start", "--content", "nonsense"), line("network", "har"),
		}},
		{"files", [][]string{
			line("open", site.URL("/download")), line("download", "#attachment", "{home}/report.csv"), line("open", site.URL("/upload")),
			line("upload", "#file", "{home}/report.csv"), line("upload", "#file", "{home}/none.txt"), line("get", "text", "#chosen"),
			line("screenshot", "{home}/page.png"), line("screenshot", "--full", "{home}/full.png"), line("screenshot", "--annotate", "{home}/marked.png"),
			line("screenshot", "#file", "{home}/element.png"), line("pdf", "{home}/page.pdf"), line("screenshot", "/no/such/place/page.png"),
		}},
		{"limits", [][]string{
			line("open", site.URL("/small")), line("--content-boundaries", "get", "text", "button"), line("--max-output", "5", "get", "text", "button"),
			line("confirm", "wrong"), line("deny", "wrong"), line("--allowed-domains", "x.example", "--session", "limited", "open", site.URL("/small")),
		}},
		{"batch", [][]string{
			line("open", site.URL("/small")), line("batch", "get title", "get url", "get text h1"), line("batch", "get title", "get text #none", "get url"),
			line("batch", "--bail", "get text #none", "get title"), line("batch", "nonsense words"), line("batch", "--omit-command", "get title"),
		}},
		{"misses", [][]string{
			line("open", site.URL("/roles")),
			line("is", "visible", "#none"), line("is", "checked", "#none"), line("get", "value", "#none"), line("get", "attr", "#none", "id"), line("get", "box", "#none"),
			line("click", "xpath=//none"), line("hover", "#none"), line("focus", "#none"), line("fill", "#none", "x"), line("type", "#none", "x"), line("check", "#none"),
			line("select", "#none", "x"), line("drag", "#none", "body"), line("scrollinto", "#none"), line("screenshot", "#none"), line("screenshot", "#none", "{home}/none.png"),
			line("snapshot", "-s", "#none"), line("find", "role", "slider", "click"), line("find", "label", "Nowhere", "click"), line("find", "placeholder", "Nowhere", "hover"),
			line("find", "alt", "Nowhere", "text"), line("find", "title", "Nowhere", "text"), line("find", "testid", "Nowhere", "check"), line("find", "first", ".none", "click"),
			line("find", "nth", "99", "button", "click"), line("frame", "#none"), line("wait", "#none", "--timeout", "200"), line("wait", "--url", "**/none", "--timeout", "200"),
			line("wait", "--fn", "false", "--timeout", "200"), line("upload", "#none", "{home}/none.txt"),
		}},
		{"files by name", [][]string{
			line("open", site.URL("/small")), line("pdf", "page.pdf"), line("screenshot", "page.png"), line("screenshot", "h1", "./h1.png"), line("pdf", "none/page.pdf"),
		}},
		{"sessions", [][]string{
			line("session", "info"), line("--namespace", "", "session", "info"), line("session", "list"), line("--namespace", "", "open", site.URL("/small")), line("session", "info"),
			line("open"), line("--session", strings.Repeat("a", 128), "session", "info"), line("--session", "a b", "session", "info"), line("close"), line("session", "info"),
		}},
		{"alerts", [][]string{
			line("open", site.URL("/dialogs")), line("click", "#alert"), line("dialog", "status"), line("click", "#confirm"), line("click", "#alert"), line("dialog", "dismiss"),
		}},
		{"rows", [][]string{
			line("open", site.URL("/small")), line("batch", "get title", "get 'title", "get url"), line("batch", "get title", "nonsense", "is visible #none", "get url"),
			line("batch", "get title", "get nonsense"), line("batch", "click", "get title"),
		}},
		{"read", [][]string{
			line("open", site.URL("/small")), line("read"), line("read", "--raw"), line("read", "--outline"), line("read", "--filter", "nowhere"),
			line("read", site.URL("/small")), line("read", site.URL("/small"), "--outline"), line("read", site.URL("/small"), "--require-md"),
			line("read", site.URL("/small"), "--llms", "index"), line("read", site.URL("/status/404")), line("read", site.URL("/small"), "--llms", "full", "--outline"),
		}},
		{"diff", [][]string{
			line("open", site.URL("/small")), line("snapshot"), line("diff", "snapshot"), line("screenshot", "{home}/before.png"),
			line("diff", "screenshot", "--baseline", "{home}/before.png"), line("diff", "screenshot", "--baseline", "{home}/before.png", "--threshold", "2"),
			line("diff", "screenshot"), line("diff", "screenshot", "--baseline", "{home}/none.png"), line("diff", "screenshot", "-b", "{home}/before.png", "-s", "h1"),
			line("diff", "url", site.URL("/small"), site.URL("/small")), line("get", "url"), line("diff", "url", site.URL("/small")), line("diff"),
		}},
		{"debug", [][]string{
			line("open", site.URL("/small")), line("trace", "stop"), line("trace", "start"), line("trace", "start"), line("trace", "stop", "{home}/trace.json"),
			line("profiler", "start"), line("profiler", "stop", "{home}/profile.json"), line("profiler", "stop"),
			line("vitals"), line("web-vitals", site.URL("/small")), line("a11y"), line("a11y", site.URL("/forms"), "--tags", "wcag2a"), line("a11y", "-s", "#none"),
		}},
		{"the tool", [][]string{
			line("open", site.URL("/small")), line("session"), line("session", "list"), line("session", "info"), line("session", "id"),
			line("nonsense"), line("get"), line("get", "nonsense"), line("click"), line("wait"), line("tab", "close"), line("close"), line("close"),
		}},
	}
}
