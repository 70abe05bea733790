package dialogs

import (
	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Answered is the result of `dialog accept`, `dialog dismiss` and `interrupt answer`.
type Answered struct {
	// Handled is set for dialogs. Accepted reports how it was answered, Unseen that the dialog opened while the
	// connection to the browser was lost.
	Handled  bool    `json:"handled,omitzero"`
	Accepted *bool   `json:"accepted,omitzero"`
	Unseen   bool    `json:"unseen,omitzero"`
	Type     string  `json:"type,omitzero"` // alert, confirm, prompt or beforeunload
	Message  *string `json:"message,omitzero"`
	Answer   *string `json:"answer,omitzero"` // what was entered into a prompt
	// Answered is set for other interruptions, with the kind and the outcome.
	Answered bool   `json:"answered,omitzero"`
	Kind     string `json:"kind,omitzero"`
	How      string `json:"outcome,omitzero"`
	// ID is that of the dialog or interruption.
	ID         string   `json:"id,omitzero"`
	Files      []string `json:"files,omitzero"`      // set on a file chooser
	Permission string   `json:"permission,omitzero"` // that was allowed or denied
	Origin     string   `json:"origin,omitzero"`     // for which it was
	api.Outcome
}

// DialogStatus is the result of `dialog status`: the open dialog, if there is one.
type DialogStatus struct {
	HasDialog bool `json:"hasDialog"`
	*api.Dialog
	// DismissOnly reports whether it was open when the connection to the browser was lost and can only be dismissed.
	DismissOnly bool          `json:"dismissOnly,omitzero"`
	Others      []*api.Dialog `json:"others,omitzero"` // of other tabs
	// PendingDialogs and RecentDialogs are absent under the name agent-browser.
	PendingDialogs []model.PendingDialog `json:"pending_dialogs,omitzero"`
	RecentDialogs  []model.RecentDialog  `json:"recent_dialogs,omitzero"`
}

// Interruptions is the result of `interrupt list`.
type Interruptions struct {
	Interruptions []*api.Interruption `json:"interruptions"`
	Recent        []*api.Interruption `json:"recent,omitzero"` // closed ones, with --all
}

// Policy is the result of `dialog policy`: the present policy.
type Policy struct {
	Policy    string `json:"policy"`     // must_respond, auto_dismiss or auto_accept
	TimeoutMS int64  `json:"timeout_ms"` // after which an unanswered dialog is dismissed, in milliseconds
	Rules     []Rule `json:"rules"`
}

// Rules is the result of `dialog rule`: the rules in the order in which they are tried.
type Rules struct {
	Rules []Rule `json:"rules"`
}

// Rule is a rule that answers dialogs.
type Rule struct {
	Name string   `json:"name"`
	Rule []string `json:"rule"` // its words, as `dialog rule add` takes them
	From string   `json:"from"` // command or settings
}
