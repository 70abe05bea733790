package session_test

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
)

// TestAuthorities: --ca-cert makes the browser and usher's own requests trust an authority, and nothing else does.
func TestAuthorities(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	file := " --ca-cert " + site.CAFile()
	for _, line := range []string{"open " + site.Secure("/small"), "read " + site.Secure("/small"), "open " + site.Secure("/small") + " --no-ca-cert"} {
		c.env["USHER_CA_CERT"] = ""
		if strings.Contains(line, "--no-ca-cert") {
			c.env["USHER_CA_CERT"] = site.CAFile()
		}
		if _, err := c.run(t.Context(), line); err == nil || !strings.Contains(strings.ToLower(err.Error()), "authority") {
			t.Errorf("%s: %v", line, err)
		}
		c.must(t, "close")
	}
	c.env["USHER_CA_CERT"] = ""
	// Here no child process can read the page once it has come.
	if _, err := c.run(t.Context(), "read "+site.Secure("/small")+file); err != nil && !strings.Contains(err.Error(), "the process that reads it") {
		t.Errorf("read with the authority: %v", err)
	}
	_, err := c.run(t.Context(), "open "+site.Secure("/small")+file)
	_, missing := exec.LookPath("certutil")
	switch {
	case runtime.GOOS != "linux":
		if api.CodeOf(err) != api.Unsupported {
			t.Errorf("elsewhere: %v", err)
		}
	case missing != nil:
		if api.CodeOf(err) != api.LaunchFailed || !strings.Contains(err.Error(), "libnss3-tools") {
			t.Errorf("without certutil: %v", err)
		}
	case err != nil:
		t.Errorf("with the authority: %v", err)
	default:
		if _, err := c.run(t.Context(), "get url --no-ca-cert"); api.CodeOf(err) != api.LaunchConflict {
			t.Errorf("to go on without it: %v", err)
		}
		c.must(t, "get url")
	}
	c.must(t, "close")
	for at, want := range map[string]string{"/nowhere/ca.pem": "cannot read /nowhere/ca.pem: no such file", "/dev/null": "is not a file", cdptest.Chromium(t): "no certificate in PEM form"} {
		if _, err := c.run(t.Context(), "open about:blank --ca-cert "+at); api.CodeOf(err) != api.InvalidArgument || !strings.Contains(err.Error(), want) || !strings.Contains(api.AsError(err).Hint, "PEM file") {
			t.Errorf("%s: %v", at, err)
		}
	}
	if _, err := c.run(t.Context(), "open about:blank --profile "+t.TempDir()+file); api.CodeOf(err) != api.Unsupported {
		t.Errorf("with a profile: %v", err)
	}
}

// TestWebGPU: with --webgpu a page gets an adapter and computes with it, on any machine.
func TestWebGPU(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small")+" --webgpu")
	const script = `eval (async()=>{const/**/d=await(await/**/navigator.gpu.requestAdapter()).requestDevice(),s=d.createBuffer({size:4,usage:4,mappedAtCreation:true}),` +
		`b=d.createBuffer({size:4,usage:9}),e=d.createCommandEncoder();new/**/Uint32Array(s.getMappedRange())[0]=42;s.unmap();` +
		`e.copyBufferToBuffer(s,0,b,0,4);d.queue.submit([e.finish()]);await/**/b.mapAsync(1);return/**/new/**/Uint32Array(b.getMappedRange())[0]})() --timeout 60s`
	if got := c.must(t, script).Text; got != "42" {
		t.Errorf("the GPU copied %s", got)
	}
}

// TestInputMode: with a mode other than instant the mouse moves to what is clicked in many steps, until another mode is chosen.
func TestInputMode(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/forms"))
	c.must(t, `eval document.body.replaceChildren(...['a','b'].map(id=>Object.assign(document.createElement('button'),{id,textContent:id})));b.style.cssText='position:absolute;left:700px;top:500px';`+
		`window.at=[];addEventListener('mousemove',e=>at.push([e.clientX,e.clientY]));window.clicked=[];addEventListener('click',e=>clicked.push(e.target.id));0`)
	moves := func(line string) int {
		t.Helper()
		c.must(t, "eval at.length=0")
		c.must(t, line)
		var n int
		for range strings.SplitSeq(c.must(t, "eval at.map(String).join(';')").Text, ";") {
			n++
		}
		return n
	}
	c.must(t, "click #a")
	if n := moves("click #b"); n > 2 {
		t.Errorf("at once: %d moves", n)
	}
	for _, mode := range []string{"smooth", "human"} {
		if n := moves("click #a --input-mode " + mode); n < 10 {
			t.Errorf("%s: %d moves", mode, n)
		}
		if n := moves("hover #b"); n < 10 {
			t.Errorf("%s, then hover: %d moves", mode, n)
		}
		if n := moves("mouse move 30 30"); n < 10 {
			t.Errorf("%s, then mouse move: %d moves", mode, n)
		}
		c.must(t, "click #b")
		if line := c.must(t, `eval (()=>{const[[a,b],[c,d],[e,f]]=[at[0],at[at.length>>1],at.at(-1)];return/**/Math.abs((c-a)*(f-b)-(d-b)*(e-a))<3000})()`).Text; mode == "smooth" && line != "true" {
			t.Error("the line is not straight")
		}
	}
	if n := moves("click #a --input-mode instant"); n > 2 {
		t.Errorf("at once again: %d moves", n)
	}
	if got := strings.Trim(c.must(t, "eval clicked.join('')").Text, `"`); got != "abababa" {
		t.Errorf("clicked %s", got)
	}
}
