package act

import "github.com/usher-browser/usher/internal/api"

// Clicked is the result of `click`, `dblclick` and `find ... click`: the target as given, and the outcome.
type Clicked struct {
	Clicked string `json:"clicked"`
	api.Outcome
}

// Tapped is the result of `tap`.
type Tapped struct {
	Tapped string `json:"tapped"` // the element, as given
	api.Outcome
}

// Swiped is the result of `swipe`.
type Swiped struct {
	Swiped string `json:"swiped"` // the direction
	// Moved is how far content was scrolled, in the direction of the finger. It is absent if the page could not be
	// examined.
	Moved *Distance `json:"moved,omitzero"`
	api.Outcome
}

// Hovered is the result of `hover`.
type Hovered struct {
	Hovered string `json:"hovered"`
	api.Outcome
}

// Focused is the result of `focus`.
type Focused struct {
	Focused string `json:"focused"`
	api.Outcome
}

// ScrolledTo is the result of `scrollintoview`.
type ScrolledTo struct {
	Scrolled string `json:"scrolled"`
	api.Outcome
}

// Checked is the result of `check`.
type Checked struct {
	Checked string `json:"checked"`
	api.Outcome
}

// Unchecked is the result of `uncheck`.
type Unchecked struct {
	Unchecked string `json:"unchecked"`
	api.Outcome
}

// Filled is the result of `fill`. Value is set if the field has another value than was entered.
type Filled struct {
	Filled string `json:"filled"` // the field, as given
	api.Outcome
}

// Typed is the result of `type` and `keyboard type`. Value is set if the field has another value than was entered.
type Typed struct {
	Typed string `json:"typed"` // the text
	api.Outcome
}

// Selected is the result of `select`.
type Selected struct {
	Selected []string `json:"selected"` // the values of the options that are selected now
	api.Outcome
}

// Dragged is the result of `drag`.
type Dragged struct {
	Dragged bool   `json:"dragged"`
	Source  string `json:"source"` // as given
	Target  string `json:"target,omitzero"`
	At      string `json:"at,omitzero"` // where it was released, as given with --at
	By      string `json:"by,omitzero"` // how far it was moved, as given with --by
	// Changed reports whether something in the page changed, Moved whether the dragged element is at another position.
	// Both are absent if the page could not be examined, and Moved if the element is not in the page any more.
	Changed *bool `json:"changed,omitzero"`
	Moved   *bool `json:"moved,omitzero"`
	// DropEffect is the dropEffect of an HTML drag: copy, move, link or none.
	DropEffect string `json:"dropEffect,omitzero"`
	// Value is that of a slider which was dragged, if it has another value now.
	Value string `json:"value,omitzero"`
	api.Outcome
}

// Scrolled is the result of `scroll`.
type Scrolled struct {
	// Scrolled reports whether something moved, or that the effect cannot be observed.
	Scrolled bool     `json:"scrolled"`
	Moved    Distance `json:"moved"`
	AtEnd    bool     `json:"atEnd"` // there is nothing more in that direction
	api.Outcome
}

// Distance is in CSS pixels.
type Distance struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Pressed is the result of `press`.
type Pressed struct {
	Pressed string `json:"pressed"` // the key or chord
	api.Outcome
}

// KeyDown is the result of `keydown`.
type KeyDown struct {
	KeyDown string `json:"keydown"` // the key
	api.Outcome
}

// KeyUp is the result of `keyup`.
type KeyUp struct {
	KeyUp string `json:"keyup"` // the key
	api.Outcome
}

// Inserted is the result of `keyboard inserttext`.
type Inserted struct {
	Inserted bool `json:"inserted"`
	api.Outcome
}

// MouseMoved is the result of `mouse move`: the mouse's position, in CSS pixels of the viewport.
type MouseMoved struct {
	Moved bool    `json:"moved"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	api.Outcome
}

// MouseDown is the result of `mouse down`.
type MouseDown struct {
	Pressed bool   `json:"pressed"`
	Button  string `json:"button"` // left, right or middle
	api.Outcome
}

// MouseUp is the result of `mouse up`.
type MouseUp struct {
	Released bool   `json:"released"`
	Button   string `json:"button"` // left, right or middle
	api.Outcome
}

// Wheeled is the result of `mouse wheel`, in pixels.
type Wheeled struct {
	Scrolled bool    `json:"scrolled"`
	DeltaX   float64 `json:"deltaX"`
	DeltaY   float64 `json:"deltaY"`
	api.Outcome
}

// Found is the result of the commands that begin with find. Exactly one of the first members is set, by the action: the
// ref of its element, the text that was typed, or the values of the options that are selected now; Text and Origin are set by the action text.
type Found struct {
	Clicked   string   `json:"clicked,omitzero"`
	Filled    string   `json:"filled,omitzero"`
	Typed     string   `json:"typed,omitzero"`
	Checked   string   `json:"checked,omitzero"`
	Unchecked string   `json:"unchecked,omitzero"`
	Hovered   string   `json:"hovered,omitzero"`
	Focused   string   `json:"focused,omitzero"`
	Selected  []string `json:"selected,omitzero"` // the values of the options that are selected now
	Text      *string  `json:"text,omitzero"`
	Origin    string   `json:"origin,omitzero"` // the address of the document the text is of
	api.Outcome
}
