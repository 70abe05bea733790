package media

import (
	"context"
	"fmt"
	"io"

	stream "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/page"

	"github.com/usher-browser/usher/internal/cdp"
)

// pdfChunk is the size, in bytes, of one read of a PDF.
const pdfChunk = 1 << 20

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
	defer s.Post(string(stream.CommandClose), stream.CloseParams{Handle: res.Stream}, nil)
	// One chunk is on its way while the one before is written.
	next := cdp.Start(s, stream.Read, stream.ReadParams{Handle: res.Stream, Size: pdfChunk})
	for {
		chunk, err := next.Wait(ctx)
		if err != nil {
			return fmt.Errorf("fetch the printed page: %w", err)
		}
		if !chunk.EOF {
			next = cdp.Start(s, stream.Read, stream.ReadParams{Handle: res.Stream, Size: pdfChunk})
		}
		if _, err := w.Write(chunk.Data); err != nil {
			return fmt.Errorf("write the printed page: %w", err)
		}
		if chunk.EOF {
			return nil
		}
	}
}
