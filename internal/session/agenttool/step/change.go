package step

import (
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
)

// Change returns what a step changed. It is a navigation only if one was committed.
func (s *Step) Change() *result.PageChangeSummary {
	call := s.Row.Call
	if call == nil || s.Status == Pending || s.Status == Running {
		return nil
	}
	p := &result.PageChangeSummary{Command: s.Name(), ArtifactCount: len(s.Artifacts)}
	var opened struct {
		URL   string `json:"url"`
		Title string `json:"title"`
	}
	n := s.Outcome.Navigation
	switch {
	case s.Err != nil && s.Err.Code == api.ConfirmationRequired:
		p.ChangeType = "confirmation"
	case s.Failed():
		return nil
	case len(s.Artifacts) > 0:
		p.ChangeType, p.SavedFilePath = "artifact", s.Artifacts[0].AbsolutePath
	case call.Verb.Name == "open", moves(call.Verb), call.Verb.Name == "pushstate":
		result.Read(s.Data, &opened)
		if opened.URL == "" {
			return nil
		}
		p.ChangeType, p.URL, p.Title = "navigation", opened.URL, opened.Title
	case n != nil && n.Committed:
		p.ChangeType, p.URL = "navigation", n.URL
	case Acts(call):
		p.ChangeType = "mutation"
	default:
		return nil
	}
	parts := []string{p.Command, p.ChangeType}
	for _, part := range []string{p.Title, p.SavedFilePath, p.URL} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	p.Summary = strings.Join(parts, " → ")
	p.NextActionIDs = s.Next.IDs()
	return p
}

// BatchStep returns the step for the result.
func (s *Step) BatchStep() *result.BatchStep {
	b := &result.BatchStep{Index: s.Number(), GeneratedFrom: s.From, Command: RedactArgs(s.Words), Success: s.Status == Completed, Data: s.Data, Warning: s.Result.Warning,
		ResultCategory: "success", SuccessCategory: SuccessOf(s.Artifacts), Artifacts: s.Artifacts, FullOutputPath: s.Spilled, NextActions: s.Next.List,
		PageChangeSummary: s.Change()}
	if !b.Success {
		b.ResultCategory, b.SuccessCategory, b.FailureCategory, b.Error = "failure", "", s.FailureCategory(), s.Message()
		if s.Err != nil {
			b.ErrorCode = string(s.Err.Code)
		}
	}
	return b
}

// SuccessOf returns the category of a success with these files.
func SuccessOf(files []result.Artifact) string {
	category := result.Completed
	for _, a := range files {
		switch a.Status {
		case "pending":
			return result.ArtifactPending
		case "saved":
			category = result.ArtifactSaved
		}
	}
	return category
}
