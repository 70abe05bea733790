package code

import (
	"context"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/session/code/known"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// queryParams are the parameters of page.query.
type queryParams struct {
	Selector string `json:"selector"`
	Frame    string `json:"frame"`
	// Wait waits for one element; else the elements that are there now are returned.
	Wait bool `json:"wait"`
	// Strict refuses a selector that matches several elements.
	Strict  bool     `json:"strict"`
	Timeout *float64 `json:"timeout"` // with Wait, in milliseconds
}

// queried is the result of page.query.
type queried struct {
	Elements []foundElement `json:"elements"`
	Page     known.Page     `json:"page"`
}

type foundElement struct {
	Ref  string `json:"ref"`
	Role string `json:"role"`
	Name string `json:"name"`
}

// query returns refs of the elements that a selector matches.
func (o operation) query(ctx context.Context, params jsontext.Value) (any, error) {
	var p queryParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "query: %w", err)
	}
	out := queried{Elements: []foundElement{}}
	err := o.inTab(ctx, func(ctx context.Context, e *run.Env) error {
		e.Limit, e.Limited = o.limit(p.Timeout)
		e.Frame = model.FrameID(p.Frame)
		target, err := targetOf(e, p)
		if err != nil {
			return err
		}
		return e.Act(ctx, "find "+p.Selector, func(ctx context.Context, a *element.Actor) error {
			found, err := find(ctx, a, target, p.Wait)
			if err != nil {
				return err
			}
			for _, el := range found {
				out.Elements = append(out.Elements, foundElement{"@e" + strconv.Itoa(e.RefOf(el)), el.Role, el.Name})
			}
			return nil
		})
	})
	out.Page = o.page()
	return out, err
}

func targetOf(e *run.Env, p queryParams) (locate.Target, error) {
	parsed, err := verb.ParseSelector(p.Selector)
	if err != nil {
		return locate.Target{}, err
	}
	target, err := e.TargetOf(parsed, p.Selector)
	target.Command, target.Strict = "find", p.Strict
	return target, err
}

// find returns the elements that a target matches now, or waits for one.
func find(ctx context.Context, a *element.Actor, t locate.Target, wait bool) ([]locate.Element, error) {
	if !wait {
		return a.Refs(ctx, t)
	}
	el, _, err := a.Find(ctx, t)
	return []locate.Element{el}, err
}

// contentFrame returns the frame of an element.
func (o operation) contentFrame(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		Ref string `json:"ref"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "contentFrame: %w", err)
	}
	var out struct {
		Frame model.FrameID `json:"frame,omitzero"`
		URL   string        `json:"url,omitzero"`
		Page  known.Page    `json:"page"`
	}
	err := o.inTab(ctx, func(ctx context.Context, e *run.Env) error {
		e.Limit = min(e.Limit, time.Second*5)
		target, err := targetOf(e, queryParams{Selector: p.Ref})
		if err != nil {
			return err
		}
		id, err := e.ContentFrame(ctx, locate.Element{Frame: target.Frame, Loader: target.Loader, ID: target.ID})
		switch {
		case err != nil && api.AsError(err).Code == api.FrameNotFound:
			return nil // it is no frame's element
		case err != nil:
			return err
		}
		if f := e.Browser.State().Frame(id); f != nil {
			out.Frame, out.URL = id, f.URL
		}
		return nil
	})
	out.Page = o.page()
	return out, err
}

// states is the state of an element.
type states struct {
	Attached bool       `json:"attached"`
	Visible  bool       `json:"visible"`
	Enabled  bool       `json:"enabled"`
	Checked  string     `json:"checked"` // true, false, mixed, or none where there is no such state
	Page     known.Page `json:"page"`
}

// states returns the state of the element that a selector matches now; of none, all is false.
func (o operation) states(ctx context.Context, params jsontext.Value) (any, error) {
	var p queryParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "states: %w", err)
	}
	var out states
	err := o.inTab(ctx, func(ctx context.Context, e *run.Env) error {
		e.Frame = model.FrameID(p.Frame)
		target, err := targetOf(e, p)
		if err != nil {
			return err
		}
		return e.Act(ctx, "find "+p.Selector, func(ctx context.Context, a *element.Actor) error {
			got, err := a.States(ctx, target)
			if err != nil && api.CodeOf(err) == api.StaleRef { // of a handle whose element was removed
				return nil
			}
			out = states{Attached: got.Attached, Visible: got.Visible, Enabled: got.Enabled, Checked: got.Checked}
			return err
		})
	})
	out.Page = o.page()
	return out, err
}
