package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/config/trust"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/toolset"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

// trustPolicy decides which servers and plugins may start. They are programs with the rights of the person. One that is
// added or changed while agents are served may have been written by an agent, so it starts only after `usher tools
// trust`. Those configured when serving began may start.
type trustPolicy struct {
	store *trust.Store
	// initial has the digests that were configured when serving began. It is nil where no agent is served; then all may
	// start that do not wait for agreement already.
	initial map[string]bool
	log     *slog.Logger
}

// newTrustPolicy returns the policy of a process that begins to serve with conf.
func newTrustPolicy(home string, conf *config.Tools, log *slog.Logger) *trustPolicy {
	t := &trustPolicy{trust.In(home), map[string]bool{}, log}
	for _, s := range definitions(conf) {
		if !s.Off {
			t.initial[s.Digest] = true
		}
	}
	return t
}

// definition is a server or plugin in the configuration.
type definition struct {
	*config.Server
	kind string // "MCP server" or "plugin"
	set  string // the name of its toolset
}

func definitions(conf *config.Tools) (all []definition) {
	for i := range conf.Servers {
		all = append(all, definition{&conf.Servers[i], "MCP server", toolset.ServerPrefix + conf.Servers[i].Name})
	}
	for i := range conf.Plugins {
		all = append(all, definition{&conf.Plugins[i], "plugin", conf.Plugins[i].Name})
	}
	return all
}

// blockedReason returns why a server or plugin may not start yet, or "" if it may. file is the configuration file.
func (t *trustPolicy) blockedReason(d definition, file string) string {
	if t.initial[d.Digest] {
		return ""
	}
	ok, err := t.store.Agreed(d.Digest)
	switch {
	case err != nil:
		return fmt.Sprintf("the %s %s is not started: %s", d.kind, d.Name, api.AsError(err).Sentence())
	case ok:
		return ""
	}
	if t.initial == nil {
		if ok, err := t.store.Waits(d.Digest); err == nil && !ok {
			return "" // no agent is served, so the person runs this command
		}
	} else if err := t.store.Wait(d.Digest, d.text(file)); err != nil {
		t.log.Warn("a server or plugin waits for agreement, which cannot be noted", "name", d.Name, "error", err)
	}
	return fmt.Sprintf("the %s %s needs the person's agreement, because it was added to %s, or changed there, while agents were served: "+
		"`usher tools trust` shows it, `usher tools trust %s` lets it start", d.kind, d.Name, file, d.id())
}

// id returns the toolset's name and the first characters of the digest. A changed definition has another id.
func (d *definition) id() string { return d.set + "@" + d.Digest[:shortDigest] }

const shortDigest = 12

// text returns the definition for people, with each word quoted if needed so that none looks like another line.
func (d *definition) text(file string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s, %s:%d", d.kind, d.Name, shellQuote(file), d.Line)
	for _, w := range d.Written {
		key := w.Key
		if key == "env" || key == "headers" {
			key += " (names)"
		}
		fmt.Fprintf(&b, "\n  %s:", key)
		for _, word := range w.Words {
			b.WriteString(" " + shellQuote(word))
		}
	}
	return b.String()
}

// shellQuote returns a word as in a shell command, quoted unless it is plain.
func shellQuote(word string) string {
	for _, r := range word {
		if !strings.ContainsRune("-_./:=@,+%~{}$", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return strconv.QuoteToASCII(word)
		}
	}
	if word == "" {
		return `""`
	}
	return word
}

// untrusted stands for a server or plugin that waits for agreement. It has no tools.
type untrusted struct {
	set toolset.Set
	why string
}

func (w *untrusted) Set() toolset.Set            { return w.set }
func (w *untrusted) Tools() []tool.Tool          { return nil }
func (w *untrusted) Problem() string             { return w.why }
func (w *untrusted) Ready(context.Context) error { return api.Errorf(api.ToolUnavailable, "%s", w.why) }
func (w *untrusted) Known() bool                 { return true } // there is nothing to start
func (w *untrusted) Close()                      {}

func (d *definition) untrusted(why string) toolset.Helper {
	kind := toolset.Server
	if d.set == d.Name {
		kind = toolset.Plugin
	}
	return &untrusted{toolset.Set{Name: d.set, Kind: kind, Doc: "the tools of the " + d.kind + " " + d.Name + ", which waits for agreement"}, why}
}

// agree implements `tools trust`. Without names it lists what waits for agreement.
func agree(conf *config.Tools, home string, call *verb.Call) (data any, text string, err error) {
	store, names := trust.In(home), call.List("names")
	var chosen []definition
	if len(names) == 0 {
		for _, d := range definitions(conf) {
			waits, err := store.Waits(d.Digest)
			if err != nil {
				return nil, "", err
			}
			if waits && !d.Off {
				chosen = append(chosen, d)
			}
		}
		return waitingResult(chosen, conf.Path)
	}
	for _, name := range names {
		d, err := findDefinition(conf, name)
		if err != nil {
			return nil, "", err
		}
		chosen = append(chosen, d)
	}
	var b strings.Builder
	for _, d := range chosen {
		if err := store.Agree(d.Digest, d.text(conf.Path)); err != nil {
			return nil, "", err
		}
		fmt.Fprintf(&b, "✓ Agreed to the %s\n", d.text(conf.Path))
	}
	b.WriteString("Agents that are served have it now. A changed definition needs agreement again.")
	return Agreement{Agreed: definitionData(chosen, conf.Path)}, b.String(), nil
}

func waitingResult(chosen []definition, file string) (data any, text string, err error) {
	if len(chosen) == 0 {
		return Agreement{Waiting: []Definition{}}, "no server or plugin needs your agreement", nil
	}
	var b strings.Builder
	for _, d := range chosen {
		fmt.Fprintf(&b, "%s\n  to let it start: usher tools trust %s\n", d.text(file), d.id())
	}
	b.WriteString("Each is a program, or an address, that gets what agents do. If you did not add it, remove it from the file.")
	return Agreement{Waiting: definitionData(chosen, file)}, b.String(), nil
}

func definitionData(chosen []definition, file string) []Definition {
	out := []Definition{}
	for _, d := range chosen {
		words := map[string][]string{}
		for _, w := range d.Written {
			words[w.Key] = w.Words
		}
		out = append(out, Definition{d.Name, d.kind, file, d.Line, d.id(), d.Digest, words})
	}
	return out
}

// findDefinition returns the server or plugin of a name. With a suffix @ and the beginning of a digest, the digest must
// match.
func findDefinition(conf *config.Tools, written string) (definition, error) {
	name, digest, exact := strings.Cut(written, "@")
	all := definitions(conf)
	found := slices.DeleteFunc(slices.Clone(all), func(d definition) bool { return d.set != name && d.Name != name })
	switch {
	case len(found) == 0:
		var known []string
		for _, d := range all {
			known = append(known, d.set)
		}
		err := api.Errorf(api.UnknownToolset, "no server or plugin %q is configured in %s", name, conf.Path)
		if near := spelling.Nearest(name, known); len(near) > 0 {
			err.WithHint("Did you mean %s?", strings.Join(near, " or "))
		}
		return definition{}, err
	case len(found) > 1:
		return definition{}, api.Errorf(api.InvalidArgument, "a server and a plugin are called %s", name).
			WithHint("%s means the server; give the plugin another name.", toolset.ServerPrefix+name)
	case exact && (len(digest) < shortDigest || !strings.HasPrefix(found[0].Digest, digest)):
		return definition{}, api.Errorf(api.InvalidArgument, "%s is another definition by now than the one of %s; nothing was agreed to", name, written).
			WithHint("Look at it again: usher tools trust")
	}
	return found[0], nil
}

// trustDir returns the directory of agreements, "" if there is none.
func (p *Process) trustDir() string {
	dir, err := trust.In(p.Places.Home).Dir()
	if err != nil {
		p.log().Warn("what the person agrees to cannot be watched", "error", err)
		return ""
	}
	return filepath.Clean(dir)
}
