//go:build linux || darwin

package chrome

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/config/dirs"
)

// TestMain also plays the owner that a test kills: it launches a browser, prints its profile and waits.
func TestMain(m *testing.M) {
	if os.Getenv("USHER_TEST_OWNER") != "" {
		p, err := Launch(context.Background(), Options{ProfileDir: os.Getenv("USHER_TEST_PROFILE"), Args: extraArgs()})
		if err != nil {
			fmt.Println("ERROR", strings.ReplaceAll(err.Error(), "\n", " "))
			os.Exit(1)
		}
		fmt.Println("READY", p.ProfileDir())
		<-p.Done()
		os.Exit(2)
	}
	goleak.VerifyTestMain(m)
}

// extraArgs lets a machine whose user may not build a sandbox run the tests.
func extraArgs() []string { return strings.Fields(os.Getenv("USHER_TEST_CHROME_ARGS")) }

func launch(t *testing.T, o Options) *Process {
	t.Helper()
	o.Args = append(o.Args, extraArgs()...)
	p, err := Launch(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	for _, w := range p.Warnings() {
		t.Error("warning:", w)
	}
	return p
}

// client is the smallest CDP speaker that can test the pipe.
type client struct {
	t  *testing.T
	r  *bufio.Reader
	w  io.Writer
	id int
}

func newClient(t *testing.T, p *Process) *client {
	r, w := p.Conn()
	return &client{t: t, r: bufio.NewReader(r), w: w}
}

// call returns the result of one command.
func (c *client) call(session, method, params string) map[string]any {
	c.t.Helper()
	c.id++
	frame := fmt.Sprintf(`{"id":%d,"method":%q,"params":%s`, c.id, method, params)
	if session != "" {
		frame += fmt.Sprintf(`,"sessionId":%q`, session)
	}
	if _, err := io.WriteString(c.w, frame+"}\x00"); err != nil {
		c.t.Fatal(err)
	}
	for {
		b, err := c.r.ReadBytes(0)
		if err != nil {
			c.t.Fatalf("%s: %v", method, err)
		}
		var m struct {
			ID     int
			Result map[string]any
			Error  any
		}
		if err := json.Unmarshal(b[:len(b)-1], &m); err != nil {
			c.t.Fatalf("%s: %v in %q", method, err, b)
		}
		if m.ID != c.id {
			continue
		}
		if m.Error != nil {
			c.t.Fatalf("%s: %v", method, m.Error)
		}
		return m.Result
	}
}

// page opens a page and returns its CDP session.
func (c *client) page() (target, session string) {
	target = c.call("", "Target.createTarget", `{"url":"about:blank"}`)["targetId"].(string)
	session = c.call("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target))["sessionId"].(string)
	return target, session
}

func (c *client) eval(session, expression string) string {
	r := c.call(session, "Runtime.evaluate", fmt.Sprintf(`{"expression":%q}`, expression))
	return fmt.Sprint(r["result"].(map[string]any)["value"])
}

// using lists the processes that run on a profile.
func using(t *testing.T, profile string) []process {
	t.Helper()
	all, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	var found []process
	for _, p := range all {
		if usesProfile(p.command, profile) {
			found = append(found, p)
		}
	}
	return found
}

func TestLaunchedBrowserLooksOrdinary(t *testing.T) {
	p := launch(t, Options{})
	c := newClient(t, p)
	_, s := c.page()
	got := c.eval(s, `[innerWidth, innerHeight, navigator.webdriver, matchMedia("(hover:hover)").matches, screen.width].join()`)
	if want := "1280,720,false,true,1920"; got != want {
		t.Errorf("width, height, webdriver, hover, screen = %s, want %s", got, want)
	}
	_, v, _ := strings.Cut(p.Product(), "/")
	if agent, want := c.eval(s, "navigator.userAgent"), UserAgent(runtime.GOOS, p.Executable(), v); agent != want || want == "" {
		t.Errorf("user agent %q, want %q", agent, want)
	}
	if got := c.eval(s, "navigator.userAgentData === undefined || !JSON.stringify(navigator.userAgentData.brands).includes('Headless')"); got != "true" {
		t.Error("the client hints name a headless browser")
	}
}

func TestBrowserRunsWithoutTabs(t *testing.T) {
	p := launch(t, Options{})
	c := newClient(t, p)
	target, _ := c.page()
	c.call("", "Target.closeTarget", fmt.Sprintf(`{"targetId":%q}`, target))
	_, s := c.page()
	if got := c.eval(s, "6*7"); got != "42" {
		t.Errorf("the tab after the last one answers %s", got)
	}
}

func TestOptionsReachTheBrowser(t *testing.T) {
	p := launch(t, Options{
		UserAgent: "tester/1", WindowSize: Size{900, 600 + frameHeight}, HideScrollbars: true, WebGPU: true, AllowFileAccess: true,
		IgnoreHTTPSErrors: true, Proxy: "http://127.0.0.1:9", ProxyBypass: "localhost", Env: []string{"TZ=Asia/Tokyo"},
		Args: []string{"--lang=de", "--disable-features=AcceptCHFrame"},
	})
	c := newClient(t, p)
	_, s := c.page()
	got := c.eval(s, `[innerWidth, innerHeight, navigator.userAgent, new Date(0).getTimezoneOffset()].join()`)
	if want := "900,600,tester/1,-540"; got != want {
		t.Errorf("width, height, agent, offset = %s, want %s", got, want)
	}
	command := using(t, p.ProfileDir())[0].command
	for _, want := range []string{"--hide-scrollbars", "--enable-unsafe-webgpu", "--allow-file-access-from-files", "--ignore-certificate-errors", "--proxy-server=http://127.0.0.1:9", "--proxy-bypass-list=localhost", ",AcceptCHFrame"} {
		if !strings.Contains(command, want) {
			t.Errorf("the command line lacks %s", want)
		}
	}
	if n := strings.Count(command, "--disable-features="); n != 1 {
		t.Errorf("%d --disable-features, and Chromium takes one", n)
	}
}

// TestDownloadsStayInTheProfile: a file for which no client has named a directory goes with the temporary profile.
func TestDownloadsStayInTheProfile(t *testing.T) {
	p := launch(t, Options{})
	c := newClient(t, p)
	_, session := c.page()
	c.eval(session, "const a = document.createElement('a'); a.href = URL.createObjectURL(new Blob(['kept'])); a.download = 'f.txt'; a.click()")
	saved := filepath.Join(filepath.Dir(p.ProfileDir()), "downloads", "f.txt")
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if text, err := os.ReadFile(saved); err == nil && string(text) == "kept" {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("%s is not there", saved)
		}
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	assertGone(t, p)
}

func TestCloseLeavesNothing(t *testing.T) {
	p := launch(t, Options{})
	newClient(t, p).page()
	if len(using(t, p.ProfileDir())) < 3 {
		t.Fatal("the process list does not show the browser and its children")
	}
	p.closeTimeout = time.Minute // a busy machine is no reason to be rude
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	assertGone(t, p)
	if exit, ok := p.Exit(); !ok || exit.Signal != "" || exit.Code != 0 {
		t.Errorf("exit = %v, %v: it was not let go politely", exit, ok)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// TestOtherProfilesAreUnchanged looks into the home directory, where Chromium keeps its crash reports whatever profile
// it uses.
func TestOtherProfilesAreUnchanged(t *testing.T) {
	home := t.TempDir()
	p := launch(t, Options{Env: []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config")}})
	newClient(t, p).page()
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found, err := filepath.Glob(filepath.Join(home, ".config", "*", "*")); err != nil || len(found) > 0 {
		t.Errorf("the browser left %v in the home directory; %v", found, err)
	}
}

func TestCloseEndsAFrozenBrowser(t *testing.T) {
	p := launch(t, Options{})
	newClient(t, p).page()
	if err := syscall.Kill(p.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // no patience
	if err := p.Close(ctx); err != nil {
		t.Fatal(err)
	}
	assertGone(t, p)
	if exit, _ := p.Exit(); exit.Signal != "killed" {
		t.Errorf("exit = %v", exit)
	}
}

func TestKilledBrowserIsReportedAndCleaned(t *testing.T) {
	p := launch(t, Options{})
	newClient(t, p).page()
	if err := syscall.Kill(p.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if exit, ok := p.Exit(); !ok || exit.Signal != "killed" || exit.Code != -1 {
		t.Errorf("exit = %v, %v", exit, ok)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	assertGone(t, p)
}

// assertGone checks for processes, the profile, its lock and its temporary files.
func assertGone(t *testing.T, p *Process) {
	t.Helper()
	if left := using(t, p.ProfileDir()); len(left) > 0 {
		t.Errorf("processes left: %v", left)
	}
	for _, path := range []string{p.temp.dir, p.temp.dir + ".lock"} {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there (%v)", path, err)
		}
	}
}

// startOwner runs this test binary as the owner of a browser and returns the browser's profile.
func startOwner(t *testing.T, profile string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "USHER_TEST_OWNER=1", "USHER_TEST_PROFILE="+profile)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	dir, ok := strings.CutPrefix(strings.TrimSpace(line), "READY ")
	if !ok {
		t.Fatalf("owner: %q, %v, %v", line, err, errors.Join(cmd.Process.Kill(), cmd.Wait()))
	}
	return cmd, dir
}

// killOwner kills it the hard way and waits until its browser is gone.
func killOwner(t *testing.T, cmd *exec.Cmd, profile string) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) {
		t.Fatal(err)
	}
	deadline := time.Now().Add(20 * time.Second)
	for len(using(t, profile)) > 0 {
		if time.Now().After(deadline) {
			t.Fatalf("the browser outlives its owner: %v", using(t, profile))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestKilledOwnerLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	owner, profile := startOwner(t, "")
	if len(using(t, profile)) < 3 {
		t.Fatal("the process list does not show the owner's browser")
	}
	killOwner(t, owner, profile)
	if _, err := os.Stat(profile); err != nil {
		t.Fatalf("nothing for the next start to remove: %v", err)
	}
	alive := launch(t, Options{})
	if _, err := os.Stat(filepath.Dir(profile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the next start left %s (%v)", profile, err)
	}
	// A sweep leaves the profile of a living owner alone.
	if removed, err := SweepProfiles(t.Context()); err != nil || len(removed) > 0 {
		t.Errorf("sweep beside a living browser = %v, %v", removed, err)
	}
	newClient(t, alive).page()
}

func TestKilledOwnerLeavesNoBrowserOnTheUsersProfile(t *testing.T) {
	dir := t.TempDir()
	owner, profile := startOwner(t, dir)
	if profile != dir {
		t.Fatalf("profile = %s", profile)
	}
	killOwner(t, owner, profile)
	// The profile is kept, and free again.
	p := launch(t, Options{ProfileDir: dir})
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "Default")); err != nil {
		t.Errorf("the user's profile was not kept: %v", err)
	}
}

func TestProfileInUse(t *testing.T) {
	dir := t.TempDir()
	first := launch(t, Options{ProfileDir: dir})
	_, err := Launch(t.Context(), Options{ProfileDir: dir, Args: extraArgs()})
	var inUse *ProfileInUseError
	if !errors.As(err, &inUse) || inUse.PID != first.PID() || inUse.Remote {
		t.Fatalf("launch on a profile in use: %v", err)
	}
	newClient(t, first).page() // it was not disturbed
	other := t.TempDir()
	if err := os.Symlink("another-machine-77", filepath.Join(other, "SingletonLock")); err != nil {
		t.Fatal(err)
	}
	_, err = Launch(t.Context(), Options{ProfileDir: other})
	if !errors.As(err, &inUse) || inUse.Host != "another-machine" || !inUse.Remote {
		t.Errorf("launch on a profile in use elsewhere: %v", err)
	}
}

// script writes an executable shell script that tells a version and then does something else.
func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "browser")
	text := "#!/bin/sh\nif [ \"$1\" = --version ]; then echo Chromium 156.0.1.2; exit; fi\n" + body + "\n"
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLaunchRefusesBadExecutables(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	garbage := filepath.Join(t.TempDir(), "garbage")
	if err := os.WriteFile(garbage, []byte("\x7fELF nonsense"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		o    Options
		want []string
	}{
		"missing":        {Options{Executable: "/nowhere/chrome"}, []string{`"/nowhere/chrome"`, "no such file"}},
		"not executable": {Options{Executable: plain}, []string{plain, "permission denied"}},
		"garbage":        {Options{Executable: garbage}, []string{garbage, "exec format error"}},
		"other program":  {Options{Executable: "/bin/ls"}, []string{"/bin/ls", "is not Chromium", "ls"}},
		"exits at once":  {Options{Executable: script(t, "echo a library is missing >&2; exit 7")}, []string{"exited with code 7", "a library is missing"}},
		"killed":         {Options{Executable: script(t, "kill -9 $$")}, []string{"signal: killed before it answered"}},
		"no sandbox":     {Options{Executable: script(t, "echo 'No usable sandbox!' >&2; exit 1")}, []string{"--no-sandbox if"}},
		"not the protocol": {Options{Executable: script(t, `printf 'hello\0' >&4; sleep 20`)},
			[]string{"did not start properly", `first reply is not one of a browser: "hello"`}},
		"no writable profile": {Options{ProfileDir: "/dev/null/profile"}, []string{"use profile /dev/null/profile", "not a directory"}},
		"profile switch":      {Options{Args: []string{"--user-data-dir=/tmp/x"}}, []string{"--profile"}},
		"version switch":      {Options{Args: []string{"--version"}}, []string{"would print and exit"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Launch(t.Context(), c.o)
			if err == nil {
				t.Fatal("launched", p.PID(), p.Close(context.Background()))
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error lacks %q:\n%v", want, err)
				}
			}
		})
	}
	if left, err := filepath.Glob(filepath.Join(dirs.Profiles(), "*")); err != nil || len(left) > 0 {
		t.Errorf("profiles left: %v, %v", left, err)
	}
}

func TestLaunchGivesUpOnAMuteProgram(t *testing.T) {
	// Long enough that the program has told its version and begun to think on a busy machine.
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	_, err := Launch(ctx, Options{Executable: script(t, "echo thinking >&2; exec sleep 60")})
	var start *StartError
	if !errors.As(err, &start) || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "thinking") {
		t.Errorf("launch of a mute program: %v", err)
	}
}

// TestLaunchEndedBeforeTheVersion: a caller that cancels while the program is asked for its version gets that as the
// error, and not that the program took too long.
func TestLaunchEndedBeforeTheVersion(t *testing.T) {
	mute := filepath.Join(t.TempDir(), "mute")
	if err := os.WriteFile(mute, []byte("#!/bin/sh\nexec sleep 60\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := Launch(ctx, Options{Executable: mute})
	if !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), versionTimeout.String()) {
		t.Errorf("launch of a program that does not tell its version: %v", err)
	}
}

// BenchmarkLaunch measures from the call to the browser's first reply.
func BenchmarkLaunch(b *testing.B) {
	for b.Loop() {
		p, err := Launch(b.Context(), Options{Args: extraArgs()})
		b.StopTimer()
		if err == nil {
			err = p.Close(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// TestInUTC distinguishes UTC from the zones of persons without an offset.
func TestInUTC(t *testing.T) {
	t.Parallel()
	for place, want := range map[*time.Location]bool{time.UTC: true, time.FixedZone("UTC", 0): true, time.FixedZone("GMT", 0): false, time.FixedZone("CET", 3600): false} {
		if inUTC(place) != want {
			t.Errorf("%v: %v", place, !want)
		}
	}
}
