package code

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
)

// ran is the part of the data of `run` that the tool uses, of a failure, too.
type ran struct {
	Value     jsontext.Value `json:"value"`
	Text      string         `json:"text"`
	Undefined bool           `json:"undefined"`
	// Unserializable is a number that JSON has no form for.
	Unserializable string       `json:"unserializable"`
	Display        []displayed  `json:"display"`
	Console        []line       `json:"console"`
	URL            string       `json:"url"`
	Shots          []screenshot `json:"screenshots"`
	Error          *struct {
		Name    string `json:"name"`
		Message string `json:"message"`
		Line    int    `json:"line"`
		Column  int    `json:"column"`
		Hint    string `json:"hint"`
	} `json:"error"`
	News    []string `json:"news"`
	Reset   bool     `json:"reset"`
	warning string   `json:"-"`
}

// screenshot is a picture that the code took with tab.screenshot.
type screenshot struct {
	Dest     string `json:"dest"` // the file
	MIMEType string `json:"mimeType"`
	Bytes    int    `json:"bytes"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
}

type displayed struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Data     []byte `json:"data"`
	MIMEType string `json:"mimeType"`
}

type line struct {
	Level string `json:"level"`
	Text  string `json:"text"`
	After int    `json:"after"`
}

var runQuery = tool.NewQuery[ran]("run")

// execute runs code in a tab.
func execute(ctx context.Context, h *tool.Host, t *tool.Tab, code string, limit time.Duration) (*ran, error) {
	out, warning, err := runQuery.Run(ctx, h, tool.Values("code", code, "tab", t.Target, "timeout", limit.String()))
	out.warning = warning
	return &out, err
}

// run runs the agent's code.
func run(ctx context.Context, h *tool.Host, name string, a tool.Args) (*tool.Result, error) {
	code := a.Str("code")
	if strings.TrimSpace(code) == "" {
		return nil, api.Errorf(api.MissingArgument, "browser: the action run needs code").WithHint(`Give the body of an async function, such as: return await tab.title()`)
	}
	t, ok, err := find(ctx, h, name)
	if err == nil && !ok {
		err = notAlive(name)
	}
	if err != nil {
		return nil, err
	}
	out, err := execute(ctx, in(h, t.Session), &t, code, timeout(a))
	if err != nil {
		return failed(h, name, err)
	}
	t.URL = out.URL
	h.Tabs.Set(name, t)
	blocks := out.blocks(h)
	if !out.Undefined {
		blocks = append(blocks, tool.Block{Text: out.text()})
	}
	res := result{Success: tool.Succeeded, Action: "run", Name: name, Browser: t.Kind, URL: out.URL, Shots: out.Shots, Warning: tool.ReplaceCommands(out.warning)}
	if len(blocks) == 0 {
		res.Result = fmt.Sprintf("Ran code on tab %q", name)
		return &tool.Result{Value: res, Text: withWarning(res.Result, res.Warning), Blocks: blocks}, nil
	}
	if blocks, res.Result, err = bounded(h, blocks); err != nil {
		return nil, err
	}
	return &tool.Result{Value: res, Text: withWarning("", res.Warning), Blocks: blocks}, nil
}

func notAlive(name string) error {
	return api.Errorf(api.TabNotFound, "browser: tab %q is not alive", name).WithHint("Reopen it: action open with this name.")
}

func withWarning(text, warning string) string {
	if warning != "" {
		text += "\nwarning: " + warning
	}
	return strings.TrimSpace(text)
}

// blocks returns what was displayed and logged, in order.
func (r *ran) blocks(h *tool.Host) []tool.Block {
	blocks := []tool.Block{}
	logged := 0
	for i := 0; i <= len(r.Display); i++ {
		for ; logged < len(r.Console) && r.Console[logged].After <= i; logged++ {
			blocks = append(blocks, tool.Block{Text: r.Console[logged].text()})
		}
		if i < len(r.Display) {
			blocks = append(blocks, r.Display[i].block(h))
		}
	}
	return blocks
}

func (l *line) text() string {
	if l.Level == "log" || l.Level == "info" {
		return l.Text
	}
	return "[" + l.Level + "] " + l.Text
}

// block returns a displayed value. An image that the agent's model does not accept is kept in a file.
func (d *displayed) block(h *tool.Host) tool.Block {
	if d.Type != "image" {
		return tool.Block{Text: d.Text}
	}
	about := fmt.Sprintf("[%s, %d bytes", d.MIMEType, len(d.Data))
	if len(d.Data) > tool.MaxImage {
		return tool.Block{Text: about + ": too big to be shown]"}
	}
	if h.AcceptsImages {
		return tool.Block{Image: &tool.Image{MIMEType: d.MIMEType, Bytes: d.Data}}
	}
	_, ending, _ := strings.Cut(d.MIMEType, "/")
	if len(ending) > 4 || strings.ContainsFunc(ending, func(c rune) bool { return c < 'a' || c > 'z' }) {
		ending = "bin"
	}
	path, err := h.Keep("display", "."+ending, d.Data)
	if err != nil {
		return tool.Block{Text: about + "; it was not kept: " + err.Error() + "]"}
	}
	return tool.Block{Text: about + ": " + path + "]"}
}

// text returns the returned value: a text itself, everything else as JSON with two spaces.
func (r *ran) text() string {
	switch {
	case r.Text != "":
		return r.Text
	case r.Unserializable != "":
		return r.Unserializable
	case r.Value.Kind() == '"':
		return tool.DecodeString(r.Value)
	}
	return string(r.Value)
}

// bounded returns the blocks with at most [tool.MaxResult] characters of text, and their text. If there was more, the last block
// names a file with all of it.
func bounded(h *tool.Host, blocks []tool.Block) (short []tool.Block, text string, err error) {
	return boundedTo(h, "run", blocks, tool.MaxResult)
}

// boundedTo is bounded for another number of characters; what is part of the file's name.
func boundedTo(h *tool.Host, what string, blocks []tool.Block, most int) (short []tool.Block, text string, err error) {
	var all []string
	for _, b := range blocks {
		if b.Image == nil {
			all = append(all, b.Text)
		}
	}
	text = strings.Join(all, "\n")
	length := utf8.RuneCountInString(text)
	if length <= most {
		return blocks, text, nil
	}
	path, err := h.Keep(what, ".txt", []byte(text))
	if err != nil {
		return nil, "", err
	}
	left := most
	for _, b := range blocks {
		if b.Image != nil {
			short = append(short, b)
		} else if left > 0 {
			b.Text = first(b.Text, left)
			left -= utf8.RuneCountInString(b.Text)
			short = append(short, b)
		}
	}
	more := fmt.Sprintf("… cut off after %d of %d characters; all of it is in %s", most, length, path)
	return append(short, tool.Block{Text: more}), first(text, most) + "\n" + more, nil
}

// first returns at most so many characters of a text.
func first(text string, most int) string {
	for i := range text {
		if most == 0 {
			return text[:i] + "…"
		}
		most--
	}
	return text
}

// failed returns the result of code that failed: what it had displayed and logged, then the error.
func failed(h *tool.Host, name string, err error) (*tool.Result, error) {
	e := api.AsError(err)
	if e.Code == api.TabBusy {
		return nil, api.Errorf(api.TabBusy, "browser: tab %q is busy: other code runs in it", name).WithHint("Wait until it has ended, or use a tab with another name.")
	}
	if isGone(err) && e.Data["error"] == nil {
		h.Tabs.Delete(name)
		return nil, notAlive(name)
	}
	var out ran
	if raw, encodeErr := json.Marshal(e.Data); encodeErr != nil || json.Unmarshal(raw, &out) != nil || out.Error == nil {
		return nil, err // not of the code
	}
	blocks, output, err := bounded(h, out.blocks(h))
	if err != nil {
		return nil, err
	}
	res := tool.Failure(&api.Error{Code: e.Code, Message: e.Message, Hint: e.Hint})
	data := res.Value.(*tool.FailureData)
	data.Action, data.Name, data.Line, data.Column, data.Hint, data.Output = "run", name, out.Error.Line, out.Error.Column, tool.ReplaceCommands(e.Hint), output
	var said bytes.Buffer
	said.WriteString(data.Error)
	res.Text, res.Blocks = "error: "+string(e.Code), append(blocks, tool.Block{Text: said.String()})
	return res, nil
}
