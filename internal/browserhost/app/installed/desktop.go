package installed

import (
	"bufio"
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/files"
)

// dataDirs are the folders below which desktop entries are, those of the person first (XDG Base Directory Specification), with those of
// Flatpak and snap, which a login session adds.
func (s *scan) dataDirs() []string {
	env, home := s.machine.Env, s.machine.Home
	own := env("XDG_DATA_HOME")
	if !filepath.IsAbs(own) {
		own = filepath.Join(home, ".local", "share")
	}
	system := env("XDG_DATA_DIRS")
	if system == "" {
		system = "/usr/local/share:/usr/share"
	}
	dirs := append([]string{own}, filepath.SplitList(system)...)
	dirs = append(dirs, filepath.Join(own, "flatpak", "exports", "share"), "/var/lib/flatpak/exports/share", "/var/lib/snapd/desktop")
	var out []string
	for _, dir := range dirs {
		if filepath.IsAbs(dir) && !slices.Contains(out, filepath.Clean(dir)) {
			out = append(out, filepath.Clean(dir))
		}
	}
	return out
}

// desktopEntries adds the apps of desktop entries. An entry hides those of the same id in later folders.
func (s *scan) desktopEntries() {
	seen := map[string]bool{}
	for _, data := range s.dataDirs() {
		dir := filepath.Join(data, "applications")
		s.desktopDir(dir, dir, seen, 0)
	}
}

func (s *scan) desktopDir(top, dir string, seen map[string]bool, depth int) {
	for _, entry := range s.names(dir) {
		path := filepath.Join(dir, entry.Name())
		switch {
		case entry.IsDir() && depth < 3:
			s.desktopDir(top, path, seen, depth+1)
		case strings.HasSuffix(entry.Name(), ".desktop"):
			rel, err := filepath.Rel(top, path)
			id := strings.TrimSuffix(strings.ReplaceAll(rel, string(filepath.Separator), "-"), ".desktop")
			if err == nil && !seen[id] {
				seen[id] = true
				s.desktopEntry(path, id)
			}
		}
	}
}

// desktopEntry adds the app of a desktop entry.
func (s *scan) desktopEntry(path, id string) {
	text, err := files.Read(s.ctx, path, maxText)
	if err != nil {
		s.note(err)
		return
	}
	if id == "" {
		id = strings.TrimSuffix(filepath.Base(path), ".desktop")
	}
	keys := entryKeys(text)
	if keys["Type"] != "Application" || keys["NoDisplay"] == "true" || keys["Hidden"] == "true" {
		return
	}
	argv := command(keys["Exec"])
	if len(argv) == 0 {
		return
	}
	as := App{Name: keys["Name"], DesktopID: id, PackageSource: "desktop-entry"}
	if app := flatpakOf(argv); app != "" {
		as.PackageSource, as.BundleID = "flatpak", app
		for _, root := range []string{filepath.Join(s.own(), "flatpak"), "/var/lib/flatpak"} {
			if s.search(filepath.Join(root, "app", app, "current", "active", "files"), as) {
				return
			}
		}
		return
	}
	if name := snapOf(argv); name != "" {
		as.PackageSource = "snap"
		s.search(filepath.Join("/snap", name, "current"), as)
		return
	}
	program := s.lookPath(argv[0])
	if program == "" || s.executable(program, as) {
		return
	}
	// The Electron of a distribution, with the app as its argument.
	real, err := filepath.EvalSymlinks(program)
	if err != nil || len(argv) < 2 || !strings.HasPrefix(filepath.Base(real), "electron") {
		return
	}
	if code := argv[1]; filepath.IsAbs(code) && (strings.HasSuffix(code, ".asar") || codeIn(filepath.Dir(code)) != "") {
		as.ExecutablePath, as.AppPath, as.Args, as.Evidence = real, code, []string{code}, []string{real, code}
		s.add(as)
	}
}

func (s *scan) own() string {
	return s.dataDirs()[0]
}

// lookPath returns the program that a command names.
func (s *scan) lookPath(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	for _, dir := range filepath.SplitList(s.machine.Env("PATH")) {
		if path := filepath.Join(dir, name); filepath.IsAbs(dir) && s.isProgram(path) {
			return path
		}
	}
	return ""
}

// entryKeys returns the keys of the group Desktop Entry, without those of other languages.
func entryKeys(text []byte) map[string]string {
	keys := map[string]string{}
	inside := false
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxText+1)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			inside = line == "[Desktop Entry]"
			continue
		}
		key, value, found := strings.Cut(line, "=")
		if !inside || !found || strings.HasPrefix(line, "#") {
			continue
		}
		if key = strings.TrimSpace(key); keys[key] == "" {
			keys[key] = unescape(strings.TrimSpace(value))
		}
	}
	return keys
}

// unescape resolves the escapes of a value of type string: \s, \n, \t, \r and \\.
func unescape(value string) string {
	return strings.NewReplacer(`\\`, `\`, `\s`, " ", `\n`, "\n", `\t`, "\t", `\r`, "\r").Replace(value)
}

// command splits a value of Exec into arguments: quotes are double, field codes such as %u are left out, and so are env and its
// assignments at the beginning.
func command(exec string) []string {
	var argv []string
	var word strings.Builder
	quoted, any := false, false
	end := func() {
		if any && !fieldCode(word.String()) {
			argv = append(argv, strings.ReplaceAll(word.String(), "%%", "%"))
		}
		word.Reset()
		any = false
	}
	for i := 0; i < len(exec); i++ {
		switch c := exec[i]; {
		case c == '"':
			quoted, any = !quoted, true
		case quoted && c == '\\' && i+1 < len(exec):
			i++
			word.WriteByte(exec[i])
		case !quoted && (c == ' ' || c == '\t' || c == '\n'):
			end()
		default:
			word.WriteByte(c)
			any = true
		}
	}
	end()
	if len(argv) > 0 && filepath.Base(argv[0]) == "env" {
		argv = argv[1:]
		for len(argv) > 0 && (strings.HasPrefix(argv[0], "-") || strings.Contains(argv[0], "=")) {
			argv = argv[1:]
		}
	}
	return argv
}

func fieldCode(word string) bool { return len(word) == 2 && word[0] == '%' && word[1] != '%' }

// flatpakOf returns the id of the app that `flatpak run` starts; "" for other commands.
func flatpakOf(argv []string) string {
	if filepath.Base(argv[0]) != "flatpak" || len(argv) < 3 || argv[1] != "run" {
		return ""
	}
	for _, arg := range argv[2:] {
		if !strings.HasPrefix(arg, "-") {
			return safeName(arg)
		}
	}
	return ""
}

// snapOf returns the name of the snap that a command starts; "" for other commands.
func snapOf(argv []string) string {
	name := ""
	switch {
	case filepath.Dir(argv[0]) == "/snap/bin":
		name = filepath.Base(argv[0])
	case filepath.Base(argv[0]) == "snap" && len(argv) > 2 && argv[1] == "run":
		name = argv[len(argv)-1]
	}
	name, _, _ = strings.Cut(name, ".") // an app of a snap
	return safeName(name)
}

// safeName returns the name of a package, or "" if it could lead out of its folder.
func safeName(name string) string {
	if strings.ContainsAny(name, "/\\") || strings.HasPrefix(name, ".") {
		return ""
	}
	return name
}

// appImages adds the AppImages in the folders where people keep them.
func (s *scan) appImages() {
	for _, dir := range []string{"Applications", "AppImages", ".local/bin", "bin", "Downloads"} {
		dir = filepath.Join(s.machine.Home, dir)
		for _, entry := range s.names(dir) {
			name := entry.Name()
			if !strings.EqualFold(filepath.Ext(name), ".AppImage") {
				continue
			}
			s.executable(filepath.Join(dir, name), App{Name: strings.TrimSuffix(name, filepath.Ext(name)), PackageSource: "appimage"})
		}
	}
}
