package chrome

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/wire"
)

// trustLimit bounds one run of certutil, which takes some 50 ms.
const trustLimit = 10 * time.Second

// trust makes a home directory for the browser whose NSS database has the authorities of a PEM file: on Linux Chromium
// trusts those of its own list and of that database, which is at ~/.pki/nssdb, and at $XDG_DATA_HOME/pki/nssdb in later
// versions (both measured on Chromium 156). The switch --ignore-certificate-errors-spki-list is no way to do it: it takes any
// certificate in the chain, which nothing has to be signed with.
//
// It returns the variables for the browser.
func (t *tempProfile) trust(ctx context.Context, path string) ([]string, error) {
	certutil, err := exec.LookPath("certutil")
	if err != nil {
		return nil, fmt.Errorf("trust %s: the program certutil, which writes the browser's list of authorities, is not installed: install libnss3-tools (Debian, Ubuntu), nss-tools (Fedora) or nss (Arch), or omit --ca-cert", path)
	}
	authorities, err := wire.Authorities(path)
	if err != nil {
		return nil, fmt.Errorf("trust the authorities: %w", err)
	}
	home := filepath.Join(t.dir, "home")
	data := filepath.Join(home, ".local", "share")
	db := filepath.Join(home, ".pki", "nssdb")
	err = errors.Join(os.MkdirAll(db, 0o700), os.MkdirAll(filepath.Join(data, "pki"), 0o700), os.Symlink(db, filepath.Join(data, "pki", "nssdb")))
	if err != nil {
		return nil, fmt.Errorf("trust %s: %w", path, err)
	}
	run := func(stdin []byte, args ...string) error {
		ctx, cancel := context.WithTimeout(ctx, trustLimit)
		defer cancel()
		cmd := exec.CommandContext(ctx, certutil, append([]string{"-d", "sql:" + db}, args...)...)
		cmd.WaitDelay = stderrDrain
		if stdin != nil {
			cmd.Stdin = strings.NewReader(string(stdin))
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("trust %s: certutil %s: %w: %.200s", path, args[0], err, strings.TrimSpace(string(out)))
		}
		return nil
	}
	if err := run(nil, "-N", "--empty-password"); err != nil {
		return nil, err
	}
	for i, c := range authorities {
		if err := run(c.Raw, "-A", "-n", "usher "+strconv.Itoa(i+1), "-t", "C,,"); err != nil {
			return nil, err
		}
	}
	return []string{"HOME=" + home, "XDG_DATA_HOME=" + data}, nil
}
