package run

import (
	"context"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/codegen"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Codegen returns the recording of what a person does; nil if there is none.
func (w *BrowserContext) Codegen() *codegen.Recorder {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.codegen
}

// StartCodegen begins to record. target is the form of the script, path its file.
func (w *BrowserContext) StartCodegen(ctx context.Context, first model.TargetID, target, path string) (*codegen.Recorder, error) {
	if w.Codegen() != nil {
		return nil, api.Errorf(api.InvalidArgument, "codegen start: this session is recording already").WithHint("End it with `codegen stop`.")
	}
	rec, err := codegen.Start(ctx, w.Browser, w.Context, first)
	if err != nil {
		return nil, err
	}
	rec.Target, rec.Path = target, path
	w.mu.Lock()
	taken := w.codegen != nil || w.ended
	if !taken {
		w.codegen = rec
	}
	w.mu.Unlock()
	if taken {
		rec.Stop()
		return nil, api.Errorf(api.InvalidArgument, "codegen start: this session is recording already, or ending")
	}
	return rec, nil
}

// StopCodegen ends the recording, if there is one.
func (w *BrowserContext) StopCodegen() {
	w.mu.Lock()
	rec := w.codegen
	w.codegen = nil
	w.mu.Unlock()
	if rec != nil {
		rec.Stop()
	}
}
