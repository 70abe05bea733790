// Package vision asks a vision model about images over the OpenAI chat completions API, which most services and local
// servers implement.
package vision

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/tool"
)

// Model is the vision model of the configuration. It implements [tool.Model].
type Model struct{ conf *config.VisionModel }

// New returns the model that conf describes.
func New(conf *config.VisionModel) *Model { return &Model{conf} }

// Bounds: tokens requested for an answer, and bytes of the response that are read.
const (
	maxTokens = 2000
	maxAnswer = 4 << 20
	maxQuoted = 400 // characters of an error response that are quoted
)

// part is a content part of a message: text or an image.
type part struct {
	Type  string `json:"type"`
	Text  string `json:"text,omitzero"`
	Image *struct {
		URL string `json:"url"`
	} `json:"image_url,omitzero"`
}

type message struct {
	Role    string `json:"role"`
	Content []part `json:"content"`
}

// Ask implements [tool.Model]. Errors have the code [api.ToolFailed] and name the model.
func (m *Model) Ask(ctx context.Context, question string, image *tool.Image) (string, error) {
	parts := []part{{Type: "text", Text: question}}
	if image != nil {
		picture := part{Type: "image_url", Image: &struct {
			URL string `json:"url"`
		}{"data:" + image.MIMEType + ";base64," + base64.StdEncoding.EncodeToString(image.Bytes)}}
		parts = append(parts, picture)
	}
	body, err := json.Marshal(map[string]any{"model": m.conf.Model, "max_tokens": maxTokens, "messages": []message{{"user", parts}}},
		jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "", m.failed("the question cannot be sent: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, m.conf.Timeout, errTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.conf.URL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return "", m.failed("%w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if m.conf.Key != "" {
		req.Header.Set("Authorization", "Bearer "+m.conf.Key)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		if context.Cause(ctx) == errTimeout { //nolint:errorlint // it is never wrapped
			return "", m.failed("no answer within %s", m.conf.Timeout).WithHint("Give it more time with vision_model.timeout.")
		}
		return "", m.failed("%w", err).WithHint("Look at vision_model.url in the configuration: is the service running?")
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return "", m.failed("its response ended early: %w", err)
	}
	return m.read(res.StatusCode, text)
}

var errTimeout = errors.New("the model took too long")

// failed returns an error that names the model.
func (m *Model) failed(format string, args ...any) *api.Error {
	return api.Errorf(api.ToolFailed, "ask the vision model "+strings.ReplaceAll(m.conf.Model, "%", "%%")+": "+format, args...)
}

// read returns the answer's text from a response. Its content is a string or, from some services, a list of parts.
func (m *Model) read(status int, body []byte) (string, error) {
	var answer struct {
		Choices []struct {
			Message struct {
				Content jsontext.Value `json:"content"`
				Refusal string         `json:"refusal"`
			} `json:"message"`
		} `json:"choices"`
	}
	if status != http.StatusOK {
		err := m.failed("it answered %d %s: %s", status, http.StatusText(status), m.quoted(body))
		if status == http.StatusUnauthorized || status == http.StatusForbidden {
			err.WithHint("Look at vision_model.key in the configuration.")
		}
		return "", err
	}
	if err := json.Unmarshal(body, &answer, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil || len(answer.Choices) == 0 {
		return "", m.failed("its answer is not a chat completion: %s", m.quoted(body))
	}
	message := answer.Choices[0].Message
	if message.Refusal != "" {
		return "", m.failed("it refused: %s", m.quoted([]byte(message.Refusal)))
	}
	text, err := contentText(message.Content)
	if err != nil || text == "" {
		return "", m.failed("its answer is empty: %s", m.quoted(body))
	}
	return text, nil
}

// contentText returns the text of a message's content, which is a string or a list of parts.
func contentText(content jsontext.Value) (string, error) {
	if content.Kind() != '[' {
		var text string
		err := json.Unmarshal(content, &text, jsontext.AllowInvalidUTF8(true))
		return text, err
	}
	var parts []part
	if err := json.Unmarshal(content, &parts, jsontext.AllowInvalidUTF8(true)); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String(), nil
}

// quoted returns at most maxQuoted characters of a response, with the API key replaced by [key].
func (m *Model) quoted(body []byte) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(body), "\uFFFD")), " ")
	if m.conf.Key != "" {
		text = strings.ReplaceAll(text, m.conf.Key, "[key]")
	}
	if r := []rune(text); len(r) > maxQuoted {
		text = string(r[:maxQuoted]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
