package ops

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/usher-browser/usher/internal/api"
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

// judgeFiles judges the files that a call by hand names: those it gives to pages, by the rule of uploads, and the directory
// that it has downloads saved in.
func (e *Env) judgeFiles(call *handCall) error {
	var p struct {
		Files []string `json:"files"`
		Path  string   `json:"downloadPath"`
		Data  struct {
			Files []string `json:"files"`
		} `json:"data"`
	}
	switch call.method {
	case "DOM.setFileInputFiles", "Input.dispatchDragEvent":
	case "Browser.setDownloadBehavior", "Page.setDownloadBehavior":
	case "Extensions.loadUnpacked":
		return api.Errorf(api.FileNotAllowed, "cdp %s: under the site guard no extension is loaded: it is a program", call.method)
	default:
		return nil
	}
	if err := unmarshalParams(call, &p); err != nil {
		return err
	}
	for _, file := range slices.Concat(p.Files, p.Data.Files) {
		if !filepath.IsAbs(file) {
			return api.Errorf(api.InvalidArgument, "cdp %s: %s is not an absolute path", call.method, file)
		}
		if err := e.mayUpload(filepath.Clean(file)); err != nil {
			return fmt.Errorf("cdp %s: %w", call.method, err)
		}
	}
	if p.Path != "" {
		return e.maySave("cdp "+call.method, e.path(p.Path))
	}
	return nil
}
