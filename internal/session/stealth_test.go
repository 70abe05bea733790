package session_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
)

// The script sees the client hints, without a space, which would be an argument of its own.
const hintsScript = `navigator.userAgentData.getHighEntropyValues(["architecture","bitness","fullVersionList","formFactors"]).then(h=>[h.architecture,h.bitness,h.formFactors,h.fullVersionList.length,h.fullVersionList.map(b=>b.brand)+""==navigator.userAgentData.brands.map(b=>b.brand)].join("|"))`

// TestStealthHints checks that a page and workers of a browser in stealth have the client hints of Chrome, that their greased brand is the
// one that this Chromium has itself, and that a User-Agent that was set holds.
func TestStealthHints(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // the hints of other systems are left as they are
	}
	site, plain, quiet := cdptest.NewSite(t), connect(t), connect(t)
	plain.must(t, "open "+site.URL("/small"))
	quiet.must(t, "open --stealth "+site.URL("/small"))
	const full = "x86|64|Desktop|3|true"
	if runtime.GOARCH == "amd64" {
		quiet.sees(t, hintsScript, full)
	}
	const grease = `navigator.userAgentData.brands.find(b=>b.brand.startsWith("Not")).brand`
	own := strings.Trim(plain.must(t, "eval "+grease).Text, `"`)
	quiet.sees(t, grease, own)
	inWorker := func(kind, answer string) string {
		return `Promise.resolve(new(` + kind + `)(URL.createObjectURL(new(Blob)(["` + answer + `"])))).then(w=>new(Promise)(done=>{(w.port??w).onmessage=e=>done(e.data)}))`
	}
	quiet.sees(t, inWorker("Worker", `postMessage(navigator.userAgentData.brands.length)`), "3")
	quiet.sees(t, inWorker("SharedWorker", `onconnect=e=>e.ports[0].postMessage(navigator.userAgentData.brands.length)`), "3")
	quiet.must(t, "set user-agent Robot/1.0")
	quiet.sees(t, "navigator.userAgent", "Robot/1.0")
}

// TestStealthTimeZone checks that a time zone that was asked for holds in stealth.
func TestStealthTimeZone(t *testing.T) {
	t.Parallel()
	site, c := cdptest.NewSite(t), connect(t)
	c.must(t, "open --stealth --timezone UTC "+site.URL("/small"))
	c.sees(t, "Intl.DateTimeFormat().resolvedOptions().timeZone", "UTC")
}
