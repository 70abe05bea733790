package agenttool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/skills"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/help"
)

// report makes the result of the steps that have run.
func (c *call) report(ctx context.Context) *Result {
	d := c.details
	c.agent.mu.Lock()
	told := c.agent.told
	c.agent.mu.Unlock()
	g := &diagnosis{h: c.h, d: d, next: &c.next, session: c.session, told: &told}
	c.diag = g
	var files []Artifact
	for _, s := range c.steps {
		s.artifacts = artifactsOf(s, c.request.Cwd)
		files = append(files, s.artifacts...)
		for _, a := range s.artifacts {
			if a.Status == "missing" {
				s.fail(artifactMissing, s.name()+": the file is not there: "+a.AbsolutePath)
			}
		}
		if s.status == statusCompleted && s.name() == "snapshot" {
			told.note(s.data)
		}
	}
	if !c.batch {
		g.single(ctx, c.steps[0], c.semantic)
	} else {
		for _, s := range c.steps {
			if s.status == statusCompleted && s.name() == "get text" {
				g.visibility(ctx, s)
			}
		}
	}
	g.settleVisibility()
	c.handoff(ctx, &told)
	c.settleSession(ctx)
	d.SessionTabTarget = c.page(ctx)
	full := c.data()
	for _, s := range c.steps {
		shorten(ctx, c.h, s)
		if s.spilled != "" {
			d.FullOutputPaths = append(d.FullOutputPaths, s.spilled)
		}
	}
	if len(d.FullOutputPaths) > 0 {
		d.FullOutputPath = d.FullOutputPaths[0]
	}
	c.verdict()
	c.changes()
	for _, s := range c.steps {
		c.suggest(s, &s.next)
	}
	c.collect()
	if d.TimedOut {
		d.TimeoutPartialProgress = progress(c.steps, d.SessionTabTarget, c.request.Cwd)
		g.say(d.TimeoutPartialProgress.text())
		if r := d.TimeoutPartialProgress.RetryStep; r != nil {
			c.next.add("retry-timeout-step", "Repeats the step that was running, which only reads or navigates.", c.steps[r.Index-1].words...)
		} else if d.SessionTabTarget != nil {
			c.next.add("inspect-current-page-after-timeout", "Shows how far the page is.", "snapshot", "-i")
		}
	}
	c.files(files)
	c.agent.mu.Lock()
	c.agent.told = told
	c.agent.told.report(d)
	c.agent.mu.Unlock()
	if d.FailureCategory == "" {
		if err := c.writeOutput(full, c.text()); err != nil {
			e := api.AsError(err)
			d.FailureCategory, d.Error, d.ErrorCode = upstreamError, e.Message, string(e.Code)
		}
	}
	c.mode()
	if c.batch {
		for _, s := range c.steps {
			if s.status != statusPending {
				d.BatchSteps = append(d.BatchSteps, s.result())
			}
		}
		if s := first(c.steps); s != nil {
			ok := 0
			for _, one := range c.steps {
				if one.status == statusCompleted {
					ok++
				}
			}
			d.BatchFailure = &BatchFailure{FailedStep: s.result(), Succeeded: ok, Total: len(c.steps)}
		}
	}
	d.Data = c.data()
	return c.finish(c.text())
}

// settleSession reports what became of the managed session.
func (c *call) settleSession(ctx context.Context) {
	closed, all := false, false
	for _, s := range c.steps {
		if s.status == statusCompleted && s.name() == "close" {
			closed, all = true, all || s.row.Call.Bool("all")
		} else if s.status == statusCompleted && needsSession(s.row.Call.Verb) {
			closed = false
		}
	}
	c.details.CloseAllApplied = all
	if c.managed == nil {
		return
	}
	ok := first(c.steps) == nil
	o := c.managed.settle(ctx, c.h, c.details.SessionMode, ok, closed)
	c.details.ManagedSessionOutcome = o
	if c.managed.fresh && !ok {
		c.diag.say("Managed session outcome: " + o.Summary)
		switch o.Status {
		case "preserved":
			c.next.prefix = []string{"--session", o.CurrentSessionName}
			c.next.add("verify-current-managed-session", "Shows what the session that goes on is at.", "get", "url")
			c.next.add("snapshot-current-managed-session", "Shows its page.", "snapshot", "-i")
		case "abandoned":
			c.next.fresh("retry-fresh-managed-session", "Starts a browser without a page.", "open", "about:blank")
		}
	}
	s := first(c.steps)
	if s != nil && s.err != nil && s.err.Code == api.LaunchConflict {
		args := redactArgs(s.words)
		c.details.SessionRecoveryHint = &SessionRecoveryHint{Reason: s.err.Message, RecommendedSessionMode: "fresh", ExampleArgs: args, ExampleParams: ActionParams{Args: args, SessionMode: "fresh"}}
		c.details.ValidationError = s.err.Message
		c.diag.say("Recovery: the same args with sessionMode fresh.")
	}
}

// verdict sets the categories.
func (c *call) verdict() {
	d := c.details
	if c.qa != nil {
		d.QAPreset = verdictOf(c.qa, c.steps)
	}
	s := first(c.steps)
	switch {
	case s != nil:
		d.FailureCategory, d.Error = s.failureCategory(), s.message()
		if s.err != nil && s.category == "" {
			d.ErrorCode = string(s.err.Code)
		}
		if s.err != nil && (s.err.Code == api.UnknownRef || s.err.Code == api.StaleRef || s.err.Code == api.ElementDetached) {
			d.RefIDs = refsOf(s.row.Call)
		}
		if s.name() == "snapshot" && s.err != nil && (s.err.Code == api.TabGone || s.err.Code == api.BrowserNotRunning) {
			d.RefSnapshotInvalidation = &RefSnapshotInvalidation{"no-active-page", "The session has no page; refs of earlier snapshots are of none that is open."}
		}
	}
	if d.TimedOut && (s == nil || s.status == statusRunning) {
		d.FailureCategory, d.Error = timeout, fmt.Sprintf("the call was not done within %d ms", d.TimeoutMs)
	}
	if d.QAPreset != nil && !d.QAPreset.Passed && d.FailureCategory != artifactMissing {
		d.FailureCategory, d.Error = qaFailure, d.QAPreset.Summary
	}
}

// mode sets the members of the modes that are commands.
func (c *call) mode() {
	s, d := c.steps[0], c.details
	switch {
	case c.in.Electron != nil:
		d.Electron = s.data
		c.electron(s)
	case c.in.SourceLookup != nil:
		d.SourceLookup = s.data
	case c.in.NetworkSourceLookup != nil:
		d.NetworkSourceLookup = s.data
	}
}

// handoff looks at the app that a launch has started, as the launch asks.
func (c *call) handoff(ctx context.Context, t *told) {
	s := c.steps[0]
	if c.in.Electron == nil || c.in.Electron.Action != "launch" || s.status != statusCompleted {
		return
	}
	words := []string{"snapshot", "-i"}
	if how := c.in.Electron.Handoff; how != nil && *how == "connect" {
		return
	} else if how != nil && *how == "tabs" {
		words = []string{"tab", "list"}
	}
	res, err := c.h.Run(ctx, command(c.h, c.session, words...))
	if err != nil {
		s.res.Warning = api.JoinWarnings(s.res.Warning, strings.Join(words, " ")+": "+api.AsError(err).Sentence())
		return
	}
	t.note(encode(res.Data))
	s.res.Text += "\n" + res.Text
}

// electron suggests what can follow an action on an app.
func (c *call) electron(s *step) {
	var data struct {
		Launch struct {
			ID string `json:"launchId"`
		} `json:"launch"`
		LaunchID string `json:"launchId"`
		Launches []struct {
			Port     int            `json:"port"`
			Mismatch jsontext.Value `json:"sessionMismatch"`
		} `json:"launches"`
	}
	read(s.data, &data)
	for _, l := range data.Launches {
		if len(l.Mismatch) > 0 && l.Port > 0 {
			c.next.fresh("reattach-electron-launch", "Connects to the app again.", "connect", fmt.Sprint(l.Port))
		}
	}
	id := data.Launch.ID
	if id == "" {
		id = data.LaunchID
	}
	if id == "" {
		return
	}
	put := func(name, action, reason string) {
		c.next.put(NextAction{ID: name, Reason: reason, Params: &ActionParams{Electron: &ElectronParams{action, id}}})
	}
	switch {
	case s.status == statusCompleted && c.in.Electron.Action == "launch":
		put("status-electron-launch", "status", "Shows whether the app lives.")
		put("probe-electron-launch", "probe", "Reads the present window.")
		put("cleanup-electron-launch", "cleanup", "Ends the app, and deletes its profile.")
		c.next.add("list-electron-tabs", "Lists its windows.", "tab", "list")
		c.next.add("snapshot-electron-session", "Takes refs of the window.", "snapshot", "-i")
	case s.failureCategory() == cleanupFailed && s.failed():
		put("retry-electron-cleanup", "cleanup", "Tries again what is left.")
	}
}

// data returns the data of the whole call.
func (c *call) data() jsontext.Value {
	if !c.batch {
		return c.steps[0].data
	}
	type row struct {
		Success bool           `json:"success"`
		Command []string       `json:"command"`
		Result  jsontext.Value `json:"result,omitempty"`
		Error   string         `json:"error,omitzero"`
	}
	rows := []row{}
	for _, s := range c.steps {
		if s.status == statusPending {
			continue
		}
		one := row{Success: s.status == statusCompleted, Command: redactArgs(s.words)}
		if one.Success {
			one.Result = s.data
		} else {
			one.Error = s.message()
		}
		rows = append(rows, one)
	}
	return encode(rows)
}

// result returns the step for the result.
func (s *step) result() *BatchStep {
	b := &BatchStep{Index: s.index, Command: redactArgs(s.words), Success: s.status == statusCompleted, Data: s.data, Warning: s.res.Warning,
		ResultCategory: "success", SuccessCategory: successOf(s.artifacts), Artifacts: s.artifacts, FullOutputPath: s.spilled, NextActions: s.next.list,
		PageChangeSummary: s.change()}
	if !b.Success {
		b.ResultCategory, b.SuccessCategory, b.FailureCategory, b.Error = "failure", "", s.failureCategory(), s.message()
		if s.err != nil {
			b.ErrorCode = string(s.err.Code)
		}
	}
	return b
}

func successOf(files []Artifact) string {
	category := completed
	for _, a := range files {
		switch a.Status {
		case "pending":
			return artifactPending
		case "saved":
			category = artifactSaved
		}
	}
	return category
}

// files sets the members about files.
func (c *call) files(files []Artifact) {
	d := c.details
	d.Artifacts, d.ArtifactVerification = files, verify(files)
	for _, a := range files {
		switch {
		case a.image && a.Exists:
			d.ImagePaths = append(d.ImagePaths, a.AbsolutePath)
			c.image(a)
		case a.Exists && (a.Kind == "download" || a.Kind == "pdf"):
			d.SavedFile, d.SavedFilePath = &SavedFile{a.Command, a.Kind, a.AbsolutePath}, a.AbsolutePath
		}
	}
	if len(d.ImagePaths) > 0 {
		d.ImagePath = d.ImagePaths[0]
	}
	c.agent.mu.Lock()
	defer c.agent.mu.Unlock()
	c.agent.files.add(files)
	c.agent.files.report(d)
	for _, s := range c.steps {
		if s.status == statusCompleted && s.name() == "close" {
			d.ArtifactCleanup = c.agent.files.cleanup()
		}
	}
}

// maxImage is the greatest picture that is part of a result, in bytes.
const maxImage = 5 << 20

// image adds a picture to the content.
func (c *call) image(a Artifact) {
	if a.SizeBytes > maxImage || !strings.HasPrefix(a.MediaType, "image/") {
		return
	}
	if raw, err := os.ReadFile(a.AbsolutePath); err == nil {
		c.images = append(c.images, Content{Type: "image", Data: raw, MIMEType: a.MediaType})
	}
}

// inspection answers calls for texts about the program itself; nil for others.
func (c *call) inspection(words []string) *Result {
	text, sub := "", ""
	for _, w := range words {
		if w == "--" {
			break
		}
		switch w {
		case "--help", "-h":
			topic, err := help.Text(c.h.Table(), verb.Usher, topicOf(c.h, words)...)
			if err != nil {
				return c.invalid(err)
			}
			text = topic
		case "--version", "-V":
			text = "usher"
		}
	}
	if text == "" && len(words) > 0 && words[0] == "skills" {
		out, err := skillText(words[1:])
		if err != nil {
			return c.invalid(err)
		}
		text, sub = out, "skills"
	}
	if text == "" {
		return nil
	}
	c.details.EffectiveArgs, c.details.SuccessCategory = words, completed
	if sub == "" {
		c.details.Inspection, c.details.SuccessCategory = true, inspection
	}
	c.details.Command = words[0]
	s := &step{index: 1, words: words, status: statusCompleted}
	s.res.Text, s.data = text, encode(text)
	if sub == "" { // a long text once, not twice
		shorten(context.Background(), c.h, s)
		c.details.FullOutputPath = s.spilled
	}
	return c.finish(s.res.Text)
}

// topicOf returns the words that are a command.
func topicOf(h Host, words []string) (topic []string) {
	for _, w := range words {
		if strings.HasPrefix(w, "-") {
			continue
		}
		if help.Check(h.Table(), verb.Usher, strings.Join(append(topic, w), " ")) == nil {
			topic = append(topic, w)
		}
	}
	return topic
}

// skillText returns the texts of `skills get`, or the list.
func skillText(words []string) (string, error) {
	all, err := skills.BuiltIn()
	if err != nil {
		return "", api.Errorf(api.Internal, "skills: %w", err)
	}
	var b strings.Builder
	if len(words) == 0 || words[0] == "list" {
		for _, s := range all {
			fmt.Fprintf(&b, "%s: %s\n", s.Name, s.Description)
		}
		return strings.TrimSpace(b.String()), nil
	}
	if words[0] != "get" {
		return "", invalid("skills %s cannot be used here: give skills list, or skills get NAME.", words[0])
	}
	for _, name := range words[1:] {
		if strings.HasPrefix(name, "-") {
			continue
		}
		found := false
		for _, s := range all {
			if s.Name == name {
				found = true
				b.WriteString(s.Content)
			}
		}
		if !found {
			return "", invalid("There is no skill %q. skills list names them.", name)
		}
	}
	return b.String(), nil
}

// mayWrite returns an error for a file that agents must not write.
func (c *call) mayWrite(path string) error {
	if !c.h.Guarded() {
		return nil
	}
	return c.h.MayWrite(filepath.Clean(path))
}
