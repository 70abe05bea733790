package media

import (
	"context"
	"fmt"
	"io"

	stream "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/page"

	"github.com/usher-browser/usher/internal/cdp"
)

// streamChunk is the size, in bytes, of one read of a stream.
const streamChunk = 1 << 20

// PDF prints a page: with backgrounds, with the paper size of its style sheet or else Letter, tagged for screen readers
// and with an outline of its headings. It writes the chunks to w as the browser returns them. The caller guards ctx
// against a blocked tab.
func PDF(ctx context.Context, s *cdp.Session, w io.Writer) error {
	res, err := cdp.Do(ctx, s, page.PrintToPDF, page.PrintToPDFParams{
		PrintBackground: new(true), PreferCSSPageSize: new(true),
		GenerateTaggedPDF: new(true), GenerateDocumentOutline: new(true),
		TransferMode: page.PrintToPDFTransferModeReturnAsStream,
	})
	if err != nil {
		return fmt.Errorf("print the page: %w", err)
	}
	if err := CopyStream(ctx, s, res.Stream, w); err != nil {
		return fmt.Errorf("fetch the printed page: %w", err)
	}
	return nil
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
