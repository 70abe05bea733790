package raw

import (
	"context"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp/schema"
	"github.com/usher-browser/usher/internal/command/read"
	"github.com/usher-browser/usher/internal/command/run"
)

// target makes a call act on the frame that the caller selected. A frame in a process of its own has a CDP session of
// its own, and needs no parameter. A frame that shares its process has none: without a parameter, its calls would act
// on the page around it. The protocol's description shows which methods have a parameter for a frame or a script
// context; those get the frame's, and any other is an error.
//
// If the parameters of the caller name a frame, context, node or object, the call is sent as it is.
func target(ctx context.Context, e *run.Env, call *rawCall) error {
	if call.whole {
		return setParam(call, schema.BrowserContext, string(e.Context))
	}
	f := call.frame
	if f == nil {
		f = call.tab.MainFrame()
	}
	if call.known == nil {
		if read.InProcess(f) {
			if err := api.AsError(methodMissing(call)); err.Data["suggestions"] != nil {
				return err
			}
			return cannotTarget(call)
		}
		return nil
	}
	frame := call.known.Param(schema.Frame)
	if !read.InProcess(f) {
		if frame != nil && (frame.Required || call.frame != nil && f.OOPIF) {
			return setParam(call, schema.Frame, string(f.ID))
		}
		return nil
	}
	switch given, err := hasParam(call, schema.Frame, schema.Context, schema.UniqueContext, schema.RemoteObject); {
	case err != nil || given:
		return err
	case frame != nil:
		return setParam(call, schema.Frame, string(f.ID))
	}
	kind := schema.UniqueContext
	// A stealth browser reports numbers only.
	if call.known.Param(kind) == nil || e.Browser.Stealth() && call.known.Param(schema.Context) != nil {
		kind = schema.Context
	}
	if call.known.Param(kind) == nil {
		return cannotTarget(call)
	}
	f, err := read.WithContext(ctx, e, f)
	if err != nil {
		return err
	}
	if call.frame = f; f.OOPIF { // it has moved meanwhile
		return nil
	}
	if kind == schema.UniqueContext {
		return setParam(call, kind, f.MainContext)
	}
	return setParam(call, kind, f.ContextNumber)
}

// hasParam reports whether the caller gave a parameter of one of the kinds.
func hasParam(call *rawCall, kinds ...schema.Kind) (bool, error) {
	var given map[string]jsontext.Value
	if err := unmarshalParams(call, &given); err != nil {
		return false, err
	}
	for _, p := range call.known.Params {
		if _, ok := given[p.Name]; ok && strings.ContainsRune(kindsText(kinds), rune(p.Kind)) {
			return true, nil
		}
	}
	return false, nil
}

func kindsText(kinds []schema.Kind) string {
	b := make([]byte, len(kinds))
	for i, k := range kinds {
		b[i] = byte(k)
	}
	return string(b)
}

// setParam sets the parameter of a kind to a value, unless the method has none or the caller gave it.
func setParam(call *rawCall, kind schema.Kind, value any) error {
	if call.known == nil {
		return nil
	}
	p := call.known.Param(kind)
	if p == nil || kind == schema.BrowserContext && p.Required { // a method that affects a whole context needs an explicit context
		return nil
	}
	var given map[string]jsontext.Value
	if err := unmarshalParams(call, &given); err != nil {
		return err
	}
	if _, ok := given[p.Name]; ok {
		return nil
	}
	raw, err := jsonv2.Marshal(value)
	if err != nil {
		return api.Errorf(api.Internal, "cdp %s: %w", call.method, err)
	}
	given[p.Name] = raw
	if call.params, err = jsonv2.Marshal(given, jsontext.AllowInvalidUTF8(true), jsonv2.Deterministic(true)); err != nil {
		return api.Errorf(api.Internal, "cdp %s: %w", call.method, err)
	}
	return nil
}

func unmarshalParams(call *rawCall, into any) error {
	if err := jsonv2.Unmarshal(call.params, into, jsontext.AllowInvalidUTF8(true)); err != nil {
		return api.Errorf(api.InvalidJSON, "cdp %s: the parameters do not fit the method: %w", call.method, err)
	}
	return nil
}

// cannotTarget returns the error for a method without a parameter for the frame.
func cannotTarget(call *rawCall) error {
	err := api.Errorf(api.Unsupported, "cdp %s: frame %s shares its process with the parent frame, and this method has no frame parameter; it would act on both", call.method, call.frame.URL)
	if call.known != nil && call.known.Param(schema.RemoteObject) != nil {
		return err.WithHint("Identify the target in the parameters (%s): Runtime.evaluate with --frame returns an objectId.", paramsOf(call.known))
	}
	domain, _, _ := strings.Cut(call.method, ".")
	var able []string
	for _, name := range schema.Names(domain) {
		m := schema.Find(name)
		if m.Param(schema.Frame) != nil || m.Param(schema.Context) != nil || m.Param(schema.UniqueContext) != nil {
			able = append(able, name)
		}
	}
	if len(able) > 0 {
		return err.With("methods", able).WithHint("Omit --frame for the whole page, or use a method with a frame parameter: %s.", strings.Join(able, ", "))
	}
	return err.WithHint("Omit --frame for the whole page, or use `eval --frame`.")
}
