package commands

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/client"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/verb"
)

// answer is the structured result of a call.
type answer struct {
	ExitCode int      `json:"exitCode"` // of the command in a shell
	Response response `json:"response"`
	Stdout   string   `json:"stdout"` // always empty: it would repeat the response
	Stderr   string   `json:"stderr"`
}

// response is what the command prints with --json.
type response struct {
	Success bool           `json:"success"`
	Data    jsontext.Value `json:"data"`
	Error   *string        `json:"error"`
	Code    api.Code       `json:"code,omitzero"` // see docs/ERRORS.md
	Warning string         `json:"warning,omitzero"`
}

// failure returns the result of a command that failed.
func failure(err error) *tool.Result {
	e := api.AsError(err)
	message := e.Sentence()
	data := jsontext.Value("null")
	if len(e.Data) > 0 {
		data = tool.Encode(e.Data)
	}
	return &tool.Result{Failed: true, Page: message, Value: &answer{ExitCode: api.ExitOf(err), Response: response{Data: data, Error: &message, Code: e.Code}}}
}

// result returns the result of a command that succeeded. A text that is too long is cut, and the result names a file with all of it.
func (c *command) result(ctx context.Context, h *tool.Host, v *verb.Verb, reply *client.Reply) (*tool.Result, error) {
	a := &answer{Response: response{Success: true, Data: reply.Data, Warning: reply.Warning}}
	if len(a.Response.Data) == 0 {
		a.Response.Data = jsontext.Value("null")
	}
	res := &tool.Result{Value: a, Text: reply.Warning}
	if failedRow(a.Response.Data) {
		a.ExitCode, a.Response.Success, res.Failed = 1, false, true
	}
	text := c.mainText(a.Response.Data)
	bounded, err := h.Bounded(c.name, text)
	if err != nil {
		return nil, err
	}
	if bounded != text && c.text != "" {
		a.Response.Data = replaced(a.Response.Data, c.text, bounded)
	}
	res.Page = bounded
	if v.Name == "screenshot" && h.AcceptsImages {
		res.Images = picture(ctx, a.Response.Data)
	}
	return res, nil
}

// failedRow reports whether the data are those of a batch of which a command failed.
func failedRow(data jsontext.Value) bool {
	var rows []struct {
		Success *bool `json:"success"`
	}
	if data.Kind() != '[' || json.Unmarshal(data, &rows, jsontext.AllowInvalidUTF8(true)) != nil {
		return false
	}
	for _, r := range rows {
		if r.Success != nil && !*r.Success {
			return true
		}
	}
	return false
}

// mainText returns the text of a result for the model: the member of the data that the tool is about, or all of them except those that
// are the same for every command.
func (c *command) mainText(data jsontext.Value) string {
	members := membersOf(data)
	if len(members) == 0 {
		return string(data)
	}
	if v, ok := members[c.text]; ok {
		if v.Kind() == '"' {
			return tool.DecodeString(v)
		}
		return string(v)
	}
	delete(members, "lifecycle")
	return string(tool.Encode(members))
}

// membersOf returns the members of an object by name, nil for another value.
func membersOf(data jsontext.Value) map[string]jsontext.Value {
	var members map[string]jsontext.Value
	if len(data) == 0 || data.Kind() != '{' || json.Unmarshal(data, &members, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil {
		return nil
	}
	return members
}

// replaced returns data with another text as a member, and of the refs of a snapshot those that the text has.
func replaced(data jsontext.Value, name, text string) jsontext.Value {
	members := membersOf(data)
	members[name] = tool.Encode(text)
	if refs := membersOf(members["refs"]); refs != nil {
		maps.DeleteFunc(refs, func(ref string, _ jsontext.Value) bool {
			return !strings.Contains(text, "ref="+ref+"]") && !strings.Contains(text, "ref="+ref+",")
		})
		members["refs"] = tool.Encode(refs)
	}
	return tool.Encode(members)
}

// picture returns the image of a screenshot; none if it cannot be read: its path is in the result.
func picture(ctx context.Context, data jsontext.Value) []tool.Image {
	path, ok := membersOf(data)["path"]
	if !ok || path.Kind() != '"' {
		return nil
	}
	raw, err := files.Read(ctx, tool.DecodeString(path), tool.MaxImage)
	if err != nil || !slices.ContainsFunc([]string{"image/png", "image/jpeg", "image/webp"}, func(t string) bool { return http.DetectContentType(raw) == t }) {
		return nil
	}
	return []tool.Image{{MIMEType: http.DetectContentType(raw), Bytes: bytes.Clone(raw)}}
}
