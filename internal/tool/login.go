package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
)

// askLogin asks the person for the username and password that a server or proxy requested while a page was opened, and
// answers the request with them. The agent never sees them. again reports that the authentication was answered. If it is
// false, err is the call's error: failed, if there was no request, the client cannot ask, or the person
// declined; otherwise that of the answer.
func (h *Host) askLogin(ctx context.Context, failed error) (again bool, err error) {
	e := api.AsError(failed)
	var waiting api.Interruption
	if e.Code != api.InterruptionOpen || json.Unmarshal(encoded(e.Data["interruption"]), &waiting) != nil ||
		!strings.HasSuffix(waiting.Kind, "_login") || h.Person == nil {
		return false, failed
	}
	entered, ok, err := h.Person.Ask(ctx, fmt.Sprintf("%s requests HTTP authentication: %s. What you enter goes to the browser, for that origin, and not to the agent.",
		inOneLine(waiting.Origin, 300), inOneLine(waiting.Message, 500)), []Param{
		{Name: "username", Kind: String, Required: true}, {Name: "password", Kind: String, Required: true},
	})
	if err != nil || !ok {
		return false, failed
	}
	username, _ := entered["username"].(string)
	password, _ := entered["password"].(string)
	cmd := h.Command("interrupt answer", given("id", waiting.ID))
	cmd.Env = append(slices.Clone(h.Env), "USHER_USERNAME="+username, "USHER_PASSWORD="+password)
	_, err = h.Daemon.Run(ctx, cmd)
	return err == nil, err
}
