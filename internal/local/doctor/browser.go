package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/chrome"
)

// oldestBrowser is the version our script for pages is compiled for.
const oldestBrowser = 120

// launchLimit bounds the trial of the browser; a cold start on a slow disk takes
// some 10 s.
const launchLimit = 45 * time.Second

// browser finds the browser, reads its version and tries it.
func (d *doctor) browser(ctx context.Context) {
	path, err := chrome.Find(d.str("executable-path"))
	if err != nil {
		fix := "Run `usher install`, or set USHER_CHROME to the path of one."
		var missing *chrome.NotFoundError
		if errors.As(err, &missing) && missing.Requested != "" {
			fix = "Correct the path, or omit it to search the usual places."
		}
		d.fail(browser, "executable", fix, "%v", err)
		return
	}
	version, err := chrome.Version(ctx, path)
	if err != nil {
		d.fail(browser, "executable", "Install a working one (`usher install`), or set USHER_CHROME to its path.", "%s: %v", path, err)
		return
	}
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	switch {
	case version == "":
		d.pass(browser, "executable", "%s (it reports no version without being started)", path)
	case err == nil && n < oldestBrowser:
		d.fail(browser, "executable", "Update it, or run `usher install`.", "%s is version %s; the oldest supported version is %d", path, version, oldestBrowser)
	default:
		d.pass(browser, "executable", "%s, version %s", path, version)
	}
	d.sandbox(path)
	d.profiles(ctx)
	if d.quick {
		return
	}
	trial, cancel := context.WithTimeout(ctx, launchLimit)
	defer cancel()
	if !d.trial(trial, path) {
		return
	}
	d.recording(ctx, path)
	if d.call.Bool("webgpu") {
		d.gpu(ctx, path)
	}
}

// sandbox checks whether pages run in Chromium's sandbox, which on Linux needs user namespaces or a setuid helper.
func (d *doctor) sandbox(executable string) {
	if d.goos != "linux" {
		return
	}
	const id = "sandbox"
	var args []string
	if d.set != nil {
		args = d.set.List("args")
	}
	switch {
	case d.uid == 0:
		d.warn(browser, id, "Run usher as an ordinary user, also in a container, when you open pages you do not trust.",
			"off: Chromium cannot have one as root, so it is started with --no-sandbox")
	case slices.Contains(args, "--no-sandbox"):
		d.warn(browser, id, "Remove --no-sandbox from "+d.set.Value("args").Where+" when you open pages you do not trust.", "off: --no-sandbox is set")
	case d.helper(executable) != "":
		d.pass(browser, id, "on, with the helper %s", d.helper(executable))
	default:
		if reason, fix := d.noNamespaces(); reason != "" {
			d.warn(browser, id, fix, "%s, so Chromium may refuse to start", reason)
			return
		}
		d.pass(browser, id, "on, with user namespaces")
	}
}

// helper returns the path of the set-user-id sandbox helper beside the browser, or
// empty.
func (d *doctor) helper(executable string) string {
	real, err := filepath.EvalSymlinks(executable)
	if err != nil {
		return ""
	}
	for _, path := range []string{
		filepath.Join(filepath.Dir(real), "chrome-sandbox"), d.file("/usr/lib/chromium/chrome-sandbox"), d.file("/usr/lib64/chromium-browser/chrome-sandbox"),
	} {
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSetuid != 0 {
			return path
		}
	}
	return ""
}

// noNamespaces returns why an ordinary user cannot create user namespaces, and a remedy; empty if they can.
func (d *doctor) noNamespaces() (reason, fix string) {
	if n, ok := d.number("/proc/sys/user/max_user_namespaces"); ok && n == 0 {
		return "the system allows no user namespaces", "Run as root: sysctl -w user.max_user_namespaces=10000"
	}
	// Debian's kernels before 5.10.
	if n, ok := d.number("/proc/sys/kernel/unprivileged_userns_clone"); ok && n == 0 {
		return "the system allows user namespaces only to root", "Run as root: sysctl -w kernel.unprivileged_userns_clone=1"
	}
	// Ubuntu since 23.10. A browser from a package brings a profile that allows it; one that was downloaded does not.
	if n, ok := d.number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"); ok && n != 0 {
		for _, profile := range []string{"chrome", "chromium", "chromium_browser", "chromium-browser"} {
			if _, err := os.Stat(d.file("/etc/apparmor.d/" + profile)); err == nil {
				return "", ""
			}
		}
		return "AppArmor allows user namespaces only to programs with a profile, and no browser has one",
			"Install the browser as a package, or run as root: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
	}
	return "", ""
}

// profiles checks for temporary profiles whose owner was killed.
func (d *doctor) profiles(ctx context.Context) {
	const id = "profiles"
	abandoned, err := chrome.AbandonedProfiles()
	switch {
	case err != nil:
		d.warn(browser, id, "Remove the directory by hand.", "%v", err)
	case len(abandoned) == 0:
		d.pass(browser, id, "no temporary profile was left behind")
	case d.repair(browser, id, "removed "+count(len(abandoned), "temporary profile")+" whose browser was killed", func() error {
		_, err := chrome.SweepProfiles(ctx)
		return err
	}):
	case !d.fix:
		d.warn(browser, id, "The next browser start removes them; `usher doctor --fix` removes them now.",
			"%s left behind by browsers that were killed, in %s", count(len(abandoned), "temporary profile"), filepath.Dir(abandoned[0]))
	}
}

// trial starts the browser as a session would, without a window, has it draw a
// page, and ends it. It reports whether the browser could be started.
func (d *doctor) trial(ctx context.Context, path string) bool {
	started := time.Now()
	process, err := chrome.Launch(ctx, d.launchOptions(path))
	if err != nil {
		d.fail(browser, "launch", "", "%v", err)
		return false
	}
	d.pass(browser, "launch", "%s started without a window and answered over the pipe in %s", process.Product(), span(started))
	for _, w := range process.Warnings() {
		d.warn(browser, "launch", "", "%v", w)
	}
	started = time.Now()
	seen, err := draw(ctx, process)
	took := span(started)
	switch {
	case err != nil:
		d.fail(browser, "render", "", "%v%s", err, exitText(process))
	case !seen.text:
		d.warn(browser, "render", d.fontFix(), "a page was rendered in %s, but without its text", took)
	default:
		d.pass(browser, "render", "a page with text was opened, rendered and captured in %s", took)
	}
	// The examination may have been interrupted; what was started ends anyway.
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	started = time.Now()
	if err := process.Close(closing); err != nil {
		d.fail(browser, "end", "Look for processes with "+process.ProfileDir()+" in their command line, and end them.", "%v", err)
		return true
	}
	d.pass(browser, "end", "it ended in %s and left no process or temporary profile", span(started))
	return true
}

// exitText returns the browser's standard error, if it has ended.
func exitText(p *chrome.Process) string {
	if exit, ended := p.Exit(); ended {
		return "\n" + exit.String()
	}
	return ""
}

func span(since time.Time) string {
	return fmt.Sprintf("%d ms", time.Since(since).Milliseconds())
}
