package plugin

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/plugin"
	"github.com/usher-browser/usher/internal/verb"
)

// Added is the result of `plugin add`.
type Added struct {
	ConfigPath string `json:"configPath"` // the file that was written
	Plugin     Plugin `json:"plugin"`
	Success    bool   `json:"success"`
}

// manifest is the reply to a request for the manifest.
type manifest struct {
	Manifest struct {
		Name         string   `json:"name"`
		Capabilities []string `json:"capabilities"`
	} `json:"manifest"`
}

func add(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Added], error) {
	var res run.Reply[*Added]
	def, err := reference(c.Str("ref"), e.Cwd)
	if err != nil {
		return res, err
	}
	def.Capabilities = c.List("capability")
	if !c.Bool("no-manifest") {
		if err := discover(ctx, e, &def); err != nil {
			return res, err
		}
	}
	if c.Has("name") {
		def.Name = c.Str("name")
	}
	if err := verb.CheckPluginName(def.Name); err != nil {
		return res, api.Errorf(api.InvalidArgument, "%w", err).WithHint("Give --name.")
	}
	if len(def.Capabilities) == 0 {
		return res, api.Errorf(api.MissingArgument, "Plugin did not declare capabilities; rerun with --capability <name> or use a plugin that supports plugin.manifest").
			WithHint("The capabilities are credential.read, browser.provider, launch.mutate, command.run, and the plugin's own.")
	}
	src := config.Source{Mode: c.Mode, Env: e.LookupEnv, Cwd: e.Cwd, Flags: c.Globals}
	file, err := config.AddPlugin(src, def, c.Bool("project"))
	if err != nil {
		return res, err
	}
	res.Data, res.Bare = &Added{ConfigPath: file, Plugin: shown(&def), Success: true}, true
	res.Text = "Added plugin '" + def.Name + "'\nConfig: " + file + "\nSource: " + def.Source +
		"\nCommand: " + strings.Join(append([]string{def.Command}, def.Args...), " ") + "\nCapabilities: " + capabilities(def.Capabilities)
	if c.Bool("project") {
		res.Warning = "a project file cannot add plugins; this one counts only when it is named with --config"
	}
	return res, nil
}

// reference returns the program that a reference stands for, with a name made from it.
func reference(ref, cwd string) (verb.PluginDef, error) {
	bare := ref
	scheme, rest, ok := strings.Cut(ref, ":")
	if ok && (scheme == "npm" || scheme == "github") {
		bare = rest
	} else {
		scheme = ""
	}
	if info, err := os.Stat(filepath.Join(cwd, ref)); scheme == "" && filepath.IsLocal(ref) && !strings.HasPrefix(ref, ".") && err == nil && !info.IsDir() {
		return verb.PluginDef{}, api.Errorf(api.InvalidArgument, "%s is a file in this directory, and may be the name of a package or repository, too; nothing was started", plain.Quote(ref)).
			WithHint("Write ./%s for the file, or npm:NAME or github:OWNER/REPO.", filepath.ToSlash(ref))
	}
	switch parts := strings.Split(bare, "/"); {
	case scheme == "" && (filepath.IsAbs(ref) || strings.HasPrefix(ref, ".")):
		return program(ref, cwd)
	case bare == "" || strings.HasPrefix(bare, "-") || strings.ContainsAny(bare, " \t\r\n\\'\"$`;&|<>()"):
	case scheme != "github" && (len(parts) == 1 || len(parts) == 2 && strings.HasPrefix(bare, "@") && parts[1] != ""):
		return verb.PluginDef{Name: unversioned(parts[len(parts)-1]), Command: "npx", Args: []string{"-y", bare}, Source: "npm:" + bare}, nil
	case scheme != "npm" && len(parts) == 2 && parts[0] != "" && parts[1] != "":
		name, _, _ := strings.Cut(parts[1], "#")
		return verb.PluginDef{Name: name, Command: "npx", Args: []string{"-y", "github:" + bare}, Source: "github:" + bare}, nil
	}
	return verb.PluginDef{}, api.Errorf(api.InvalidArgument, "%s is neither an npm package, nor a GitHub repository, nor the path of a program", plain.Quote(ref)).
		WithHint("Write NAME or @SCOPE/NAME, OWNER/REPO, or ./PROGRAM.")
}

// unversioned returns the name of a package without its version.
func unversioned(name string) string {
	name, _, _ = strings.Cut(name, "@")
	return name
}

// program returns the plugin that is a program on this machine.
func program(ref, cwd string) (verb.PluginDef, error) {
	full := ref
	if !filepath.IsAbs(full) {
		full = filepath.Join(cwd, ref)
	}
	info, err := os.Stat(full)
	switch {
	case err != nil:
		return verb.PluginDef{}, api.Errorf(api.FileNotFound, "there is no program %s", full).With("path", full)
	case info.IsDir():
		return verb.PluginDef{}, api.Errorf(api.InvalidArgument, "%s is a directory; a plugin is a program", full).With("path", full)
	}
	base := filepath.Base(full)
	return verb.PluginDef{Name: strings.TrimSuffix(base, path.Ext(base)), Command: full, Source: "file:" + full}, nil
}

// discover asks a plugin for its manifest, and takes from it what is not given.
func discover(ctx context.Context, e *run.Env, def *verb.PluginDef) error {
	host := e.Plugins()
	var m manifest
	_, err := host.Call(ctx, def, plugin.Request{Type: plugin.Manifest, Capability: plugin.Manifest}, &m)
	if err != nil {
		known := *api.AsError(err)
		return known.WithHint("Rerun with --no-manifest and --capability <name> to add the plugin without asking it.")
	}
	if m.Manifest.Name != "" {
		def.Name = m.Manifest.Name
	}
	if len(def.Capabilities) == 0 {
		def.Capabilities = m.Manifest.Capabilities
	}
	return nil
}
