package navigate

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Interstitial is a page that a site shows in place of the requested one. It loads as any page does, with a title and
// often with status 200, so that it looks like the requested page.
type Interstitial struct {
	// Kind is bot_check, for a bot challenge, or login.
	Kind string `json:"kind"`
	// Message is a sentence: the evidence, and what to do.
	Message string `json:"message"`
}

// InterstitialAt detects an interstitial in place of the page that was asked for, nil if there is none. title is the title of the
// page that the verb's tab shows.
func InterstitialAt(e *run.Env, asked, title string) *Interstitial {
	tab := e.Browser.State().Tabs[e.Tab]
	if tab == nil || tab.MainFrame() == nil {
		return nil
	}
	return interstitialOf(asked, tab, title)
}

// markInterstitial adds an interstitial to the result of a page that was opened.
func markInterstitial(e *run.Env, res run.Reply[*Page], asked string) run.Reply[*Page] {
	if res.Data == nil {
		return res
	}
	title := ""
	if res.Data.Title != nil {
		title = *res.Data.Title
	}
	if w := InterstitialAt(e, asked, title); w != nil {
		res.Data.Interstitial = w
		res.Text = strings.Replace(res.Text, "\n  "+res.Data.URL, "\n  "+res.Data.URL+"\n  "+w.Message, 1)
	}
	return res
}

// interstitialOf detects an interstitial, nil if there is none. It uses what a site declares (the header, the address,
// the title of the page of a known service), never text anywhere in a page: an article on captchas is no captcha.
func interstitialOf(asked string, tab *model.Tab, title string) *Interstitial {
	if sign := botCheck(tab, title); sign != "" {
		return &Interstitial{"bot_check", "This is a bot check (" + sign + "), not the requested page. Wait some seconds and take another snapshot, as some checks pass " +
			"automatically; otherwise let a person pass it in a browser with a window (--headed), or use another source."}
	}
	if loginPage(tab.URL) && !loginPage(asked) && redirected(asked, tab.URL) {
		return &Interstitial{"login", "The site redirected to a login page. Log in there, or use a session that is logged in."}
	}
	return nil
}

// botCheck returns the evidence for a bot challenge.
func botCheck(tab *model.Tab, title string) string {
	status, of := 0, tab.Response
	if of.Loader == tab.MainFrame().Loader {
		if of.Challenge != "" {
			return "a header of " + of.Challenge
		}
		status = of.Status
	}
	for _, f := range tab.Frames {
		if u, err := url.Parse(f.URL); err == nil && f.Parent == tab.Main && strings.HasSuffix("."+u.Hostname(), ".captcha-delivery.com") {
			return "a frame of DataDome"
		}
	}
	if u, err := url.Parse(tab.URL); err == nil && strings.HasPrefix(u.Path, "/sorry/") && google.MatchString(u.Hostname()) {
		return "Google asks whether you are a robot"
	}
	title = strings.ToLower(strings.Join(strings.Fields(title), " "))
	for _, t := range challengeTitles {
		if strings.HasPrefix(title, t.words) && (t.alone || status >= 400 || status == 202) {
			evidence := "its title begins with " + strconv.Quote(t.words) // not more of it: the page may have written anything behind
			if status >= 400 {
				evidence += ", HTTP " + strconv.Itoa(status)
			}
			return evidence
		}
	}
	return ""
}

// challengeTitles are the beginnings of the titles of such pages, in lower case. Those that other pages have as well count
// only with an HTTP status of a refusal.
var challengeTitles = []struct {
	words string
	alone bool
}{
	{"just a moment...", true},                    // Cloudflare
	{"attention required! | cloudflare", true},    // Cloudflare
	{"ddos-guard", true},                          // DDoS-Guard
	{"access to this page has been denied", true}, // HUMAN (PerimeterX)
	{"pardon our interruption", true},             // Imperva
	{"robot check", true},                         // Amazon
	{"verify you are human", true},                // several
	{"verifying you are human", true},             // several
	{"please verify you are a human", true},       // several
	{"are you a robot?", true},                    // several
	{"checking your browser", true},               // several
	{"human verification", false},                 // AWS WAF, with 202 or 405
	{"bot verification", false},                   // several
	{"security check", false},                     // several
	{"access denied", false},                      // Akamai, with 403
	{"request unsuccessful. incapsula inc", true}, // Imperva
	{"sorry, you have been blocked", true},        // Cloudflare
	{"one moment, please...", false},              // several
	{"please wait...", false},                     // several
	{"too many requests", false},                  // with 429
	{"unusual traffic", false},                    // several
	{"captcha", false},                            // several
}

// google are its hosts: www.google.com, www.google.co.uk.
var google = regexp.MustCompile(`^(www\.)?google\.[a-z]{2,3}(\.[a-z]{2})?$`)

// loginPath is a part of an address that names a login.
var loginPath = regexp.MustCompile(`(?i)(^|[/._-])(log[-_]?in|sign[-_]?in|logon|authenticate|authwall|sso|saml2?|oauth2?|checkpoint)([/._?-]|$)`)

// loginHost is the first label of a host that does nothing but log in.
var loginHost = regexp.MustCompile(`(?i)^(login|signin|sso|auth|accounts|idp)\.`)

func loginPage(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && (loginPath.MatchString(u.Path) || loginHost.MatchString(u.Hostname()))
}

// redirected reports whether the final address differs from the requested one by more than a slash, a fragment or an s
// after http.
func redirected(asked, came string) bool {
	a, err := url.Parse(asked)
	b, other := url.Parse(came)
	if err != nil || other != nil {
		return false
	}
	return a.Hostname() != b.Hostname() || strings.TrimSuffix(a.Path, "/") != strings.TrimSuffix(b.Path, "/")
}
