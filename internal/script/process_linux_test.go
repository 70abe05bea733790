package script

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestConfinement: the process has nothing of the daemon's, and little memory when it has waited for a while.
func TestConfinement(t *testing.T) {
	t.Setenv("SECRET", "of the daemon")
	t.Setenv("TZ", "UTC")
	e, err := Start(Options{Facade: facade, idle: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	run(t, e, "return 1")
	dir := fmt.Sprintf("/proc/%d/", e.PID())
	if environ, err := os.ReadFile(dir + "environ"); err != nil || string(environ) != "GOMAXPROCS=1\x00GOTRACEBACK=none\x00TZ=UTC\x00" {
		t.Errorf("environment %q %v", environ, err)
	}
	if cwd, err := os.Readlink(dir + "cwd"); err != nil || cwd != "/" {
		t.Errorf("directory %q %v", cwd, err)
	}
	entries, err := os.ReadDir(dir + "fd")
	if err != nil {
		t.Fatal(err)
	}
	pipes := 0
	for _, fd := range entries {
		target, _ := os.Readlink(dir + "fd/" + fd.Name())
		if strings.HasPrefix(target, "pipe:") {
			pipes++
		} else if !strings.HasPrefix(target, "anon_inode:") && !strings.HasPrefix(target, "/sys/fs/cgroup/") { // Go's own
			t.Errorf("file %s is %s", fd.Name(), target)
		}
	}
	if pipes != 3 {
		t.Errorf("%d pipes", pipes)
	}
	limits, err := os.ReadFile(dir + "limits")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Max core file size 0 0", "Max file size 0 0", "Max data size 1073741824 1073741824", "Max open files 16 16"} {
		if !strings.Contains(strings.Join(strings.Fields(string(limits)), " "), want) {
			t.Errorf("no limit %q in\n%s", want, limits)
		}
	}
	most := 15.0
	if raceDetector {
		most = 30
	}
	var resident float64
	for range 1000 {
		if resident = residentMB(t, e.PID()); resident <= most {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the idle process has %.1f MB", resident)
}
