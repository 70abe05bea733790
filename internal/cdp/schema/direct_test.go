package schema

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
)

// endsThePage are direct commands that end the page or let go of the dialog, with which a measurement ends: what they do is
// known (measured on Chromium 156), and none of them waits for the page.
var endsThePage = []string{"Page.close", "Page.crash", "Page.reload", "Page.disable", "Browser.close", "Browser.crash", "Browser.crashGpuProcess"}

// inconsistent are answered one time and not another: they go to the page in the end.
var inconsistent = []string{"Memory.prepareForLeakDetection"}

// dialogs hears of dialogs.
type dialogs chan string

func (d dialogs) Event(e cdp.Event) {
	if strings.HasPrefix(e.Method, "Page.javascriptDialog") {
		select {
		case d <- e.Method:
		default:
		}
	}
}
func (dialogs) Flush()          {}
func (dialogs) Overflow(string) {}
func (dialogs) Closed(error)    {}

// TestDirectMethods measures which commands are answered while a dialog holds the page: at least those of direct.txt.
// With -update it tries all, and writes that file. Without parameters most are refused, and the refusal is answer
// enough.
func TestDirectMethods(t *testing.T) {
	w := cdptest.Launch(t).Dial(t)
	heard := make(dialogs, 100)
	conn := cdp.New(w, heard)
	defer conn.Close()
	s := attachToHeldPage(t, conn, heard)
	timeout := cdptest.Timeout
	if *update {
		timeout = 60 * time.Millisecond
	}
	var answered []string
	for _, domain := range Domains() {
		for _, name := range Names(domain) {
			if slices.Contains(endsThePage, name) || slices.Contains(inconsistent, name) || !*update && !Find(name).Direct {
				continue
			}
			reply := make(chan error, 1)
			s.Post(name, map[string]any{}, func(_ jsontext.Value, err error) { reply <- err })
			select {
			case err := <-reply:
				if err == nil || !strings.Contains(err.Error(), "wasn't found") {
					answered = append(answered, name)
				}
			case <-time.After(timeout):
				if !*update {
					t.Errorf("%s is not answered while a dialog is open", name)
				}
			}
			if len(heard) > 0 {
				t.Fatalf("%s: %s", name, <-heard)
			}
		}
	}
	if *update {
		write(t, answered)
	}
}

// attachToHeldPage attaches to a new page on which a dialog is open, beside a CDP session that keeps it open.
func attachToHeldPage(t *testing.T, conn *cdp.Conn, heard dialogs) *cdp.Session {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
	defer cancel()
	call := func(s *cdp.Session, method string, params map[string]any) (out struct {
		TargetID  string `json:"targetId"`
		SessionID string `json:"sessionId"`
	}) {
		if err := s.Call(ctx, method, params, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	id := call(conn.Browser(), "Target.createTarget", map[string]any{"url": "about:blank"}).TargetID
	keeper := conn.Session(call(conn.Browser(), "Target.attachToTarget", map[string]any{"targetId": id, "flatten": true}).SessionID)
	s := conn.Session(call(conn.Browser(), "Target.attachToTarget", map[string]any{"targetId": id, "flatten": true}).SessionID)
	call(keeper, "Page.enable", nil)
	keeper.Post("Runtime.evaluate", map[string]any{"expression": "alert(1)"}, nil)
	select {
	case <-heard:
	case <-ctx.Done():
		t.Fatal("no dialog opened")
	}
	return s
}

func write(t *testing.T, names []string) {
	t.Helper()
	names = append(names, endsThePage...)
	slices.Sort(names)
	text := "# Commands that Chromium answers while a dialog holds the page: measured by TestDirectMethods on Chromium 156.\n" + strings.Join(names, "\n") + "\n"
	if err := os.WriteFile("direct.txt", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
