package raw

import (
	"encoding/base64"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/policy"
)

// Limits of the printed result. The rest is in a file.
const (
	maxText = 50_000   // bytes of text, for people and models
	maxJSON = 32 << 20 // bytes of JSON, for programs
)

// Called is the result of `cdp`.
type Called struct {
	Method string `json:"method"`
	// Result is what the browser returned, without secrets; null if it is too large and is in Artifact.
	Result   jsontext.Value `json:"result"`
	Browser  bool           `json:"browser,omitzero"` // the browser itself was called
	TabID    string         `json:"tabId,omitzero"`
	TargetID string         `json:"targetId,omitzero"`
	FrameID  string         `json:"frameId,omitzero"`
	Artifact string         `json:"artifact,omitzero"` // a file with all of the result
	Bytes    int            `json:"bytes,omitzero"`    // of the result in the file
}

// callResult returns the result of a raw CDP call, without secrets.
func callResult(e *run.Env, call *rawCall, raw jsontext.Value) (run.Reply[*Called], error) {
	result, err := policy.JSON(raw, binaryFields(call, raw)...)
	if err != nil {
		return run.Reply[*Called]{}, api.Errorf(api.ProtocolError, "cdp %s: the browser sent no JSON: %w", call.method, err)
	}
	data := &Called{Method: call.method, Result: result}
	if call.whole {
		data.Browser = true
	} else {
		data.TabID, data.TargetID = run.TabID(call.tab), string(call.tab.ID)
	}
	if call.frame != nil {
		data.FrameID = string(call.frame.ID)
	}
	out := run.Reply[*Called]{Data: data, Warning: pauseWarning(call.method)}
	if e.Settings.JSON {
		if len(result) <= maxJSON {
			return out, nil
		}
		path, err := keepResult(e, call, result)
		if err != nil {
			return run.Reply[*Called]{}, err
		}
		data.Result, data.Artifact, data.Bytes = jsontext.Value("null"), path, len(result)
		return out, nil
	}
	pretty := result.Clone()
	if err := pretty.Indent(jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return run.Reply[*Called]{}, api.Errorf(api.ProtocolError, "cdp %s: the browser sent no JSON: %w", call.method, err)
	}
	if out.Text = string(pretty); len(out.Text) > maxText {
		path, err := keepResult(e, call, pretty)
		if err != nil {
			return run.Reply[*Called]{}, err
		}
		data.Artifact = path
		out.Text = fmt.Sprintf("%s\n… cut off here; all of it (%d bytes) is in %s", run.Head(out.Text, maxText), len(pretty), path)
	}
	return out, nil
}

// binaryFields returns the fields of the result that really are bytes in base64. A field that the protocol declares so
// may be text, as the field beside it shows; and text must be redacted.
func binaryFields(call *rawCall, raw jsontext.Value) []string {
	if call.known == nil || len(call.known.Binary) == 0 {
		return nil
	}
	var fields map[string]jsontext.Value
	if jsonv2.Unmarshal(raw, &fields, jsontext.AllowInvalidUTF8(true)) != nil || string(fields["base64Encoded"]) == "false" {
		return nil
	}
	var binary []string
	for _, name := range call.known.Binary {
		var text string
		if jsonv2.Unmarshal(fields[name], &text) != nil {
			continue
		}
		if _, err := io.Copy(io.Discard, base64.NewDecoder(base64.StdEncoding, strings.NewReader(text))); err == nil {
			binary = append(binary, name)
		}
	}
	return binary
}

// pauseWarning warns of commands after which the page waits for its caller.
func pauseWarning(method string) string {
	switch method {
	case "Fetch.enable":
		return "requests of this tab are now paused until you continue them; `cdp Fetch.disable` continues all"
	case "Debugger.pause":
		return "the next script of this tab will pause; `cdp Debugger.resume` or `cdp Debugger.disable` continues it"
	}
	return ""
}

// keepResult writes a result that is too long to print into a file of its own.
func keepResult(e *run.Env, call *rawCall, text []byte) (string, error) {
	dir, err := e.OwnDir("cdp")
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("%s-%s.json", strings.ReplaceAll(call.method, ".", "-"), time.Now().UTC().Format("20060102T150405.000000"))
	path := filepath.Join(dir, name)
	err = media.WriteOwn(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	return path, err
}
