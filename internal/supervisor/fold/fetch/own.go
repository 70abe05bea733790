package fetch

import "github.com/usher-browser/usher/internal/supervisor/fold/core"

// AnswerAll answers every request of an own page with an empty page.
func (m *Fetch) AnswerAll(session string) { m.enable(session, params{patterns: []string{Everything}}) }

func (m *Fetch) answerEmpty(session, request string) {
	m.Send(session, "Fetch.fulfillRequest", core.Params{
		"requestId": request, "responseCode": 200, "responseHeaders": []core.Params{{"name": "Content-Type", "value": "text/html"}},
	}, core.Tag{})
}
