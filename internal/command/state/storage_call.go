package state

import (
	"context"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// storageCall is a call about a storage area of the document in a frame.
type storageCall struct {
	e     *run.Env
	kind  area
	frame model.FrameID
}

// call calls a function of the script with the area and more arguments. The frame is judged by the site guard before, and,
// because the document may have been replaced, afterwards.
func (s *storageCall) call(ctx context.Context, fn string, args map[string]any, result any) error {
	if args == nil {
		args = map[string]any{}
	}
	args["kind"] = string(s.kind)
	if err := s.e.MayEnter(ctx, s.frame); err != nil {
		return err
	}
	over := s.e.Browser.OwnScript(s.frame) // megabytes take their time, and no code of the page runs
	err := inFrame(ctx, s.e, s.frame, fn, args, result)
	over(ctx.Err() == nil)
	if err != nil {
		return err
	}
	return s.e.MayEnter(context.WithoutCancel(ctx), s.frame)
}

// reply returns a result. agent-browser names no origin.
func (s *storageCall) reply(data *Stored, text string) (run.Reply[*Stored], error) {
	if s.e.Settings.Compatible {
		data.Origin = ""
	}
	return run.Reply[*Stored]{Data: data, Text: text}, nil
}
