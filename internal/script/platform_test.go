package script

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write what the tests of errors and abuse see to testdata")

// TestPlatform runs the expressions of testdata/platform.txt. Below each is its value as JSON, as Node 20 gives it,
// but for windows-1252, which that did not decode.
func TestPlatform(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for _, c := range cases(t, "platform.txt") {
		r := run(t, e, "return "+c.code)
		if got := strings.TrimSpace(string(r.Value)); r.Err != nil || got != c.want {
			t.Errorf("%s\n got %s %v\nwant %s", c.code, got, r.Err, c.want)
		}
	}
}

// TestInspect writes the arguments of testdata/inspect.txt to the console. Below each is the text that Node 20 writes.
func TestInspect(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for _, c := range cases(t, "inspect.txt") {
		r := run(t, e, "console.log("+c.code+")")
		if r.Err != nil || len(r.Outputs) != 1 || r.Outputs[0].Text != c.want {
			t.Errorf("%s\n got %+v %v\nwant %s", c.code, r.Outputs, r.Err, c.want)
		}
	}
}

type example struct{ code, want string }

// cases reads a file of code, a line each, with what is expected below it, indented by two spaces.
func cases(t *testing.T, name string) (all []example) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if want, ok := strings.CutPrefix(line, "  "); !ok {
			all = append(all, example{code: line})
		} else if last := &all[len(all)-1]; last.want == "" {
			last.want = want
		} else {
			last.want += "\n" + want
		}
	}
	if len(all) < 10 {
		t.Fatalf("%s has %d cases", name, len(all))
	}
	return all
}

// TestZone: local time is that of the daemon's zone.
func TestZone(t *testing.T) {
	t.Setenv("TZ", "Asia/Kolkata")
	e := newEngine(t)
	for code, want := range map[string]string{
		"new Date(0).getHours() + ':' + new Date(0).getMinutes()": "5:30",
		"String(new Date(0))":                        "Thu Jan 01 1970 05:30:00 GMT+0530 (India Standard Time)",
		"new Date(0).toTimeString() + new Date(NaN)": "05:30:00 GMT+0530 (India Standard Time)Invalid Date",
	} {
		if r := run(t, e, "return "+code); r.Text != want {
			t.Errorf("%s: got %s %v", code, r.Text, r.Err)
		}
	}
}

// TestOrder: outputs come in the order in which they were made, also while the code runs.
func TestOrder(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	var live []string
	r, err := e.Run(t.Context(), Run{Timeout: time.Minute, Call: AnyOrder(answer), Output: func(o Output) { live = append(live, o.Kind+" "+o.Level+" "+o.Text) }, Code: `
		console.log('one'); display('two'); await tab.echo(1); console.error('three'); display({ four: 4 })
		display({ type: 'image', data: btoa('PNG'), mimeType: 'image/png' }); display({ type: 'image', data: Buffer.from('x') }); display(5)
		display(undefined)`})
	if err != nil || r.Err != nil {
		t.Fatal(err, r.Err)
	}
	want := "console log one|text  two|console error three|json  {\n  \"four\": 4\n}|image  |image  |text  5|text  undefined"
	if got := strings.Join(live, "|"); got != want || len(r.Outputs) != len(live) {
		t.Errorf("got %s", got)
	}
	if o := r.Outputs[4]; string(o.Data) != "PNG" || o.MIMEType != "image/png" {
		t.Errorf("got %+v", o)
	}
	if r = run(t, e, "display({ type: 'image', data: '***' })"); r.Err == nil || !strings.Contains(r.Err.Message, "base64") {
		t.Errorf("got %+v", r.Err)
	}
}
