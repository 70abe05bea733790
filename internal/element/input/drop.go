package input

import (
	"github.com/chromedp/cdproto/input"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/geometry"
)

// copyFiles is the operation that the source of a drag of files allows, as a bit of DragOperationsMask.
const copyFiles = 1

// DragFiles drags files to a point. [Devices.DropFiles] or [Devices.CancelDrag] ends that.
func (d *Devices) DragFiles(session string, at geometry.Point, paths []string) Sent {
	return Sent{
		d.dragFiles(session, input.DispatchDragEventTypeDragEnter, at, paths),
		d.dragFiles(session, input.DispatchDragEventTypeDragOver, at, paths),
	}
}

// DropFiles drops files where they were dragged to. Chromium opens files in new tabs that a page does not accept there.
func (d *Devices) DropFiles(session string, at geometry.Point, paths []string) *Event {
	return d.dragFiles(session, input.DispatchDragEventTypeDrop, at, paths)
}

func (d *Devices) dragFiles(session string, kind input.DispatchDragEventType, at geometry.Point, paths []string) *Event {
	return cdp.Start(d.browser.Session(session), input.DispatchDragEvent, input.DispatchDragEventParams{
		Type: kind, X: at.X, Y: at.Y, Modifiers: d.modifiers(),
		Data: &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: copyFiles},
	})
}
