package app

import (
	"io"
	"os"
	"strings"
	"time"
)

// output is what an app prints. It is a file without a name, because the app goes on printing when this process has ended,
// and a pipe that nobody reads would end it.
type output struct{ file *os.File }

// maxOutput bounds the file, in bytes, as long as this process runs; tailSize is the part of it that errors quote.
const (
	maxOutput = 1 << 20
	tailSize  = 600
)

func newOutput() (*output, error) {
	named, err := os.CreateTemp("", "usher-app-")
	if err != nil {
		return nil, err
	}
	defer named.Close()
	file, err := os.OpenFile(named.Name(), os.O_RDWR|os.O_APPEND, 0)
	_ = os.Remove(named.Name()) // Windows removes no open file; the directory is for temporary files
	if err != nil {
		return nil, err
	}
	return &output{file}, nil
}

func (o *output) close() {
	if o != nil {
		_ = o.file.Close() // nothing was buffered
	}
}

// tail returns the end of what was printed, in one line.
func (o *output) tail() string {
	info, err := o.file.Stat()
	if err != nil {
		return ""
	}
	text, err := io.ReadAll(io.NewSectionReader(o.file, max(0, info.Size()-tailSize), tailSize))
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(text), "")), " ")
}

// bound empties the file when it is too long, until the app has ended.
func (o *output) bound(ended <-chan struct{}) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
			if info, err := o.file.Stat(); err == nil && info.Size() > maxOutput {
				_ = o.file.Truncate(0) // tried again in a minute
			}
		}
	}
}
