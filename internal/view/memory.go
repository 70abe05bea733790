package view

import (
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// mostRemembered is how many bytes of outlines a session remembers; one of 50,000 buttons has two million.
const mostRemembered = 4 << 20

// memory is what was told last, by tab and options.
type memory struct {
	mu   sync.Mutex
	told map[tellKey]remembered // guarded by mu
}

// tellKey is what makes two snapshots comparable.
type tellKey struct {
	tab                        model.TargetID
	frame                      model.FrameID
	interactive, compact, urls bool
	depth, ref                 int
	selector, reader           string
}

type remembered struct {
	doc  world.Document
	text string
	at   time.Time
}

// bytes is what it takes to remember one, about.
func (r remembered) bytes(key tellKey) int {
	return len(r.text) + len(key.selector) + len(key.reader) + 256
}

func keyOf(tab model.TargetID, opt Options) tellKey {
	return tellKey{tab, opt.Frame, opt.Interactive, opt.Compact, opt.URLs, opt.Depth, opt.Ref, opt.Selector, opt.Reader}
}

// replace remembers what is told now and returns what was told before. It forgets what was told of documents that are no
// more, and the oldest when it is too much.
func (m *memory) replace(key tellKey, now remembered, state *model.State) remembered {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := m.told[key]
	if m.told == nil {
		m.told = map[tellKey]remembered{}
	}
	m.told[key] = now
	held := 0
	for key, one := range m.told {
		if f := state.Frame(one.doc.Frame); f == nil || f.Loader != one.doc.Loader {
			delete(m.told, key)
			continue
		}
		held += one.bytes(key)
	}
	for held > mostRemembered {
		var oldest tellKey
		for key, one := range m.told {
			if first, any := m.told[oldest]; !any || one.at.Before(first.at) {
				oldest = key
			}
		}
		held -= m.told[oldest].bytes(oldest)
		delete(m.told, oldest)
	}
	return last
}
