package files

import (
	"github.com/usher-browser/usher/internal/tool"
)

// readFileResult is the result of read_file.
type readFileResult struct {
	tool.Success
	Content string `json:"content"`
	Lines   int    `json:"total_lines"`
	Next    int    `json:"next_offset,omitzero"` // the first line that was not returned
}

// writeFileResult is the result of write_file.
type writeFileResult struct {
	tool.Success
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
}

// patchResult is the result of patch.
type patchResult struct {
	tool.Success
	Path     string `json:"path"`
	Replaced int    `json:"replaced"` // number of replacements
}

// searchFilesResult is the result of search_files.
type searchFilesResult struct {
	tool.Success
	Matches   []fileMatch `json:"matches"`
	Truncated bool        `json:"truncated"` // there are more matches, or not all files were searched
}

// fileMatch is a matching file, or a matching line of one.
type fileMatch struct {
	File string     `json:"file"`
	Line *lineMatch `json:",embed"` // nil if names were searched
}

// lineMatch is a line of a file.
type lineMatch struct {
	Number int    `json:"line"`
	Text   string `json:"text"` // trimmed and cut to 300 bytes
}
