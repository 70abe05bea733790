package input

import (
	"github.com/chromedp/cdproto/input"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/geometry"
)

// copyFiles is the operation that the source of a drag of files allows, as a bit of DragOperationsMask.
const copyFiles = 1

// DropFiles drags files to a point and drops them.
func (d *Devices) DropFiles(session string, at geometry.Point, paths []string) Sent {
	var all Sent
	for _, kind := range []input.DispatchDragEventType{
		input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop,
	} {
		all = append(all, cdp.Start(d.browser.Session(session), input.DispatchDragEvent, input.DispatchDragEventParams{
			Type: kind, X: at.X, Y: at.Y, Modifiers: d.modifiers(),
			Data: &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: copyFiles},
		}))
	}
	return all
}
