package logins

import (
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// HiddenLogin is a request that hangs because its server requires a login, and for which there is no event. It ends
// only with its page, or with all loading of the page.
type HiddenLogin struct {
	Tab   model.TargetID
	Frame model.FrameID
	URL   string
	Realm string
	// Loader is the tab's document at the time.
	Loader string
	// Full reports whether as many requests hang as Chromium opens connections to a server: then not even another page
	// would load.
	Full bool
	// Repeat reports whether reloading the document repeats nothing but a GET.
	Repeat bool
}

// InputName returns the name in recordings.
func (*HiddenLogin) InputName() string { return "HiddenLogin" }

// hiddenLogin holds the requests to that origin from now on. A page that is still loading is reloaded at once: its
// login then has an event. A complete page is not reloaded, because its state would be lost; the login is reported.
func (m *Logins) hiddenLogin(h *HiddenLogin) {
	t := m.Tab(h.Tab)
	origin := model.Origin(h.URL)
	if t == nil || origin == "" {
		return
	}
	main := t.MainFrame()
	if main == nil || main.Loader != h.Loader {
		return // the page was left
	}
	m.setFetching(&Fetching{Context: t.Context, Origin: origin})
	if h.Repeat && !main.Loaded && t.Repeated != main.Loader {
		t.Repeated = main.Loader
		m.Send(t.Session, "Page.stopLoading", nil, core.Tag{}) // or the hanging requests may block the reload
		m.Send(t.Session, "Page.reload", nil, core.Tag{Kind: core.TagReload, URL: t.URL})
		return
	}
	outcome := "stays pending until the page navigates away"
	if h.Full {
		m.Send(t.Session, "Page.stopLoading", nil, core.Tag{})
		outcome = "was canceled together with the page's other requests, because it blocked them"
	}
	for _, i := range m.State().Interrupts {
		if i.Login != nil && i.Login.URL == h.URL && i.Tab == t.ID {
			return
		}
	}
	i := m.interrupts.Open(&model.Interruption{Kind: model.KindHTTPLogin, Tab: t.ID, Frame: h.Frame, Origin: origin, Notice: true,
		Login:   &model.Login{URL: h.URL, Scheme: "basic", Realm: h.Realm, Attempt: 1},
		Message: "the server requests HTTP authentication (realm " + h.Realm + ") for " + h.URL + ", which " + outcome + "; set --credentials user:password@" + origin + " if you have them, and reload"})
	i.Loader, i.PendingURL = main.Loader, ""
}
