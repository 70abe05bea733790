// Package model has the data that describe a browser: its tabs, frames, dialogs, interruptions and downloads, and their
// changes.
//
// A [State] is an immutable snapshot that may be read without a lock. Package fold computes each from the previous one.
package model
