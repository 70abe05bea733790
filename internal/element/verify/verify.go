// Package verify finds out what input did, from what the browser reports: the events that reached the page, and the
// dialogs, navigations, tabs and downloads that they caused.
package verify
