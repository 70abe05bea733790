package verb

import "slices"

// Set is the part of a table from one package.
type Set struct {
	// Families are the first words that several of the verbs share.
	Families []Family
	Verbs    []Verb
}

// Join joins several sets into one.
func Join(sets ...Set) Set {
	var out Set
	for _, s := range sets {
		out.Families = append(out.Families, s.Families...)
		out.Verbs = append(out.Verbs, s.Verbs...)
	}
	return out
}

// Table is the grammar of all commands. It does not change after [NewTable].
type Table struct {
	verbs    []Verb
	families []Family
	words    map[string]*Verb // by name and synonym
}

// NewTable joins sets into a table: verbs in the order of [Groups], those of a group in the order of the sets. Verbs
// marked [TakesFrame] and [ReportsChanges] get the flags of the mark.
func NewTable(sets ...Set) *Table {
	t := &Table{words: map[string]*Verb{}}
	for _, g := range Groups() {
		for _, s := range sets {
			for _, v := range s.Verbs {
				if v.Group == g {
					t.verbs = append(t.verbs, complete(v))
				}
			}
		}
	}
	for _, s := range sets {
		t.families = append(t.families, s.Families...)
	}
	for i := range t.verbs {
		v := &t.verbs[i]
		t.words[v.Name] = v
		for _, s := range v.Synonyms {
			t.words[s] = v
		}
	}
	return t
}

// complete adds the flags that go with a verb's marks.
func complete(v Verb) Verb {
	if v.Is(TakesFrame) {
		v.Flags = append(slices.Clip(v.Flags), FrameFlag())
	}
	if v.Is(ReportsChanges) {
		v.Flags = append(slices.Clip(v.Flags), changesFlags()...)
	}
	if v.Is(Starts) || v.Is(NeedsBrowser) || v.Category == CatWeb {
		v.Marks |= TellsPages
	}
	return v
}

// FrameFlag returns the flag for the frame in which a verb works, for this one command.
func FrameFlag() Flag {
	return Flag{Name: "frame", Kind: String, Value: "frame",
		Doc: "work in this frame: its id, its element's ref, its name, its address or the beginning of that; main is the whole page"}
}

// changesFlags returns the flags that request the changes of the page.
func changesFlags() []Flag {
	return []Flag{
		{Name: "changes", Kind: String, Value: "which", Default: "none", Choices: []string{"none", "delta", "full"},
			Doc: "after the result, when the page has settled, print its changes (delta) or all of it (full)"},
		ReaderFlag(),
	}
}

// ReaderFlag returns the flag for the reader of an outline: a delta is to the last outline of the same reader.
func ReaderFlag() Flag {
	return Flag{Name: "reader", Value: "name", Hidden: true, Doc: "who reads it: a delta is to what the same reader was told"}
}

// LoadLimitFlag returns the flag for how long a page that is shown may go on loading.
func LoadLimitFlag() Flag {
	return Flag{Name: "load-limit", Kind: Duration, Value: "ms|10s", Hidden: true,
		Doc: "how long a page that is shown may go on loading; then it is reported as it is, with a warning"}
}

// All returns every verb, grouped as in help. Callers must not change the slice.
func (t *Table) All() []Verb { return t.verbs }

// Find returns the verb with this name or synonym ("click", "goto", "get text"), or nil.
func (t *Table) Find(name string) *Verb { return t.words[name] }

// Families returns the first words that several verbs share. Callers must not change the slice.
func (t *Table) Families() []Family { return t.families }

// Family returns the family with this first word, or nil.
func (t *Table) Family(name string) *Family {
	for i := range t.families {
		if f := &t.families[i]; f.Name == name || f.Alias != "" && f.Alias == name {
			return &t.families[i]
		}
	}
	return nil
}

// SelectorArg returns the argument for the element of an action.
func SelectorArg() Arg {
	return Arg{Name: "selector", Kind: Selector, Required: true,
		Doc: "a ref from the last snapshot (@e4), CSS, xpath=... or text=..., or a chain with >>, see help selectors"}
}

// Optional returns the argument as one that may be left out.
func Optional(a Arg) Arg {
	a.Required = false
	return a
}

// OnTab are the marks of every verb that works on the active tab.
const OnTab = NeedsBrowser | NeedsTab
