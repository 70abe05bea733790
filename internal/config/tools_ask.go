package config

import (
	"path"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/verb/settings"
)

// VisionModel is a model that describes images: a service with the OpenAI chat completions protocol.
type VisionModel struct {
	// URL is the base address, such as https://api.openai.com/v1 or http://localhost:11434/v1.
	URL string
	// Model is the name of the model there.
	Model string
	// Key is sent as a bearer token; empty for none.
	Key string
	// Timeout bounds an answer.
	Timeout time.Duration
}

// visionTimeout is the default limit of a model's answer for an image.
const visionTimeout = 2 * time.Minute

func (t *Tools) readVision(p pair, src Source) *Error {
	v := &VisionModel{Timeout: visionTimeout}
	r := serverReader{t: t, s: &Server{}, src: src, what: p.key}
	bad := each(p, func(q pair) (bad *Error) {
		what := p.key + "." + q.key
		switch plain(q.key) {
		case "url":
			v.URL, bad = r.address(q, what)
		case "model":
			v.Model, bad = r.word(q, what)
		case "key":
			v.Key, bad = r.word(q, what)
		case "timeout":
			v.Timeout, bad = parseSeconds(q, what)
		default:
			r.unknown(q, settings.Under("vision_model"))
		}
		return bad
	})
	switch {
	case bad != nil:
		return bad
	case null(p.value):
		return nil
	case v.URL == "" || v.Model == "":
		return &Error{Code: invalidConfig, Message: p.key + " needs a url and a model", Line: p.line}
	}
	v.URL = strings.TrimRight(v.URL, "/")
	t.Vision = v
	return nil
}

// address reads an address of the web.
func (r *serverReader) address(p pair, what string) (string, *Error) {
	url, bad := r.word(p, what)
	if bad == nil && !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		bad = wrong(p.value, what, "an address that begins with http:// or https://")
	}
	return url, bad
}

func (t *Tools) readConfirm(p pair) (bad *Error) {
	t.Confirm, bad = list(p.value, p.key)
	for _, pattern := range t.Confirm {
		if _, err := path.Match(pattern, ""); err != nil && bad == nil {
			bad = &Error{Code: invalidConfig, Message: p.key + ": " + pattern + " is no pattern", Line: p.line,
				Hint: "A pattern is a name in which * stands for any letters, ? for one and [ab] for one of these."}
		}
	}
	return bad
}

// Confirms reports whether a tool needs the person's permission for each call.
func (t *Tools) Confirms(tool string) bool {
	for _, pattern := range t.Confirm {
		if ok, err := path.Match(pattern, tool); ok && err == nil {
			return true
		}
	}
	return false
}
