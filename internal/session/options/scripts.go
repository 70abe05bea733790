package options

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/initscript"
	"github.com/usher-browser/usher/internal/command/react"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/supervisor"
)

// initScripts returns the files of --init-script, each with a digest of its content: a file that has changed is another
// value.
func initScripts(set *config.Settings) string {
	var parts []string
	for _, path := range set.List("init-script") {
		source, err := initscript.Read(context.Background(), path)
		sum := sha256.Sum256([]byte(source))
		digest := hex.EncodeToString(sum[:8])
		if err != nil {
			digest = "unreadable"
		}
		parts = append(parts, digest+" "+path)
	}
	return joinKey(parts...)
}

// setInitScripts adds and removes init scripts until the session has those of the files.
func setInitScripts(ctx context.Context, to Target, _, now string) error {
	return arrange(ctx, to, "init-script", splitKey(now), func(file string) (supervisor.InitScript, error) {
		_, path, _ := strings.Cut(file, " ")
		source, err := initscript.Read(ctx, path)
		if err != nil {
			return supervisor.InitScript{}, api.Errorf(api.FileNotFound, "--init-script: read %s: %w", path, err).With("path", path)
		}
		s := supervisor.InitScript{Source: source, From: path}
		return s, check(ctx, to, s)
	})
}

// setFeatures adds and removes the built-in scripts of --enable.
func setFeatures(ctx context.Context, to Target, _, now string) error {
	return arrange(ctx, to, "enable", splitKey(now), func(feature string) (supervisor.InitScript, error) {
		return supervisor.InitScript{Source: react.HookScript(), From: "--enable " + feature, BuiltIn: true}, nil // react-devtools is the only one
	})
}

// AddScripts adds the init scripts of plugins to a session that starts.
func (m *Mutation) AddScripts(ctx context.Context, to Target) error {
	var errs []error
	for i, s := range m.Scripts {
		_, err := to.Browser.AddInitScript(ctx, to.Context, supervisor.InitScript{
			Source: s.Source, From: "plugin " + s.Plugin, Key: pluginScript + strconv.Itoa(i),
		})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// pluginScript begins the keys of plugins' scripts.
const pluginScript = "plugin "

// arrange removes the init scripts of an option whose values are not wanted, and adds those that are missing. What
// cannot be made changes nothing.
func arrange(ctx context.Context, to Target, option string, want []string, create func(value string) (supervisor.InitScript, error)) error {
	var missing []supervisor.InitScript
	have := to.Browser.InitScripts(to.Context)
	for _, value := range want {
		key := option + " " + value
		if slices.ContainsFunc(have, func(s supervisor.InitScript) bool { return s.Key == key }) {
			continue
		}
		s, err := create(value)
		if err != nil {
			return err
		}
		s.Key = key
		missing = append(missing, s)
	}
	var errs []error
	for _, s := range have {
		if value, of := strings.CutPrefix(s.Key, option+" "); of && !slices.Contains(want, value) {
			_, err := to.Browser.RemoveInitScript(ctx, to.Context, s.ID)
			errs = append(errs, err)
		}
	}
	for _, s := range missing {
		_, err := to.Browser.AddInitScript(ctx, to.Context, s)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// check compiles a script in the active tab. A session that starts has none yet; see [CheckScripts].
func check(ctx context.Context, to Target, s supervisor.InitScript) error {
	active, ok := to.Active()
	tab := to.Browser.State().Tabs[active]
	if !ok || tab == nil {
		return nil
	}
	name := "--init-script " + s.From
	if strings.HasPrefix(s.Key, pluginScript) {
		name = "initScripts of " + s.From
	}
	ctx, stop := to.Browser.Guard(ctx, active)
	defer stop()
	return initscript.Check(ctx, to.Browser, tab, s.Source, name)
}

// CheckScripts compiles the init scripts of a session that has got its first tab, and returns an error for one with a
// syntax error.
func CheckScripts(ctx context.Context, to Target) error {
	for _, s := range to.Browser.InitScripts(to.Context) {
		if !strings.HasPrefix(s.Key, "init-script ") && !strings.HasPrefix(s.Key, pluginScript) {
			continue
		}
		if err := check(ctx, to, s); err != nil {
			return err
		}
	}
	return nil
}
