package network_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/network"
)

// reach is a script that reports which of a document, its dedicated worker, a shared worker and a service worker can
// send a request.
const reach = `(async () => {
  const ask = port => new Promise(r => { port.onmessage = e => r(e.data); port.postMessage('/echo?worker') })
  const own = fetch('/echo?page').then(() => 'yes', () => 'no')
  const all = await Promise.all([own, ask(dedicated), ask(shared.port), fetch('/by-service-worker').then(r => r.text())])
  return all.join(' ')
})()`

// start is a script that starts the workers for reach.
const start = `(async () => {
  window.dedicated = new Worker('/traffic-worker.js')
  window.shared = new SharedWorker('/traffic-worker.js')
  await navigator.serviceWorker.register('/traffic-worker.js')
  if (!navigator.serviceWorker.controller)
    await new Promise(r => { navigator.serviceWorker.oncontrollerchange = r })
})()`

// TestThrottleReaches checks that conditions hold for a document, for frames in other processes, for workers of every
// kind and for a later tab, and end with "off".
func TestThrottleReaches(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/frames"))
	s.Run(t, "eval", start)
	if got := s.Eval(t, reach); got != `"yes yes yes yes"` {
		t.Fatalf("before: %s", got)
	}
	if got := commandtest.Data[network.Throttle](t, s.Run(t, "network", "throttle", "offline")); !got.Offline || got.Preset != "offline" {
		t.Errorf("got %+v", got)
	}
	if got := s.Eval(t, reach); got != `"no no no no"` {
		t.Errorf("offline: %s", got)
	}
	s.Run(t, "tab", "new")
	if _, err := s.Try(t, "open", site.URL("/small")); err == nil || !strings.Contains(err.Error(), "ERR_INTERNET_DISCONNECTED") {
		t.Errorf("a later tab got %v", err)
	}
	s.Run(t, "network", "throttle", "off")
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "tab", "t1")
	if got := s.Eval(t, reach); got != `"yes yes yes yes"` {
		t.Errorf("after: %s", got)
	}
}

// TestThrottleLatency checks that a preset delays responses.
func TestThrottleLatency(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "network", "throttle", "slow-3g")
	got := s.Eval(t, `(async () => { const t = performance.now(); await fetch('/echo'); return performance.now() - t >= 1900 })()`)
	if got != "true" {
		t.Error("a request took less than the latency of slow-3g")
	}
	if text := s.Run(t, "network", "throttle").Text; text != "Network: slow-3g (400 kbit/s down, 400 kbit/s up, 2000 ms latency)" {
		t.Errorf("got %q", text)
	}
}
