package browsing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/tool/elicitation"
)

// answerLogin asks the person for the username and password that a server or proxy requested while a page was opened,
// and answers the request with them. The agent never sees them. again reports that the authentication was answered. If
// it is false, err is the call's error: failed, if there was no request, the client cannot ask, or the person declined;
// otherwise that of the answer.
func answerLogin(ctx context.Context, h *tool.Host, failed error) (again bool, err error) {
	e := api.AsError(failed)
	var waiting api.Interruption
	if e.Code != api.InterruptionOpen || json.Unmarshal(tool.Encode(e.Data["interruption"]), &waiting) != nil ||
		!strings.HasSuffix(waiting.Kind, "_login") || h.Person == nil {
		return false, failed
	}
	entered, ok, err := h.Person.Ask(ctx, fmt.Sprintf("%s requests HTTP authentication: %s. What you enter goes to the browser, for that origin, and not to the agent.",
		elicitation.Quote(waiting.Origin, 300), elicitation.Quote(waiting.Message, 500)), []tool.Param{
		{Name: "username", Kind: tool.String, Required: true}, {Name: "password", Kind: tool.String, Required: true},
	})
	if err != nil || !ok {
		return false, failed
	}
	username, _ := entered["username"].(string)
	password, _ := entered["password"].(string)
	cmd := h.Command("interrupt answer", tool.Values("id", waiting.ID))
	cmd.Env = append(slices.Clone(h.Env), "USHER_USERNAME="+username, "USHER_PASSWORD="+password)
	_, err = h.Daemon.Run(ctx, cmd)
	return err == nil, err
}
