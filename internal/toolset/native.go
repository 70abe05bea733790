package toolset

import (
	"slices"

	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/tool/agentbrowser"
	"github.com/usher-browser/usher/internal/tool/browsing"
	"github.com/usher-browser/usher/internal/tool/code"
	"github.com/usher-browser/usher/internal/tool/elicitation"
	"github.com/usher-browser/usher/internal/tool/files"
	"github.com/usher-browser/usher/internal/tool/notes"
	"github.com/usher-browser/usher/internal/tool/web"
)

// Native returns all tools that are part of usher, in the order of lists. A [Selection] says which of them an agent is
// offered.
func Native() []tool.Tool {
	return slices.Concat(browsing.Tools(), web.Tools(), files.Tools(), notes.Tools(), elicitation.Tools(), files.ImageTools(), browsing.SessionTools(), code.Tools(), code.ExecuteTools(), agentbrowser.Tools())
}
