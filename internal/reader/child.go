package reader

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// Documents come from untrusted servers, and the libraries that parse them may loop for ever, exhaust memory, or panic.
// So a child process converts them to text: the same program, selected by its first argument, with the document on its
// standard input as it comes from the network (see chunks.go), and the text on its standard output. It is killed when the
// caller's time is over, and ends by itself when it takes too long or too much memory, also if its parent is gone.
//
//	request line | document ... end --> conversion --> answer line | text
//
// It converts one document after the other while that leaves it as it was: see mayContinue.
//
// Of these processes at most [maxReads] wait for the rest of their document, and at most [maxConversions] convert,
// over all commands and sessions.

const (
	// childName is the first argument of such a process. No name of the program equals it, so that the client's fast
	// path (cli/fastpath), which runs before main, does not take it for a command.
	childName = "usher-reader"
	// startedAhead is set in the environment of a process whose document does not wait yet.
	startedAhead      = "USHER_READER_AHEAD"
	childLimit        = 60 * time.Second
	childPollInterval = 20 * time.Millisecond
	// childMemory is what a process may take; beyond childMemoryTarget the collector works as hard as it can. The
	// kernel's limit counts address space, of which Go takes 64 MB at a time, so it is the last of three.
	childMemory       = 1 << 30
	childMemoryTarget = 800 << 20
	kernelData        = 3 << 29
	childStack        = 256 << 20 // of one goroutine
	// keptMemory, at its highest, and keptTime are what a process may have taken, for all its documents, and still convert
	// another.
	keptMemory = 64 << 20
	keptTime   = 10 * time.Second
)

const (
	maxText  = 32 << 20 // bytes of text, which may be more than the document has: addresses become absolute, tables aligned
	maxTitle = 1000     // characters
	maxLine  = 64 << 10 // bytes of an answer's first line
)

// The exit codes of a process that gives up.
const (
	exitMemory = 3
	exitTime   = 4
)

const (
	maxReads       = 10
	maxConversions = 2
)

var (
	reads       = make(chan struct{}, maxReads)
	conversions = make(chan struct{}, maxConversions)
)

// enter waits for a free slot; leave frees it.
func enter(ctx context.Context, slots chan struct{}) (leave func(), err error) {
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// order is the request line to the process.
type order struct {
	Type   string `json:"type"`
	Header string `json:"header"` // Content-Type as the server wrote it
	From   string `json:"from"`
	Size   int64  `json:"size"` // of the document, -1 if the server did not send it
	// Raw asks for the document's own text.
	Raw bool `json:"raw,omitzero"`
	// Extract asks for the readable part in a format: AsText or AsMarkdown.
	Extract string `json:"extract,omitzero"`
	// Memory is the memory limit of the process, in bytes, if that is less than childMemory.
	Memory int64 `json:"memory,omitzero"`
}

// found is the answer line of the process; the text follows.
type found struct {
	Title    string `json:"title"`
	Byline   string `json:"byline,omitzero"`
	Excerpt  string `json:"excerpt,omitzero"`
	Scripted bool   `json:"scripted,omitzero"`
	Error    string `json:"error,omitzero"`
	Size     int    `json:"size"`
	// More says that the process takes another document after this one.
	More bool `json:"more,omitzero"`
}

// Child converts documents and returns true if this process was started for that. Programs that use Readers call it
// first.
func Child() bool {
	if len(os.Args) != 1 || filepath.Base(os.Args[0]) != childName {
		return false
	}
	confine()
	debug.SetMemoryLimit(childMemoryTarget)
	debug.SetMaxStack(childStack)
	c := child{in: bufio.NewReader(os.Stdin), out: bufio.NewWriter(os.Stdout)}
	if os.Getenv(startedAhead) != "" {
		readSample()
	}
	for more := true; more; {
		if _, err := c.in.Peek(1); err != nil { // it may be long until there is an order: see prepareProcess
			return true
		}
		var err error
		if more, err = c.limited(); err != nil {
			os.Exit(1) // there is no request, or no reader of the answer any more
		}
	}
	return true
}

// sample has what most documents have. What it takes to read it, code and memory, is there for the document that follows.
const sample = `<!doctype html><html><head><title>Sample</title><meta name="author" content="Nobody"></head><body><nav><a href="/a">A</a></nav>
<main><article><h1>Heading</h1><p>A paragraph with <a href="/b">a link</a>, <code>code</code>, <em>emphasis</em> and enough words to count as text, for it has
commas, sentences, and an end.</p><ul><li>One</li><li>Two</li></ul><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table><pre>x</pre>
<blockquote>Words</blockquote><img src="/i.png" alt="Image"></article></main></body></html>`

// readSample reads the sample in each way in which documents are read.
func readSample() {
	for _, as := range []string{"", AsText, AsMarkdown} {
		p, o := Page{Type: "text/html"}, order{Type: "text/html", Header: "text/html; charset=utf-8", From: "http://localhost/", Extract: as}
		_ = p.safely([]byte(sample), &o) // only its traces count
	}
}

// child is the work of the process.
type child struct {
	in  *bufio.Reader
	out *bufio.Writer
	// memory is what the process may take for this document, in bytes.
	memory atomic.Int64
	// spent is the time of the documents before.
	spent time.Duration
}

// limited answers one order, and ends the process if that takes too much.
func (c *child) limited() (more bool, err error) {
	c.memory.Store(childMemory)
	done := make(chan struct{})
	var limiter sync.WaitGroup
	limiter.Go(func() { c.limitResources(done) })
	began := time.Now()
	more, err = c.convert(func() bool { return mayContinue(c.spent + time.Since(began)) })
	close(done)
	limiter.Wait()
	c.spent += time.Since(began)
	return more, err
}

// mayContinue reports whether the process is as good as a new one after so much time for documents: what one of them
// took is not to make another fail.
func mayContinue(spent time.Duration) bool {
	_, most := taken()
	return spent < keptTime && most < keptMemory
}

// taken returns the memory of this process, in bytes: what it has now, and the most that it ever had.
func taken() (now, most uint64) {
	// Package runtime/metrics would report the same without stopping goroutines, but costs every command 0.06 ms, because
	// it is initialised before package first.
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys - m.HeapReleased, m.Sys
}

// limitResources ends the process when the document takes too much.
func (c *child) limitResources(done <-chan struct{}) {
	poll := time.NewTicker(childPollInterval)
	defer poll.Stop()
	for began := time.Now(); ; {
		select {
		case <-done:
			return
		case <-poll.C:
		}
		if now, _ := taken(); now > uint64(c.memory.Load()) {
			os.Exit(exitMemory)
		}
		if time.Since(began) > childLimit+time.Second {
			os.Exit(exitTime)
		}
	}
}

// convert answers one order. Its error is one of the streams. It reports whether the process takes another, which mayGoOn
// says after the conversion.
func (c *child) convert(mayGoOn func() bool) (more bool, err error) {
	line, err := c.in.ReadBytes('\n')
	if err != nil {
		return false, err
	}
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		return false, err
	}
	if o.Memory > 0 {
		c.memory.Store(min(o.Memory, childMemory))
	}
	body := bytes.NewBuffer(make([]byte, 0, min(max(o.Size, 0), MaxSize)+bytes.MinRead))
	if _, err := body.ReadFrom(&chunkReader{from: c.in}); err != nil {
		return false, err
	}
	p := &Page{Type: o.Type}
	f := found{}
	if err := p.safely(body.Bytes(), &o); err != nil {
		f.Error, p = clip(err.Error(), maxTitle), &Page{}
	}
	p.Text = strings.TrimSpace(strings.Map(printable, strings.ToValidUTF8(p.Text, "\uFFFD")))
	if len(p.Text) > maxText {
		f.Error, p.Text = fmt.Sprintf("it has more than %d MB of text", maxText>>20), ""
	}
	f.Title, f.Scripted, f.Size = clip(strings.ToValidUTF8(p.Title, "\uFFFD"), maxTitle), p.Scripted, len(p.Text)
	if o.Extract != "" {
		f.Byline, f.Excerpt = clip(strings.ToValidUTF8(p.byline, "\uFFFD"), maxTitle), clip(strings.ToValidUTF8(p.excerpt, "\uFFFD"), maxTitle)
	}
	// The library for PDF is the one that the tests make loop and grow without end.
	f.More = f.Error == "" && o.Type != "application/pdf" && mayGoOn()
	head, err := json.Marshal(f)
	if err == nil {
		_, err = c.out.Write(append(head, '\n'))
	}
	if err == nil {
		_, err = c.out.WriteString(p.Text)
	}
	if err == nil {
		err = c.out.Flush()
	}
	return f.More, err
}

// safely reads a document that may bring its reader to panic.
func (p *Page) safely(body []byte, o *order) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("it is damaged, or of a kind that cannot be read: %v", cause)
		}
	}()
	from, err := url.Parse(o.From)
	if err != nil {
		return err
	}
	return p.read(body, o.Header, from, o)
}

// clip cuts a text to so many characters.
func clip(s string, most int) string {
	for i := range s {
		if most--; most < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// printable drops what would steer a terminal.
func printable(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return -1
	}
	return r
}

// errLarge is the error for a document with more than [Most] bytes.
var errLarge = fmt.Errorf("it is larger than %d MB", MaxSize>>20)

// convertInChild sends the document, as it arrives, to a process.
func (p *Page) convertInChild(ctx context.Context, document io.Reader, o order) error {
	limited, cancel := context.WithTimeout(ctx, childLimit)
	c, err := takeProcess(o)
	if err != nil {
		cancel()
		return err
	}
	stop := context.AfterFunc(limited, c.kill)
	wait := func() error {
		defer cancel()
		defer stop()
		return c.cmd.Wait()
	}
	more, err := p.converse(limited, c.in, c.out, document)
	if err == nil && more && stop() && keepProcess(c) {
		cancel()
		return nil
	}
	if err == nil {
		go func() {
			_ = c.in.Close() // it was to end anyway
			_ = wait()       // the answer is complete
			prepareProcess()
		}()
		return nil
	}
	c.kill() // it is of no use any more
	overdue := errors.Is(limited.Err(), context.DeadlineExceeded)
	ended := wait()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case overdue:
		return fmt.Errorf("it was not read within %s", childLimit)
	case errors.Is(err, errChild):
		return exitError(ended, err)
	}
	return err
}

// errChild is wrapped by failures that are the process's.
var errChild = errors.New("the process that reads it ended early")

// exitError returns why the process ended without an answer.
func exitError(ended, err error) error {
	var exit *exec.ExitError
	if errors.As(ended, &exit) {
		switch exit.ExitCode() {
		case exitMemory:
			return fmt.Errorf("it needs more memory than the limit (%d MB)", childMemory>>20)
		case exitTime:
			return fmt.Errorf("it was not read within %s", childLimit)
		}
		return fmt.Errorf("it is damaged, or needs more memory than the limit: the process that reads it ended with %s", exit.ProcessState)
	}
	return err
}

// converse sends the document, waits for a turn, and takes the answer. It returns whether the process takes another.
func (p *Page) converse(ctx context.Context, in io.Writer, out *bufio.Reader, document io.Reader) (more bool, err error) {
	sink := newChunkWriter(in)
	n, err := io.Copy(sink, io.LimitReader(document, MaxSize+1))
	switch {
	case sink.err != nil:
		return false, fmt.Errorf("%w: %w", errChild, sink.err)
	case err != nil:
		return false, fmt.Errorf("the response ended after %d bytes: %w", n, plain(err))
	case n > MaxSize:
		return false, errLarge
	}
	leave, err := enter(ctx, conversions)
	if err != nil {
		return false, err
	}
	defer leave()
	if err := sink.end(); err != nil {
		return false, fmt.Errorf("%w: %w", errChild, err)
	}
	return p.answer(out)
}

// answer reads the answer of the process. It is no more trusted than the document. It returns whether the
// process takes another document.
func (p *Page) answer(out *bufio.Reader) (more bool, err error) {
	var line []byte
	for len(line) == 0 || line[len(line)-1] != '\n' {
		part, err := out.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxLine || err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return false, fmt.Errorf("%w: %w", errChild, err)
		}
	}
	var f found
	if err := json.Unmarshal(line, &f); err != nil {
		return false, fmt.Errorf("%w: %w", errChild, err)
	}
	if f.Error != "" {
		return false, errors.New(f.Error)
	}
	if f.Size < 0 || f.Size > maxText {
		return false, fmt.Errorf("%w: it declares %d bytes", errChild, f.Size)
	}
	var text strings.Builder
	text.Grow(f.Size)
	if _, err := io.CopyN(&text, out, int64(f.Size)); err != nil {
		return false, fmt.Errorf("%w: %w", errChild, err)
	}
	if !utf8.ValidString(text.String()) {
		return false, fmt.Errorf("%w: its text is damaged", errChild)
	}
	p.Title, p.Text, p.Scripted = f.Title, text.String(), f.Scripted
	p.byline, p.excerpt = f.Byline, f.Excerpt
	return f.More, nil
}
