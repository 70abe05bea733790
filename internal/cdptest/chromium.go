package cdptest

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/wire"
)

// Chromium returns the path of the browser that tests run: USHER_CHROME, else the first found on PATH. A test that needs a
// browser and has none fails; it is never skipped.
func Chromium(t testing.TB) string {
	t.Helper()
	path, err := Path()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Path is Chromium for programs.
func Path() (string, error) {
	if path := os.Getenv("USHER_CHROME"); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("USHER_CHROME names a browser that is not there: %w", err)
		}
		return path, nil
	}
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	places := []string{
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
		filepath.Join(os.Getenv("ProgramFiles"), `Google\Chrome\Application\chrome.exe`),
	}
	for _, path := range places {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no Chromium on PATH (looked for %s); run scripts/chromium --install, or set USHER_CHROME to one",
		strings.Join(names, ", "))
}

// Arguments returns the flags every Chromium of a test is started with: no window, nothing sent to the network by itself,
// nothing that fails for want of a desktop or, as root, of a sandbox.
func Arguments() []string {
	args := []string{
		"--headless=new", "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-quic", "--disable-default-apps", "--disable-gpu",
		"--password-store=basic", "--use-mock-keychain", "--mute-audio",
	}
	if runtime.GOOS == "linux" {
		args = append(args, "--disable-dev-shm-usage")
		if os.Geteuid() == 0 {
			args = append(args, "--no-sandbox")
		}
	}
	return args
}

// Browser is a running Chromium with a profile of its own. Its process ends when this one does, however this one ends:
// it was started with --remote-debugging-pipe, and Chromium leaves when that pipe closes.
type Browser struct {
	WebSocketURL string // ws://127.0.0.1:port/devtools/browser/id
	Port         int
	PID          int
	Profile      string

	command   *exec.Cmd
	debugPipe [2]*os.File // our ends of the debugging pipe: commands in, messages out
	once      sync.Once
}

// Launch starts a Chromium of its own for this test, with more flags if given, and ends it with the test.
func Launch(t testing.TB, flags ...string) *Browser {
	t.Helper()
	browser, err := Start(flags...)
	if err != nil {
		t.Fatalf("start a browser: %v", err)
	}
	t.Cleanup(browser.Close)
	return browser
}

// Dial connects to the browser for this test, which closes the connection or hands it
// on to what does.
func (b *Browser) Dial(t testing.TB) wire.Conn {
	t.Helper()
	c, err := wire.Dial(t.Context(), b.WebSocketURL, nil)
	if err != nil {
		t.Fatalf("connect to the browser: %v", err)
	}
	return c
}

// Start is Launch for programs: the caller ends the browser with Close.
func Start(flags ...string) (*Browser, error) {
	path, err := Path()
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp("", "cdptest-profile-")
	if err != nil {
		return nil, fmt.Errorf("make a profile: %w", err)
	}
	b := &Browser{Profile: profile}
	if err := errors.Join(keepDownloads(profile), b.start(path, flags)); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// keepDownloads has files for which a test names no directory saved in the profile.
func keepDownloads(profile string) error {
	if err := os.MkdirAll(filepath.Join(profile, "Default"), 0o700); err != nil {
		return fmt.Errorf("make a profile: %w", err)
	}
	preferences := fmt.Sprintf(`{"download":{"default_directory":%q}}`, profile)
	if err := os.WriteFile(filepath.Join(profile, "Default", "Preferences"), []byte(preferences), 0o600); err != nil {
		return fmt.Errorf("make a profile: %w", err)
	}
	return nil
}

func (b *Browser) start(path string, flags []string) error {
	commandsRead, commandsWrite, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make the debugging pipe: %w", err)
	}
	defer commandsRead.Close()
	messagesRead, messagesWrite, err := os.Pipe()
	if err != nil {
		return errors.Join(fmt.Errorf("make the debugging pipe: %w", err), commandsWrite.Close())
	}
	defer messagesWrite.Close()
	b.debugPipe = [2]*os.File{commandsWrite, messagesRead}

	args := append(Arguments(), "--user-data-dir="+b.Profile, "--remote-debugging-pipe", "--remote-debugging-port=0")
	b.command = exec.Command(path, append(append(args, flags...), "about:blank")...)
	b.command.ExtraFiles = []*os.File{commandsRead, messagesWrite} // become descriptors 3 and 4, as Chromium expects
	b.command.Env = append(os.Environ(), "TMPDIR="+b.Profile)      // so that its lock directory goes with the profile
	complaints, err := os.Create(filepath.Join(b.Profile, "stderr"))
	if err != nil {
		return fmt.Errorf("keep what the browser says: %w", err)
	}
	defer complaints.Close()
	b.command.Stderr = complaints
	if err := b.command.Start(); err != nil {
		b.command = nil
		return fmt.Errorf("start %s: %w", path, err)
	}
	b.PID = b.command.Process.Pid
	return b.readPort(30 * time.Second)
}

// readPort waits for the file in which Chromium writes its port and the path of its WebSocket, a line each.
func (b *Browser) readPort(limit time.Duration) error {
	file := filepath.Join(b.Profile, "DevToolsActivePort")
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		content, err := os.Open(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read the browser's port: %w", err)
		}
		lines := bufio.NewScanner(content)
		var port, path string
		if lines.Scan() {
			port = lines.Text()
		}
		if lines.Scan() {
			path = lines.Text()
		}
		_ = content.Close()
		if path == "" {
			continue // written in part
		}
		if b.Port, err = strconv.Atoi(port); err != nil {
			return fmt.Errorf("read the browser's port from %s: %w", file, err)
		}
		b.WebSocketURL = fmt.Sprintf("ws://127.0.0.1:%d%s", b.Port, path)
		return nil
	}
	said, _ := os.ReadFile(filepath.Join(b.Profile, "stderr"))
	return fmt.Errorf("the browser named no port within %v; it said: %s", limit, said)
}

// Pipe returns the debugging pipe: commands are written to the one, messages read from the other, each ended by a NUL byte.
func (b *Browser) Pipe() (commands, messages *os.File) { return b.debugPipe[0], b.debugPipe[1] }

// Close ends the browser and removes its profile. It may be called twice.
func (b *Browser) Close() {
	b.once.Do(func() {
		for _, end := range b.debugPipe {
			if end != nil {
				_ = end.Close() // Chromium leaves when its commands end
			}
		}
		if b.command != nil {
			b.wait()
		}
		// Helper processes may write for a moment after the browser has gone.
		for range 50 {
			if os.RemoveAll(b.Profile) == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
}

func (b *Browser) wait() {
	kill := time.AfterFunc(5*time.Second, func() { _ = b.command.Process.Kill() })
	defer kill.Stop()
	_ = b.command.Wait() // its status is expected
}
