package api

// Dialog is an open dialog in results and errors.
type Dialog struct {
	ID            string  `json:"id"`
	Type          string  `json:"type"` // alert, confirm, prompt or beforeunload
	Message       string  `json:"message"`
	DefaultPrompt string  `json:"defaultPrompt"`
	FrameID       string  `json:"frameId"`
	URL           string  `json:"url"`             // of the document that opened it
	OpenedAt      float64 `json:"openedAt"`        // seconds since 1970
	Bridge        bool    `json:"bridge,omitzero"` // opened by the dialog bridge, not a native dialog; see docs/decisions
}

// ClosedDialog is a closed dialog with its answer.
type ClosedDialog struct {
	ID            string  `json:"id"`
	Type          string  `json:"type"`
	Message       string  `json:"message"`
	DefaultPrompt string  `json:"default_prompt"`
	OpenedAt      float64 `json:"opened_at"` // seconds since 1970
	FrameID       string  `json:"frame_id"`
	Bridge        bool    `json:"bridge,omitzero"`
	ClosedAt      float64 `json:"closed_at"` // seconds since 1970
	ClosedBy      string  `json:"closed_by"` // agent, policy, watchdog or remote
	Accepted      bool    `json:"accepted"`
	PromptText    string  `json:"prompt_text,omitzero"`
	Rule          string  `json:"rule,omitzero"` // the rule that closed it, if one did
}

// how returns how it was closed, and by what, in words.
func (d *ClosedDialog) how() string {
	how := "dismissed"
	switch {
	case d.Accepted && d.Type == "prompt":
		how = "accepted with " + shortQuote(d.PromptText)
	case d.Accepted:
		how = "accepted"
	}
	if d.Rule != "" {
		return how + " by rule " + d.Rule
	}
	return how + " by the policy"
}

// Interruption is something that the browser waits for, or that an agent must know, in results and errors.
type Interruption struct {
	ID       string  `json:"id"`   // d-1 for dialogs, i-1 for the rest
	Kind     string  `json:"kind"` // dialog, file_chooser, login, permission, ...
	TargetID string  `json:"targetId"`
	FrameID  string  `json:"frameId"`
	Origin   string  `json:"origin"`
	Message  string  `json:"message"`
	OpenedAt float64 `json:"openedAt"` // seconds since 1970
	Blocks   bool    `json:"blocks"`   // the tab answers no calls while it is open
	Notice   bool    `json:"notice"`   // it needs no answer
	Tab      string  `json:"tab,omitzero"`
	// Answers are the commands that answer it while it is open. ClosedAt, ClosedBy and Outcome are set when it is closed.
	Answers  []string `json:"answers,omitzero"`
	ClosedAt float64  `json:"closedAt,omitzero"` // seconds since 1970
	ClosedBy string   `json:"closedBy,omitzero"`
	Outcome  string   `json:"outcome,omitzero"`
	// Type and DefaultPrompt are of a dialog.
	Type          string  `json:"type,omitzero"`
	DefaultPrompt *string `json:"defaultPrompt,omitzero"`
	// Multiple reports whether a file chooser accepts several files.
	Multiple *bool `json:"multiple,omitzero"`
	// URL is that of a login, a new tab or a download. Scheme, Realm and Attempt are those of a login.
	URL     string  `json:"url,omitzero"`
	Scheme  string  `json:"scheme,omitzero"`
	Realm   *string `json:"realm,omitzero"`
	Attempt int     `json:"attempt,omitzero"`
	// Permission is the requested permission, as named by the Permissions API.
	Permission string `json:"permission,omitzero"`
	// SuggestedFilename and State are those of a download.
	SuggestedFilename string `json:"suggestedFilename,omitzero"`
	State             string `json:"state,omitzero"`
}
