package results

import "strings"

// Tried is the result of `extension try`.
type Tried struct {
	Session string `json:"session"` // `close` of it ends the browser
	CDPURL  string `json:"cdpUrl"`  // for Playwright and other CDP clients; it has a token
	URL     string `json:"url,omitzero"`
}

// ExtensionReport is the result of `extension doctor`.
type ExtensionReport struct {
	Ready  bool             `json:"ready"` // agents can use the browser: no check failed
	Path   string           `json:"path"`  // the directory of the extension
	Checks []ExtensionCheck `json:"checks"`
}

// ExtensionCheck is the result of one check.
type ExtensionCheck struct {
	ID      string `json:"id"`     // written, relay, paired, connected, version, settings
	Status  string `json:"status"` // pass, warn or fail
	Message string `json:"message"`
	Fix     string `json:"fix,omitzero"` // what to do
}

// Add adds a check. With a remedy it has failed, or is a warning.
func (r *ExtensionReport) Add(id, status, message, fix string) {
	r.Checks = append(r.Checks, ExtensionCheck{ID: id, Status: status, Message: message, Fix: fix})
	if status == "fail" {
		r.Ready = false
	}
}

// Text returns the report for people.
func (r *ExtensionReport) Text() string {
	marks := map[string]string{"pass": "✓", "warn": "⚠", "fail": "✗"}
	var b strings.Builder
	for _, c := range r.Checks {
		b.WriteString(marks[c.Status] + " " + c.Message + "\n")
		if c.Fix != "" {
			b.WriteString("  " + c.Fix + "\n")
		}
	}
	if r.Ready {
		b.WriteString("Ready: use --browser mine.")
	} else {
		b.WriteString("Not ready.")
	}
	return b.String()
}
