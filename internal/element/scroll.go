package element

import (
	"context"
	"math"
	"slices"

	"github.com/chromedp/cdproto/domdebugger"
	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// DefaultScroll is the default distance of a scroll, in CSS pixels.
const DefaultScroll = 300

// ParseDirection turns a direction and a distance in CSS pixels into a movement.
// The error is [api.InvalidArgument].
func ParseDirection(direction string, distance float64) (dx, dy float64, err error) {
	if distance < 0 || math.IsNaN(distance) || math.IsInf(distance, 0) {
		return 0, 0, api.Errorf(api.InvalidArgument, "scroll: %v is not a distance in pixels", distance)
	}
	switch direction {
	case "", "down":
		return 0, distance, nil
	case "up":
		return 0, -distance, nil
	case "right":
		return distance, 0, nil
	case "left":
		return -distance, 0, nil
	}
	return 0, 0, api.Errorf(api.InvalidArgument, "scroll: there is no direction %q", direction).
		WithHint("Directions are up, down, left and right.")
}

// Scrolled is the outcome of scrolling.
type Scrolled struct {
	// Moved is the distance that the content moved, Left the remaining distance in that direction, in CSS pixels.
	Moved, Left geometry.Point
	// Scroller is the scrolled element: "the page" or a description.
	Scroller string
	// Outside reports whether that is around the element that was named.
	Outside bool
	// Fixed reports whether nothing there can be scrolled by position, Wheel whether the mouse wheel was turned there
	// instead.
	Fixed, Wheel bool
}

// AtEnd reports whether nothing is left to scroll in the direction of the scroll.
func (s Scrolled) AtEnd() bool { return s.Left.X == 0 && s.Left.Y == 0 && !s.Wheel }

// Scroll moves a scroller: the element, one that fills most of it, or the nearest scrollable ancestor; without a target the page, or the largest
// scroller in view if the page itself has nothing to scroll. It sets the scroll position and does not use the wheel: a
// wheel event scrolls whatever is under the mouse, over several frames, and does not report the distance. The page
// receives the same scroll events. Where nothing can be scrolled by position (a map, a canvas), it turns the wheel, unless
// nothing in the page listens to that.
func (a *Actor) Scroll(ctx context.Context, t *locate.Target, dx, dy float64) (Scrolled, error) {
	target := locate.Target{}
	if t != nil {
		target = *t
	}
	ctx, e, done, err := a.begin(ctx, "scroll", target)
	if err != nil {
		return Scrolled{}, err
	}
	defer done()
	var res struct {
		reply
		Moved    geometry.Point `json:"moved"`
		Left     geometry.Point `json:"left"`
		Scroller string         `json:"scroller"`
		Outside  bool           `json:"outside"`
		Point    geometry.Point `json:"point"`
		Fixed    bool           `json:"fixed"`
		Elements int            `json:"elements"`
	}
	arg := args{"dx": dx, "dy": dy}
	if target.By == "" {
		arg["target"] = nil
	}
	if _, err := e.ask(ctx, "scroll", arg, &res); err != nil {
		return Scrolled{}, err
	}
	s := Scrolled{Moved: res.Moved, Left: res.Left, Scroller: res.Scroller, Outside: res.Outside, Fixed: res.Fixed}
	if !res.Fixed || res.Elements <= mostExamined && !e.hearsWheel(ctx) {
		return s, nil
	}
	at, err := a.points.ToTab(ctx, e.frame, res.Point)
	if err != nil {
		return s, e.apiError(err)
	}
	if err := a.input.MoveAndDeliver(e.session, at).Wait(ctx); err != nil {
		return s, e.apiError(err)
	}
	s.Wheel = true
	return s, e.apiErrorOrNil(a.wheel(ctx, e.session, dx, dy))
}

// mostExamined is the number of elements up to which a page's listeners are examined: the browser describes all of them.
const mostExamined = 2000

// hearsWheel reports whether something in the tab may listen to the mouse wheel; true if that is not known. Listeners are
// those of the page's own world, where window and document cannot be anything else (LegacyUnforgeable in Web IDL).
func (e *action) hearsWheel(ctx context.Context) bool {
	tab := e.actor.browser.State().Tabs[e.actor.tab]
	if tab == nil || len(tab.Frames) != 1 {
		return true
	}
	const group = "usher-wheel"
	session := e.actor.browser.Session(e.session)
	defer session.Post(runtime.CommandReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: group}, nil)
	var objects []*cdp.Pending[runtime.EvaluateResult]
	for _, name := range []string{"window", "document"} {
		objects = append(objects, cdp.Start(session, runtime.Evaluate, runtime.EvaluateParams{Expression: name, ObjectGroup: group, Silent: new(true)}))
	}
	var listeners []*cdp.Pending[domdebugger.GetEventListenersResult]
	for _, object := range objects {
		res, err := object.Wait(ctx)
		if err != nil || res.ExceptionDetails != nil || res.Result.ObjectID == "" {
			return true
		}
		listeners = append(listeners, cdp.Start(session, domdebugger.GetEventListeners, domdebugger.GetEventListenersParams{
			ObjectID: res.Result.ObjectID, Depth: new(int64(-1)), Pierce: new(true),
		}))
	}
	for _, found := range listeners {
		res, err := found.Wait(ctx)
		if err != nil || slices.ContainsFunc(res.Listeners, func(l *domdebugger.EventListener) bool { return wheelEvents[l.Type] }) {
			return true
		}
	}
	return false
}

// wheelEvents are the events that a turn of the wheel causes. Browsers of other makers had the second and third, which
// pages still listen to; Chromium fires the second.
var wheelEvents = map[string]bool{"wheel": true, "mousewheel": true, "DOMMouseScroll": true}

// ScrollIntoView scrolls an element into view, in all its scrollers and frames. What can be uncovered by scrolling is uncovered.
func (a *Actor) ScrollIntoView(ctx context.Context, t locate.Target) (locate.Element, error) {
	return a.intoView(ctx, t, nil, nil)
}

// Reveal is [Actor.ScrollIntoView] for drawing over an element: whether something covers it is not looked at, which takes a frame where
// something is drawn over the page. sent is called whenever the page was asked for the element in a frame, before the reply is there;
// what is sent to the frame then can take the element with the page script's revealed. The result has neither role nor name.
func (a *Actor) Reveal(ctx context.Context, t locate.Target, sent func(model.FrameID)) (locate.Element, error) {
	return a.intoView(ctx, t, args{"covered": true}, sent)
}

func (a *Actor) intoView(ctx context.Context, t locate.Target, more args, sent func(model.FrameID)) (locate.Element, error) {
	ctx, e, done, err := a.begin(ctx, "scrollintoview", t)
	if err != nil {
		return locate.Element{}, err
	}
	defer done()
	if sent != nil {
		e.sent = func(*world.Sent) { sent(e.frame) }
	}
	var res struct {
		reply
		Element locate.Found   `json:"element"`
		Point   geometry.Point `json:"point"`
	}
	doc, err := e.ask(ctx, "intoView", more, &res)
	if err != nil {
		return locate.Element{}, err
	}
	if _, _, _, err := a.points.HitTest(ctx, e.frame, res.Point); err != nil {
		return locate.Element{}, e.apiError(err)
	}
	return res.Element.In(doc), nil
}
