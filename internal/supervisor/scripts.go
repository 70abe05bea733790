package supervisor

import (
	"context"
	"slices"
	"strconv"

	"github.com/usher-browser/usher/internal/supervisor/fold/scripts"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// InitScript is a script that runs in every new document of a browser context, before the scripts of the page.
type InitScript struct {
	// ID is a number, counted from 1 in each context and never used again.
	ID string
	// Source is the JavaScript.
	Source string
	// From is where it comes from: a file, or an option; empty for a script of a command.
	From string
	// Key identifies the option and the value that the script belongs to; empty for a script of a command.
	Key string
	// BuiltIn reports whether the program has the script: its text says nothing to a user.
	BuiltIn bool
}

// initScripts are those of one context.
type initScripts struct {
	last int // the number of the last one
	list []InitScript
}

// AddInitScript adds a script to the new documents of a context: of its pages and frames, present and later ones, also
// over later connections. Documents that are there do not run it. It returns the ID when the browser has the script for
// every present page and frame. Errors: the browser's refusals, or the cause of ctx's end; the script is added
// nevertheless.
func (b *Browser) AddInitScript(ctx context.Context, c model.ContextID, s InitScript) (id string, err error) {
	in := &scripts.AddScript{Context: c}
	err = b.confirmed(ctx, in, func() {
		of := b.scripts[c]
		if of == nil {
			of = &initScripts{}
			b.scripts[c] = of
		}
		of.last++
		s.ID = strconv.Itoa(of.last)
		of.list = append(of.list, s)
		in.Script = scripts.Script{ID: s.ID, Source: s.Source}
	})
	return s.ID, err
}

// RemoveInitScript removes a script of AddInitScript; found reports whether there was one. Documents that have run it
// keep what it did. Errors are those of AddInitScript.
func (b *Browser) RemoveInitScript(ctx context.Context, c model.ContextID, id string) (found bool, err error) {
	err = b.confirmed(ctx, &scripts.RemoveScript{Context: c, ID: id}, func() {
		of := b.scripts[c]
		if of == nil {
			return
		}
		at := slices.IndexFunc(of.list, func(s InitScript) bool { return s.ID == id })
		if found = at >= 0; found {
			of.list = slices.Delete(of.list, at, at+1)
		}
	})
	return found, err
}

// InitScripts returns the scripts of a context, in the order in which they run.
func (b *Browser) InitScripts(c model.ContextID) []InitScript {
	b.mu.Lock()
	defer b.mu.Unlock()
	if of := b.scripts[c]; of != nil {
		return slices.Clone(of.list)
	}
	return nil
}
