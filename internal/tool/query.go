package tool

import (
	"context"
	"maps"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/client"
	"github.com/usher-browser/usher/internal/verb"
)

// Query is a command whose data is decoded into a T. T declares only the members that are used.
type Query[T any] struct{ verb string }

// QueryType names a command and the type into which tools decode its data.
type QueryType struct {
	Verb string
	Data reflect.Type
}

var queries []QueryType

// Queries returns all queries of the tools. A test checks that each type matches the result type of its command.
func Queries() []QueryType { return queries }

// NewQuery declares a query of the command verb.
func NewQuery[T any](verb string) Query[T] {
	queries = append(queries, QueryType{verb, reflect.TypeFor[T]()})
	return Query[T]{verb}
}

// Run runs the command and decodes its data. warning is that of the reply.
func (q Query[T]) Run(ctx context.Context, h *Host, values verb.Values) (data T, warning string, err error) {
	warning, err = h.into(ctx, &data, q.verb, values)
	return data, warning, err
}

// Values returns values from alternating names and values; see [verb.Values.Set].
func Values(pairs ...any) verb.Values {
	v := verb.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i].(string), pairs[i+1])
	}
	return v
}

// Command returns a command for the host's session, with the site guard on. Text of a model is always passed as a named
// value and never parsed as a flag, so it cannot select another executable or turn the guard off.
func (h *Host) Command(name string, values verb.Values) client.Command {
	all := verb.Values{}
	var preset []string
	for name, words := range h.Globals {
		if _, own := values[name]; !own {
			preset = append(preset, name)
			all[name] = words
		}
	}
	maps.Copy(all, values)
	if h.Session != "" {
		all.Set("session", h.Session)
	}
	all.Set("site-guard", true)
	if h.ClientRoots && !h.OwnUploadRoots {
		all.Set("upload-root", append([]string{h.ArtifactDir}, h.Roots...)) // never empty: an empty list means the default directories
	}
	return client.Command{Verb: name, Values: all, Preset: preset, Env: h.Env, Cwd: h.Cwd, Progress: h.Progress}
}

// Run runs a command in the host's session; see [Host.Command].
func (h *Host) Run(ctx context.Context, name string, values verb.Values) (*client.Reply, error) {
	return h.Daemon.Run(ctx, h.Command(name, values))
}

// into runs a command and decodes its data into data.
func (h *Host) into(ctx context.Context, data any, name string, values verb.Values) (warning string, err error) {
	reply, err := h.Run(ctx, name, values)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(reply.Data, data, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return "", api.Errorf(api.InvalidRequest, "%s: the answer of the daemon cannot be read: %w", name, err)
	}
	return reply.Warning, nil
}
