package chrome

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/chrome/userprofile"
	"github.com/usher-browser/usher/internal/files"
)

// versionTimeout bounds `browser --version`, which takes 20-40 ms.
const versionTimeout = 10 * time.Second

// userAgent returns the value for --user-agent, or nothing where the browser's own is right. Headless Chromium names itself
// HeadlessChrome; only a switch changes that in service workers and subresources too, a CDP override does not.
func (p *Process) userAgent(ctx context.Context, o Options) (string, error) {
	if o.UserAgent != "" || o.Headed {
		return o.UserAgent, nil
	}
	v, err := version(ctx, p.executable)
	if err != nil {
		return "", err
	}
	return UserAgent(runtime.GOOS, p.executable, v), nil
}

// UserAgent returns the User-Agent of a headed browser of that version: since Chromium 110 it has only the major
// version, and one fixed text per family of systems. An empty version gives an empty text.
func UserAgent(goos, executable, version string) string {
	major, _, _ := strings.Cut(version, ".")
	if major == "" {
		return ""
	}
	system := "X11; Linux x86_64"
	switch goos {
	case "darwin":
		system = "Macintosh; Intel Mac OS X 10_15_7"
	case "windows":
		system = "Windows NT 10.0; Win64; x64"
	}
	agent := "Mozilla/5.0 (" + system + ") AppleWebKit/537.36 (KHTML, like Gecko) Chrome/" + major + ".0.0.0 Safari/537.36"
	if strings.Contains(strings.ToLower(filepath.Base(executable)), "edge") {
		agent += " Edg/" + major + ".0.0.0"
	}
	return agent
}

// version returns the browser's version, such as "156.0.8078.79": from the cache, or by running the program once.
// Without a cache directory it runs the program each time.
func version(ctx context.Context, executable string) (string, error) {
	file, err := versionFile(executable)
	if err == nil {
		if b, err := files.Read(context.Background(), file, 4<<10); err == nil {
			if v := userprofile.FindVersion(string(b)); v != "" {
				return v, nil
			}
		}
	}
	if runtime.GOOS == "windows" {
		return installedVersion(filepath.Dir(executable)), nil
	}
	asked := ctx
	ctx, cancel := context.WithTimeout(asked, versionTimeout)
	defer cancel()
	stderr := new(tail)
	var stdout bytes.Buffer
	cmd := exec.CommandContext(ctx, executable, "--version")
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, stderr, stderrDrain
	err = cmd.Run()
	v := userprofile.FindVersion(stdout.String())
	if v != "" && (err == nil || errors.Is(err, exec.ErrWaitDelay)) {
		return v, nil
	}
	e := &StartError{Executable: executable, Cause: err, Exit: describeExit(cmd.ProcessState, stderr.String())}
	switch {
	case asked.Err() != nil: // the end of the caller's context is no fault of the program
		e.Problem, e.Cause = "did not answer --version in time", context.Cause(asked)
	case ctx.Err() != nil:
		e.Problem = fmt.Sprintf("printed no version within %v: it may not be Chromium", versionTimeout)
	case err != nil && cmd.ProcessState == nil:
		e.Problem = "cannot be started"
	case err != nil:
		e.Problem = "failed with --version"
	default:
		e.Problem = fmt.Sprintf("is not Chromium: with --version it printed %.100q", strings.TrimSpace(stdout.String()))
	}
	return "", e
}

// cacheVersion stores the product string of a running browser ("Chrome/156.0.8078.79"). It replaces the output of
// --version, so a program with versions of its own is wrong at its first launch only.
func cacheVersion(executable, product string) error {
	_, v, _ := strings.Cut(product, "/")
	if v = userprofile.FindVersion(v); v == "" {
		return fmt.Errorf("remember the version of %s: %q has none", executable, product)
	}
	file, err := versionFile(executable)
	if err != nil {
		return err
	}
	if b, err := files.Read(context.Background(), file, 4<<10); err == nil && string(b) == v {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("remember the version of %s: %w", executable, err)
	}
	// Written to a second file and renamed, because several launches may do so at once.
	tmp, err := os.CreateTemp(filepath.Dir(file), "new-*")
	if err != nil {
		return fmt.Errorf("remember the version of %s: %w", executable, err)
	}
	_, err = tmp.WriteString(v)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		return fmt.Errorf("remember the version of %s: %w", executable, errors.Join(err, os.Remove(tmp.Name())))
	}
	return nil
}

// versionFile names the cache entry of an executable by path, time of change and size: an upgrade makes it another.
func versionFile(executable string) (string, error) {
	info, err := os.Stat(executable)
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", executable, err)
	}
	dir, err := cacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d", executable, info.ModTime().UnixNano(), info.Size()))
	return filepath.Join(dir, "chrome-version", fmt.Sprintf("%x", sum[:12])), nil
}

// installedVersion reads the version from the directory that Chrome's Windows installer puts beside chrome.exe. There `chrome --version`
// opens a window instead. Without such a directory it is empty.
func installedVersion(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	best, bestMajor := "", 0
	for _, e := range entries {
		v := userprofile.FindVersion(e.Name())
		if v == "" || v != e.Name() || !e.IsDir() {
			continue
		}
		major, _, _ := strings.Cut(v, ".")
		if n, err := strconv.Atoi(major); err == nil && n >= bestMajor {
			best, bestMajor = v, n
		}
	}
	return best
}
