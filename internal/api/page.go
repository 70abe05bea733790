package api

// PageText is the text of a page that was read without a browser, or the error of reading it.
type PageText struct {
	URL     string `json:"url"`
	Title   string `json:"title"`
	Content string `json:"content"`
	Error   string `json:"error,omitzero"`
	// Note is a remark about the content.
	Note string `json:"note,omitzero"`
	// Artifact is the file with all of the text, Chars its length in characters, if Content is shortened.
	Artifact string `json:"artifact,omitzero"`
	Chars    int    `json:"chars,omitzero"`
}
