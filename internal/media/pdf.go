package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	stream "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/page"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/wire"
)

// streamChunk is the size, in bytes, of one read of a stream.
const streamChunk = 1 << 20

// PDF prints a page: with backgrounds, with the paper size of its style sheet or else Letter, tagged for screen readers
// and with an outline of its headings. It writes to w as the browser returns it. The caller guards ctx
// against a blocked tab.
func PDF(ctx context.Context, s *cdp.Session, w io.Writer) error {
	res, err := printPage(ctx, s, page.PrintToPDFTransferModeReturnAsBase64) // for a stream Chromium writes a file first, for 4 ms
	if tooLarge(err) {
		res, err = printPage(ctx, s, page.PrintToPDFTransferModeReturnAsStream)
	}
	switch {
	case err != nil:
		return fmt.Errorf("print the page: %w", err)
	case res.Stream != "":
		if err := CopyStream(ctx, s, res.Stream, w); err != nil {
			return fmt.Errorf("fetch the printed page: %w", err)
		}
		return nil
	}
	if _, err := w.Write(res.Data); err != nil {
		return fmt.Errorf("write the printed page: %w", err)
	}
	return nil
}

func tooLarge(err error) bool {
	var failed *cdp.Error
	return errors.As(err, &failed) && failed.Code == wire.CodeTooLarge
}

// A page that is being printed is tried again at intervals of printAgain, for printWait: the browser sends no event when
// its own print() ends.
const (
	printAgain = 50 * time.Millisecond
	printWait  = 2 * time.Second
)

// printPage prints a page as soon as its own print() has ended.
func printPage(ctx context.Context, s *cdp.Session, as page.PrintToPDFTransferMode) (page.PrintToPDFResult, error) {
	for begun := time.Now(); ; {
		res, err := cdp.Do(ctx, s, page.PrintToPDF, page.PrintToPDFParams{
			PrintBackground: new(true), PreferCSSPageSize: new(true),
			GenerateTaggedPDF: new(true), GenerateDocumentOutline: new(true),
			TransferMode: as,
		})
		if err == nil || !strings.Contains(err.Error(), "already being printed") {
			return res, err
		}
		if time.Since(begun) > printWait {
			return res, api.Errorf(api.CaptureFailed, "the page is being printed: its print dialog is open").WithHint("Close the dialog in the browser's window, or open the page in a new tab.")
		}
		select {
		case <-time.After(printAgain):
		case <-ctx.Done():
			return res, err
		}
	}
}

// CopyStream writes the chunks of a stream of the browser to w as they come, and closes the stream.
func CopyStream(ctx context.Context, s *cdp.Session, handle stream.StreamHandle, w io.Writer) error {
	defer s.Post(string(stream.CommandClose), stream.CloseParams{Handle: handle}, nil)
	// One chunk is on its way while the one before is written.
	next := cdp.Start(s, stream.Read, stream.ReadParams{Handle: handle, Size: streamChunk})
	for {
		chunk, err := next.Wait(ctx)
		if err != nil {
			return err
		}
		if !chunk.EOF {
			next = cdp.Start(s, stream.Read, stream.ReadParams{Handle: handle, Size: streamChunk})
		}
		if _, err := w.Write(chunk.Data); err != nil {
			return fmt.Errorf("write what the browser sent: %w", err)
		}
		if chunk.EOF {
			return nil
		}
	}
}
