// Package locate has the names of elements: how a caller names the target of an action, what the page script reads of that,
// and how an element is named that was found.
package locate

// By is a way to name an element.
type By string

// Ways to name an element.
const (
	ByRef         By = "ref" // resolved by the caller into Frame, Loader and ID
	ByCSS         By = "css"
	ByXPath       By = "xpath"
	ByText        By = "text"
	ByRole        By = "role"
	ByLabel       By = "label"
	ByPlaceholder By = "placeholder"
	ByAlt         By = "alt"
	ByTitle       By = "title"
	ByTestID      By = "testid"
	ByChain       By = "chain"
	ByFocus       By = "focused" // the element with the keyboard focus
)

// Locator is what finds an element again in a page that was loaded anew.
type Locator struct {
	By    By     `json:"by"`
	Value string `json:"value"`
	Name  string `json:"name,omitzero"` // for ByRole
	Exact bool   `json:"exact,omitzero"`
	Nth   *int   `json:"nth,omitzero"` // the index, from 0, if several elements match
}

// Unquote removes quotes; quoted text is matched exactly.
func Unquote(s string) (string, bool) {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1], true
	}
	return s, false
}
