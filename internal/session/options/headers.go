package options

import (
	"context"
	"net/http"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/verb"
)

// headersIn returns the headers in the value of an option, which was checked when the flag was parsed.
func headersIn(text string) map[string]string {
	var out map[string]string
	if text != "" {
		if err := jsonv2.Unmarshal([]byte(text), &out); err != nil {
			panic("options: headers were not checked: " + err.Error())
		}
	}
	return out
}

// requestHeaders returns the headers in the value of an option for requests of usher's own.
func requestHeaders(text string) http.Header {
	header := http.Header{}
	for name, value := range headersIn(text) {
		header.Set(name, value)
	}
	return header
}

// setHeaders sets the headers of a command for the origin that it opens. They stay until they are replaced. It runs
// before the navigation.
func setHeaders(work *run.BrowserContext, call *verb.Call, set *config.Settings) {
	headers := headersIn(set.Str("headers"))
	if len(headers) == 0 || call.Verb.Name != "open" || !call.Has("url") {
		return
	}
	work.Browser.SetHeaders(work.Context, call.Str("url"), headers)
}

// setExtraHeaders sets the headers that go to every origin.
func setExtraHeaders(_ context.Context, to Target, _, now string) error {
	to.Browser.SetHeadersEverywhere(to.Context, headersIn(now))
	return nil
}
