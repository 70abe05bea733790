//go:build unix

package doctor

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest/localtest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	const roomy = "MemTotal:       24000000 kB\nMemFree:  100 kB\nMemAvailable:   20000000 kB\n"
	for name, c := range map[string]struct {
		files  map[string]string
		status Status
		words  string
	}{
		"plenty":     {map[string]string{"/proc/meminfo": roomy}, Pass, "19.1 GiB of 22.9 GiB free"},
		"little":     {map[string]string{"/proc/meminfo": "MemTotal: 2000000 kB\nMemAvailable: 600000 kB\n"}, Warn, "585 MiB"},
		"next to no": {map[string]string{"/proc/meminfo": "MemTotal: 2000000 kB\nMemAvailable: 1000 kB\n"}, Fail, "0 MiB"},
		"container": {map[string]string{"/proc/meminfo": roomy, "/sys/fs/cgroup/memory.max": "536870912\n", "/sys/fs/cgroup/memory.current": "500000000\n",
			"/sys/fs/cgroup/memory.stat": "anon 1\ninactive_file 300000000\n"}, Warn, "of 512 MiB of the limit"},
		"full container": {map[string]string{"/proc/meminfo": roomy, "/sys/fs/cgroup/memory.max": "536870912\n", "/sys/fs/cgroup/memory.current": "536870912\n"}, Fail, "0 MiB of 512 MiB"},
		"old container":  {map[string]string{"/proc/meminfo": roomy, "/sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824\n", "/sys/fs/cgroup/memory/memory.usage_in_bytes": "73741824\n"}, Warn, "of 1.0 GiB of the limit"},
		"no limit":       {map[string]string{"/proc/meminfo": roomy, "/sys/fs/cgroup/memory.max": "max\n", "/sys/fs/cgroup/memory.current": "5\n"}, Pass, "22.9 GiB free"},
		"unreadable":     {map[string]string{"/proc/meminfo": "MemTotal: lots\n"}, Warn, "MemTotal"},
		"missing":        {nil, Warn, "meminfo"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := machine(t, c.files, nil)
			d.memory()
			d.expect(t, "memory", c.status, c.words)
		})
	}
}

func TestSharedMemoryMissing(t *testing.T) {
	t.Parallel()
	d := machine(t, nil, nil)
	d.sharedMemory()
	d.expect(t, "shared-memory", Warn, "no /dev/shm")
}

func TestDiskOfAMissingDirectory(t *testing.T) {
	t.Parallel()
	d := machine(t, nil, nil)
	d.disk("disk", "a test", filepath.Join(t.TempDir(), "not", "yet"))
	d.expect(t, "disk", Pass, "free for a test")
}

func TestTemporaryDirectory(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	d := &doctor{}
	d.temporary()
	d.expect(t, "temp", Fail, "TMPDIR")
}

func TestFonts(t *testing.T) {
	empty := t.TempDir()
	t.Setenv("PATH", empty)
	d := machine(t, nil, nil)
	d.fonts(t.Context())
	d.expect(t, "fonts", Warn, "no font is installed", "package manager")

	localtest.WriteFile(t, filepath.Join(empty, "apt-get"), "#!/bin/sh\n", 0o755)
	d = machine(t, nil, nil)
	d.uid = 1000
	d.fonts(t.Context())
	d.expect(t, "fonts", Warn, "sudo apt-get install -y --no-install-recommends fonts-liberation")

	d = machine(t, map[string]string{"/usr/share/fonts/x/one.ttf": "", "/usr/share/fonts/two.OTF": "", "/usr/share/fonts/readme": ""}, nil)
	d.fonts(t.Context())
	d.expect(t, "fonts", Pass, "2 font files")

	localtest.WriteFile(t, filepath.Join(empty, "fc-list"), "#!/bin/sh\nprintf 'DejaVu Sans\\nDejaVu Sans\\nLiberation Mono\\n'\n", 0o755)
	d = machine(t, nil, nil)
	d.fonts(t.Context())
	d.expect(t, "fonts", Pass, "2 font families")
}

func TestDisplay(t *testing.T) {
	t.Parallel()
	show := func(d *doctor) *doctor {
		d.configuration()
		d.display(t.Context())
		return d
	}
	show(machine(t, nil, nil)).expect(t, "display", Pass, "only --headed")
	show(machine(t, nil, []string{"USHER_HEADED=1"})).expect(t, "display", Fail, "USHER_HEADED", "xvfb-run")
	show(machine(t, nil, []string{"DISPLAY=:7"})).expect(t, "display", Warn, "nothing answers")
	show(machine(t, nil, []string{"DISPLAY=far.example:0"})).expect(t, "display", Pass, "another machine")

	dir := shortDir(t)
	l, err := net.Listen("unix", filepath.Join(dir, "wayland-0"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	show(machine(t, nil, []string{"WAYLAND_DISPLAY=wayland-0", "XDG_RUNTIME_DIR=" + dir})).expect(t, "display", Pass, "it answers")
}

func TestProgram(t *testing.T) {
	t.Parallel()
	d := machine(t, map[string]string{"/etc/os-release": "NAME=x\nPRETTY_NAME=\"Debian 12\"\n", "/.dockerenv": ""}, nil)
	d.program()
	d.expect(t, "program", Pass, "usher 1.2.3", "Debian 12", "in a container")
}

func TestProxy(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := closed.Addr().String()
	closed.Close()
	defer l.Close()

	look := func(env ...string) *doctor {
		d := machine(t, nil, env)
		d.configuration()
		d.network(t.Context())
		return d
	}
	look().expect(t, "proxy", Pass, "none")
	look("https_proxy=http://ada:secret@"+address).expect(t, "proxy", Pass, "https_proxy is set to "+address)
	look("HTTP_PROXY="+address).expect(t, "proxy", Pass, address)
	look("ALL_PROXY=socks5://"+nobody).expect(t, "proxy", Fail, "ALL_PROXY", "does not answer")
	look("USHER_PROXY=http://"+address, "HTTP_PROXY=http://"+nobody).expect(t, "proxy", Pass, "USHER_PROXY")
	for _, wrong := range []string{"http://ada:secret@", "http://ada:secret@a b/", "://ada:secret"} {
		d := look("HTTP_PROXY=" + wrong)
		d.expect(t, "proxy", Fail, "HTTP_PROXY is not the address")
		for _, c := range d.checks {
			if strings.Contains(c.Message+c.Fix, "secret") {
				t.Errorf("%q shows the password: %+v", wrong, c)
			}
		}
	}
}

func TestProxyPorts(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"proxy.example": "proxy.example:80", "https://proxy.example": "proxy.example:443",
		"socks5://[::1]": "[::1]:1080", "proxy.example:3128": "proxy.example:3128",
	} {
		if got, err := proxyAddress(value); err != nil || got != want {
			t.Errorf("%s: %q, %v", value, got, err)
		}
	}
}
