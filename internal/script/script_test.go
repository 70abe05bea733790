package script

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/api"
)

func TestMain(m *testing.M) {
	if Child() {
		return
	}
	goleak.VerifyTestMain(m)
	os.Exit(0)
}

// facade is a small one.
const facade = `(host) => {
  class Tab {
    async echo(v) { return await host.call('echo', v) }
    async fail() { await null; return host.call('fail') }
    forever() { return host.call('forever', { a: 1 }) }
  }
  host.trace(Tab.prototype)
  const events = []
  let wake
  host.onEvent((name, data) => { events.push([name, data]); if (wake) wake() })
  return { tab: new Tab(), display: host.display, config: host.config, events,
    nextEvent: () => new Promise((resolve) => { wake = resolve }) }
}`

func newEngine(t testing.TB) *Engine {
	t.Helper()
	e, err := Start(Options{Facade: facade})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// answer carries out the calls of the facade.
func answer(ctx context.Context, method string, params jsontext.Value) (jsontext.Value, error) {
	switch method {
	case "echo":
		return params, nil
	case "fail":
		return nil, api.Errorf(api.ElementNotFound, "no element matches %q", "#x").WithHint("Look again.").With("selector", "#x")
	case "forever":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, api.Errorf(api.InvalidArgument, "there is no %s", method)
}

func run(t testing.TB, e *Engine, code string) Result {
	t.Helper()
	r, err := e.Run(t.Context(), Run{Code: code, Timeout: time.Minute, Call: AnyOrder(answer)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
