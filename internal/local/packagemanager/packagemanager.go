// Package packagemanager has the package managers of systems, and the packages in which a browser and fonts come.
package packagemanager

import (
	"os/exec"
	"slices"
)

// Manager is a package manager of a system.
type Manager struct {
	Command string
	// Refresh is the command that updates the list of packages, nil where Add does it.
	Refresh []string
	// Add is the command to install packages, without prompts.
	Add []string
	// Browser and Fonts are the names of packages.
	Browser, Fonts []string
	// Root reports whether it has to run as root.
	Root bool
}

// All returns the managers of a system in the order in which they are tried. scripts/chromium, which has to work before anything is built, has the same list;
// a test compares the two.
func All(goos string) []Manager {
	switch goos {
	case "darwin":
		return []Manager{{Command: "brew", Add: []string{"install", "--cask"}, Browser: []string{"chromium"}}}
	case "linux":
		return []Manager{
			{Command: "apt-get", Refresh: []string{"update"}, Add: []string{"install", "-y", "--no-install-recommends"},
				Browser: []string{"chromium"}, Fonts: []string{"fonts-liberation", "fonts-noto-color-emoji"}, Root: true},
			{Command: "dnf", Add: []string{"install", "-y"},
				Browser: []string{"chromium"}, Fonts: []string{"liberation-fonts"}, Root: true},
			{Command: "pacman", Add: []string{"-S", "--noconfirm", "--needed"},
				Browser: []string{"chromium"}, Fonts: []string{"ttf-liberation", "noto-fonts-emoji"}, Root: true},
			{Command: "apk", Add: []string{"add"},
				Browser: []string{"chromium"}, Fonts: []string{"font-liberation", "font-noto-emoji"}, Root: true},
			{Command: "zypper", Add: []string{"--non-interactive", "install"},
				Browser: []string{"chromium"}, Fonts: []string{"liberation-fonts"}, Root: true},
		}
	}
	return nil
}

// Find returns the one of this system; ok is false if it is not in the list.
func Find(goos string) (m Manager, ok bool) {
	for _, m := range All(goos) {
		if _, err := exec.LookPath(m.Command); err == nil {
			return m, true
		}
	}
	return Manager{}, false
}

// Install returns the command that installs packages.
func (m Manager) Install(packages []string) []string {
	return slices.Concat([]string{m.Command}, m.Add, packages)
}

// AsRoot returns the command as a user types it; with sudo unless he is root.
func AsRoot(uid int, command []string) []string {
	if uid == 0 {
		return command
	}
	return append([]string{"sudo"}, command...)
}
