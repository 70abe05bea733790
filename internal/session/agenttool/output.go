package agenttool

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
)

// outputPath returns the absolute path of outputPath; "" without it.
func (c *call) outputPath() string {
	if c.in.OutputPath == nil {
		return ""
	}
	path := strings.TrimPrefix(strings.TrimSpace(*c.in.OutputPath), "@")
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.request.Cwd, path)
	}
	return filepath.Clean(path)
}

// writeOutput writes the file of outputPath.
func (c *call) writeOutput(data jsontext.Value, text string) error {
	path := c.outputPath()
	if path == "" {
		return nil
	}
	content, source := []byte(text), "text"
	if len(data) > 0 {
		source = "data"
		if content = []byte(data); data.Kind() == '"' {
			var one string
			result.Read(data, &one)
			content = []byte(one)
		} else if pretty := jsontext.Value(slices.Clone(content)); pretty.Indent() == nil {
			content = append(pretty, '\n')
		}
	}
	if err := c.mayWrite(path); err != nil {
		return err
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, content, 0o644)
	}
	if err != nil {
		return api.Errorf(api.FileWriteFailed, "outputPath: %w", err)
	}
	c.details.OutputFile = &result.OutputFile{Path: path, Bytes: len(content), Source: source}
	return nil
}

// outputLine names the written file.
func (c *call) outputLine() string {
	o := c.details.OutputFile
	if o == nil || c.json {
		return ""
	}
	return fmt.Sprintf("Output file: %s (%d bytes from %s).", o.Path, o.Bytes, o.Source)
}

// mayWrite returns an error for a file that agents must not write.
func (c *call) mayWrite(path string) error {
	if !c.h.Guarded() {
		return nil
	}
	return c.h.MayWrite(filepath.Clean(path))
}
