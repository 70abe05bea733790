// Package background has what runs beside the commands of a session until a command or the session's end stops it: the
// recording of a video, the recording of what a person does, and the server for DevTools.
package background

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/codegen"
	"github.com/usher-browser/usher/internal/devtools"
	"github.com/usher-browser/usher/internal/devtools/join"
	"github.com/usher-browser/usher/internal/endpoint"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/media/video"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Session is what runs beside the commands of one session.
type Session struct {
	browser *supervisor.Browser
	context model.ContextID
	video   *video.Recorder

	mu sync.Mutex
	// recording is the video that is recorded, or the last one; nil for none.
	recording *video.Recording  // guarded by mu
	codegen   *codegen.Recorder // guarded by mu: nil while nothing is recorded
	devtools  *devtools.Server  // guarded by mu: nil or closed while it does not serve
	endpoint  *endpoint.Server  // guarded by mu: likewise
	ended     bool              // guarded by mu: End was called
}

// New returns the Session of a browser context, in which nothing runs.
func New(b *supervisor.Browser, c model.ContextID, v *video.Recorder) *Session {
	return &Session{browser: b, context: c, video: v}
}

// End stops everything, before the session ends, saves the script of codegen, and waits for the files of the video.
func (s *Session) End(ctx context.Context) error {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.StopDevTools()
	s.StopEndpoint()
	rec := s.Codegen()
	s.StopCodegen()
	var err error
	if rec != nil && rec.Path != "" {
		err = SaveCodegen(rec)
	}
	if s.Recording() == nil {
		return err
	}
	_, bad := s.StopRecording(ctx, func(string) {})
	return errors.Join(err, bad)
}

// SaveCodegen writes the script of a recording that was stopped to its file, or else to the spare one, which the error then
// names. The error has the script.
func SaveCodegen(rec *codegen.Recorder) error {
	script := rec.Text()
	fill := func(w io.Writer) error { _, err := io.WriteString(w, script); return err }
	err := media.WriteOwn(rec.Path, fill)
	if err == nil {
		return nil
	}
	if spare := media.WriteOwn(rec.Spare, fill); spare != nil {
		return api.Errorf(api.FileWriteFailed, "save the script of codegen: %w; nor could it be kept elsewhere: %w", err, spare).With("script", script)
	}
	return api.Errorf(api.FileWriteFailed, "save the script of codegen: %w; it is in %s", err, rec.Spare).With("script", script)
}

// Recording returns the video that is being recorded, or that was cut off and not stopped yet; nil if there is none.
func (s *Session) Recording() *video.Recording {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recording
}

// StartRecording records a tab.
func (s *Session) StartRecording(ctx context.Context, tab *model.Tab, o video.Options) (*video.Recording, error) {
	rec, err := s.video.Start(ctx, s.browser, tab, o)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recording = rec
	return rec, nil
}

// StopRecording stops the recording and waits for its files; progress gets a line each second. The error is [api.InvalidArgument] if there is none.
func (s *Session) StopRecording(ctx context.Context, progress func(string)) (*video.Result, error) {
	s.mu.Lock()
	rec := s.recording
	s.recording = nil
	s.mu.Unlock()
	if rec == nil {
		return nil, api.Errorf(api.InvalidArgument, "no recording is in progress").WithHint("Start one with `record start PATH.webm`.")
	}
	return rec.Stop(ctx, progress)
}

// Codegen returns the recording of what a person does; nil if there is none.
func (s *Session) Codegen() *codegen.Recorder {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.codegen
}

// StartCodegen begins to record. target is the form of the script, path its file, and spare the file for what cannot be written there.
func (s *Session) StartCodegen(ctx context.Context, first model.TargetID, target, path, spare string) (*codegen.Recorder, error) {
	if s.Codegen() != nil {
		return nil, api.Errorf(api.InvalidArgument, "codegen start: this session is recording already").WithHint("End it with `codegen stop`.")
	}
	rec, err := codegen.Start(ctx, s.browser, s.context, first)
	if err != nil {
		return nil, err
	}
	rec.Target, rec.Path, rec.Spare = target, path, spare
	s.mu.Lock()
	taken := s.codegen != nil || s.ended
	if !taken {
		s.codegen = rec
	}
	s.mu.Unlock()
	if taken {
		rec.Stop()
		return nil, api.Errorf(api.InvalidArgument, "codegen start: this session is recording already, or ending")
	}
	return rec, nil
}

// StopCodegen ends the recording, if there is one.
func (s *Session) StopCodegen() {
	s.mu.Lock()
	rec := s.codegen
	s.codegen = nil
	s.mu.Unlock()
	if rec != nil {
		rec.Stop()
	}
}

// DevTools returns the server that serves the session's tabs to DevTools; nil if there is none.
func (s *Session) DevTools() *devtools.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.devtools != nil && s.devtools.Closed() {
		s.devtools = nil
	}
	return s.devtools
}

// ServeDevTools returns that server, and starts it if there is none.
func (s *Session) ServeDevTools() (*devtools.Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.devtools != nil && !s.devtools.Closed() {
		return s.devtools, nil
	}
	if s.ended {
		return nil, errors.New("serve DevTools: the session is ending")
	}
	server, err := devtools.Serve(s.browser, s.context)
	if err == nil {
		s.devtools = server
	}
	return server, err
}

// StopDevTools ends the server and disconnects its clients. It reports whether there was one.
func (s *Session) StopDevTools() bool {
	server := s.DevTools()
	if server == nil {
		return false
	}
	server.Close()
	return true
}

// Endpoint returns the server at which CDP clients join the session; nil if there is none.
func (s *Session) Endpoint() *endpoint.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endpoint != nil && s.endpoint.Closed() {
		s.endpoint = nil
	}
	return s.endpoint
}

// StopEndpoint ends the server and disconnects its clients, if there is one.
func (s *Session) StopEndpoint() {
	if server := s.Endpoint(); server != nil {
		server.Close()
	}
}

// ServeEndpoint returns that server, and starts it if there is none. mode is one of [endpoint.Options]; "" keeps that of a server that runs.
func (s *Session) ServeEndpoint(mode string, o join.Options) (*endpoint.Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endpoint != nil && !s.endpoint.Closed() {
		if mode != "" {
			s.endpoint.SetMode(mode)
		}
		return s.endpoint, nil
	}
	if s.ended {
		return nil, errors.New("serve CDP clients: the session is ending")
	}
	server, err := endpoint.Serve(s.browser.Done(), endpoint.Options{Browser: join.New(s.browser, s.context, o), Token: endpoint.NewToken(), Mode: mode}, 0)
	if err == nil {
		s.endpoint = server
	}
	return server, err
}
