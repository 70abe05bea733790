//go:build !unix

package dirs

import "io/fs"

// Mine returns nil where the system itself protects the directories of a user from others.
func Mine(string, fs.FileInfo) error { return nil }
