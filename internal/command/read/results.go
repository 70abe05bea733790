package read

import "github.com/go-json-experiment/json/jsontext"

// Title is the result of `get title`.
type Title struct {
	Title string `json:"title"`
}

// URL is the result of `get url`.
type URL struct {
	URL string `json:"url"`
}

// CDPURL is the result of `get cdp-url`.
type CDPURL struct {
	CDPURL string `json:"cdpUrl"` // a ws:// address
}

// Text is the result of `get text`. Origin is, here and below, the address of the document that was read.
type Text struct {
	Text   string `json:"text"`
	Origin string `json:"origin"`
}

// HTML is the result of `get html`: what is inside the element.
type HTML struct {
	HTML   string `json:"html"`
	Origin string `json:"origin"`
}

// Value is the result of `get value`.
type Value struct {
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// Attribute is the result of `get attr`.
type Attribute struct {
	Value  *string `json:"value"` // null when the element has no such attribute
	Origin string  `json:"origin"`
}

// Count is the result of `get count`.
type Count struct {
	Count    int    `json:"count"`
	Selector string `json:"selector"` // as it was written
}

// Styles is the result of `get styles`: computed values by property.
type Styles struct {
	Styles map[string]string `json:"styles"`
}

// Visible is the result of `is visible`.
type Visible struct {
	Visible bool   `json:"visible"`
	Origin  string `json:"origin"`
}

// Enabled is the result of `is enabled`.
type Enabled struct {
	Enabled bool   `json:"enabled"`
	Origin  string `json:"origin"`
}

// Checked is the result of `is checked`.
type Checked struct {
	Checked bool   `json:"checked"`
	Origin  string `json:"origin"`
}

// Evaluated is the result of `eval`.
type Evaluated struct {
	Origin string `json:"origin"` // the address of the document the script ran in
	// Result is the value, as JSON; null if it has none.
	Result jsontext.Value `json:"result"`
	// Unserializable is the name of a value that JSON does not have: undefined, NaN, -0, 10n, a function.
	Unserializable string `json:"unserializable,omitzero"`
}
