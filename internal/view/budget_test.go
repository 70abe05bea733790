package view

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/usher-browser/usher/internal/view/budget"
	"github.com/usher-browser/usher/internal/view/outline"
	"github.com/usher-browser/usher/internal/world"
)

// outlined makes a snapshot from lines of the page script.
func outlined(t testing.TB, v *Viewer, text string, opt Options) (*Snapshot, *tree) {
	t.Helper()
	page, err := ParsePage("usher1\tx\t0\t" + text)
	if err != nil {
		t.Fatal(err)
	}
	o := treeOf(page)
	o.tidy(opt)
	snap := &Snapshot{doc: world.Document{Frame: "f", Loader: "l"}}
	snap.Text = o.render(opt, v.number("t", snap, false))
	return snap, o
}

// lineOfPage matches a line of a test file: indentation, a letter for each mark of the page script, a local id, and the
// row.
var lineOfPage = regexp.MustCompile(`^( *)([vfmiacos]*(?:#\d+)?) *\| ?(.*)$`)

// TestBudget reads testdata/budget: lines of the page script, options, and the text for the agent.
func TestBudget(t *testing.T) {
	files, err := filepath.Glob("testdata/budget/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			page := pageOf(t, part1(t, archive, "page"))
			for i := range archive.Files {
				digits, ok := strings.CutPrefix(archive.Files[i].Name, "budget ")
				if !ok {
					continue
				}
				budget, err := strconv.Atoi(digits)
				if err != nil {
					t.Fatal(err)
				}
				v := &Viewer{refs: NewRefs()}
				got := spendChecked(t, v, page, Options{Budget: budget}).Text
				if *rewrite {
					archive.Files[i].Data = []byte(got + "\n")
				} else if want := strings.TrimSuffix(string(archive.Files[i].Data), "\n"); got != want {
					t.Errorf("within %d tokens:\n%s\nwant\n%s", budget, got, want)
				}
			}
			if *rewrite {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func part1(t *testing.T, archive *txtar.Archive, name string) string {
	t.Helper()
	for _, f := range archive.Files {
		if f.Name == name {
			return strings.TrimSuffix(string(f.Data), "\n")
		}
	}
	t.Fatalf("no part %q", name)
	return ""
}

// pageOf reads lines such as
//
//	va | link 7 "Name" [states]
//
// indented before the marks, as the page script would write them.
func pageOf(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	line := regexp.MustCompile(`^(\w+)(?: (\d+))?(?: "(.*)")?(?: \[(.*)\])?$`)
	for one := range strings.SplitSeq(text, "\n") {
		m := lineOfPage.FindStringSubmatch(one)
		if m == nil {
			t.Fatalf("%q is no line of a page", one)
		}
		f := line.FindStringSubmatch(m[3])
		if f == nil {
			t.Fatalf("%q is no line of a page", m[3])
		}
		name := f[3]
		if at := strings.Index(name, "*"); at >= 0 { // "Word*40"
			times, _ := strconv.Atoi(name[at+1:])
			name = strings.TrimSpace(strings.Repeat(name[:at]+" ", times))
		}
		fmt.Fprintf(&b, "\n%d%s\t%s\t%s\t%s\t%s", len(m[1])/2, m[2], f[1], f[2], name, f[4])
	}
	return b.String()
}

var (
	moreLines = regexp.MustCompile(`^ *- … (\d+) more (?:lines?|\S+)(?: \((?:(\d+) lines?)?.*?\))?[:,]`)
	wrappers  = regexp.MustCompile(`^- … .*?(\d+) wrappers? left out: `)
	seeRef    = regexp.MustCompile(`snapshot(?: -i)?(?: -c)? -s @e(\d+)$`)
	wholeRest = regexp.MustCompile(`: snapshot( -i)?( -c)?$`)
)

// spendChecked makes the text of a page within a budget, and checks the properties of any such text.
func spendChecked(t testing.TB, v *Viewer, page string, opt Options) *Snapshot {
	t.Helper()
	whole, _ := outlined(t, v, page, opt)
	snap, o := outlined(t, v, page, opt)
	rows, _ := outline.Parse(snap.Text)
	v.applyBudget("t", snap, rows, o, opt)
	checkSpent(t, v, whole.Text, snap, opt)
	return snap
}

// checkSpent checks a text that was cut to a budget.
func checkSpent(t testing.TB, v *Viewer, whole string, snap *Snapshot, opt Options) {
	t.Helper()
	if len(snap.Text) > 4*opt.Budget || snap.Spent.Tokens > opt.Budget || snap.Spent.Tokens != budget.Tokens(snap.Text) || snap.Spent.Total != budget.Tokens(whole) {
		t.Fatalf("%+v, %d bytes, for %d tokens:\n%s", snap.Spent, len(snap.Text), opt.Budget, snap.Text)
	}
	if fits := len(whole) <= 4*opt.Budget; fits != (snap.Text == whole) || fits == snap.Spent.Truncated {
		t.Fatalf("%+v for %d tokens:\n%s", snap.Spent, opt.Budget, snap.Text)
	}
	if !snap.Spent.Truncated || !wholeRest.MatchString(snap.Text) && !seeRef.MatchString(snap.Text) {
		if snap.Spent.Truncated && opt.Budget >= 40 {
			t.Fatalf("it ends without saying how to see the rest, for %d tokens:\n%s", opt.Budget, snap.Text)
		}
		return // the budget is too small even for the note
	}
	reported := 0
	for line := range strings.SplitSeq(snap.Text, "\n") {
		if m := moreLines.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1])
			if m[2] != "" {
				n, _ = strconv.Atoi(m[2])
			}
			reported += n
		} else if !strings.HasPrefix(line, "- … ") || !wholeRest.MatchString(line) {
			reported++
		}
		if m := wrappers.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1])
			reported += n
		}
		if m := seeRef.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1])
			if ref, ok := v.refs.Lookup(n); !ok || !ref.Alive {
				t.Fatalf("nobody knows @e%d of %q", n, line)
			}
		}
	}
	if lines := 1 + strings.Count(whole, "\n"); reported != lines {
		t.Fatalf("%d of %d lines are told or counted within %d tokens:\n%s\nof\n%s", reported, lines, opt.Budget, snap.Text, whole)
	}
}

// spendDeltaChecked makes a delta within a budget, and checks it.
func spendDeltaChecked(t testing.TB, before, after string, opt Options) {
	t.Helper()
	v := &Viewer{refs: NewRefs()}
	first, _ := outlined(t, v, before, opt)
	snap, o := outlined(t, v, after, opt)
	old, ok := outline.Parse(first.Text)
	now, also := outline.Parse(snap.Text)
	if !ok || !also {
		return
	}
	if rows := outline.Compare(old, now); len(rows) > 0 {
		delta := outline.Join(rows)
		snap.Text = delta
		v.applyBudget("t", snap, rows, o, opt)
		checkSpent(t, v, delta, snap, opt)
	}
}

// randomPage makes lines of the page script from random bytes.
func randomPage(data []byte) string {
	var b strings.Builder
	roles := []string{"list", "listitem", "StaticText", "button", "generic", "link", "dialog", "row"}
	marks := []string{"", "v", "va", "a", "f", "vm", "vai", "v"}
	depth := -1
	for i, x := range data {
		depth = min(depth+1, int(x>>4)%6)
		id, handle := "", ""
		if x&8 != 0 {
			id = strconv.Itoa(i + 1)
		} else if x&1 != 0 {
			handle = "#" + strconv.Itoa(i+1)
		}
		name := ""
		if x&6 != 0 {
			name = strings.Repeat(fmt.Sprintf(`wörd "%d\ `, x), int(x)%40)
		}
		fmt.Fprintf(&b, "\n%d%s%s\t%s\t%s\t%s", depth, marks[(x>>3)%8], handle, roles[x%8], id, name)
	}
	return b.String()
}

func FuzzBudget(f *testing.F) {
	f.Add([]byte("the rows of a page"), uint16(40), false)
	f.Add([]byte{255, 1, 7, 60, 61, 62, 63}, uint16(3), true)
	f.Fuzz(func(t *testing.T, data []byte, budget uint16, compact bool) {
		opt := Options{Budget: int(budget%2000) + 1, Compact: compact}
		page := randomPage(data)
		one := spendChecked(t, &Viewer{refs: NewRefs()}, page, opt)
		two := spendChecked(t, &Viewer{refs: NewRefs()}, page, opt)
		if one.Text != two.Text {
			t.Fatalf("another choice the second time:\n%s\nand\n%s", one.Text, two.Text)
		}
		spendDeltaChecked(t, page, randomPage(data[len(data)/3:]), opt)
	})
}

func TestBudgetOfRandomPages(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		data := make([]byte, random.IntN(120)+1)
		for i := range data {
			data[i] = byte(random.IntN(256))
		}
		for budget := 1; budget < 4000; budget += budget/3 + 1 {
			opt := Options{Budget: budget, Compact: budget%2 == 0}
			spendChecked(t, &Viewer{refs: NewRefs()}, randomPage(data), opt)
			spendDeltaChecked(t, randomPage(data), randomPage(data[len(data)/3:]), opt)
		}
	}
}

// BenchmarkBudget cuts 50,000 buttons to a thousand tokens.
func BenchmarkBudget(b *testing.B) {
	var text strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&text, "\n0va\tbutton\t%d\tButton %d", i+1, i+1)
	}
	v := &Viewer{refs: NewRefs()}
	snap, o := outlined(b, v, text.String(), Options{Interactive: true})
	for b.Loop() {
		one := *snap
		rows, _ := outline.Parse(one.Text)
		v.applyBudget("t", &one, rows, o, Options{Budget: 1000, Interactive: true})
	}
}
