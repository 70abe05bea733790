package network_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/network"
)

// TestRequestsOfPage checks --page and --origin: an earlier page and another tab are left out by the one, another origin by
// the other.
func TestRequestsOfPage(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/small?before"))
	s.Run(t, "open", site.URL("/redirect?n=2"))
	s.Run(t, "eval", "Promise.all([fetch('/echo?own'), fetch('"+site.Cross("/echo?cross")+"')]).then(() => 1)")
	s.Run(t, "tab", "new", site.URL("/small?tab"))
	s.Run(t, "tab", "t1")
	for flags, want := range map[string]string{
		"--page":                       "/redirect?n=2 /redirect?n=1 /small?redirected=yes /echo?own /echo?cross",
		"--page --origin":              "/redirect?n=2 /redirect?n=1 /small?redirected=yes /echo?own",
		"--origin --type document":     "/small?before /redirect?n=2 /redirect?n=1 /small?redirected=yes /small?tab",
		"--page --type fetch":          "/echo?own /echo?cross",
		"--page --status 3xx --origin": "/redirect?n=2 /redirect?n=1",
	} {
		var got []string
		for _, r := range commandtest.Data[network.Requests](t, s.Run(t, append([]string{"network", "requests"}, strings.Fields(flags)...)...)).Requests {
			if !strings.HasSuffix(r.URL, ".ico") {
				got = append(got, "/"+strings.SplitN(r.URL, "/", 4)[3])
			}
		}
		if list := strings.Join(got, " "); list != want {
			t.Errorf("%s: %s, want %s", flags, list, want)
		}
	}
}
