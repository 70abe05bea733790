//go:build !unix

package script

import "os"

// root is the directory in which processes run: this one's, as there is none that is everywhere.
const root = ""

// self is this process's own program.
func self() (string, error) { return os.Executable() }
