package har

import (
	"context"
	"errors"
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/files"
)

// MaxFile is the largest file that Read reads, in bytes.
const MaxFile = 512 << 20

// ErrNoLog is in the chain of the error for JSON that is no HAR.
var ErrNoLog = errors.New("it has no list of entries (log.entries)")

// Read reads a file. Errors: those of [files.Read]; an error that says where the JSON is wrong; [ErrNoLog].
func Read(ctx context.Context, path string) (*Log, error) {
	raw, err := files.Read(ctx, path, MaxFile)
	if err != nil {
		return nil, err
	}
	return Parse(raw)
}

// Parse parses the content of a file. Unknown members are ignored.
func Parse(raw []byte) (*Log, error) {
	raw = []byte(strings.TrimPrefix(string(raw), "\ufeff")) // some programs write one
	var file struct {
		Log *struct {
			Log
			Entries *[]Entry `json:"entries"`
		} `json:"log"`
	}
	if err := jsonv2.Unmarshal(raw, &file, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		var syntax *jsontext.SyntacticError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("it is no JSON from byte %d on: %w", syntax.ByteOffset, syntax.Err)
		}
		return nil, fmt.Errorf("it is no HAR: %w", err)
	}
	if file.Log == nil || file.Log.Entries == nil {
		return nil, ErrNoLog
	}
	log := file.Log.Log
	log.Entries = *file.Log.Entries
	return &log, nil
}
