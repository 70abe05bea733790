package video

import (
	"context"
	"maps"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// shot is a picture that the browser sent.
type shot struct {
	params []byte       // of Page.screencastFrame
	state  *model.State // of the browser when it came
}

// verdict is what the judges said of a page.
type verdict struct {
	at  time.Time
	err error
}

// verdictHolds is how long a verdict holds for the same documents.
const verdictHolds = time.Second

// SetJudge adds a judge, or replaces that of the same name. Pictures that a judge refuses are not in the video, which shows
// the last one before them.
func (rec *Recording) SetJudge(name string, j Judge) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	judges := maps.Clone(rec.judges)
	if judges == nil {
		judges = map[string]Judge{}
	}
	judges[name] = j
	rec.judges = judges
	clear(rec.verdicts)
}

// withholds reports whether a picture may not be in the video, and counts it then.
func (rec *Recording) withholds(ctx context.Context, then *model.State) bool {
	err := rec.judged(ctx, then)
	if err != nil {
		rec.result.Withheld++
		rec.result.Refused = err
	}
	return err != nil
}

// judged returns why a picture may not be in the video; nil if it may. What the tab shows now is judged, too, because the
// picture may show a document before its event was folded.
func (rec *Recording) judged(ctx context.Context, then *model.State) error {
	for _, s := range []*model.State{then, rec.browser.State()} {
		if err := rec.judge(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (rec *Recording) judge(ctx context.Context, s *model.State) error {
	tab := s.Tabs[rec.Tab]
	if tab == nil {
		return nil
	}
	var shows strings.Builder
	for f := range tab.InOrder() {
		shows.WriteString(f.Loader + " " + f.URL + " " + f.RemoteAddress + "\n")
	}
	rec.mu.Lock()
	judges := rec.judges
	known, ok := rec.verdicts[shows.String()]
	rec.mu.Unlock()
	if len(judges) == 0 {
		return nil
	}
	if ok && time.Since(known.at) < verdictHolds {
		return known.err
	}
	var err error
	for _, j := range judges {
		if err = j(ctx, s); err != nil {
			break
		}
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if len(rec.verdicts) > 16 {
		clear(rec.verdicts)
	}
	rec.verdicts[shows.String()] = verdict{time.Now(), err}
	return err
}
