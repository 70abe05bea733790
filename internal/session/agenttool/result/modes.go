package result

// QAVerdict is whether a page passed.
type QAVerdict struct {
	Passed       bool     `json:"passed"`
	FailedChecks []string `json:"failedChecks"`
	Warnings     []string `json:"warnings"`
	Summary      string   `json:"summary"`
	// Checks are all checks in order.
	Checks []QACheck `json:"checks"`
	// NotChecked are those of network, console and page errors that were not examined.
	NotChecked []string `json:"notChecked,omitzero"`
}

// QACheck is the result of one check.
type QACheck struct {
	Check  string `json:"check"`
	Passed bool   `json:"passed"`
	Found  string `json:"found,omitzero"`
}

// ScriptRun counts the calls of a script.
type ScriptRun struct {
	CallCount                    int  `json:"callCount"`
	SuccessfulCallCount          int  `json:"successfulCallCount"`
	FailedCallCount              int  `json:"failedCallCount"`
	PreDispatchRejectedCallCount int  `json:"preDispatchRejectedCallCount"`
	EmitCount                    int  `json:"emitCount"`
	TimedOut                     bool `json:"timedOut,omitzero"`
	Aborted                      bool `json:"aborted,omitzero"`
}

// ScriptStep is a call of a script.
type ScriptStep struct {
	Index           int      `json:"index"`
	Args            []string `json:"args"`
	OK              bool     `json:"ok"`
	ResultCategory  string   `json:"resultCategory"`
	FailureCategory string   `json:"failureCategory,omitzero"`
	Summary         string   `json:"summary,omitzero"`
}

// ScriptSession is the session of a script.
type ScriptSession struct {
	SessionName      string   `json:"sessionName"`
	Cleanup          string   `json:"cleanup"` // closed or failed
	CloseCommandArgs []string `json:"closeCommandArgs"`
	LaunchAttempted  bool     `json:"launchAttempted"`
}
