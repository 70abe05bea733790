package code

import (
	"context"
	"crypto/rand"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/session/code/handle"
	"github.com/usher-browser/usher/internal/session/code/known"
)

// exposure is a function of the code that pages call.
type exposure struct {
	name, script string
}

// pageCall is a call of a function that waits for its result.
type pageCall struct {
	session *cdp.Session
	context int64
	binding string
	id      int // in its document
}

type protocolCommand struct {
	method string
	params any
}

// exposeScript defines the function in a document: it passes its arguments to the binding, and keeps what settles its promise.
const exposeScript = `((name, binding) => {
	const send = globalThis[binding], calls = new Map(), parse = JSON.parse, write = JSON.stringify;
	if (!send) return;
	let last = 0;
	Object.defineProperty(globalThis, binding, {enumerable: false, value: (id, ok, text) => {
		const call = calls.get(id);
		calls.delete(id);
		if (!call) return;
		const value = text === undefined ? undefined : parse(text);
		if (ok) call.resolve(value);
		else call.reject(Object.assign(new Error(value.message), {name: value.name}));
	}});
	globalThis[name] = (...args) => new Promise((resolve, reject) => {
		calls.set(++last, {resolve, reject});
		send(write({id: last, args}));
	});
})`

// commands define the function in what the session shows and will show.
func (x exposure) commands(binding string) []protocolCommand {
	return []protocolCommand{
		{"Runtime.enable", nil},
		{"Runtime.addBinding", map[string]any{"name": binding}},
		{"Page.enable", nil},
		{"Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": x.script, "runImmediately": true}},
	}
}

// expose gives the documents of the tab, and of the frames in it, a function that calls the code.
func (o operation) expose(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "exposeFunction: %w", err)
	}
	c, err := o.ofTab(ctx)
	if err != nil {
		return nil, err
	}
	binding := "__usher_" + rand.Text()
	name, err := json.Marshal(p.Name)
	if err != nil {
		return nil, api.Errorf(api.InvalidArgument, "exposeFunction: %w", err)
	}
	x := exposure{name: p.Name, script: exposeScript + "(" + string(name) + "," + strconv.Quote(binding) + ")"}
	c.mu.Lock()
	c.exposed[binding] = x
	c.mu.Unlock()
	for i, s := range c.sessions() {
		for _, command := range x.commands(binding) {
			if err := s.Call(ctx, command.method, command.params, nil); err != nil && i == 0 { // a frame may have gone
				return nil, api.Errorf(api.ProtocolError, "exposeFunction: %w", err)
			}
		}
	}
	return o.state(ctx, nil)
}

func (c *client) contextCreated(ev cdp.Event) {
	var p struct {
		Context struct {
			ID  int64 `json:"id"`
			Aux struct {
				FrameID string `json:"frameId"`
			} `json:"auxData"`
		} `json:"context"`
	}
	if json.Unmarshal(ev.Params, &p, jsontext.AllowInvalidUTF8(true)) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.frames) > maxQueued { // of documents that have gone
		clear(c.frames)
	}
	c.frames[contextKey(ev.SessionID, p.Context.ID)] = p.Context.Aux.FrameID
}

// maxPayload is the greatest size of the arguments of a call, in bytes.
const maxPayload = 16 << 20

// bindingCalled tells the code of a call of its function.
func (c *client) bindingCalled(ev cdp.Event) {
	var p struct {
		Name    string `json:"name"`
		Payload string `json:"payload"`
		Context int64  `json:"executionContextId"`
	}
	var call struct {
		ID   int            `json:"id"`
		Args jsontext.Value `json:"args"`
	}
	s := c.session.Session(ev.SessionID)
	if s == nil || json.Unmarshal(ev.Params, &p, jsontext.AllowInvalidUTF8(true)) != nil || len(p.Payload) > maxPayload {
		return
	}
	if json.Unmarshal([]byte(p.Payload), &call, jsontext.AllowInvalidUTF8(true)) != nil || call.Args.Kind() != '[' {
		return // the page called the binding itself
	}
	c.mu.Lock()
	x, exposed := c.exposed[p.Name]
	if !exposed || len(c.calls) >= maxQueued {
		c.mu.Unlock()
		return
	}
	c.last++
	number := c.last
	c.calls[number] = pageCall{session: s, context: p.Context, binding: p.Name, id: call.ID}
	frame := c.frames[contextKey(ev.SessionID, p.Context)]
	c.mu.Unlock()
	c.tell("binding", map[string]any{"tab": c.tab, "id": number, "name": x.name, "frame": frame, "args": call.Args})
}

// answerCall gives a page the result of a function that it called.
func (o operation) answerCall(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		ID    int            `json:"id"`
		Value jsontext.Value `json:"value"`
		Error *struct {
			Name    string `json:"name"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "answer a call: %w", err)
	}
	c, err := o.ofTab(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	call, waits := c.calls[p.ID]
	delete(c.calls, p.ID)
	c.mu.Unlock()
	if !waits {
		return nil, api.Errorf(api.StaleRef, "the call does not wait any more")
	}
	text := []byte("undefined")
	if p.Error != nil {
		p.Value, err = json.Marshal(p.Error)
	}
	if err == nil && len(p.Value) > 0 {
		text, err = json.Marshal(string(p.Value)) // a JSON text is a JavaScript text, too
	}
	if err != nil {
		return nil, api.Errorf(api.InvalidArgument, "answer a call: %w", err)
	}
	expression := "globalThis[" + strconv.Quote(call.binding) + "](" + strconv.Itoa(call.id) + "," + strconv.FormatBool(p.Error == nil) + "," + string(text) + ")"
	// A call whose document has gone needs no result.
	call.session.Post("Runtime.evaluate", map[string]any{"expression": expression, "contextId": call.context}, nil)
	return o.state(ctx, nil)
}

// frameElement returns a ref of the element that contains a frame.
func (o operation) frameElement(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		Frame string `json:"frame"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "frameElement: %w", err)
	}
	var out struct {
		Ref  string     `json:"ref"`
		Page known.Page `json:"page"`
	}
	err := o.inTab(ctx, func(ctx context.Context, e *run.Env) error {
		tab, err := e.CurrentTab()
		if err != nil {
			return err
		}
		f := frameByID(tab, p.Frame)
		if f == nil || f.Parent == "" {
			return api.Errorf(api.InvalidArgument, "frameElement: the main frame has no element")
		}
		parent := tab.Frames[f.Parent]
		if err := e.MayEnter(ctx, parent.ID); err != nil {
			return err
		}
		session := e.Browser.Session(parent.Session)
		var owner struct {
			Node int64 `json:"backendNodeId"`
		}
		if err := session.Call(ctx, "DOM.getFrameOwner", map[string]any{"frameId": f.ID}, &owner); err != nil {
			return e.Explain(err, "frameElement")
		}
		var node struct {
			Object struct {
				ID string `json:"objectId"`
			} `json:"object"`
		}
		if err := session.Call(ctx, "DOM.resolveNode", map[string]any{"backendNodeId": owner.Node}, &node); err != nil {
			return e.Explain(err, "frameElement")
		}
		out.Ref, err = handle.Ref(ctx, e, parent, session, objectID(node.Object.ID))
		return err
	})
	out.Page = o.page()
	return out, err
}
