package raw

import (
	"context"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// filter removes from the result of a raw CDP call what the site guard refuses.
func filter(ctx context.Context, e *run.Env, call *rawCall, raw jsontext.Value) (jsontext.Value, error) {
	if !restricted(e) {
		return raw, nil
	}
	var change func(context.Context, *run.Env, map[string]any)
	switch call.method {
	case "Target.getTargets", "Target.getTargetInfo":
		change = filterTargets
	case "Page.getNavigationHistory":
		change = filterHistory
	case "Network.getCookies", "Network.getAllCookies", "Storage.getCookies":
		change = filterCookies
	default:
		return raw, nil
	}
	var result map[string]any
	if err := jsonv2.Unmarshal(raw, &result, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, api.Errorf(api.ProtocolError, "cdp %s: the browser's response cannot be read: %w", call.method, err)
	}
	change(ctx, e, result)
	out, err := jsonv2.Marshal(result, jsontext.AllowInvalidUTF8(true), jsonv2.Deterministic(true))
	if err != nil {
		return nil, api.Errorf(api.Internal, "cdp %s: %w", call.method, err)
	}
	return out, nil
}

// filterTargets keeps the session's own targets, each with the address and the title that the guard allows.
func filterTargets(ctx context.Context, e *run.Env, result map[string]any) {
	titles := e.JudgedTitles(ctx)
	if info, ok := result["targetInfo"].(map[string]any); ok && !filterTarget(ctx, e, info, titles) {
		delete(result, "targetInfo")
	}
	filterList(result, "targetInfos", func(info map[string]any) bool { return filterTarget(ctx, e, info, titles) })
}

func filterTarget(ctx context.Context, e *run.Env, info map[string]any, titles map[model.TargetID]string) bool {
	id, _ := info["targetId"].(string)
	if info["type"] == "browser" {
		return true
	}
	if jar, _ := info["browserContextId"].(string); jar != string(e.Context) {
		return false
	}
	if opener, _ := info["openerId"].(string); !ownTarget(e, opener) {
		delete(info, "openerId")
	}
	url, _ := info["url"].(string)
	f := e.Browser.State().Frame(model.FrameID(id))
	refused := e.Sites.WithoutProbes().Loaded(ctx, url) != nil || f != nil && e.Refusal(ctx, f) != nil
	if info["type"] != "page" { // frames and workers
		info["title"] = url
		return !refused
	}
	info["title"] = titles[model.TargetID(id)]
	if refused {
		info["url"] = ""
	}
	return true
}

// filterHistory takes refused addresses, with their titles, out of a tab's history.
func filterHistory(ctx context.Context, e *run.Env, result map[string]any) {
	filterList(result, "entries", func(entry map[string]any) bool {
		for _, name := range []string{"url", "userTypedURL"} {
			if url, _ := entry[name].(string); e.Sites.WithoutProbes().Loaded(ctx, url) != nil {
				entry["url"], entry["userTypedURL"], entry["title"] = "", "", ""
			}
		}
		return true
	})
}

// filterCookies leaves out the cookies of refused sites.
func filterCookies(ctx context.Context, e *run.Env, result map[string]any) {
	sites := withoutDNS(e)
	filterList(result, "cookies", func(cookie map[string]any) bool {
		domain, _ := cookie["domain"].(string)
		return sites.Loaded(ctx, "https://"+strings.TrimPrefix(domain, ".")+"/") == nil
	})
}

// filterList filters a list of objects; other values are removed.
func filterList(result map[string]any, name string, pass func(map[string]any) bool) {
	list, ok := result[name].([]any)
	if !ok {
		return
	}
	kept := []any{}
	for _, item := range list {
		if o, ok := item.(map[string]any); ok && pass(o) {
			kept = append(kept, item)
		}
	}
	result[name] = kept
}
