package compact

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
)

// spillBudget is how large the files of all shortened results may be together, in bytes.
const spillBudget = 32 << 20

// isSpill matches the names of files that spill writes. All others are a command's or a person's.
var isSpill = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(snapshot|output)-[0-9a-f]{12}\.txt$`) })

// trim removes the oldest files of shortened results until all of them are within the budget. It keeps one, whatever its size.
func trim(dir, keep string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	var size int64
	for _, e := range entries {
		if !isSpill().MatchString(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) { // another call has removed it
			continue
		}
		if err != nil {
			return err
		}
		files, size = append(files, info), size+info.Size()
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		if size <= spillBudget {
			break
		}
		if f.Name() == filepath.Base(keep) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		size -= f.Size()
	}
	return nil
}
