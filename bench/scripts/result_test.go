package scripts

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestDifferences(t *testing.T) {
	value := func(text string) Result { return Result{Value: jsontext.Value(text)} }
	threw := func(name string) Result { return Result{Error: &Error{Name: name, Message: "of " + name}} }
	for _, tt := range []struct {
		name      string
		want, got Result
		found     []string
	}{
		{"the same in another order", value(`{"a":1,"b":[null,true,"x"]}`), value(`{"b":[null,true,"x"],"a":1}`), nil},
		{"nothing and nothing", value(""), value(""), nil},
		{"nothing and null", value(""), value("null"), nil},
		{"nothing and a number", value(""), value("1"), []string{`value: want null, got 1`}},
		{"a string and a number", value(`{"a":["1"]}`), value(`{"a":[1]}`), []string{`value.a[0]: want "1", got 1`}},
		{"a list that is too short", value(`[1,2]`), value(`[1]`), []string{`value[1]: want 2, got nothing`}},
		{"a member too many", value(`{}`), value(`{"a":{}}`), []string{`value.a: want nothing, got {}`}},
		{"an object for null", value(`{"a":null}`), value(`{"a":{"b":1}}`), []string{`value.a: want null, got {"b":1}`}},
		{"a list for an object", value(`{}`), value(`[]`), []string{`value: want {}, got []`}},
		{"zeros", value(`0`), value(`false`), []string{`value: want 0, got false`}},
		{"errors of one name", threw("TimeoutError"), Result{Error: &Error{Name: "TimeoutError", Message: "other words"}}, nil},
		{"errors of two names", threw("TimeoutError"), threw("Error"), []string{`got Error: of Error`, `want TimeoutError: of TimeoutError`}},
		{"an error for a value", value(`1`), threw("Error"), []string{`got Error: of Error`, `want 1`}},
	} {
		found, err := tt.want.Differences(tt.got)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if strings.Join(found, "\n") != strings.Join(tt.found, "\n") {
			t.Errorf("%s: got %q, want %q", tt.name, found, tt.found)
		}
	}
	if _, err := value(`1`).Differences(value(`{`)); err == nil {
		t.Error("no error for a value that is no JSON")
	}
}

func TestReadRun(t *testing.T) {
	for text, want := range map[string]string{
		`{"success":true,"data":{"value":{"a":1},"display":[],"console":[]}}`:                                  `{"a":1}`,
		`{"success":true,"data":{"display":[]}}`:                                                               ``,
		`{"success":false,"data":{"error":{"name":"TimeoutError","message":"too late","line":3}},"error":"x"}`: `TimeoutError in line 3: too late`,
	} {
		result, err := readRun([]byte(text))
		if err != nil || result.String() != want {
			t.Errorf("%s: got %q, %v; want %q", text, result, err, want)
		}
	}
	for _, text := range []string{``, `{}`, `[]`, `{"success":true}`, `{"success":false,"data":null,"error":"no session"}`} {
		if result, err := readRun([]byte(text)); err == nil {
			t.Errorf("%s: got %q and no error", text, result)
		}
	}
	if _, err := readRun([]byte(`{"success":false,"data":null,"error":"x","code":"unknown_command"}`)); !errors.Is(err, ErrNoRun) {
		t.Errorf("without the command run: got %v", err)
	}
}

// TestScripts pins what the comparison and the bench promise: 42 snippets, and 20 tasks in both dialects.
func TestScripts(t *testing.T) {
	names := map[string]int{}
	for _, d := range Dialects {
		snippets, err := Snippets(d)
		if err != nil || len(snippets) != 21 {
			t.Errorf("%s: %d snippets, %v; want 21", d, len(snippets), err)
		}
		tasks, err := Tasks(d)
		if err != nil || len(tasks) != 20 {
			t.Errorf("%s: %d tasks, %v; want 20", d, len(tasks), err)
		}
		for _, task := range tasks {
			names[task.Name]++
		}
	}
	for name, dialects := range names {
		if dialects != len(Dialects) {
			t.Errorf("the task %s is in one dialect only", name)
		}
	}
}

func TestSite(t *testing.T) {
	site, err := OpenSite()
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func(path string) (int, string) {
		t.Helper()
		r, err := client.Get(site.Origin() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(body)
	}
	for path, want := range map[string]string{
		"/checkout":                          site.cross() + "/card",
		"/article?about=%3Cb%3E":             "<title>About &lt;b&gt;</title>",
		"/account":                           `<p role="alert">Sign in first</p>`, // by a redirect
		"/api/people?sort=age&size=1&page=0": `"pages":48`,
		"/api/people?q=nobody+at+all":        `"rows":[]`,
		"/api/feed?after=50":                 `"last":true`,
		"/api/orders/9":                      `"id":9`,
	} {
		if status, body := get(path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: status %d, %.300q; want %q in it", path, status, body, want)
		}
	}
	for _, path := range []string{"/nothing", "/api/orders/10", "/api/orders/x"} {
		if status, _ := get(path); status != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", path, status)
		}
	}
	text := site.Origin() + "/a " + site.cross() + "/b"
	if named := site.unfill(text); named != "{{same}}/a {{cross}}/b" || site.fill(named) != text {
		t.Errorf("%q is named %q", text, named)
	}
}
