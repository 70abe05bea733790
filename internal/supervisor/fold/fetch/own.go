package fetch

import (
	"encoding/base64"

	"github.com/usher-browser/usher/internal/supervisor/fold/core"
)

// AnswerAll answers every request of an own page with an empty page.
func (m *Fetch) AnswerAll(session string) { m.enable(session, params{patterns: []string{Everything}}) }

// emptyPage names an icon, so that the browser asks the site for none: it would do so without an event.
const emptyPage = `<!doctype html><link rel=icon href="data:,">`

func (m *Fetch) answerEmpty(session, request string) {
	m.Send(session, "Fetch.fulfillRequest", core.Params{
		"requestId": request, "responseCode": 200, "responseHeaders": []core.Params{{"name": "Content-Type", "value": "text/html"}},
		"body": base64.StdEncoding.EncodeToString([]byte(emptyPage)),
	}, core.Tag{})
}
