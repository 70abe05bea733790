package session

import (
	"time"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/verb"
)

// limitOf returns how long a command may take: the requested time, or its verb's default.
func limitOf(set *config.Settings, v *verb.Verb) (limit time.Duration, given bool) {
	if set.Given("timeout") {
		return set.Dur("timeout"), true
	}
	switch v.Category {
	case verb.CatClick, verb.CatFill, verb.CatInteract, verb.CatScroll, verb.CatUpload, verb.CatGet:
		return ActionLimit, false
	}
	return DefaultLimit, false
}

// The default limits of commands.
const (
	// DefaultLimit is for navigation, waiting and scripts (agent-browser's).
	DefaultLimit = 25 * time.Second
	// ActionLimit is for an action, including the wait until its element is actionable.
	ActionLimit = 5 * time.Second
)
