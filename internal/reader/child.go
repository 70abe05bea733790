package reader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// A PDF comes from anywhere, and the library that reads it can be kept busy for ever. So a process of its own reads it: the same
// program, told so by a variable, with the file on its standard input and the text on its standard output. It ends by itself
// when it takes too long or too much memory, also if nobody is left who could end it.

const (
	childVariable = "USHER_READ_PDF"
	childLimit    = 60 * time.Second
	childMemory   = 1 << 30 // bytes
	childLook     = 50 * time.Millisecond
)

// found is what the process tells.
type found struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	Error string `json:"error"`
}

// Child reads a PDF if this process was started for that, and says so. Programs whose Readers may meet PDFs call it first.
func Child() bool {
	if os.Getenv(childVariable) == "" {
		return false
	}
	go func() { // ends with the process
		for began := time.Now(); ; time.Sleep(childLook) {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			if m.HeapAlloc > childMemory || time.Since(began) > childLimit {
				os.Exit(3)
			}
		}
	}()
	var p Page
	body, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = p.parsePDF(body)
	}
	out := found{Title: strings.ToValidUTF8(p.Title, "\uFFFD"), Text: strings.ToValidUTF8(p.Text, "\uFFFD")}
	if err != nil {
		out.Error = err.Error()
	}
	if json.MarshalWrite(os.Stdout, out) != nil {
		os.Exit(1) // nobody listens any more
	}
	return true
}

// pdf has a process read the text.
func (p *Page) pdf(ctx context.Context, body []byte) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("read the PDF: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, childLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program)
	cmd.Args[0] = os.Args[0] // by which some programs tell what they are
	cmd.Env = append(os.Environ(), childVariable+"=1")
	cmd.Stdin = bytes.NewReader(body)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return errors.New("the PDF was not read in time")
	case errors.As(err, &ended):
		return errors.New("the PDF is damaged, or takes more memory than can be given to it")
	case err != nil:
		return fmt.Errorf("read the PDF: %w", err)
	}
	var f found
	if err := json.Unmarshal(out, &f); err != nil {
		return fmt.Errorf("read the PDF: %w", err)
	}
	if f.Error != "" {
		return errors.New(f.Error)
	}
	p.Title, p.Text = f.Title, f.Text
	return nil
}
