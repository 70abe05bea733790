package local

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/extension"
	"github.com/usher-browser/usher/internal/verb"
)

// ExtensionWritten is the result of `extension install`.
type ExtensionWritten struct {
	Path    string `json:"path"`    // the directory to load
	Version string `json:"version"` // of the extension, such as 1.0.0-4be1a2c9
	ID      string `json:"id"`      // in every browser
	// Previous is the version that was there before; empty if there was none. If it differs, the browser has to load the extension again.
	Previous string `json:"previous,omitzero"`
}

// ExtensionPlace is the result of `extension path`.
type ExtensionPlace struct {
	Path    string `json:"path"`
	Version string `json:"version,omitzero"` // of the extension there; empty if there is none
}

// extensionVerbs are the commands about the files of the extension.
func extensionVerbs() []verb.Verb {
	return []verb.Verb{
		{Name: "extension install", Summary: "write usher's extension for your own Chrome, and say how to load it",
			Help: "Writes the extension to usher's directory. Chrome, Edge and Brave load it from there once you have chosen that directory in their\n" +
				"list of extensions, which no program can do for you. Repeat this after an upgrade, and press reload in that list. See\n" +
				"docs/extension.md.",
			Examples: []string{"extension install", "extension install --json"}, Next: []string{"extension pair", "extension doctor"},
			Group: verb.GroupDebug, Category: verb.CatTool, Marks: verb.Local},
		{Name: "extension path", Summary: "the directory of usher's extension",
			Examples: []string{"extension path"}, Group: verb.GroupDebug, Category: verb.CatTool, Marks: verb.Local},
	}
}

// extensionDir returns the directory of the extension.
func extensionDir(req *api.Request, call *verb.Call) (string, error) {
	places, err := dirs.Of(req.Getenv, "", call.Mode == verb.AgentBrowser)
	if err != nil {
		return "", err
	}
	return filepath.Join(places.Home, extension.DirName), nil
}

func extensionInstall(req *api.Request, call *verb.Call) (Output, error) {
	dir, err := extensionDir(req, call)
	if err != nil {
		return Output{}, err
	}
	before, err := extension.Written(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		before = "" // it is damaged, and replaced
	}
	set, err := config.Load(config.Source{Mode: call.Mode, Env: req.LookupEnv, Cwd: req.Cwd, Flags: call.Globals})
	if err != nil {
		return Output{}, err
	}
	relay := fmt.Sprintf("ws://127.0.0.1:%d/extension", set.Int("relay-port"))
	if err := extension.Write(dir, extension.Config{Relay: relay}); err != nil {
		return Output{}, api.Errorf(api.FileWriteFailed, "%w", err).With("path", dir)
	}
	data := ExtensionWritten{Path: dir, Version: extension.Version(), ID: extension.ID(), Previous: before}
	program := call.Mode.Program()
	var text strings.Builder
	fmt.Fprintf(&text, "✓ Extension %s written to %s\n", data.Version, dir)
	switch before {
	case data.Version:
		text.WriteString("It was there already. If your browser does not have it yet:\n")
	case "":
		text.WriteString("To load it:\n")
	default:
		fmt.Fprintf(&text, "It replaces %s. If your browser has it: press the reload button of usher in chrome://extensions. Otherwise:\n", before)
	}
	fmt.Fprintf(&text, "  1. Open chrome://extensions (edge://extensions in Edge, brave://extensions in Brave).\n"+
		"  2. Turn on \"Developer mode\".\n"+
		"  3. Press \"Load unpacked\" and choose %s\n"+
		"  4. Run `%s extension pair`, and type the code into the popup of usher's icon in the toolbar.\n"+
		"`%s extension doctor` says what is missing.", dir, program, program)
	return Output{Data: data, Text: text.String()}, nil
}

func extensionPath(req *api.Request, call *verb.Call) (Output, error) {
	dir, err := extensionDir(req, call)
	if err != nil {
		return Output{}, err
	}
	data := ExtensionPlace{Path: dir}
	warning := ""
	switch data.Version, err = extension.Written(dir); {
	case errors.Is(err, fs.ErrNotExist):
		warning = fmt.Sprintf("nothing is there yet; `%s extension install` writes the extension", call.Mode.Program())
	case err != nil:
		warning = fmt.Sprintf("%v; `%s extension install` writes it again", err, call.Mode.Program())
	case data.Version != extension.Version():
		warning = fmt.Sprintf("the extension there is %s, this program has %s; `%s extension install` replaces it", data.Version, extension.Version(), call.Mode.Program())
	}
	return Output{Data: data, Text: dir, Warning: warning}, nil
}
