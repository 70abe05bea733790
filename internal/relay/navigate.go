package relay

import (
	"strings"

	"github.com/usher-browser/usher/internal/wire"
)

// toData reports whether a command navigates the tab itself to a data: address.
func (s *session) toData(cmd wire.Command) bool {
	if cmd.Method != "Page.navigate" || s.of.id != "" {
		return false
	}
	var p struct {
		URL   string `json:"url"`
		Frame string `json:"frameId"`
	}
	decode(cmd.Params, &p)
	url := strings.TrimSpace(p.URL)
	return len(url) > 5 && strings.EqualFold(url[:5], "data:") && (p.Frame == "" || p.Frame == s.tab.target)
}

// abortedData adds the reason to the reply to a navigation to a data: address that Chrome has aborted. It takes navigations of extensions for
// the page's own, which may not go there unless the address is a download; its reply has no more than net::ERR_ABORTED.
func abortedData(payload []byte, failed bool) []byte {
	var got struct {
		Text     string `json:"errorText"`
		Download bool   `json:"isDownload"`
	}
	if failed || !decode(payload, &got) || got.Text != "net::ERR_ABORTED" || got.Download {
		return payload
	}
	return withMember(payload, "errorText", encode(got.Text+" ("+dataRefused+")"))
}

// dataRefused says why Chrome aborts a navigation to a data: address, and what to do.
const dataRefused = "Chrome lets no extension navigate a tab to a data: address; put the content into the page (page.setContent), or open a new tab with the " +
	"address (Target.createTarget)"
