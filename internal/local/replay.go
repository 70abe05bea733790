package local

import (
	"path/filepath"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/replay"
	"github.com/usher-browser/usher/internal/verb"
)

// replayFile prints the events of a recording. Damage is reported, and the events before it are shown; a last line that
// is cut short is how the recording of a killed process ends, and no failure.
func replayFile(req *api.Request, call *verb.Call) (Output, error) {
	path := call.Str("file")
	if !filepath.IsAbs(path) {
		path = filepath.Join(req.Cwd, path)
	}
	var until replay.Moment
	if call.Has("at") {
		var err error
		if until, err = replay.ParseMoment(call.Str("at")); err != nil {
			return Output{}, err
		}
	}
	res, err := replay.File(path, until, call.Bool("events"))
	if err != nil {
		return Output{}, err
	}
	out := Output{Data: res.Data(), Text: res.Text()}
	if d := res.Damage; d != nil {
		out.Warning, out.Failed = d.Error()+"; the part before it is shown", !d.Cut
	}
	return out, nil
}
