package local

import (
	"os/exec"
	"slices"
)

// manager is a package manager of a system.
type manager struct {
	command string
	// refresh is the command that updates the list of packages, nil where install does it.
	refresh []string
	// add is the command to install packages, without prompts.
	add []string
	// browser and fonts are the names of packages.
	browser, fonts []string
	// root reports whether it has to run as root.
	root bool
}

// packageManagers are tried in order. scripts/chromium, which has to work before anything is built, has the same list;
// a test compares the two.
func packageManagers(goos string) []manager {
	switch goos {
	case "darwin":
		return []manager{{command: "brew", add: []string{"install", "--cask"}, browser: []string{"chromium"}}}
	case "linux":
		return []manager{
			{command: "apt-get", refresh: []string{"update"}, add: []string{"install", "-y", "--no-install-recommends"},
				browser: []string{"chromium"}, fonts: []string{"fonts-liberation", "fonts-noto-color-emoji"}, root: true},
			{command: "dnf", add: []string{"install", "-y"},
				browser: []string{"chromium"}, fonts: []string{"liberation-fonts"}, root: true},
			{command: "pacman", add: []string{"-S", "--noconfirm", "--needed"},
				browser: []string{"chromium"}, fonts: []string{"ttf-liberation", "noto-fonts-emoji"}, root: true},
			{command: "apk", add: []string{"add"},
				browser: []string{"chromium"}, fonts: []string{"font-liberation", "font-noto-emoji"}, root: true},
			{command: "zypper", add: []string{"--non-interactive", "install"},
				browser: []string{"chromium"}, fonts: []string{"liberation-fonts"}, root: true},
		}
	}
	return nil
}

// packageManager returns the one of this system; ok is false if it is not in the list.
func packageManager(goos string) (m manager, ok bool) {
	for _, m := range packageManagers(goos) {
		if _, err := exec.LookPath(m.command); err == nil {
			return m, true
		}
	}
	return manager{}, false
}

// install returns the command that installs packages.
func (m manager) install(packages []string) []string {
	return slices.Concat([]string{m.command}, m.add, packages)
}

// asRoot returns the command as a user types it; with sudo unless he is root.
func asRoot(uid int, command []string) []string {
	if uid == 0 {
		return command
	}
	return append([]string{"sudo"}, command...)
}
