// Package result has the result of a call of the tool agent_browser: its categories, diagnostics, files and next actions. The names of
// the members are those of pi-agent-browser-native 0.5.0.
package result

// Result is the result of a call.
type Result struct {
	// Content is the text for the model, with the pictures.
	Content []Content `json:"content"`
	// Details are the same as data.
	Details *Details `json:"details"`
	// IsError reports that the call failed: resultCategory is failure.
	IsError bool `json:"isError"`
}

// Content is a text or an image.
type Content struct {
	Type string `json:"type"` // text or image
	Text string `json:"text,omitzero"`
	// Own marks text of the tool itself. Everything else may quote a page.
	Own      bool   `json:"own,omitzero"`
	Data     []byte `json:"data,omitzero"` // of an image, in base64
	MIMEType string `json:"mimeType,omitzero"`
}

// Failed reports that the call failed, for the exit status.
func (r *Result) Failed() bool { return r.IsError }

// Text returns the text of the content.
func (r *Result) Text() string {
	text := ""
	for _, c := range r.Content {
		if c.Text == "" {
			continue
		}
		if text != "" {
			text += "\n"
		}
		text += c.Text
	}
	return text
}
