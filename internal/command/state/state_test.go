package state_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/state"
)

// fill stores a value of every kind that has a form in JSON, and one that has none.
const fill = `localStorage.setItem('k', 'v "ü"'); localStorage.setItem('__proto__', 'p'); new Promise((ok, no) => {
  const open = indexedDB.open('db', 3);
  open.onupgradeneeded = () => {
    open.result.createObjectStore('in', {keyPath: ['a', 'b']}).createIndex('i', 'c', {unique: true, multiEntry: true});
    open.result.createObjectStore('out', {autoIncrement: true});
  };
  open.onsuccess = () => {
    const t = open.result.transaction(['in', 'out'], 'readwrite');
    t.objectStore('in').put({a: 1, b: new Date(5), c: ['x', 'y'], "__proto__x": null});
    const out = t.objectStore('out'), round = {n: NaN, u: undefined, z: -0, i: -Infinity};
    round.self = round;
    out.put({plain: [1, "two", {three: null}]});
    out.put(round, 'round');
    out.put(new Map([['m', new Set([1n, /a/gi])]]), 'map');
    out.put(new Float64Array([1.5, -2]).subarray(1), 'floats');
    out.put(new Uint8Array(100000).fill(7).buffer, 'big');
    out.put(new RangeError('far'), 'error');
    out.put(new Blob(['x']), 'blob');
    t.oncomplete = () => { open.result.close(); ok(1) };
    t.onabort = () => no(t.error);
  };
})`

// stored reads back what fill stored.
const stored = `new Promise((ok, no) => {
  const open = indexedDB.open('db');
  open.onerror = () => no(open.error);
  open.onsuccess = () => {
    const db = open.result, t = db.transaction(['in', 'out']), got = {version: db.version};
    const one = (store, key, f) => { t.objectStore(store).get(key).onsuccess = e => { got[JSON.stringify(key)] = f(e.target.result) } };
    const index = t.objectStore('in').index('i');
    got.index = [index.keyPath, index.unique, index.multiEntry, t.objectStore('in').keyPath, t.objectStore('out').autoIncrement];
    one('in', [1, new Date(5)], v => [v.b instanceof Date, v.c]);
    one('out', 1, v => v);
    one('out', 'round', v => [String(v.n), 'u' in v, Object.is(v.z, -0), String(v.i), v.self === v]);
    one('out', 'map', v => { const [n, r] = [...v.get('m')]; return [typeof n, String(r)] });
    one('out', 'floats', v => [v.constructor.name, ...v]);
    one('out', 'big', v => [v.byteLength, new Uint8Array(v)[99999]]);
    one('out', 'error', v => [v.name, v.message]);
    one('out', 'blob', v => v === undefined);
    t.oncomplete = () => { db.close(); ok(got) };
  };
})`

const storedWant = `{"1":{"plain":[1,"two",{"three":null}]},"version":3,"index":["c",true,true,["a","b"],true],` +
	`"[1,\"1970-01-01T00:00:00.005Z\"]":[true,["x","y"]],"\"round\"":["NaN",true,true,"-Infinity",true],"\"map\"":["bigint","/a/gi"],` +
	`"\"floats\"":["Float64Array",-2],"\"big\"":[100000,7],"\"error\"":["RangeError","far"],"\"blob\"":true}`

// TestSaveAndLoad: a state that one session saves is there in another, also of origins that no tab shows. No tab
// navigates, none is added, and the sites get no request.
func TestSaveAndLoad(t *testing.T) {
	site := cdptest.NewSite(t)
	from := commandtest.New(t)
	expires := strconv.FormatInt(time.Now().Add(24*time.Hour).Unix(), 10)
	from.Run(t, "open", site.URL("/small"))
	from.Run(t, "cookies", "set", "sid", "secret", "--http-only", "--same-site", "Strict", "--expires", expires)
	from.Run(t, "cookies", "set", "part", "1", "--url", site.Secure("/"), "--secure", "--same-site", "None", "--partition-key", "https://top.example")
	from.Eval(t, fill)
	from.Run(t, "open", site.Cross("/small"))
	from.Run(t, "storage", "local", "set", "cross", "yes")
	from.Run(t, "storage", "session", "set", "tab", "one")
	site.Forget()
	res := from.Run(t, "state", "save", "a.json")
	if !strings.Contains(res.Warning, "db/out: Blob") {
		t.Errorf("the warning does not name the value without a form: %q", res.Warning)
	}
	path := filepath.Join(from.Dir, "a.json")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v, want mode 0600", info.Mode(), err)
	}

	to := commandtest.New(t)
	to.Run(t, "open", site.URL("/small"))
	before := to.Run(t, "get", "url").Text
	site.Forget()
	if res := to.Run(t, "state", "load", path); res.Warning != "" {
		t.Errorf("loading warns: %q", res.Warning)
	}
	if got := to.Run(t, "get", "url").Text; got != before {
		t.Errorf("the tab navigated to %s", got)
	}
	if got := len(to.Context.Tabs()); got != 1 {
		t.Errorf("the session has %d tabs", got)
	}
	for _, r := range site.Requests("") {
		if r.Path != "/favicon.ico" || !strings.HasPrefix(site.URL(""), "http://"+r.Host) { // that is the tab's
			t.Errorf("saving and loading sent a request to %s%s", r.Host, r.Path)
		}
	}
	if got := to.Eval(t, stored); got != storedWant {
		t.Errorf("IndexedDB has\n%s\nwant\n%s", got, storedWant)
	}
	if got := to.Run(t, "storage", "local").Text; got != "__proto__: p\nk: v \"ü\"" && got != "k: v \"ü\"\n__proto__: p" {
		t.Errorf("local storage has %q", got)
	}
	all := commandtest.Data[state.Cookies](t, to.Run(t, "cookies", "get", "--all")).Cookies
	if len(all) != 2 || all[0].Name+all[1].Name != "sidpart" && all[0].Name+all[1].Name != "partsid" {
		t.Fatalf("the cookies are %+v", all)
	}
	for _, c := range all {
		switch {
		case c.Name == "sid" && (c.Value != "secret" || !c.HTTPOnly || c.SameSite != "Strict" || strconv.FormatFloat(c.Expires, 'f', 0, 64) != expires):
			t.Errorf("the cookie is %+v", c)
		case c.Name == "part" && (c.PartitionKey != "https://top.example" || c.HasCrossSiteAncestor == nil || *c.HasCrossSiteAncestor || !c.Secure):
			t.Errorf("the partitioned cookie is %+v", c)
		}
	}
	to.Run(t, "open", site.Cross("/small"))
	if got := to.Run(t, "storage", "local", "get", "cross").Text; got != "yes" {
		t.Errorf("the other origin has %q", got)
	}
	to.Run(t, "state", "load", path)
	if got := to.Run(t, "storage", "session", "tab").Text; got != "one" {
		t.Errorf("the session storage of the open page is %q", got)
	}
}

// TestSaveWithoutAnOrigin: an origin that cannot be read is named in a warning, and the others are saved.
func TestSaveWithoutAnOrigin(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "storage", "local", "set", "k", "v")
	s.Context.Origins.Note("http://NO.example") // the origins of pages are lower case
	s.Run(t, "open", site.Cross("/small"))
	res := s.Run(t, "state", "save", "a.json")
	if !strings.Contains(res.Warning, "could not be read: the storage of http://NO.example: ") {
		t.Errorf("saving warns %q", res.Warning)
	}
	if !strings.Contains(res.Text, "1 origin, 1 local storage entry") {
		t.Errorf("saving says %q", res.Text)
	}
}

// TestSessionStorageWaits: the session storage of an origin that no tab shows is there when the tab shows it for the first
// time, before the page's scripts, and once only. A state that is saved before that contains it.
func TestSessionStorageWaits(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	path := filepath.Join(s.Dir, "a.json")
	entries := `[{"name":"tab","value":"one\u2028</script>"},{"name":"other","value":"two"}]`
	origin := strings.TrimSuffix(site.Cross(""), "/")
	s.Run(t, "open", site.URL("/small"))
	for _, list := range []string{strings.ReplaceAll(entries, "two", "before"), entries} { // what is loaded last counts
		text := `{"cookies":[],"origins":[{"origin":"` + origin + `","localStorage":[],"sessionStorage":` + list + `}]}`
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if res := s.Run(t, "state", "load", path); res.Warning != "" {
			t.Errorf("loading warns: %q", res.Warning)
		}
	}
	saved := func() bool {
		s.Run(t, "state", "save", "b.json")
		raw, err := os.ReadFile(filepath.Join(s.Dir, "b.json"))
		return err == nil && strings.Contains(string(raw), `"value": "two"`)
	}
	if !saved() {
		t.Error("a state that is saved before the origin is shown lacks its session storage")
	}
	s.Run(t, "open", site.URL("/small?second"))
	if got := s.Eval(t, "String(sessionStorage.length)"); got != `"0"` {
		t.Errorf("another origin has %s entries", got)
	}
	s.Run(t, "addinitscript", "window.early = sessionStorage.getItem('other')")
	s.Run(t, "open", site.Cross("/small"))
	if got := s.Eval(t, "[window.early, sessionStorage.getItem('tab') === 'one\\u2028</script>', sessionStorage.length].join()"); got != `"two,true,2"` {
		t.Errorf("the origin has %s", got)
	}
	s.Eval(t, "sessionStorage.removeItem('other'), sessionStorage.setItem('tab', 'mine'), 1")
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "open", site.Cross("/small"))
	if got := s.Eval(t, "[sessionStorage.getItem('tab'), sessionStorage.length].join()"); got != `"mine,1"` {
		t.Errorf("the second time, the origin has %s", got)
	}
	if saved() {
		t.Error("what the page removed is saved")
	}
}

// TestSaveWithoutAnswer: a page that cannot answer does not keep its storage from being saved.
func TestSaveWithoutAnswer(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "storage", "local", "set", "k", "v")
	s.Eval(t, "setTimeout(() => alert('wait'), 0); 1")
	s.Run(t, "state", "save", "a.json")
	raw, err := os.ReadFile(filepath.Join(s.Dir, "a.json"))
	if err != nil || !strings.Contains(string(raw), `"name": "k"`) {
		t.Errorf("the file is %s, %v", raw, err)
	}
	s.Run(t, "dialog", "dismiss")
}

// TestLoadExisting: loading into an origin that has the databases already replaces records of the same key, and reports
// what does not fit.
func TestLoadExisting(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/small"))
	s.Eval(t, fill)
	s.Run(t, "state", "save", "a.json")
	s.Eval(t, `new Promise(ok => { const open = indexedDB.open('db'); open.onsuccess = () => {
	  const t = open.result.transaction('out', 'readwrite'); t.objectStore('out').put('changed', 'map'); t.objectStore('out').put('mine', 'own');
	  t.oncomplete = () => { open.result.close(); ok(1) } } })`)
	if res := s.Run(t, "state", "load", "a.json"); res.Warning != "" {
		t.Errorf("the warning is %q", res.Warning)
	}
	if got := strings.Replace(s.Eval(t, stored), `"\"blob\"":false`, `"\"blob\"":true`, 1); got != storedWant { // the Blob is still there
		t.Errorf("IndexedDB has\n%s", got)
	}
	s.Eval(t, `new Promise(ok => { const open = indexedDB.open('db', 9); open.onupgradeneeded = () => open.result.deleteObjectStore('out');
	  open.onsuccess = () => { open.result.close(); ok(1) } })`)
	if res := s.Run(t, "state", "load", "a.json"); !strings.Contains(res.Warning, "IndexedDB db: version 9 of it has no store out") {
		t.Errorf("the warning is %q", res.Warning)
	}
}

// TestBadFiles: a file that is no state loads nothing, and says why.
func TestBadFiles(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "cookies", "set", "mine", "1")
	for text, want := range map[string]string{
		"":                                       "it is no JSON",
		`{"cookies":[`:                           "it is no JSON",
		`[]`:                                     "the whole file has another type",
		`{"cookies":5}`:                          "/cookies has another type",
		`{"cookies":[{}]}`:                       "cookie 1: it has neither name nor value",
		`{"cookies":[{"name":"a","value":"b"}]}`: `"a" has no domain`,
		`{"cookies":[{"name":"a","domain":"x.example","sameSite":"Some"}]}`:                 `sameSite "Some"`,
		`{"origins":[{"origin":"http://x.example/path"}]}`:                                  "is not an origin",
		`{"origins":[{"origin":"http://x.example","indexedDB":[{"name":5}]}]}`:              "indexedDB",
		`{"origins":[{"origin":"http://x.example","localStorage":{"name":"a","value":1}}]}`: "localStorage has another type",
	} {
		if err := os.WriteFile(filepath.Join(s.Dir, "bad.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := s.Try(t, "state", "load", "./bad.json")
		if api.CodeOf(err) != api.InvalidState || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := s.Try(t, "state", "load", "./none.json"); api.CodeOf(err) != api.FileNotFound {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := s.Try(t, "state", "save", "nowhere/a.json"); api.CodeOf(err) != api.FileWriteFailed {
		t.Errorf("a missing directory: %v", err)
	}
	if got := s.Run(t, "cookies").Text; got != "mine=1" {
		t.Errorf("the cookies are %q", got)
	}
}

// TestDirectory lists, shows, renames and deletes states in usher's own directory.
func TestDirectory(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Settings.StateDir = filepath.Join(t.TempDir(), "state")
	if got := s.Run(t, "state", "list"); !strings.HasPrefix(got.Text, "No saved states") {
		t.Errorf("without a directory: %q", got.Text)
	}
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "cookies", "set", "sid", "secret")
	s.Run(t, "state", "save", "one")
	s.Run(t, "state", "save", "two")
	if got := s.Run(t, "state", "show", "one"); !strings.Contains(got.Text, "cookies of 127.0.0.1: sid") || strings.Contains(got.Text, "secret") {
		t.Errorf("the text is %q", got.Text)
	}
	if _, err := s.Try(t, "state", "rename", "one", "two"); api.CodeOf(err) != api.FileWriteFailed {
		t.Errorf("renaming to a name that is taken: %v", err)
	}
	if _, err := s.Try(t, "state", "rename", "one", "../three"); api.CodeOf(err) != api.InvalidArgument {
		t.Errorf("renaming to a path: %v", err)
	}
	s.Run(t, "state", "rename", "one", "three")
	names := func() (out string) {
		for _, f := range commandtest.Data[state.Listed](t, s.Run(t, "state", "list")).Files {
			out += f.Filename + " "
		}
		return out
	}
	if got := names(); got != "three.json two.json " {
		t.Errorf("the states are %s", got)
	}
	s.Run(t, "state", "clear", "two")
	if _, err := s.Try(t, "state", "clear", "two"); api.CodeOf(err) != api.FileNotFound {
		t.Errorf("deleting what is not there: %v", err)
	}
	s.Run(t, "state", "clean", "--older-than", "1")
	if got := names(); got != "three.json " {
		t.Errorf("a new state is old: %s", got)
	}
	s.Run(t, "state", "clear", "--all")
	if got := names(); got != "" {
		t.Errorf("after clear --all: %s", got)
	}
}
