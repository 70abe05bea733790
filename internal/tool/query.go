package tool

import (
	"context"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/client"
	"github.com/usher-browser/usher/internal/verb"
)

// query is a command whose data are read as a T, which names the members that are needed.
type query[T any] struct{ verb string }

// Read is what the tools read of the data of a command.
type Read struct {
	Verb string
	Data reflect.Type
}

var reads []Read

// Reads lists what the tools read of the data of commands. A test compares it with what the commands write.
func Reads() []Read { return reads }

// reading declares a query.
func reading[T any](verb string) query[T] {
	reads = append(reads, Read{verb, reflect.TypeFor[T]()})
	return query[T]{verb}
}

// ask runs the command and decodes its data.
func (q query[T]) ask(ctx context.Context, h *Host, values verb.Values) (data T, warning string, err error) {
	warning, err = h.into(ctx, &data, q.verb, values)
	return data, warning, err
}

// given makes values of names and values in turn; see [verb.Values.Set].
func given(pairs ...any) verb.Values {
	v := verb.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i].(string), pairs[i+1])
	}
	return v
}

// Command is a command for the host's session, under the site guard. What a model wrote is a value by its name and so
// never read as a flag, by which it could choose another program for the browser or leave the guard.
func (h *Host) Command(name string, values verb.Values) client.Command {
	all := verb.Values{}
	for _, part := range []verb.Values{h.Globals, values} {
		for n, v := range part {
			all[n] = v
		}
	}
	all.Set("session", h.Session)
	all.Set("site-guard", true)
	if h.Opened && !h.OwnUploads {
		all.Set("upload-root", append([]string{h.Artifacts}, h.Roots...)) // never none: that would mean the usual ones
	}
	return client.Command{Verb: name, Values: all, Env: h.Env, Cwd: h.Cwd, Progress: h.Progress}
}

func (h *Host) run(ctx context.Context, name string, values verb.Values) (*client.Reply, error) {
	return h.Daemon.Run(ctx, h.Command(name, values))
}

// into is run, with the data decoded.
func (h *Host) into(ctx context.Context, data any, name string, values verb.Values) (warning string, err error) {
	reply, err := h.run(ctx, name, values)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(reply.Data, data, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return "", api.Errorf(api.InvalidRequest, "%s: the answer of the daemon cannot be read: %w", name, err)
	}
	return reply.Warning, nil
}
