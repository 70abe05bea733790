// Package payload checks the files and folders that are uploaded to a page or dropped on it.
package payload

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/files"
)

// CountFolders checks paths as [Check] does and counts the directories.
func CountFolders(ctx context.Context, paths []string) (folders int, err error) {
	for _, p := range paths {
		isFolder, err := Check(ctx, p)
		if err != nil {
			return 0, err
		}
		if isFolder {
			folders++
		}
	}
	return folders, nil
}

// Check checks that an absolute path can be read, and reports whether it is a directory. Errors:
// [api.FileNotFound], [api.InvalidArgument].
func Check(ctx context.Context, path string) (isFolder bool, err error) {
	if !filepath.IsAbs(path) {
		return false, api.Errorf(api.InvalidArgument, "%s is not an absolute path", path)
	}
	info, err := files.Stat(ctx, path)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return false, fmt.Errorf("read %s: %w", path, cause)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, api.Errorf(api.FileNotFound, "there is no file %s", path).With("path", path)
	case err != nil:
		return false, api.Errorf(api.FileNotFound, "read %s: %w", path, err).With("path", path)
	case info.IsDir():
		return true, nil
	case !info.Mode().IsRegular():
		return false, api.Errorf(api.FileNotFound, "%s is not a regular file", path).With("path", path)
	}
	f, err := files.Open(ctx, path)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return false, fmt.Errorf("read %s: %w", path, cause)
	}
	if err != nil {
		return false, api.Errorf(api.FileNotFound, "read %s: %w", path, err).With("path", path)
	}
	return false, f.Close()
}
