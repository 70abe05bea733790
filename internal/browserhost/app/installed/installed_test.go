package installed_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost/app/installed"
)

// tree makes files below a directory; programs end with *, and can be run.
func tree(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		mode := os.FileMode(0o600)
		if program, found := strings.CutSuffix(name, "*"); found {
			name, mode = program, 0o700
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "DIR", dir)), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func machine(os, home string, env map[string]string) *installed.Machine {
	return &installed.Machine{OS: os, Home: home, Env: func(name string) string { return env[name] }}
}

func names(t *testing.T, m *installed.Machine) (list []string, apps []installed.App) {
	t.Helper()
	apps, notes, err := m.List(t.Context())
	if err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	for _, a := range apps {
		list = append(list, a.Name+"|"+a.PackageSource)
	}
	return list, apps
}

func TestLinux(t *testing.T) {
	t.Parallel()
	entry := func(name, exec string) string {
		return "[Desktop Action new]\nExec=other\n[Desktop Entry]\nType=Application\nName=" + name + "\nName[de]=Anders\nExec=" + exec + "\n"
	}
	dir := tree(t, map[string]string{
		"opt/notes/notes*": "\x7fELF", "opt/notes/chrome_100_percent.pak": "", "opt/notes/resources/app.asar": "",
		"opt/my code/bin/code*": "#!/bin/sh\nexec \"$ELECTRON\"\n", "opt/my code/code*": "\x7fELF", "opt/my code/chrome_200_percent.pak": "", "opt/my code/resources/app/package.json": "{}",
		"opt/browser/browser*": "\x7fELF", "opt/browser/chrome_100_percent.pak": "",
		"opt/electron31/electron31*": "\x7fELF", "opt/electron31/chrome_100_percent.pak": "", "opt/mail/app.asar": "",
		"Applications/Chat.AppImage*": "\x7fELF\x02\x01\x01\x00AI\x02rest", "Applications/Fake.AppImage*": "#!/bin/sh\n",
		"data/applications/notes.desktop":                              entry("Trial Notes", `env A=1 BAMF="x y" DIR/opt/notes/notes %U`),
		"data/applications/vendor/code.desktop":                        entry("Code", `"DIR/opt/my code/bin/code" --unity %F`),
		"data/applications/browser.desktop":                            entry("Browser", "DIR/opt/browser/browser"),
		"data/applications/mail.desktop":                               entry("Mail", "DIR/opt/electron31/electron31 DIR/opt/mail/app.asar %u"),
		"data/applications/hidden.desktop":                             entry("Hidden", "DIR/opt/notes/notes --hidden") + "NoDisplay=true\n",
		"data/applications/link.desktop":                               "[Desktop Entry]\nType=Link\nName=Link\nURL=x\n",
		"data/applications/broken.desktop":                             "\x00[[[",
		"data/applications/gone.desktop":                               entry("Gone", "DIR/opt/gone"),
		"data/applications/evil.desktop":                               entry("Evil", "flatpak run ../../../etc"),
		"system/applications/notes.desktop":                            entry("Shadowed", "DIR/opt/notes/notes"),
		"data/flatpak/app/org.x.Pak/current/active/files/lib/pak/pak*": "\x7fELF", "data/flatpak/app/org.x.Pak/current/active/files/lib/pak/chrome_100_percent.pak": "",
		"data/flatpak/app/org.x.Pak/current/active/files/lib/pak/resources/app.asar": "", "data/flatpak/app/org.x.Pak/current/active/files/lib/pak/chrome-sandbox*": "",
		"data/flatpak/exports/share/applications/org.x.Pak.desktop": entry("Pak", "/usr/bin/flatpak run --branch=stable --command=pak org.x.Pak @@u %U @@"),
	})
	m := machine("linux", dir, map[string]string{"XDG_DATA_HOME": dir + "/data", "XDG_DATA_DIRS": dir + "/system"})
	list, apps := names(t, m)
	if want := []string{"Chat|appimage", "Code|desktop-entry", "Mail|desktop-entry", "Pak|flatpak", "Trial Notes|desktop-entry"}; !slices.Equal(list, want) {
		t.Fatalf("%q, want %q", list, want)
	}
	code, mail, pak, notes := apps[1], apps[2], apps[3], apps[4]
	if code.ExecutablePath != dir+"/opt/my code/code" || code.DesktopID != "vendor-code" || code.Sensitivity.Categories[0] != "developer-workspace" {
		t.Errorf("a script: %+v", code)
	}
	if mail.ExecutablePath != dir+"/opt/electron31/electron31" || !slices.Equal(mail.Args, []string{dir + "/opt/mail/app.asar"}) {
		t.Errorf("the Electron of a distribution: %+v", mail)
	}
	if pak.BundleID != "org.x.Pak" || filepath.Base(pak.ExecutablePath) != "pak" || pak.Sensitivity != nil {
		t.Errorf("a Flatpak: %+v", pak)
	}
	if want := []string{dir + "/opt/notes/chrome_100_percent.pak", dir + "/opt/notes/resources/app.asar"}; !slices.Equal(notes.Evidence, want) || notes.Sensitivity.Categories[0] != "notes" {
		t.Errorf("%+v", notes)
	}
	for _, find := range []struct {
		way  installed.Way
		what string
	}{{installed.Any, "trial notes"}, {installed.Name, "notes"}, {installed.Any, dir + "/opt/notes/notes"}, {installed.Path, dir + "/opt/notes"}, {installed.Path, dir + "/data/applications/notes.desktop"}} {
		if a, err := m.Find(t.Context(), find.way, find.what); err != nil || a.ExecutablePath != notes.ExecutablePath {
			t.Errorf("%s %s: %+v %v", find.way, find.what, a, err)
		}
	}
	for what, want := range map[string]api.Code{"Nobody": api.FileNotFound, "": api.InvalidArgument, dir + "/gone": api.FileNotFound, dir + "/opt/browser/browser": api.InvalidArgument, dir + "/data/applications/link.desktop": api.InvalidArgument} {
		if a, err := m.Find(t.Context(), installed.Any, what); api.CodeOf(err) != want {
			t.Errorf("%s: %+v %v", what, a, err)
		}
	}
	if _, err := m.Find(t.Context(), installed.Executable, dir+"/opt/browser/browser"); api.AsError(err).Data["reason"] != "non-electron-target" {
		t.Errorf("a browser: %v", err)
	}
}

func TestDarwin(t *testing.T) {
	t.Parallel()
	plist := `<?xml version="1.0"?><!DOCTYPE plist PUBLIC "x" "y"><plist version="1.0"><dict><key>CFBundleName</key><string>Notes</string><key>CFBundleDocumentTypes</key><array><dict>` +
		`<key>CFBundleName</key><string>inner</string></dict></array><key>CFBundleIdentifier</key><string>org.x.notes</string><key>CFBundleExecutable</key><string>Notes</string></dict></plist>`
	dir := tree(t, map[string]string{
		"Applications/Notes.app/Contents/MacOS/Notes*": "", "Applications/Notes.app/Contents/Info.plist": plist, "Applications/Notes.app/Contents/Resources/app.asar": "",
		"Applications/Notes.app/Contents/Frameworks/Electron Framework.framework/Electron Framework": "",
		"Applications/Plain.app/Contents/MacOS/Plain*":                                               "", "Applications/Plain.app/Contents/Info.plist": plist,
	})
	m := machine("darwin", dir, nil)
	list, apps := names(t, m)
	if !slices.Equal(list, []string{"Notes|bundle"}) || apps[0].BundleID != "org.x.notes" || !strings.HasSuffix(apps[0].ExecutablePath, "Contents/MacOS/Notes") {
		t.Fatalf("%+v", apps)
	}
	for way, what := range map[installed.Way]string{installed.BundleID: "org.x.notes", installed.Executable: apps[0].ExecutablePath, installed.Path: apps[0].AppPath} {
		if a, err := m.Find(t.Context(), way, what); err != nil || a.BundleID != "org.x.notes" {
			t.Errorf("%s: %+v %v", way, a, err)
		}
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"local/Programs/notes/Notes.exe": "long", "local/Programs/notes/Uninstall Notes.exe": "longer than that", "local/Programs/notes/chrome_100_percent.pak": "", "local/Programs/notes/resources/app.asar": "",
		"local/chat/app-1.0.9/chat.exe": "", "local/chat/app-1.0.9/chrome_100_percent.pak": "", "local/chat/app-1.0.9/resources/app.asar": "", "local/chat/Update.exe": "",
		"local/chat/app-1.1.0/chat.exe": "", "local/chat/app-1.1.0/chrome_100_percent.pak": "", "local/chat/app-1.1.0/resources/app.asar": "",
	})
	list, apps := names(t, machine("windows", dir, map[string]string{"LOCALAPPDATA": dir + "/local"}))
	if !slices.Equal(list, []string{"chat|program-folder", "Notes|program-folder"}) || !strings.Contains(apps[0].AppPath, "app-1.1.0") {
		t.Errorf("%+v", apps)
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	a := installed.App{Name: "Trial Notes", ExecutablePath: "/opt/x/n"}
	if !a.Matches("", "zzz", "NOTES") || !a.Matches("/opt/X") || a.Matches("") || a.Matches() {
		t.Error("texts")
	}
}
