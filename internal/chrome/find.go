package chrome

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/usher-browser/usher/internal/files"
)

// Find returns the path of a Chromium. It tries, in order: explicit (a path, or a name in PATH); the environment
// variable USHER_CHROME; the usual names in PATH; the usual paths of this system. A requested path is never replaced by
// another: when it is wrong the error is a [*NotFoundError] with the reason. When nothing is found the error lists all
// paths and how to install a browser.
func Find(explicit string) (string, error) {
	for _, requested := range []struct{ from, path string }{
		{"the executable path", explicit},
		{"USHER_CHROME", os.Getenv("USHER_CHROME")},
	} {
		if requested.path == "" {
			continue
		}
		path, err := checkExecutable(requested.path)
		if err != nil {
			return "", &NotFoundError{Requested: fmt.Sprintf("%s %q", requested.from, requested.path), Reason: err}
		}
		return path, nil
	}
	var looked []string
	for _, name := range pathNames(runtime.GOOS) {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
		looked = append(looked, name)
	}
	looked = []string{"PATH (" + strings.Join(looked, ", ") + ")"}
	for _, path := range usualPaths(runtime.GOOS, os.Getenv) {
		if path, err := checkExecutable(path); err == nil {
			return path, nil
		}
		looked = append(looked, path)
	}
	return "", &NotFoundError{Looked: looked}
}

// checkExecutable resolves a path or name to a file that may be run.
func checkExecutable(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("expand ~: %w", err)
		}
		path = filepath.Join(home, rest)
	}
	if runtime.GOOS == "darwin" && strings.HasSuffix(path, ".app") {
		path = filepath.Join(path, "Contents", "MacOS", strings.TrimSuffix(filepath.Base(path), ".app"))
	}
	found, err := exec.LookPath(path)
	if err != nil {
		var inner *exec.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		var op *fs.PathError
		if errors.As(err, &op) {
			err = op.Err
		}
		return "", err
	}
	return filepath.Abs(found)
}

// pathNames returns the commands browsers are installed as, most complete first: Chrome brings codecs that Chromium may lack.
func pathNames(goos string) []string {
	switch goos {
	case "windows":
		return []string{"chrome.exe", "chromium.exe", "msedge.exe", "brave.exe"}
	case "darwin":
		return []string{"google-chrome", "chromium"}
	}
	return []string{
		"google-chrome-stable", "google-chrome", "chromium", "chromium-browser", "chrome",
		"microsoft-edge-stable", "microsoft-edge", "brave-browser",
	}
}

// usualPaths returns where installers put browsers outside PATH.
func usualPaths(goos string, getenv func(string) string) []string {
	switch goos {
	case "windows":
		var paths []string
		for _, base := range []string{"ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"} {
			dir := getenv(base)
			if dir == "" {
				continue
			}
			for _, tail := range []string{
				`Google\Chrome\Application\chrome.exe`, `Chromium\Application\chrome.exe`,
				`Microsoft\Edge\Application\msedge.exe`, `BraveSoftware\Brave-Browser\Application\brave.exe`,
			} {
				paths = append(paths, dir+`\`+tail)
			}
		}
		return paths
	case "darwin":
		var paths []string
		for _, base := range []string{"", getenv("HOME")} {
			for _, app := range []string{"Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser", "Google Chrome Beta", "Google Chrome Canary"} {
				paths = append(paths, base+"/Applications/"+app+".app/Contents/MacOS/"+app)
			}
		}
		return paths
	}
	return []string{
		"/usr/bin/google-chrome-stable", "/usr/bin/google-chrome", "/opt/google/chrome/chrome",
		"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/lib/chromium/chromium", "/snap/bin/chromium",
		"/var/lib/flatpak/exports/bin/com.google.Chrome", "/var/lib/flatpak/exports/bin/org.chromium.Chromium",
		"/run/current-system/sw/bin/chromium", "/run/current-system/sw/bin/google-chrome-stable",
		"/usr/bin/microsoft-edge", "/usr/bin/brave-browser",
	}
}

// unwrap finds the browser behind a distribution's shell script, which costs some 20-50 ms at each start, and in Chrome's case leaves
// a cat process on standard output. Only scripts in system directories are passed by: one of the user's has its reasons.
func unwrap(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || !isScript(real) {
		return path
	}
	var behind []string
	switch dir := filepath.Dir(real); {
	case strings.HasPrefix(dir, "/opt/"):
		behind = []string{dir + "/chrome", dir + "/msedge", dir + "/brave"}
	case dir == "/usr/bin", strings.HasPrefix(dir, "/usr/lib"):
		behind = []string{
			"/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser",
			"/usr/lib64/chromium-browser/chromium-browser", "/usr/lib64/chromium/chromium",
		}
	}
	for _, b := range behind {
		if found, err := checkExecutable(b); err == nil && !isScript(found) {
			return found
		}
	}
	return path
}

// isScript reports whether the file starts with "#!".
func isScript(path string) bool {
	f, err := files.Open(context.Background(), path) // bounded in time by itself
	if err != nil {
		return false
	}
	defer f.Close()
	var head [2]byte
	n, _ := f.Read(head[:])
	return string(head[:n]) == "#!"
}

// installHint returns the command that installs a browser here.
func installHint() string {
	switch runtime.GOOS {
	case "darwin":
		return "brew install --cask chromium"
	case "windows":
		return "winget install Google.Chrome"
	}
	for _, m := range []struct{ file, hint string }{
		{"/etc/alpine-release", "apk add chromium"},
		{"/etc/arch-release", "pacman -S chromium"},
		{"/etc/fedora-release", "dnf install chromium"},
		{"/etc/debian_version", "apt-get install chromium"},
	} {
		if _, err := os.Stat(m.file); err == nil {
			return m.hint
		}
	}
	return "with the system's package manager"
}
