package installed

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/files"
)

// bundles adds the apps of macOS.
func (s *scan) bundles() {
	for _, dir := range []string{"/Applications", filepath.Join(s.machine.Home, "Applications")} {
		for _, entry := range s.names(dir) {
			path := filepath.Join(dir, entry.Name())
			switch {
			case strings.HasSuffix(entry.Name(), ".app"):
				s.bundle(path)
			case entry.IsDir(): // a folder of apps, such as that of a vendor
				for _, inner := range s.names(path) {
					if strings.HasSuffix(inner.Name(), ".app") {
						s.bundle(filepath.Join(path, inner.Name()))
					}
				}
			}
		}
	}
}

// bundle adds a bundle of macOS that has Electron's framework and the code of an app.
func (s *scan) bundle(path string) {
	framework := filepath.Join(path, "Contents", "Frameworks", "Electron Framework.framework")
	code := codeIn(filepath.Join(path, "Contents", "Resources"))
	if info, err := os.Stat(framework); err != nil || !info.IsDir() || code == "" {
		return
	}
	keys := map[string]string{}
	text, err := files.Read(s.ctx, filepath.Join(path, "Contents", "Info.plist"), maxText)
	if err == nil {
		keys, err = plist(text)
	}
	s.note(err)
	a := App{AppPath: path, BundleID: keys["CFBundleIdentifier"], PackageSource: "bundle", Evidence: []string{framework, code}}
	for _, name := range []string{keys["CFBundleDisplayName"], keys["CFBundleName"], strings.TrimSuffix(filepath.Base(path), ".app")} {
		if a.Name == "" {
			a.Name = name
		}
	}
	programs := filepath.Join(path, "Contents", "MacOS")
	if name := safeName(keys["CFBundleExecutable"]); name != "" && s.isProgram(filepath.Join(programs, name)) {
		a.ExecutablePath = filepath.Join(programs, name)
	} else {
		a.ExecutablePath = s.programIn(programs, strings.TrimSuffix(filepath.Base(path), ".app"))
	}
	if a.ExecutablePath != "" {
		s.add(a)
	}
}

// bundleOf returns the bundle whose program a path is; "" for other programs.
func bundleOf(path string) string {
	at := filepath.Dir(filepath.Dir(filepath.Dir(path)))
	if strings.HasSuffix(at, ".app") && filepath.Base(filepath.Dir(path)) == "MacOS" {
		return at
	}
	return ""
}

var errBinaryPlist = errors.New("an Info.plist in binary form was not read; the app is named by its bundle")

// plist returns the texts of a property list's topmost dictionary.
func plist(text []byte) (map[string]string, error) {
	keys := map[string]string{}
	if strings.HasPrefix(string(text), "bplist") {
		return keys, errBinaryPlist
	}
	d := xml.NewDecoder(strings.NewReader(string(text)))
	d.Strict = false
	depth, key, in := 0, "", ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return keys, nil
		}
		if err != nil {
			return keys, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			in = t.Name.Local
		case xml.EndElement:
			depth--
			in = ""
		case xml.CharData:
			if depth != 3 { // plist, dict, key or string
				continue
			}
			switch in {
			case "key":
				key = string(t)
			case "string":
				if keys[key] == "" {
					keys[key] = string(t)
				}
			}
		}
	}
}

// programFolders adds the apps of Windows: those that installers put into the person's or the machine's folder of programs, and those of
// Squirrel, which keeps a folder for each version.
func (s *scan) programFolders() {
	local := s.machine.Env("LOCALAPPDATA")
	var dirs []string
	for _, dir := range []string{filepath.Join(local, "Programs"), s.machine.Env("ProgramFiles"), s.machine.Env("ProgramFiles(x86)"), local} {
		if filepath.IsAbs(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range dirs {
		for _, entry := range s.names(dir) {
			if entry.IsDir() {
				s.programFolder(filepath.Join(dir, entry.Name()))
			}
		}
	}
}

func (s *scan) programFolder(dir string) {
	name := filepath.Base(dir)
	versions := []string{}
	for _, entry := range s.names(dir) {
		if entry.IsDir() && strings.HasPrefix(entry.Name(), "app-") {
			versions = append(versions, filepath.Join(dir, entry.Name()))
		}
	}
	slices.Sort(versions)
	slices.Reverse(versions)
	for _, at := range append([]string{dir}, versions...) {
		evidence := s.evidence(at)
		if evidence == nil {
			continue
		}
		if program := s.programIn(at, name); program != "" {
			s.add(App{Name: strings.TrimSuffix(filepath.Base(program), filepath.Ext(program)), ExecutablePath: program, AppPath: at, PackageSource: "program-folder", Evidence: evidence})
			return
		}
	}
}
