package har

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Writer writes the entries of a file as they come, in a goroutine of its own, which Close ends. Until then the file has
// another name in the same directory. It is complete after every write, so that a process that is killed leaves a HAR
// of what was recorded.
type Writer struct {
	file *os.File
	at   int64 // end of the entries in the file; belongs to the goroutine
	done chan struct{}

	mu      sync.Mutex
	more    *sync.Cond
	queue   []Entry // guarded by mu
	size    int64   // guarded by mu: of the bodies in queue
	pages   []Page  // guarded by mu
	entries int     // guarded by mu: added so far
	closed  bool    // guarded by mu
	err     error   // guarded by mu: of the first write that failed
}

// maxQueued bounds the bodies that wait to be written, in bytes.
const maxQueued = 256 << 20

// Create begins a file for path, whose directory must exist. The file's mode is 0600: requests contain secrets.
func Create(path string, creator, browser Tool) (*Writer, error) {
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return nil, fmt.Errorf("make up a name: %w", err)
	}
	f, err := os.OpenFile(path+"."+hex.EncodeToString(b[:])+".partial", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	w := &Writer{file: f, done: make(chan struct{})}
	w.more = sync.NewCond(&w.mu)
	head := `{"log":{"version":` + text(Version) + `,"creator":` + text(creator) + `,"browser":` + text(browser) + `,"entries":[`
	if err := w.write([]byte(head), nil); err != nil {
		_ = f.Close()
		_ = os.Remove(f.Name()) // the failure itself is what matters
		return nil, err
	}
	go w.run()
	return w, nil
}

// text returns the JSON of a value. Texts of pages may have unpaired surrogates.
func text(v any) string {
	b, err := jsonv2.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil { // no type of this package can fail
		panic("har: " + err.Error())
	}
	return string(b)
}

// Path returns the present name of the file.
func (w *Writer) Path() string { return w.file.Name() }

// Add adds an entry. It does not wait for the file. If the file system is so slow that too much waits already, the
// entry loses its body, and says so.
func (w *Writer) Add(e Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	if n := int64(len(e.Response.Content.Text)); w.size+n > maxQueued {
		e.Response.Content.Text, e.Response.Content.Comment = "", "not recorded: the file system was too slow"
	} else {
		w.size += n
	}
	w.queue = append(w.queue, e)
	w.entries++
	w.more.Signal()
}

// SetPages sets the pages.
func (w *Writer) SetPages(pages []Page) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages = pages
}

// Status returns how many entries were added, and the error of the first write that failed.
func (w *Writer) Status() (entries int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.entries, w.err
}

// Close writes what remains and closes the file, which keeps its name. It may be called twice.
func (w *Writer) Close() error {
	w.mu.Lock()
	w.closed = true
	w.more.Signal()
	w.mu.Unlock()
	<-w.done
	_, err := w.Status()
	return err
}

// run writes the entries until Close.
func (w *Writer) run() {
	defer close(w.done)
	first := true
	for {
		w.mu.Lock()
		for len(w.queue) == 0 && !w.closed {
			w.more.Wait()
		}
		entries, pages, last := w.queue, w.pages, w.closed
		w.queue, w.size = nil, 0
		w.mu.Unlock()
		var b []byte
		for i := range entries {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(append(b, '\n'), text(&entries[i])...)
		}
		err := w.write(b, pages)
		if last && err == nil {
			err = w.file.Sync()
		}
		if last {
			if closed := w.file.Close(); err == nil {
				err = closed
			}
		}
		w.mu.Lock()
		if w.err == nil {
			w.err = err
		}
		w.mu.Unlock()
		if last {
			return
		}
	}
}

// write puts entries in the place of the end of the file, and the end after them, in one call.
func (w *Writer) write(entries []byte, pages []Page) error {
	if pages == nil {
		pages = []Page{}
	}
	b := append(entries, "\n],\"pages\":"+text(pages)+"}}\n"...)
	if _, err := w.file.WriteAt(b, w.at); err != nil {
		return err
	}
	w.at += int64(len(entries))
	// The end grows only, except for the digits of a page's times.
	return w.file.Truncate(w.at + int64(len(b)-len(entries)))
}
