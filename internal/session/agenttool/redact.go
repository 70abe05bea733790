package agenttool

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
)

// redactResult removes secrets from the whole result: it is the last step of a call.
func redactResult(r *result.Result, texts []string, keep []string) *result.Result {
	scrub := func(text string) string {
		for _, secret := range texts {
			text = strings.ReplaceAll(text, secret, policy.Mark)
		}
		return text
	}
	for i := range r.Content {
		r.Content[i].Text = policy.Text(scrub(r.Content[i].Text))
	}
	raw := result.Encode(r.Details)
	for _, secret := range texts {
		quoted := string(result.Encode(secret))
		raw = jsontext.Value(strings.ReplaceAll(string(raw), quoted[1:len(quoted)-1], policy.Mark))
	}
	clean, err := policy.JSON(raw, keep...)
	if err != nil {
		clean = raw
	}
	out := &result.Details{}
	if json.Unmarshal(clean, out, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) == nil {
		r.Details = out
	}
	return r
}
