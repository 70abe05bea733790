package batch

import (
	"sync"

	"github.com/usher-browser/usher/internal/command/run"
)

// Ahead runs the rows of a batch in order. Rows that only look at a page run beside the next ones of that kind, as those of several
// clients do; every other row runs alone. It is for one goroutine.
type Ahead struct {
	rows    []Row
	prepare Prepare
	most    int
	next    int // the first row that is not prepared
	running []<-chan outcome
	ready   *prepared // of the row before next: it must wait until nothing runs
	done    sync.WaitGroup
}

// Prepare returns the function that runs a row. looks reports whether the row only looks at the page.
type Prepare func(Row) (execute func() (run.Result, error), looks bool)

type prepared struct {
	execute func() (run.Result, error)
	looks   bool
}

type outcome struct {
	res run.Result
	err error
}

// NewAhead returns the rows of a batch, ready to run, at most so many at once.
func NewAhead(rows []Row, most int, prepare Prepare) *Ahead {
	return &Ahead{rows: rows, prepare: prepare, most: most}
}

// Next runs the next row, unless it runs already, and returns its result. It is called at most once for each row.
func (a *Ahead) Next() (run.Result, error) {
	for len(a.running) < a.most && a.load() {
		if !a.ready.looks {
			break
		}
		a.start()
	}
	if len(a.running) == 0 {
		execute := a.ready.execute
		a.ready = nil
		return execute()
	}
	out := <-a.running[0]
	a.running = a.running[1:]
	return out.res, out.err
}

// load prepares the next row, unless one is ready, and reports whether one is.
func (a *Ahead) load() bool {
	if a.ready == nil && a.next < len(a.rows) {
		execute, looks := a.prepare(a.rows[a.next])
		a.ready = &prepared{execute, looks}
		a.next++
	}
	return a.ready != nil
}

// start runs the row that is ready.
func (a *Ahead) start() {
	execute, result := a.ready.execute, make(chan outcome, 1)
	a.ready = nil
	a.running = append(a.running, result)
	a.done.Go(func() {
		res, err := execute()
		result <- outcome{res, err}
	})
}

// Wait waits for the rows that still run.
func (a *Ahead) Wait() { a.done.Wait() }
