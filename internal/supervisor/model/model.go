// Package model has the data that describe a browser: its tabs, frames,
// dialogs, interruptions and downloads, and the changes that happened to them.
//
// A [State] is an immutable snapshot that anyone may load without a lock.
// Package fold makes one from the next; this package only reads them.
package model
