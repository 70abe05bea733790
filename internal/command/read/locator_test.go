package read_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
)

const known = `<!doctype html><title>Known</title><button id=b1 data-testid=save>Save</button><button id=b2>Open</button><button id=b3>Open file</button>
<label>Street <input id=i1 placeholder=Where></label><input id=i2 placeholder="Only here" aria-label=""><img id=p src=x.png alt="A 'quoted' picture">
<p id=t>Some words</p><ul id=u><li><b></b></li><li><b class=x></b></li></ul><button class=y>Twice</button><button class=y>Twice</button>
<iframe name=inner src=/inner></iframe><iframe src=/other></iframe>`

func TestGenerateLocator(t *testing.T) {
	s := commandtest.New(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, known)
		default:
			fmt.Fprint(w, "<button>Inside</button>")
		}
	}))
	t.Cleanup(server.Close)
	s.Run(t, "open", server.URL)
	for selector, want := range map[string]string{
		"#b1": `getByTestId('save')`, "#b2": `getByRole('button', { name: 'Open', exact: true })`, "#b3": `getByRole('button', { name: 'Open file' })`,
		"#i1": `getByRole('textbox', { name: 'Street' })`, "#p": `getByRole('img', { name: 'A \'quoted\' picture' })`, "#t": `getByText('Some words')`,
		"b.x": `locator('#u > li:nth-of-type(2) > b')`, "xpath=(//button[@class='y'])[2]": `getByRole('button', { name: 'Twice' }).nth(1)`,
	} {
		if got := s.Run(t, "generate-locator", selector).Text; got != want {
			t.Errorf("%s: %s, want %s", selector, got, want)
		}
	}
	if got, want := s.Run(t, "generate-locator", "button", "--frame", "inner").Text, `frameLocator('iframe[name="inner"]').getByRole('button', { name: 'Inside' })`; got != want {
		t.Errorf("in a frame: %s", got)
	}
	if got, want := s.Run(t, "generate-locator", "button", "--frame", server.URL+"/other").Text, `frame({ url: '`+server.URL+`/other' }).getByRole('button', { name: 'Inside' })`; got != want {
		t.Errorf("in a frame without a name: %s", got)
	}
	data := commandtest.Data[map[string]any](t, s.Run(t, "generate-locator", "#b2"))
	if data["by"] != "role" || data["value"] != "button" || data["name"] != "Open" || data["exact"] != true {
		t.Errorf("%v", data)
	}
	if _, err := s.Try(t, "generate-locator", "#none"); api.CodeOf(err) != api.ElementNotFound {
		t.Errorf("nothing there: %v", err)
	}
}
