// Package peer gives the programs that are measured and compared: usher, and agent-browser from npm, each set up alike.
package peer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

// Name is the other program's name.
const Name = "agent-browser"

// settings returns a program's launch options under its own prefix. Both sides get the same on every call: agent-browser
// throws its page away when they differ from one call to the next.
func settings(prefix string) ([]string, error) {
	chrome, err := cdptest.Path()
	if err != nil {
		return nil, err
	}
	args := "--disable-background-networking,--disable-component-update,--disable-sync,--disable-quic"
	if os.Geteuid() == 0 {
		args += ",--no-sandbox"
	}
	return []string{prefix + "EXECUTABLE_PATH=" + chrome, prefix + "ARGS=" + args}, nil
}

// Usher returns the usher at path with a home of its own. Called through a link named agent-browser it behaves as that tool
// and reads that tool's variables, so both prefixes are set.
func Usher(path string) (*program.Program, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find usher: %w", err)
	}
	own, err := settings("USHER_")
	if err != nil {
		return nil, err
	}
	theirs, err := settings("AGENT_BROWSER_")
	if err != nil {
		return nil, err
	}
	return program.New("usher", path, append(append(own, theirs...), "USHER_HOME={home}/.usher")...)
}

// AgentBrowser installs the version that manifest (a package.json) names into dir, unless it is there, and gives its
// native program: the script that npm puts in front of it would add the start of Node to every time.
func AgentBrowser(ctx context.Context, manifest, dir string) (*program.Program, error) {
	home, err := install(ctx, Name, manifest, dir)
	if err != nil {
		return nil, fmt.Errorf("install %s: %w", Name, err)
	}
	path, err := native(home)
	if err != nil {
		return nil, fmt.Errorf("install %s: %w", Name, err)
	}
	own, err := settings("AGENT_BROWSER_")
	if err != nil {
		return nil, err
	}
	return program.New(Name, path, append(own, "AGENT_BROWSER_SOCKET_DIR={home}/s", "AGENT_BROWSER_NO_VERSION_CHECK=1")...)
}

// Playwright installs the version of playwright-core that manifest names into dir, unless it is there.
func Playwright(ctx context.Context, manifest, dir string) error {
	if _, err := install(ctx, "playwright-core", manifest, dir); err != nil {
		return fmt.Errorf("install playwright-core: %w", err)
	}
	return nil
}

// Modules installs every package that manifest names into dir, unless they are there in those versions, and gives the
// directory they are in.
func Modules(ctx context.Context, manifest, dir string) (string, error) {
	text, err := os.ReadFile(manifest)
	if err != nil {
		return "", err
	}
	var wanted packageJSON
	if err := json.Unmarshal(text, &wanted); err != nil {
		return "", fmt.Errorf("read %s: %w", manifest, err)
	}
	for name := range wanted.Dependencies {
		if _, err := install(ctx, name, manifest, dir); err != nil {
			return "", fmt.Errorf("install %s: %w", name, err)
		}
	}
	return filepath.Abs(filepath.Join(dir, "node_modules"))
}

// FilesystemServer installs the version of @modelcontextprotocol/server-filesystem that manifest names into dir, unless it is
// there, and gives its script for Node.
func FilesystemServer(ctx context.Context, manifest, dir string) (string, error) {
	home, err := install(ctx, "@modelcontextprotocol/server-filesystem", manifest, dir)
	if err != nil {
		return "", fmt.Errorf("install server-filesystem: %w", err)
	}
	return filepath.Abs(filepath.Join(home, "dist", "index.js"))
}

type packageJSON struct {
	Version      string            `json:"version"`
	Dependencies map[string]string `json:"dependencies"`
}

// install returns the directory of a package, in the version that manifest names.
func install(ctx context.Context, name, manifest, dir string) (string, error) {
	text, err := os.ReadFile(manifest)
	if err != nil {
		return "", err
	}
	var wanted, present packageJSON
	if err := json.Unmarshal(text, &wanted); err != nil {
		return "", fmt.Errorf("read %s: %w", manifest, err)
	}
	home := filepath.Join(dir, "node_modules", name)
	if have, err := os.ReadFile(filepath.Join(home, "package.json")); err == nil {
		if err := json.Unmarshal(have, &present); err != nil {
			return "", fmt.Errorf("read the installed package.json: %w", err)
		}
	}
	if present.Version != wanted.Dependencies[name] {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, "package.json"), text, 0o644); err != nil {
			return "", err
		}
		npm := exec.CommandContext(ctx, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock")
		npm.Dir = dir
		if said, err := npm.CombinedOutput(); err != nil {
			return "", fmt.Errorf("npm install: %w: %s", err, strings.TrimSpace(string(said)))
		}
	}
	return home, nil
}

// native is agent-browser's program for this system.
func native(home string) (string, error) {
	native, err := filepath.Abs(filepath.Join(home, "bin", nativeName()))
	if err != nil {
		return "", err
	}
	if err := os.Chmod(native, 0o755); err != nil {
		return "", errors.Join(errors.New("the package has no program for this system"), err)
	}
	return native, nil
}

// nativeName returns the file of the package that runs on this system; Node's names for systems and processors differ from Go's.
func nativeName() string {
	system, processor, suffix := runtime.GOOS, runtime.GOARCH, ""
	if processor == "amd64" {
		processor = "x64"
	}
	if system == "windows" {
		system, suffix = "win32", ".exe"
	}
	return Name + "-" + system + "-" + processor + suffix
}
