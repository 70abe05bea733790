//go:build unix

package doctor

import (
	"context"
	"errors"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/localtest"
)

// TestRealMachine examines this machine with its real browser.
func TestRealMachine(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	req, call := request(t, nil, "doctor", "--offline", "--webgpu")
	r, text, err := Examine(t.Context(), "1.2.3", req, call)
	if err != nil || !r.Success {
		t.Fatalf("the examination failed: %v\n%s", err, text)
	}
	seen := map[string]Status{}
	for _, c := range r.Checks {
		seen[c.ID] = c.Status
	}
	for _, id := range []string{"program", "executable", "launch", "render", "end", "encoder", "webgpu", "profiles", "daemon", "config"} {
		if seen[id] != Pass {
			t.Errorf("check %s: %q\n%s", id, seen[id], text)
		}
	}
	if _, looked := seen["proxy"]; looked {
		t.Error("--offline looked at the network")
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "usher-*", "p*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestQuickStartsNothing(t *testing.T) {
	t.Parallel()
	req, call := request(t, nil, "doctor", "--quick", "--offline")
	for _, c := range newDoctor("1.2.3", req, call).run(t.Context()).Checks {
		if c.ID == "launch" || c.ID == "render" || c.ID == "encoder" {
			t.Errorf("--quick carried out %+v", c)
		}
	}
}

// TestBrokenBrowser has a program in the browser's place that dies at once.
func TestBrokenBrowser(t *testing.T) {
	fake := filepath.Join(t.TempDir(), "chromium")
	localtest.WriteFile(t, fake, "#!/bin/sh\n[ \"$1\" = --version ] && { echo Chromium 150.0.1.2; exit; }\necho 'error while loading shared libraries: libnss3.so' >&2\nexit 127\n", 0o755)
	t.Setenv("USHER_CHROME", fake)
	d := machine(t, nil, nil)
	d.browser(t.Context())
	d.expect(t, "executable", Pass, fake, "150.0.1.2")
	d.expect(t, "launch", Fail, "libnss3.so", "system library is missing")
	if r := d.report(); r.Success || r.Code != api.CheckFailed || !strings.Contains(r.Error, "launch") {
		t.Errorf("%+v", r)
	}
}

func TestNoBrowser(t *testing.T) {
	t.Setenv("USHER_CHROME", filepath.Join(t.TempDir(), "missing"))
	d := machine(t, nil, nil)
	d.browser(t.Context())
	d.expect(t, "executable", Fail, "USHER_CHROME", "Correct the path")
}

func TestOldBrowser(t *testing.T) {
	fake := filepath.Join(t.TempDir(), "chromium")
	localtest.WriteFile(t, fake, "#!/bin/sh\necho Chromium 90.0.1.2\n", 0o755)
	t.Setenv("USHER_CHROME", fake)
	d := machine(t, nil, nil, "--quick")
	d.browser(t.Context())
	d.expect(t, "executable", Fail, "version 90.0.1.2", "oldest supported version is 120")
}

// TestInterrupted gives up before the browser has answered; nothing stays.
func TestInterrupted(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	d := machine(t, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d.trial(ctx, realBrowser(t))
	d.expect(t, "launch", Fail)
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "usher-*", "p*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestAbandonedProfiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	root := filepath.Join(os.TempDir(), "usher-"+strconv.Itoa(os.Getuid()))
	localtest.WriteFile(t, filepath.Join(root, "p1.lock"), "", 0o600)
	localtest.WriteFile(t, filepath.Join(root, "p1", "profile", "Local State"), "{}", 0o600)

	d := machine(t, nil, nil)
	d.profiles(t.Context())
	d.expect(t, "profiles", Warn, "1 temporary profile left", "doctor --fix")

	d = machine(t, nil, nil, "--fix")
	d.profiles(t.Context())
	d.expect(t, "profiles", Pass, "mended")
	if len(d.fixed) != 1 {
		t.Errorf("fixed: %v", d.fixed)
	}
	if _, err := os.Stat(filepath.Join(root, "p1")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the profile is still there: %v", err)
	}

	d = machine(t, nil, nil)
	d.profiles(t.Context())
	d.expect(t, "profiles", Pass, "no temporary profile")
}

func TestSandbox(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		uid    int
		env    []string
		files  map[string]string
		status Status
		words  string
	}{
		"root":             {uid: 0, status: Warn, words: "as root"},
		"switched off":     {uid: 1000, env: []string{"USHER_ARGS=--no-sandbox"}, status: Warn, words: "USHER_ARGS"},
		"namespaces":       {uid: 1000, status: Pass, words: "user namespaces"},
		"none at all":      {uid: 1000, files: map[string]string{"/proc/sys/user/max_user_namespaces": "0\n"}, status: Warn, words: "max_user_namespaces=10000"},
		"for root only":    {uid: 1000, files: map[string]string{"/proc/sys/kernel/unprivileged_userns_clone": "0\n"}, status: Warn, words: "unprivileged_userns_clone=1"},
		"AppArmor":         {uid: 1000, files: map[string]string{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"}, status: Warn, words: "AppArmor"},
		"AppArmor, helped": {uid: 1000, files: map[string]string{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n", "/etc/apparmor.d/chrome": ""}, status: Pass, words: "user namespaces"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := machine(t, c.files, c.env)
			d.configuration()
			d.uid = c.uid
			d.sandbox(filepath.Join(d.root, "usr/bin/chromium"))
			d.expect(t, "sandbox", c.status, c.words)
		})
	}
	t.Run("helper", func(t *testing.T) {
		t.Parallel()
		d := machine(t, map[string]string{"/opt/chrome/chrome": ""}, nil)
		helper := filepath.Join(d.root, "opt/chrome/chrome-sandbox")
		localtest.WriteFile(t, helper, "", 0o755|os.ModeSetuid)
		d.uid = 1000
		d.sandbox(filepath.Join(d.root, "opt/chrome/chrome"))
		d.expect(t, "sandbox", Pass, helper)
	})
}

func TestJudgeScreenshot(t *testing.T) {
	t.Parallel()
	paint := func(background, text color.Color) image.Image {
		picture := image.NewRGBA(image.Rect(0, 0, 200, 80))
		for y := range 80 {
			for x := range 200 {
				picture.Set(x, y, background)
				if y > 30 && y < 40 && x < 100 && text != nil {
					picture.Set(x, y, text)
				}
			}
		}
		return picture
	}
	page := color.RGBA{0x00, 0xaa, 0x77, 0xff}
	if seen, err := judge(paint(page, color.Black)); err != nil || !seen.text {
		t.Errorf("a page with text: %+v, %v", seen, err)
	}
	if seen, err := judge(paint(page, nil)); err != nil || seen.text {
		t.Errorf("a page without text: %+v, %v", seen, err)
	}
	if _, err := judge(paint(color.White, color.Black)); err == nil {
		t.Error("a white picture was taken for the page")
	}
}
