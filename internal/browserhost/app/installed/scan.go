package installed

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/files"
)

// scan collects apps.
type scan struct {
	ctx     context.Context //nolint:containedctx // of one call
	machine *Machine
	apps    []App
	notes   []string
	looked  int // files and folders that searches have seen
}

const (
	// maxLooked and maxDepth bound a search in the folder of a package.
	maxLooked = 5000
	maxDepth  = 7
	// maxText bounds a desktop entry, a script and an Info.plist, in bytes.
	maxText = 256 << 10
	// maxEntries bounds a folder of apps.
	maxEntries = 5000
)

// note records what could not be read; what is not there is no problem.
func (s *scan) note(err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) && len(s.notes) < 20 {
		s.notes = append(s.notes, err.Error())
	}
}

// names lists a folder.
func (s *scan) names(dir string) []fs.DirEntry {
	if s.ctx.Err() != nil {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		s.note(err)
		return nil
	}
	defer f.Close()
	list, err := f.ReadDir(maxEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		s.note(err)
	}
	return list
}

// evidence returns what beside an executable shows that it is Electron: its resource packs and the code of the app. Both must be
// there.
func (s *scan) evidence(dir string) []string {
	packs := ""
	for _, entry := range s.names(dir) {
		if name := entry.Name(); strings.HasPrefix(name, "chrome_") && strings.HasSuffix(name, ".pak") {
			packs = filepath.Join(dir, name)
			break
		}
	}
	code := codeIn(filepath.Join(dir, "resources"))
	if packs == "" || code == "" {
		return nil
	}
	return []string{packs, code}
}

// codeIn returns the code of an app in its folder of resources: an archive or a folder.
func codeIn(resources string) string {
	for _, name := range []string{"app.asar", "app"} {
		path := filepath.Join(resources, name)
		if info, err := os.Stat(path); err == nil && (info.Mode().IsRegular() || name == "app" && info.IsDir()) {
			return path
		}
	}
	return ""
}

// isProgram reports whether a path is a file that can be run.
func (s *scan) isProgram(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if s.machine.OS == "windows" {
		return strings.EqualFold(filepath.Ext(path), ".exe")
	}
	return info.Mode().Perm()&0o111 != 0
}

// executable adds the app of an executable: of the file itself, of that which a symbolic link or a script leads to.
func (s *scan) executable(path string, as App) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		s.note(err)
		return false
	}
	if real, err = filepath.Abs(real); err != nil {
		return false
	}
	if !s.isProgram(real) {
		return false
	}
	if isAppImage(real) {
		as.ExecutablePath, as.AppPath, as.Evidence = real, real, []string{"AppImage, whose inside is not examined"}
		if as.PackageSource == "" || as.PackageSource == "desktop-entry" {
			as.PackageSource = "appimage"
		}
		s.add(as)
		return true
	}
	if evidence := s.evidence(filepath.Dir(real)); evidence != nil && !isScript(real) {
		as.ExecutablePath, as.AppPath, as.Evidence = real, filepath.Dir(real), evidence
		s.add(as)
		return true
	}
	for _, program := range s.startedBy(real) {
		if evidence := s.evidence(filepath.Dir(program)); evidence != nil {
			as.ExecutablePath, as.AppPath, as.Evidence = program, filepath.Dir(program), evidence
			s.add(as)
			return true
		}
	}
	return false
}

func (s *scan) add(a App) {
	if a.Name == "" {
		a.Name = strings.TrimSuffix(filepath.Base(a.ExecutablePath), filepath.Ext(a.ExecutablePath))
	}
	s.apps = append(s.apps, a)
}

// isAppImage reports whether a file is an AppImage: an ELF program with AI and the type, 1 or 2, in its ninth to eleventh byte.
func isAppImage(path string) bool {
	head := head(path, 11)
	return bytes.HasPrefix(head, []byte("\x7fELF")) && len(head) == 11 && head[8] == 'A' && head[9] == 'I' && (head[10] == 1 || head[10] == 2)
}

func isScript(path string) bool { return bytes.HasPrefix(head(path, 2), []byte("#!")) }

// head returns the first bytes of a regular file; fewer if it cannot be read.
func head(path string, n int) []byte {
	f, err := files.Open(context.Background(), path) // bounded in time by itself
	if err != nil {
		return nil
	}
	defer f.Close()
	out := make([]byte, n)
	got, _ := io.ReadFull(f, out) // a shorter file has no such head
	return out[:got]
}

// startedBy returns the programs that a script may start: those whose absolute paths are in it, and the one of its name in the folder
// above, as Visual Studio Code has it.
func (s *scan) startedBy(script string) []string {
	if !isScript(script) {
		return nil
	}
	text, err := files.Read(s.ctx, script, maxText)
	if err != nil {
		s.note(err)
		return nil
	}
	paths := []string{filepath.Join(filepath.Dir(filepath.Dir(script)), filepath.Base(script))}
	for _, word := range strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`;|&()<>={}$", r) }) {
		if filepath.IsAbs(word) && len(paths) < 50 {
			paths = append(paths, filepath.Clean(word))
		}
	}
	var found []string
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil && real != script && s.isProgram(real) && !isScript(real) {
			found = append(found, real)
		}
	}
	return found
}

// search adds the app that is somewhere below the folder of a package.
func (s *scan) search(dir string, as App) bool {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		s.note(err)
		return false
	}
	found := false
	deep := strings.Count(root, string(filepath.Separator))
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if s.looked++; s.looked > maxLooked || s.ctx.Err() != nil {
			return fs.SkipAll
		}
		if err != nil || !entry.IsDir() {
			return nil //nolint:nilerr // what cannot be read is not searched
		}
		if strings.Count(path, string(filepath.Separator))-deep > maxDepth {
			return fs.SkipDir
		}
		evidence := s.evidence(path)
		if evidence == nil {
			return nil
		}
		if program := s.programIn(path, filepath.Base(dir), as.DesktopID, as.Name); program != "" {
			as.ExecutablePath, as.AppPath, as.Evidence = program, path, evidence
			s.add(as)
			found = true
			return fs.SkipAll
		}
		return nil
	})
	s.note(err)
	return found
}

// programIn returns the app's program in a folder: the one with one of these names, else the largest, which is Electron itself.
func (s *scan) programIn(dir string, names ...string) string {
	best, size := "", int64(0)
	for _, entry := range s.names(dir) {
		path := filepath.Join(dir, entry.Name())
		if entry.IsDir() || strings.Contains(entry.Name(), ".so") || helper(entry.Name()) || !s.isProgram(path) || isScript(path) {
			continue
		}
		base := strings.TrimSuffix(entry.Name(), filepath.Ext(entry.Name()))
		for _, name := range names {
			if name != "" && strings.EqualFold(base, name) {
				return path
			}
		}
		if info, err := entry.Info(); err == nil && info.Size() > size {
			best, size = path, info.Size()
		}
	}
	return best
}

// helper reports whether a program of Electron's is not the app's.
func helper(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"chrome-sandbox", "chrome_crashpad_handler", "crashpad", "uninst", "update", "elevate", "squirrel"} {
		if strings.HasPrefix(name, part) {
			return true
		}
	}
	return false
}

// path adds the app at a path, and returns what the path is.
func (s *scan) path(path string) (kind string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", api.Errorf(api.FileNotFound, "find an app: %w", err).WithHint("Give the path of the app's executable.")
	}
	switch {
	case info.IsDir() && strings.HasSuffix(path, ".app"):
		s.bundle(path)
		return "a bundle", nil
	case info.IsDir():
		if evidence := s.evidence(path); evidence != nil {
			if program := s.programIn(path, filepath.Base(path)); program != "" {
				s.add(App{ExecutablePath: program, AppPath: path, Evidence: evidence, PackageSource: "executable"})
			}
		}
		return "a directory", nil
	case strings.HasSuffix(path, ".desktop"):
		s.desktopEntry(path, "")
		return "a desktop entry", nil
	case !s.isProgram(path):
		return "a file that cannot be run", nil
	}
	if bundle := bundleOf(path); bundle != "" {
		s.bundle(bundle)
		return "the program of a bundle", nil
	}
	s.executable(path, App{PackageSource: "executable"})
	return "a program", nil
}
