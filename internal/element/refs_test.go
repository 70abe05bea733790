package element_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/failure"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/view"
)

// refs returns the targets of a snapshot by accessible name.
func (p *tab) refs() map[string]locate.Target {
	p.t.Helper()
	shot, err := view.New(p.worlds, view.NewRefs()).Snapshot(p.ctx(), p.id, view.Options{Interactive: true})
	if err != nil {
		p.t.Fatal(err)
	}
	found := map[string]locate.Target{}
	for _, ref := range shot.Refs {
		found[ref.Name] = locate.Target{
			By: locate.ByRef, Value: "@e1", Frame: ref.Document.Frame, Loader: ref.Document.Loader, ID: int(ref.ID),
			Role: ref.Role, Name: ref.Name, Timeout: 3 * time.Second,
		}
	}
	return found
}

func TestRefsOfASnapshot(t *testing.T) {
	p := open(t, site(t).URL("/shadow"))
	refs := p.refs()
	for _, name := range []string{"Open button", "Slotted button", "Closed button", "Deep button", "Deep slotted"} {
		target, there := refs[name]
		if !there {
			t.Errorf("the snapshot has no %q: %v", name, refs)
			continue
		}
		out, err := p.Click(p.ctx(), target, element.ClickOptions{})
		if err != nil {
			t.Errorf("click %s: %v", name, err)
			continue
		}
		equal(t, name, out.Events["click"], 1)
	}
	field := refs["Closed field"]
	filled, err := p.Fill(p.ctx(), field, "in a closed root")
	ok(t, err)
	equal(t, "filled", filled.Value, "in a closed root")
	typed, err := p.Type(p.ctx(), field, "!", element.TypeOptions{})
	ok(t, err)
	equal(t, "typed", typed.Value, "in a closed root!")
}

func TestStaleRefs(t *testing.T) {
	p := page(t, `<main id=m><button>Save</button><button>Other</button></main>`)
	refs := p.refs()
	p.eval(`m.innerHTML = m.innerHTML, 1`, nil)
	_, err := p.Click(p.ctx(), briefly(refs["Save"]), element.ClickOptions{})
	refused(t, err, api.StaleRef, "removed from the page")
	p.eval(`m.insertAdjacentHTML('beforeend', '<button>Other</button>'), 1`, nil)
	_, err = p.Click(p.ctx(), briefly(refs["Other"]), element.ClickOptions{})
	refused(t, err, api.StaleRef)
	var stale *failure.StaleError
	if errors.As(err, &stale) {
		t.Errorf("one of two buttons of the same name was taken for the successor: %+v", stale.Successor)
	}
	p.eval(`location.href = '/again', 1`, nil)
	err = p.browser.Wait(p.ctx(), func(s *model.State) (bool, error) {
		return strings.HasSuffix(s.Tabs[p.id].URL, "/again") && s.Tabs[p.id].MainFrame().Loaded, nil
	})
	ok(t, err)
	_, err = p.Click(p.ctx(), briefly(refs["Save"]), element.ClickOptions{})
	refused(t, err, api.StaleRef, "document")
	if !strings.Contains(err.Error(), "@e1") {
		t.Errorf("the ref is not named: %v", err)
	}
}
