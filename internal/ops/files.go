package ops

import (
	"fmt"

	"github.com/usher-browser/usher/internal/config/protect"
)

// protected are the files that agents do not touch.
func (e *Env) protected() *protect.Places {
	if e.places == nil {
		e.places = protect.New(func(name string) string { v, _ := e.getenv(name); return v }, e.Protected)
	}
	return e.places
}

func (e *Env) getenv(name string) (string, bool) {
	if e.Getenv == nil {
		return "", false
	}
	return e.Getenv(name)
}

// maySave says whether a verb may save a file there. Only under the site guard, which is the mark of commands that an agent
// gives, is there anything to refuse: a person may overwrite what is theirs.
func (e *Env) maySave(doing, path string) error {
	if e.Sites == nil {
		return nil
	}
	if err := e.protected().Write(path); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}
