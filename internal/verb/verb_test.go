package verb_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/command/act"
	. "github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/shell"
)

func TestTable(t *testing.T) {
	words := map[string]string{}
	for i := range table.All() {
		v := &table.All()[i]
		for _, w := range append([]string{v.Name}, v.Synonyms...) {
			if other, twice := words[w]; twice {
				t.Errorf("%q means both %s and %s", w, other, v.Name)
			}
			words[w] = v.Name
		}
		if v.Summary == "" || v.Category == "" || !slices.Contains(Groups(), v.Group) || len(v.Examples) == 0 {
			t.Errorf("%s lacks a summary, a category, a known group or an example", v.Name)
		}
		if strings.HasSuffix(v.Summary, ".") {
			t.Errorf("%s: the summary ends with a full stop", v.Name)
		}
		if v.Is(NeedsTab) && !v.Is(NeedsBrowser) || v.Is(Local) && v.Marks&(NeedsBrowser|Starts) != 0 {
			t.Errorf("%s: marks %v contradict each other", v.Name, v.Marks.Names())
		}
		first, _, two := strings.Cut(v.Name, " ")
		if two && table.Family(first) == nil {
			t.Errorf("%s: no family of that name", v.Name)
		}
		if !two && table.Family(first) != nil && table.Family(first).Bare != v.Name {
			t.Errorf("%s is the name of a family and of a verb that is not its bare form", v.Name)
		}
		checkArgs(t, v)
		checkFlags(t, v.Name, v.Flags)
	}
	checkFlags(t, "globals", GlobalFlags())
	for _, f := range table.Families() {
		for _, name := range []string{f.Bare, f.Fallback} {
			if name != "" && table.Find(name) == nil {
				t.Errorf("family %s points to %q, which is no verb", f.Name, name)
			}
		}
		if f.Fallback != "" && len(table.Find(f.Fallback).Args) == 0 {
			t.Errorf("family %s falls back to %s, which takes no argument", f.Name, f.Fallback)
		}
	}
	for _, a := range act.FindActions() {
		if a != "text" && table.Find(a) == nil {
			t.Errorf("find offers %q, which is no verb", a)
		}
	}
}

func checkArgs(t *testing.T, v *Verb) {
	t.Helper()
	names := map[string]bool{}
	optional := false
	for i, a := range v.Args {
		if a.Doc == "" {
			t.Errorf("%s: <%s> has no doc", v.Name, a.Name)
		}
		if a.Required && optional {
			t.Errorf("%s: <%s> is required and follows an optional argument", v.Name, a.Name)
		}
		optional = optional || !a.Required
		if (a.Rest || a.Variadic) && i != len(v.Args)-1 {
			t.Errorf("%s: <%s> takes all words and is not the last", v.Name, a.Name)
		}
		if names[a.Name] || slices.ContainsFunc(GlobalFlags(), func(f Flag) bool { return f.Name == a.Name }) {
			t.Errorf("%s: the name %s is taken twice", v.Name, a.Name)
		}
		names[a.Name] = true
		if slices.ContainsFunc(v.Flags, func(f Flag) bool { return f.Name == a.Name }) {
			t.Errorf("%s: %s is an argument and a flag", v.Name, a.Name)
		}
	}
}

func checkFlags(t *testing.T, of string, flags []Flag) {
	t.Helper()
	seen := map[string]bool{"--help": true, "--version": true, "-h": true, "-V": true}
	if of != "globals" {
		for _, f := range GlobalFlags() {
			seen["--"+f.Name] = true
		}
	}
	for _, f := range flags {
		names := []string{"--" + f.Name}
		for _, a := range f.Aliases {
			names = append(names, "--"+a)
		}
		if f.Short != "" {
			names = append(names, "-"+f.Short)
		}
		for _, n := range names {
			if of == "wait" && n == "--state" { // as in agent-browser: behind the verb it is that of an element
				continue
			}
			if seen[n] {
				t.Errorf("%s: %s is taken twice", of, n)
			}
			seen[n] = true
		}
		if f.Doc == "" || f.Kind != Bool && f.Value == "" {
			t.Errorf("%s: --%s lacks a doc or the name of its value", of, f.Name)
		}
		if f.Default != "" {
			if _, err := f.Check(f.Default); err != nil {
				t.Errorf("%s: the default of --%s is refused: %v", of, f.Name, err)
			}
		}
	}
}

func TestExamplesParse(t *testing.T) {
	for _, mode := range []Mode{Usher, AgentBrowser} {
		for i := range table.All() {
			v := &table.All()[i]
			for _, e := range v.Examples {
				words, err := shell.Split(e)
				if err != nil {
					t.Errorf("%s: %v", e, err)
					continue
				}
				c, err := table.Parse(words, mode)
				if err != nil {
					t.Errorf("%s: %v", e, err)
					continue
				}
				if c.Verb != v && c.Verb.Name != "help" && c.Verb.Name != "version" {
					t.Errorf("%s is an example of %s and parses as %s", e, v.Name, c.Verb.Name)
				}
			}
			for _, n := range v.Next {
				words, err := shell.Split(n)
				if err == nil {
					_, err = table.Parse(words, mode)
				}
				if err != nil {
					t.Errorf("%s: the hint %q: %v", v.Name, n, err)
				}
			}
		}
	}
}

// Every value a call can hold is readable by the accessor of its kind, whether given or not.
func TestAccessorsNeverPanicOnDeclaredNames(t *testing.T) {
	read := func(c *Call, name string, k Kind) {
		c.Has(name)
		c.Str(name)
		c.List(name)
		switch k {
		case Bool:
			c.Bool(name)
		case Int:
			c.Int(name)
		case Float:
			c.Float(name)
		case Duration:
			c.Dur(name)
		case Selector:
			if c.Has(name) {
				c.Target(name)
			}
		}
	}
	for i := range table.All() {
		v := &table.All()[i]
		for _, e := range v.Examples {
			words, _ := shell.Split(e)
			c, err := table.Parse(words, Usher)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range c.Verb.Args {
				read(c, a.Name, a.Kind)
			}
			for _, f := range append(slices.Clone(c.Verb.Flags), GlobalFlags()...) {
				read(c, f.Name, f.Kind)
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an undeclared name did not panic")
		}
	}()
	c, _ := table.Parse([]string{"back"}, Usher)
	c.Str("selectr")
}

func TestModeOf(t *testing.T) {
	for path, want := range map[string]Mode{
		"usher": Usher, "/usr/bin/usher": Usher, "": Usher, "/opt/agent-browser/bin/usher": Usher,
		"agent-browser": AgentBrowser, "/usr/local/bin/agent-browser": AgentBrowser, `C:\Tools\Agent-Browser.EXE`: AgentBrowser,
	} {
		if got := ModeOf(path); got != want {
			t.Errorf("ModeOf(%q) = %v, want %v", path, got, want)
		}
	}
}
