package session_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/policy"
)

// TestPermissions allows, denies and resets every permission that has a policy, checks what a page sees, and uses
// Chromium's fake camera and microphone.
func TestPermissions(t *testing.T) {
	c := connect(t)
	c.env["USHER_ARGS"] += ",--use-fake-device-for-media-stream"
	site := cdptest.NewSite(t)
	c.must(t, "open "+site.URL("/small"))
	names := policy.PermissionNames()
	read := ` eval Promise.all("` + strings.Join(names, ",") + `".split(",").map(name=>navigator.permissions.query({name}).then(r=>r.state,e=>""+e))).then(l=>l.join())`
	told := func(line string) []string { return strings.Split(strings.Trim(c.must(t, line).Text, `"`), ",") }
	asUsual := told(read)
	for _, policies := range []string{"allow", "deny"} {
		want := map[string]string{"allow": "granted", "deny": "denied"}[policies]
		got := told("--permissions " + policies + read)
		for i, name := range names {
			switch {
			case name == "storage-access" && policies == "deny" && got[i] == "prompt": // a denial is not shown to pages, by its specification
			case got[i] != want:
				t.Errorf("%s: the page is told %q", name, got[i])
			}
		}
		heard := told(`eval navigator.mediaDevices.getUserMedia({video:true,audio:true}).then(s=>""+s.getTracks().length,e=>e.name)`)[0]
		if heard != map[string]string{"allow": "2", "deny": "NotAllowedError"}[policies] {
			t.Errorf("%s: camera and microphone give %s", policies, heard)
		}
	}
	again := told("--permissions browser" + read)
	for i, name := range names {
		if was, is := asUsual[i], again[i]; was != is {
			t.Errorf("%s: %s as usual, and %s again", name, was, is)
		}
	}
}
