// Package installed finds the apps on this machine that are built on Electron, by what is in the places where systems keep
// apps: desktop entries, AppImages, Flatpaks and snaps on Linux, bundles on macOS, folders of programs on Windows. It runs none
// of them.
package installed

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
)

// App is an app built on Electron, or an AppImage, whose inside is not examined.
type App struct {
	// Name is that which people see.
	Name string `json:"name"`
	// ExecutablePath is the program that is started: absolute, without symbolic links.
	ExecutablePath string `json:"executablePath"`
	// AppPath is the bundle on macOS, the folder of the program elsewhere, and the file of an AppImage.
	AppPath string `json:"appPath,omitzero"`
	// BundleID is the bundle identifier of macOS, or the application id of a Flatpak.
	BundleID string `json:"bundleId,omitzero"`
	// DesktopID is the name of the desktop entry, without .desktop.
	DesktopID string `json:"desktopId,omitzero"`
	// PackageSource is desktop-entry, appimage, flatpak, snap, bundle, program-folder or executable.
	PackageSource string `json:"packageSource"`
	// Platform is linux, darwin or windows.
	Platform string `json:"platform"`
	// Evidence is what shows that the app is built on Electron: paths that exist, or what a file is.
	Evidence []string `json:"evidence"`
	// Sensitivity is set for apps that usually show private content. It forbids nothing.
	Sensitivity *Sensitivity `json:"sensitivity,omitzero"`
	// Args come before those of the caller: an app without a program of its own is an argument of electron.
	Args []string `json:"args,omitzero"`
}

// Sensitivity says which private content an app usually shows.
type Sensitivity struct {
	// Level is likely-sensitive.
	Level string `json:"level"`
	// Categories are notes, chat, mail, developer-workspace and passwords-auth.
	Categories []string `json:"categories"`
}

// Machine is where apps are looked for.
type Machine struct {
	// OS is runtime.GOOS.
	OS string
	// Env returns a variable of the person's environment; "" if it is not set.
	Env func(name string) string
	// Home is the person's home directory.
	Home string
}

// Way is what names an app.
type Way string

// The ways to name an app. Any tries the others in this order: an executable, a path, a name, a bundle identifier.
const (
	Any        Way = "any"
	Executable Way = "executable" // the program
	Path       Way = "path"       // a bundle, a folder, an AppImage or a desktop entry
	Name       Way = "name"       // the name that people see, or that of the desktop entry, in any case
	BundleID   Way = "bundle-id"
)

// List returns the apps that are found, sorted by name, and in notes what could not be read. The only error is that of the
// context.
func (m *Machine) List(ctx context.Context) (apps []App, notes []string, err error) {
	s := &scan{ctx: ctx, machine: m}
	switch m.OS {
	case "darwin":
		s.bundles()
	case "windows":
		s.programFolders()
	case "linux":
		s.desktopEntries()
		s.appImages()
	default:
		s.notes = append(s.notes, "apps cannot be listed on "+m.OS+"; give the path of an executable")
	}
	if err := context.Cause(ctx); err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	for i := range s.apps {
		a := &s.apps[i]
		key := a.ExecutablePath + "\x00" + strings.Join(a.Args, "\x00")
		if seen[key] {
			continue
		}
		seen[key] = true
		a.Platform, a.Sensitivity = m.OS, sensitivityOf(a)
		apps = append(apps, *a)
	}
	slices.SortStableFunc(apps, func(a, b App) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return apps, s.notes, nil
}

// Matches reports whether one of the texts is in the name, an identifier or a path of the app, in any case.
func (a *App) Matches(texts ...string) bool {
	for _, text := range texts {
		text = strings.ToLower(strings.TrimSpace(text))
		if text == "" {
			continue
		}
		for _, of := range []string{a.Name, a.BundleID, a.DesktopID, a.AppPath, a.ExecutablePath} {
			if strings.Contains(strings.ToLower(of), text) {
				return true
			}
		}
	}
	return false
}

// Find returns the app that a person or an agent means. Errors: [api.FileNotFound] if there is none, [api.InvalidArgument] if
// there are several, or if it is not built on Electron; then its data has reason: non-electron-target.
func (m *Machine) Find(ctx context.Context, way Way, value string) (*App, error) {
	if strings.TrimSpace(value) == "" {
		return nil, api.Errorf(api.InvalidArgument, "find an app: the name is empty")
	}
	if way == Executable || way == Path || way == Any && filepath.IsAbs(value) {
		return m.at(ctx, value)
	}
	apps, _, err := m.List(ctx)
	if err != nil {
		return nil, err
	}
	var found []App
	for _, a := range apps {
		named := strings.EqualFold(a.Name, value) || strings.EqualFold(a.DesktopID, value)
		identified := a.BundleID != "" && strings.EqualFold(a.BundleID, value)
		if way != BundleID && named || way != Name && identified {
			found = append(found, a)
		}
	}
	switch len(found) {
	case 1:
		return &found[0], nil
	case 0:
		return nil, api.Errorf(api.FileNotFound, "find an app: none of the %d apps found here is called %q", len(apps), value).
			WithHint("`app list` prints those that are found. For another, give the path of its executable.")
	}
	var paths []string
	for _, a := range found {
		paths = append(paths, a.ExecutablePath)
	}
	return nil, api.Errorf(api.InvalidArgument, "find an app: %d apps are called %q: %s", len(found), value, strings.Join(paths, ", ")).
		WithHint("Give the path of the executable.")
}

// at returns the app at a path: an executable, a folder, a bundle, an AppImage or a desktop entry.
func (m *Machine) at(ctx context.Context, path string) (*App, error) {
	s := &scan{ctx: ctx, machine: m}
	kind, err := s.path(path)
	if err != nil {
		return nil, err
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if len(s.apps) == 0 {
		return nil, api.Errorf(api.InvalidArgument, "%s is %s, but no app built on Electron: beside its executable there must be chrome_*.pak, and resources/app.asar or resources/app", path, kind).
			With("reason", "non-electron-target").WithHint("Browsers and other apps built on Chromium: `connect --app <executable>`.")
	}
	a := &s.apps[0]
	a.Platform, a.Sensitivity = m.OS, sensitivityOf(a)
	return a, nil
}

// String is the app in one line, for people.
func (a *App) String() string {
	text := fmt.Sprintf("%s  %s  (%s)", a.Name, a.ExecutablePath, a.PackageSource)
	if a.Sensitivity != nil {
		text += "  [likely sensitive: " + strings.Join(a.Sensitivity.Categories, ", ") + "]"
	}
	return text
}

// words are what names of apps of a category contain, as whole words.
type words struct{ category, list string }

// sensitive are apps that usually show private content.
func sensitive() []words {
	return []words{
		{"notes", "notes note notion obsidian logseq joplin evernote anytype roam craft simplenote standardnotes trilium appflowy"},
		{"chat", "chat slack discord teams signal whatsapp telegram element mattermost messenger zulip rocketchat skype wire viber caprine ferdium rambox franz beeper session"},
		{"mail", "mail mailspring protonmail tutanota superhuman missive thunderbird outlook hey kiwi email"},
		{"developer-workspace", "code vscode vscodium codium cursor windsurf atom github gitkraken postman insomnia bruno docker lens dbeaver beekeeper hyper tabby studio"},
		{"passwords-auth", "1password bitwarden keeper lastpass dashlane authy keeweb enpass nordpass buttercup pass vault authenticator"},
	}
}

func sensitivityOf(a *App) *Sensitivity {
	text := strings.ToLower(strings.Join([]string{a.Name, a.BundleID, a.DesktopID, filepath.Base(a.ExecutablePath)}, " "))
	in := strings.FieldsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	var found []string
	for _, w := range sensitive() {
		if slices.ContainsFunc(strings.Fields(w.list), func(word string) bool { return slices.Contains(in, word) }) {
			found = append(found, w.category)
		}
	}
	if found == nil {
		return nil
	}
	return &Sensitivity{Level: "likely-sensitive", Categories: found}
}
