package session

import (
	"time"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/verb"
)

// limitOf is how long a command may take: as asked for, or its verb's default.
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

// How long commands may take unless told otherwise.
const (
	// DefaultLimit is for navigation, waiting and scripts (agent-browser's).
	DefaultLimit = 25 * time.Second
	// ActionLimit is for acting on an element that has to become ready.
	ActionLimit = 5 * time.Second
)
