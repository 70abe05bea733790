package view

import (
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// maxStaleRefs bounds the refs of replaced documents that are kept with role and name, so that a stale one can still be
// described; older ones are only recognised as stale.
const maxStaleRefs = 20_000

// maxStaleDocuments bounds the replaced documents that are kept, however few refs they had.
const maxStaleDocuments = 500

// Refs is the table of a session's refs: numbers from 1, in reading order as the elements were first shown, never
// reused. An element keeps its number for the lifetime of its document. Its methods may be called from any goroutine.
type Refs struct {
	mu    sync.Mutex
	last  int                          // guarded by mu: the highest number handed out
	docs  map[world.Document]*document // guarded by mu: the present ones
	gone  []*document                  // guarded by mu: those that were replaced, oldest first
	runs  []run                        // guarded by mu, by first: which document has which numbers
	roles map[string]string            // guarded by mu: one copy of each role
}

// document holds the refs of one document.
type document struct {
	key     world.Document
	tab     model.TargetID
	alive   bool
	numbers []uint32 // by local id; 0 for an element without a ref
	entries []entry  // in the order of their numbers
	removed []int    // numbers of elements removed since the last snapshot
}

type entry struct {
	id         uint32 // local id
	away       bool   // its element has been removed from the document
	role, name string
}

// run is a range of numbers: first to first+count-1 are the entries of doc from at on.
type run struct {
	first, count int
	doc          *document
	at           int
}

// Ref is the entry of one number.
type Ref struct {
	Number int
	// Document is the document of the element, present or past; its frame is empty if the ref is older than what is
	// kept.
	Document world.Document
	// ID is the element's local id in its document.
	ID uint32
	// Role and Name are those of the last snapshot.
	Role, Name string
	// Alive is false if the document was replaced.
	Alive bool
}

// NewRefs returns an empty table.
func NewRefs() *Refs {
	return &Refs{docs: map[world.Document]*document{}, roles: map[string]string{}}
}

// Lookup returns the entry of a number; ok is false if it was never assigned. Whether the element is still in its
// document has to be read from the page.
func (r *Refs) Lookup(number int) (ref Ref, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if number < 1 || number > r.last {
		return Ref{}, false
	}
	ref = Ref{Number: number}
	if d, e := r.find(number); d != nil {
		ref.Document, ref.ID, ref.Role, ref.Name, ref.Alive = d.key, e.id, e.role, e.name, d.alive
	}
	return ref, true
}

// highest returns the highest number handed out.
func (r *Refs) highest() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// find must be called with mu held.
func (r *Refs) find(number int) (*document, *entry) {
	i := sort.Search(len(r.runs), func(i int) bool { return r.runs[i].first > number }) - 1
	if i < 0 || number >= r.runs[i].first+r.runs[i].count {
		return nil, nil
	}
	return r.runs[i].doc, &r.runs[i].doc.entries[r.runs[i].at+number-r.runs[i].first]
}

// Number returns the ref number of an element, assigns the next one if it has none, and stores its role and name.
func (r *Refs) Number(tab model.TargetID, doc world.Document, id uint32, role, name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.number(r.open(tab, doc), id, role, strings.Clone(name))
}

// open must be called with mu held.
func (r *Refs) open(tab model.TargetID, key world.Document) *document {
	d := r.docs[key]
	if d == nil {
		d = &document{key: key, tab: tab, alive: true}
		r.docs[key] = d
	}
	return d
}

// number must be called with mu held. name must not share memory with anything larger.
func (r *Refs) number(d *document, id uint32, role, name string) int {
	role = r.role(role)
	if int(id) < len(d.numbers) && d.numbers[id] != 0 {
		n := int(d.numbers[id])
		_, e := r.find(n)
		e.role, e.name, e.away = role, name, false
		return n
	}
	r.last++
	if grow := int(id) + 1 - len(d.numbers); grow > 0 {
		d.numbers = append(d.numbers, make([]uint32, grow)...)
	}
	d.numbers[id] = uint32(r.last)
	d.entries = append(d.entries, entry{id: id, role: role, name: name})
	if n := len(r.runs); n > 0 && r.runs[n-1].doc == d && r.runs[n-1].first+r.runs[n-1].count == r.last {
		r.runs[n-1].count++
	} else {
		r.runs = append(r.runs, run{first: r.last, count: 1, doc: d, at: len(d.entries) - 1})
	}
	return r.last
}

func (r *Refs) role(role string) string {
	if one, ok := r.roles[role]; ok {
		return one
	}
	role = strings.Clone(role)
	r.roles[role] = role
	return role
}

// departed records that elements were removed from their document. They get their numbers back if they are inserted
// again.
func (r *Refs) departed(key world.Document, ids []uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.docs[key]
	if d == nil {
		return
	}
	for _, id := range ids {
		if int(id) >= len(d.numbers) || d.numbers[id] == 0 {
			continue
		}
		n := int(d.numbers[id])
		if _, e := r.find(n); !e.away {
			e.away = true
			d.removed = append(d.removed, n)
		}
	}
}

// Sync retires the documents that the state no longer has: replaced by a navigation, or gone with their frame or tab.
func (r *Refs) Sync(s *model.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var left []model.TargetID // tabs that show another page
	for key, d := range r.docs {
		if f := s.Frame(key.Frame); f == nil || f.Loader != key.Loader {
			r.retire(d)
			if key.Frame == model.FrameID(d.tab) {
				left = append(left, d.tab)
			}
		}
	}
	for _, tab := range left {
		r.dropRemoved(tab)
	}
	for held := 0; ; held = 0 {
		for _, d := range r.gone {
			held += len(d.entries)
		}
		if held <= maxStaleRefs && len(r.gone) <= maxStaleDocuments {
			return
		}
		oldest := r.gone[0]
		if len(oldest.removed) > 0 && len(r.gone) <= maxStaleDocuments {
			return // not reported yet
		}
		r.gone = r.gone[1:]
		r.runs = slices.DeleteFunc(r.runs, func(one run) bool { return one.doc == oldest })
	}
}

// retire must be called with mu held.
func (r *Refs) retire(d *document) {
	delete(r.docs, d.key)
	d.alive = false
	d.numbers = nil
	r.gone = append(r.gone, d)
	for _, one := range r.runs {
		if one.doc != d {
			continue
		}
		for i := range one.count {
			if !d.entries[one.at+i].away {
				d.removed = append(d.removed, one.first+i)
			}
		}
	}
}

// dropRemoved drops the removed refs of a tab that shows another page: that all refs of the old page are gone is implied,
// and a long list of them costs tokens. It must be called with mu held.
func (r *Refs) dropRemoved(tab model.TargetID) {
	for _, d := range r.docs {
		if d.tab == tab {
			d.removed = nil
		}
	}
	for _, d := range r.gone {
		if d.tab == tab {
			d.removed = nil
		}
	}
}

// takeRemoved returns the numbers of a tab whose elements were removed since the last call, in order.
func (r *Refs) takeRemoved(tab model.TargetID) []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	var removed []int
	take := func(d *document) {
		if d.tab == tab {
			removed = append(removed, d.removed...)
			d.removed = nil
		}
	}
	for _, d := range r.docs {
		take(d)
	}
	for _, d := range r.gone {
		take(d)
	}
	slices.Sort(removed)
	return removed
}
