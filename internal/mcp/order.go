package mcp

import (
	"context"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
)

// A client may send calls without waiting for each other's results, as agents do that make several calls in one turn. They mean them one after
// the other, and the SDK begins them in any order.

// order gives the calls of clients their turns: a call that changes something comes after those before it that do, and one that reads after
// those. The zero value is ready.
type order struct {
	mu   sync.Mutex
	last map[lane]<-chan struct{} // guarded by mu: closed when the last call that changes something has ended
}

// lane is where calls of a client wait for each other.
type lane struct {
	client *mcp.ServerSession
	name   string
}

// enter takes a call in the order of their arrival. before is closed when its turn has come, nil if it has; end is called when it has ended, or
// will not be made.
func (o *order) enter(in lane, changes bool) (before <-chan struct{}, end func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before = o.last[in]
	if !changes {
		return before, func() {}
	}
	ended := make(chan struct{})
	if o.last == nil {
		o.last = map[lane]<-chan struct{}{}
	}
	o.last[in] = ended
	return before, func() {
		o.mu.Lock()
		if o.last[in] == ended {
			delete(o.last, in)
		}
		o.mu.Unlock()
		close(ended)
	}
}

// inOrder is middleware that lets calls wait for those before them.
func (s *Server) inOrder(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if !ok {
			return next(ctx, method, req)
		}
		s.mu.Lock()
		t := s.listed[call.Params.Name]
		s.mu.Unlock()
		name, ordered := "", false
		if t != nil && t.Lane != nil {
			name, ordered = t.Lane(jsontext.Value(call.Params.Arguments))
		}
		if !ordered {
			s.arrivals.entered()
			return next(ctx, method, req)
		}
		before, end := s.order.enter(lane{call.Session, name}, !t.Traits.Is(tool.ReadOnly))
		s.arrivals.entered()
		if before != nil {
			select {
			case <-before:
			case <-ctx.Done():
				go func() { // those behind it wait for those before it
					<-before
					end()
				}()
				return s.result(t, tool.Failure(api.Errorf(api.Cancelled, "%s: cancelled before its turn: a call before it had not ended", t.Name))), nil
			}
		}
		defer end()
		return next(ctx, method, req)
	}
}

// arrivals hold back the next message until the call before it has its place: from then on the SDK handles calls at the same time. The zero
// value is ready.
type arrivals struct {
	mu   sync.Mutex
	id   any           // guarded by mu: of the last call
	open chan struct{} // guarded by mu: closed when the last call has its place; nil if it has
}

// came takes that a call was read.
func (a *arrivals) came(id any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.id, a.open = id, make(chan struct{})
}

// answered takes a message to the client. It may be the answer to a call that got no place.
func (a *arrivals) answered(msg []byte) {
	a.mu.Lock()
	id, waits := a.id, a.open != nil
	a.mu.Unlock()
	if !waits {
		return
	}
	if m, err := jsonrpc.DecodeMessage(msg); err == nil {
		if r, ok := m.(*jsonrpc.Response); ok && r.ID.Raw() == id {
			a.entered()
		}
	}
}

// entered takes that the last call has its place, or needs none.
func (a *arrivals) entered() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open != nil {
		close(a.open)
		a.open = nil
	}
}

// wait waits until the last call has its place.
func (a *arrivals) wait() {
	a.mu.Lock()
	open := a.open
	a.mu.Unlock()
	if open != nil {
		<-open
	}
}
