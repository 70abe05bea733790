package raw

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp/schema"
	"github.com/usher-browser/usher/internal/command/read"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// paramJudge judges what the parameters of one raw CDP call refer to. The name of a parameter determines that, in any
// case of letters and at any depth, except below "value", which has the arguments of a page's function.
type paramJudge struct {
	*run.Env
	ctx  context.Context
	call *rawCall
}

// maxDepth is how deep parameters may be nested.
const maxDepth = 20

func (j *paramJudge) object(o map[string]any) error { return j.members("", o, maxDepth) }

func (j *paramJudge) members(path string, o map[string]any, left int) error {
	for name, value := range o {
		at := strings.TrimPrefix(path+"."+name, ".")
		if err := j.named(at, strings.ToLower(name), value, left); err != nil {
			return err
		}
	}
	return nil
}

func (j *paramJudge) named(at, name string, value any, left int) error {
	if left == 0 {
		return methodRefused(j.call.method, at, fmt.Sprintf("its parameters are nested more than %d deep", maxDepth), "")
	}
	if name == "value" {
		return nil
	}
	switch v := value.(type) {
	case map[string]any:
		return j.members(at, v, left-1)
	case []any:
		for i, item := range v {
			if err := j.named(at+"["+strconv.Itoa(i)+"]", name, item, left-1); err != nil {
				return err
			}
		}
		return nil
	}
	if n, ok := value.(float64); ok {
		if b := boundOf(name); n < b.least || n > b.most {
			return j.refuse(at, fmt.Sprintf("%s must be from %v to %v, because more could block the browser or exhaust memory", at, b.least, b.most))
		}
	}
	judge := j.judgeOf(strings.TrimSuffix(name, "s"))
	if judge == nil || value == nil {
		return nil
	}
	return judge(at, value)
}

// bound is the range of a number.
type bound struct{ least, most float64 }

// boundOf returns the allowed range of numbers that set a size or a speed. Slowed down a thousand times, a page does
// not answer any more, not even the call that would undo it.
func boundOf(name string) bound {
	switch name {
	case "rate":
		return bound{-1, 20}
	case "devicescalefactor", "scale", "pagescalefactor", "scalefactor":
		return bound{0, 10}
	case "width", "height", "screenwidth", "screenheight":
		return bound{0, 20_000}
	case "paperwidth", "paperheight": // inches
		return bound{0, 200}
	case "repeatcount", "clickcount", "tapcount", "maxtouchpoints":
		return bound{0, 100}
	case "duration", "repeatdelayms":
		return bound{0, 10_000}
	case "speed", "relativespeed": // of a gesture, which takes as long as it needs
		return bound{50, math.MaxFloat64}
	case "xdistance", "ydistance":
		return bound{-100_000, 100_000}
	}
	return bound{-math.MaxFloat64, math.MaxFloat64}
}

// judgeOf returns the check of a parameter, by its name in the singular; nil if its value needs no check.
func (j *paramJudge) judgeOf(name string) func(string, any) error {
	switch {
	case strings.HasSuffix(name, "url"), strings.HasSuffix(name, "origin"), name == "storagekey", name == "referrer":
		return j.address
	case name == "domain":
		return j.domain
	case strings.HasSuffix(name, "frameid"):
		return j.frame
	case strings.HasSuffix(name, "targetid"), name == "openerid":
		return j.target
	case strings.HasSuffix(name, "browsercontextid"):
		return j.browserContext
	case strings.HasSuffix(name, "uniquecontextid"), strings.HasSuffix(name, "contextid"):
		return j.context
	case strings.HasSuffix(name, "objectid"):
		return j.remoteObject
	case strings.HasPrefix(name, "backendnodeid"), strings.HasSuffix(name, "nodeid") && j.call.rule.Scope != schema.ScopePage:
		return j.never
	case strings.Contains(name, "file"), strings.HasSuffix(name, "path") && !strings.Contains(j.call.method, "ookie"):
		return j.never
	}
	return nil
}

func (j *paramJudge) refuse(at, why string) error { return methodRefused(j.call.method, at, why, "") }

// text returns the value of a parameter that must be a string.
func (j *paramJudge) text(at string, value any) (string, error) {
	s, ok := value.(string)
	if !ok {
		return "", api.Errorf(api.InvalidArgument, "cdp %s: %s is not a string", j.call.method, at).With("method", j.call.method).With("parameter", at)
	}
	return s, nil
}

func (j *paramJudge) never(at string, _ any) error {
	return j.refuse(at, "under the site guard "+at+" may not be given, for it can reach files or other pages")
}

func (j *paramJudge) address(at string, value any) error {
	s, err := j.text(at, value)
	if err != nil || s == "" {
		return err
	}
	if r := j.Sites.Open(j.ctx, s); r != nil {
		return run.RefusedSite("cdp "+j.call.method+" "+r.URL+" is", r)
	}
	return nil
}

// domain is that of a cookie: a host, perhaps with a dot before it.
func (j *paramJudge) domain(at string, value any) error {
	s, err := j.text(at, value)
	if err != nil || s == "" {
		return err
	}
	if r := withoutDNS(j.Env).Open(j.ctx, "https://"+strings.TrimPrefix(s, ".")+"/"); r != nil {
		return run.RefusedSite("cdp "+j.call.method+" for "+r.Host+" is", r)
	}
	return nil
}

func (j *paramJudge) frame(at string, value any) error {
	s, err := j.text(at, value)
	if err != nil {
		return err
	}
	var f *model.Frame
	if t := j.Browser.State().Tabs[j.Tab]; t != nil && !j.call.whole {
		f = t.Frames[model.FrameID(s)]
	}
	if f == nil {
		return api.Errorf(api.FrameNotFound, "cdp %s: the tab has no frame %.64q", j.call.method, s).WithHint("`frame list` shows the present frames.")
	}
	if j.call.rule.Scope == schema.ScopeFree { // Page.navigate: a refused frame may be led elsewhere
		return nil
	}
	return j.GateFrame(j.ctx, f)
}

func (j *paramJudge) target(at string, value any) error {
	s, err := j.text(at, value)
	if err != nil {
		return err
	}
	if !ownTarget(j.Env, s) {
		return api.Errorf(api.TabNotFound, "cdp %s: the session has no target %.64q", j.call.method, s)
	}
	return nil
}

func (j *paramJudge) browserContext(at string, value any) error {
	s, err := j.text(at, value)
	if err == nil && s != string(j.Context) {
		return j.refuse(at, "the browser context belongs to another session")
	}
	return err
}

// context is a script context, by its number or by the id that no other has.
func (j *paramJudge) context(at string, value any) error {
	switch v := value.(type) {
	case string:
		for _, f := range j.processFrames() {
			if v != "" && f.MainContext == v {
				return j.GateFrame(j.ctx, f)
			}
		}
	case float64:
		if v == math.Trunc(v) {
			return j.number(at, int64(v))
		}
	}
	return j.refuse(at, "the script context belongs to no frame of the page")
}

// number judges a script context by its number in the process of the call.
func (j *paramJudge) number(at string, n int64) error {
	for _, f := range j.processFrames() {
		if j.Browser.Stealth() { // no event reports contexts there
			in, err := read.AskContext(j.ctx, j.Env, f)
			if err != nil || in.OOPIF && in.ContextNumber != n || in.ContextNumber != n {
				continue
			}
			return j.GateFrame(j.ctx, f)
		}
		if n > 0 && f.MainContext != "" && f.ContextNumber == n {
			return j.GateFrame(j.ctx, f)
		}
	}
	return j.refuse(at, "its script context belongs to no frame of the page")
}

// processFrames returns the frames in the process of the call.
func (j *paramJudge) processFrames() []*model.Frame {
	if j.call.tab == nil {
		return nil
	}
	t := j.Browser.State().Tabs[j.call.tab.ID]
	if t == nil {
		return nil
	}
	root := t.ID
	if j.call.frame != nil {
		root = processRoot(t, j.call.frame)
	}
	var found []*model.Frame
	for f := range t.InOrder() {
		if processRoot(t, f) == root {
			found = append(found, f)
		}
	}
	return found
}

// remoteObject judges a remote object: its id contains the number of its context, as in "-3407618580611412104.6.1".
func (j *paramJudge) remoteObject(at string, value any) error {
	s, err := j.text(at, value)
	if err != nil {
		return err
	}
	parts := strings.Split(s, ".")
	if len(parts) != 3 || slices.Contains(parts, "") {
		return j.refuse(at, "the object's id does not contain its script context")
	}
	n, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return j.refuse(at, "the object's id does not contain its script context")
	}
	return j.number(at, n)
}
