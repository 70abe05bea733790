package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
)

// askLogin lets the person give the name and the password that a server or proxy asked
// for while a page was opened. The agent never sees them: they go from the person's
// client to the browser. again is false when there was nothing to ask, nobody who can
// be asked, or the person declined; the error then stays the call's result.
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
