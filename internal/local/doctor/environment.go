package doctor

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/local/packagemanager"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// The needs of a browser. Measured with Chromium 156 on Linux: one browser with five contexts on small pages takes 430
// MB, a temporary profile 20-60 MB and more with each page's cache.
const (
	enoughMemory = 1 * gib
	minMemory    = 256 * mib
	enoughDisk   = 1 * gib
	minDisk      = 100 * mib
	// enoughShared is the size below which Chromium is started without shared memory files; see package chrome.
	enoughShared = 512 * mib
)

// environment checks the machine.
func (d *doctor) environment(ctx context.Context) {
	d.program()
	d.memory()
	d.sharedMemory()
	d.disk("disk", "usher's directory", d.dirs.Home)
	d.disk("temp", "the temporary directory", os.TempDir())
	d.temporary()
	d.fonts(ctx)
	d.display(ctx)
}

// program reports the version and the system.
func (d *doctor) program() {
	system := d.goos + "/" + runtime.GOARCH
	if name := d.distribution("PRETTY_NAME"); name != "" {
		system += ", " + name
	}
	for _, mark := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(d.file(mark)); err == nil {
			system += ", in a container"
			break
		}
	}
	d.pass(environment, "program", "usher %s, build %.12s, on %s", d.version, d.req.Build, system)
}

// distribution returns a value of os-release(5), or empty.
func (d *doctor) distribution(key string) string {
	text, err := os.ReadFile(d.file("/etc/os-release"))
	if err != nil {
		return ""
	}
	for row := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(row), key+"="); ok {
			return strings.Trim(value, `"'`)
		}
	}
	return ""
}

// memory checks the free memory of the system, and of a control group.
func (d *doctor) memory() {
	if d.goos != "linux" {
		return
	}
	free, total, err := d.systemMemory()
	if err != nil {
		d.warn(environment, "memory", "", "%v", err)
		return
	}
	from := ""
	if limit, used, ok := d.groupMemory(); ok && limit < total {
		total, from = limit, " of the limit of this container or service"
		free = min(free, limit-min(used, limit))
	}
	const fix = "Close programs, give the container more memory, or use fewer sessions."
	switch {
	case free < minMemory:
		d.fail(environment, "memory", fix, "%s of %s%s are free; a browser needs about 300 MiB", size(free), size(total), from)
	case free < enoughMemory:
		d.warn(environment, "memory", fix, "%s of %s%s are free: enough for a few small pages", size(free), size(total), from)
	default:
		d.pass(environment, "memory", "%s of %s%s free", size(free), size(total), from)
	}
}

// systemMemory reads meminfo(5).
func (d *doctor) systemMemory() (free, total uint64, err error) {
	text, err := os.ReadFile(d.file("/proc/meminfo"))
	if err != nil {
		return 0, 0, fmt.Errorf("read the memory's size: %w", err)
	}
	for rows := bufio.NewScanner(bytes.NewReader(text)); rows.Scan(); {
		var n uint64
		switch name, rest, _ := strings.Cut(rows.Text(), ":"); name {
		case "MemTotal", "MemAvailable":
			if _, err := fmt.Sscanf(strings.TrimSpace(rest), "%d kB", &n); err != nil {
				return 0, 0, fmt.Errorf("read the memory's size: %s is %q", name, rest)
			}
			if name == "MemTotal" {
				total = n << 10
			} else {
				free = n << 10
			}
		}
	}
	if total == 0 {
		return 0, 0, fmt.Errorf("read the memory's size: it is not in %s", d.file("/proc/meminfo"))
	}
	return free, total, nil
}

// groupMemory reads the limit of the control group, of version 2 or 1, as it appears inside a container. The page cache
// counts as free.
func (d *doctor) groupMemory() (limit, used uint64, ok bool) {
	for _, at := range []struct{ dir, limit, used string }{
		{"/sys/fs/cgroup", "memory.max", "memory.current"},
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"},
	} {
		limit, hasLimit := d.number(at.dir + "/" + at.limit)
		used, hasUsed := d.number(at.dir + "/" + at.used)
		if !hasLimit || !hasUsed {
			continue
		}
		if text, err := os.ReadFile(d.file(at.dir + "/memory.stat")); err == nil {
			for row := range strings.Lines(string(text)) {
				var cached uint64
				if n, err := fmt.Sscanf(row, "inactive_file %d", &cached); n == 1 && err == nil {
					used -= min(used, cached)
				}
			}
		}
		return limit, used, true
	}
	return 0, 0, false
}

// sharedMemory checks /dev/shm, which Chromium uses for page bitmaps.
func (d *doctor) sharedMemory() {
	if d.goos != "linux" {
		return
	}
	const id, fix = "shared-memory", "Give the container more (docker run --shm-size=1g) for many or large pages."
	free, total, err := space(d.file("/dev/shm"))
	switch {
	case err != nil:
		d.warn(environment, id, "Mount a tmpfs on /dev/shm.", "there is no /dev/shm: Chromium uses files in the temporary directory instead, which is slower")
	case free < enoughShared:
		d.warn(environment, id, fix, "%s of %s are free in /dev/shm: Chromium uses files in the temporary directory instead, which is slower", size(free), size(total))
	default:
		d.pass(environment, id, "%s of %s free in /dev/shm", size(free), size(total))
	}
}

// disk checks the free space on the disk of a directory that may not exist yet.
func (d *doctor) disk(id, what, dir string) {
	if dir == "" {
		return
	}
	free, total, err := space(existing(dir))
	const fix = "Free some space: profiles, downloads and screenshots are written there."
	switch {
	case err != nil:
		d.warn(environment, id, "", "the free space in %s is unknown: %v", dir, err)
	case free < minDisk:
		d.fail(environment, id, fix, "%s of %s are free for %s, %s", size(free), size(total), what, dir)
	case free < enoughDisk:
		d.warn(environment, id, fix, "%s of %s are free for %s, %s", size(free), size(total), what, dir)
	default:
		d.pass(environment, id, "%s of %s free for %s, %s", size(free), size(total), what, dir)
	}
}

// existing returns the path, or the nearest directory above it that is there.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

// temporary makes sure that temporary profiles can be made.
func (d *doctor) temporary() {
	f, err := os.CreateTemp("", "usher-doctor-*")
	if err == nil {
		f.Close()
		err = os.Remove(f.Name())
	}
	if err != nil {
		d.fail(environment, "temp", "Set TMPDIR to a writable directory.", "the temporary directory cannot be used: %v", err)
	}
}

// fonts counts what pages can be written with. Desktops elsewhere bring theirs.
func (d *doctor) fonts(ctx context.Context) {
	if d.goos != "linux" {
		return
	}
	families, err := fontFamilies(ctx)
	if err != nil {
		// Without fontconfig, the directories that it would read.
		n := 0
		for _, dir := range d.fontDirs() {
			n += fontFiles(dir)
		}
		if n > 0 {
			d.pass(environment, "fonts", "%s", count(n, "font file"))
			return
		}
	} else if families > 0 {
		plural := "families"
		if families == 1 {
			plural = "family"
		}
		d.pass(environment, "fonts", "%d font %s", families, plural)
		return
	}
	d.warn(environment, "fonts", d.fontFix(), "no font is installed: screenshots and PDFs will have no text")
}

func (d *doctor) fontFix() string {
	if pm, ok := packagemanager.Find(d.goos); ok && len(pm.Fonts) > 0 {
		return "Install one: " + strings.Join(packagemanager.AsRoot(d.uid, pm.Install(pm.Fonts)), " ")
	}
	return "Install one with the system's package manager."
}

// fontFamilies lists fontconfig's font families; an error when it is not installed.
func fontFamilies(ctx context.Context) (int, error) {
	path, err := exec.LookPath("fc-list")
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, ":", "family").Output()
	if err != nil {
		return 0, fmt.Errorf("list fonts: %w", err)
	}
	families := map[string]bool{}
	for row := range strings.Lines(string(out)) {
		if row = strings.TrimSpace(row); row != "" {
			families[row] = true
		}
	}
	return len(families), nil
}

func (d *doctor) fontDirs() []string {
	dirs := []string{d.file("/usr/share/fonts"), d.file("/usr/local/share/fonts")}
	if home := d.req.Getenv("HOME"); home != "" {
		dirs = append(dirs, filepath.Join(home, ".fonts"), filepath.Join(home, ".local", "share", "fonts"))
	}
	return dirs
}

func fontFiles(dir string) int {
	n := 0
	// A directory that cannot be read has no fonts for us.
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // as above
		}
		switch strings.ToLower(filepath.Ext(path)) {
		case ".ttf", ".otf", ".ttc", ".otc", ".pfb":
			n++
		}
		return nil
	})
	return n
}

// display checks for a display server; on Linux there may be none.
func (d *doctor) display(ctx context.Context) {
	if d.goos != "linux" {
		return
	}
	const id = "display"
	for _, name := range []string{"WAYLAND_DISPLAY", "DISPLAY"} {
		value := d.req.Getenv(name)
		if value == "" {
			continue
		}
		socket := d.displaySocket(name, value)
		if socket == "" {
			d.pass(environment, id, "%s is %s, on another machine", name, value)
			return
		}
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "unix", socket)
		if err != nil {
			d.warn(environment, id, "Correct "+name+", or run usher under xvfb-run; without --headed it does not matter.",
				"%s is %s, but nothing answers there (%v)", name, value, err)
			return
		}
		conn.Close()
		d.pass(environment, id, "%s is %s, and it answers", name, value)
		return
	}
	if d.set != nil && d.set.Bool("headed") {
		d.fail(environment, id, "Omit --headed, or run usher on a desktop or under xvfb-run.",
			"there is none, but %s needs one", d.set.Value("headed").Where)
		return
	}
	d.pass(environment, id, "none, which only --headed needs (xvfb-run makes one)")
}

// displaySocket returns the Unix socket of a display, empty for one that is reached
// over the network.
func (d *doctor) displaySocket(variable, value string) string {
	if variable == "WAYLAND_DISPLAY" {
		if filepath.IsAbs(value) {
			return value
		}
		return filepath.Join(d.req.Getenv("XDG_RUNTIME_DIR"), value)
	}
	host, number, found := strings.Cut(value, ":")
	if !found || host != "" && host != "unix" {
		return ""
	}
	number, _, _ = strings.Cut(number, ".") // the screen
	return d.file("/tmp/.X11-unix/X" + number)
}

// size returns a number of bytes for people.
func size(n uint64) string {
	if n >= gib {
		return fmt.Sprintf("%.1f GiB", float64(n)/gib)
	}
	return fmt.Sprintf("%d MiB", n/mib)
}
