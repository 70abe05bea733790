package scripts_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/scripts"
)

// TestScripts: each CDP session of the context gets each script, and loses it by the identifier that the browser gave it
// there; also a script that is removed before the browser has answered.
func TestScripts(t *testing.T) {
	c := core.New(false)
	c.Sessions["P"] = core.Session{Kind: "page", Context: "C"}
	c.Sessions["W"] = core.Session{Kind: "worker", Context: "C"}
	c.Sessions["Q"] = core.Session{Kind: "page", Context: "D"}
	m := scripts.New(c)
	do := func(f func()) string {
		c.Begin(time.Unix(1000, 0))
		f()
		var sent []string
		for _, e := range c.Effects() {
			method := strings.TrimSuffix(strings.TrimPrefix(e.Send.Method, "Page."), "ScriptToEvaluateOnNewDocument")
			sent = append(sent, fmt.Sprintf("%s %s %v %s", e.Send.Session, method, e.Send.Params, e.Send.Tag.Script))
		}
		return strings.Join(sent, "; ")
	}
	add := func(id string) string {
		return do(func() {
			m.Handlers().Commands[0].Call(&scripts.AddScript{Context: "C", Script: scripts.Script{ID: id, Source: "s" + id}})
		})
	}
	remove := func(id string) string {
		return do(func() { m.Handlers().Commands[1].Call(&scripts.RemoveScript{Context: "C", ID: id}) })
	}
	reply := func(session, id, identifier string) string {
		return do(func() {
			m.Handlers().Replies[core.TagScript](&core.Reply{Tag: core.Tag{Kind: core.TagScript, Script: id}, Session: session,
				Result: jsontext.Value(fmt.Sprintf(`{"identifier":%q}`, identifier))})
		})
	}
	for i, row := range []struct{ got, want string }{
		{add("1"), "P add map[source:s1] 1"},
		{reply("P", "1", "7"), ""},
		{add("2"), "P add map[source:s2] 2"},
		{remove("2"), ""},
		{reply("P", "2", "8"), "P remove map[identifier:8] "},
		{do(func() { c.Sessions["R"] = core.Session{Kind: "iframe", Context: "C"}; m.SetUp("R", "C", true) }), "R add map[runImmediately:true source:s1] 1"},
		{reply("R", "1", "1"), ""},
		{do(func() { m.SetUp("Q", "D", true) }), ""},
		{remove("1"), "P remove map[identifier:7] ; R remove map[identifier:1] "},
		{remove("1"), ""},
		{add("3"), "P add map[source:s3] 3; R add map[source:s3] 3"},
		{do(func() { m.ForgetSession("P"); delete(c.Sessions, "P"); m.Forget("C") }), ""},
		{reply("P", "3", "9"), ""},
		{reply("R", "3", "2"), "R remove map[identifier:2] "},
	} {
		if row.got != row.want {
			t.Errorf("%d: %s\nwant %s", i, row.got, row.want)
		}
	}
}
