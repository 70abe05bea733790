package protect

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
)

// startsPrograms reports whether a file or directory of that name makes programs start something wherever it lies:
// hooks and settings of version control, of editors, of agents and of shells. Names that are ordinary files of a
// project, such as .gitignore or .github, are not among them.
func startsPrograms(name string) bool {
	name = canonicalName(name)
	switch name {
	case ".git", "git~1", ".hg", ".svn", ".jj", ".bzr", ".husky", ".githooks", ".gitconfig", ".hgrc", ".pre-commit-config.yaml", ".lefthook.yml", "lefthook.yml",
		".vscode", ".vscode-server", ".idea", ".run", ".vs", ".zed", ".fleet", ".theia", ".devcontainer", ".devcontainer.json", ".helix", ".nvim", ".vim", ".emacs.d",
		".cursor", ".windsurf", ".kiro", ".trae", ".roo", ".continue", ".claude", ".claude.json", ".codex", ".gemini", ".qwen", ".opencode", ".goose", ".amazonq",
		".mcp.json", "opencode.json", ".aider.conf.yml",
		".envrc", ".direnv", ".mise", ".mise.toml", "mise.toml", ".tool-versions", ".rtx.toml", ".autoenv",
		".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn", ".pnpmfile.cjs", ".pnp.cjs", ".bunfig.toml", "bunfig.toml", ".cargo", ".bazelrc", ".bundle", ".gemrc", ".mvn", ".condarc", ".pypirc",
		".ssh", ".gnupg", ".netrc", ".curlrc", ".wgetrc",
		".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout",
		".kshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment", ".tmux.conf", ".screenrc",
		".exrc", ".vimrc", ".lvimrc", ".nova", ".terraformrc", ".gitmodules", ".gvimrc", ".ideavimrc", ".nvimrc", ".nvim.lua", ".emacs", ".dir-locals.el", ".gdbinit", ".lldbinit", ".pdbrc", ".pythonrc", ".irbrc", ".pryrc",
		".rvmrc", ".rprofile", ".psqlrc", ".sqliterc", ".mailcap",
		"profile.ps1", "microsoft.powershell_profile.ps1", "autorun.inf",
		// What usher itself reads in a project.
		"usher.yaml", ".usher.yaml", ".usher", "agent-browser.json", ".agent-browser":
		return true
	}
	return strings.HasSuffix(name, ".code-workspace") || strings.HasSuffix(name, ".sublime-project")
}

// canonicalName returns the name as the file systems of all systems would take it: without regard to case, without what
// Windows drops at the end and behind a colon, and without characters that macOS ignores.
func canonicalName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	if i := strings.IndexByte(name, ':'); i > 0 {
		name = name[:i]
	}
	return strings.TrimRight(name, ". ")
}

// sensitiveInHome reports whether an entry of a home directory contains settings and keys, or, for writing, programs.
func sensitiveInHome(name string, write bool) bool {
	name = canonicalName(name)
	if strings.HasPrefix(name, ".") {
		return true
	}
	return write && (name == "bin" || runtime.GOOS == "darwin" && name == "library" || runtime.GOOS == "windows" && name == "appdata")
}

// worktree reports whether what is below a hidden directory is a checkout of a tool, as editors and agents have in
// .NAME/worktrees/CHECKOUT: it is a project like others. Git has other data under that name.
func worktree(name string, below []string) bool {
	switch canonicalName(name) {
	case ".git", "git~1", ".hg", ".svn", ".jj", ".bzr", ".ssh", ".config", ".local":
		return false
	}
	return len(below) > 2 && canonicalName(below[0]) == "worktrees"
}

// isRepository reports whether dir is, or with a new file below it would become, the directory of a Git repository,
// which need not be called .git: its config and its hooks start programs for any user of Git in it.
func isRepository(dir string, below []string) bool {
	has := func(part string) bool {
		if len(below) > 0 && canonicalName(below[0]) == strings.ToLower(part) {
			return true
		}
		_, err := os.Lstat(filepath.Join(dir, part))
		return err == nil
	}
	return has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}

// System reports whether a directory is the operating system's, is in such a one, or is shared by several users or
// programs.
func System(dir string) bool {
	switch dir {
	case "/usr", "/usr/local", "/var", "/var/lib", "/var/log", "/opt", "/srv", "/mnt", "/media", "/home", "/Users", "/private":
		return true
	}
	for {
		if system(dir, true) {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// system reports whether a directory is the operating system's: files there are executed, or describe processes.
func system(dir string, write bool) bool {
	if runtime.GOOS == "windows" {
		return write && strings.EqualFold(dir, os.Getenv("SystemRoot"))
	}
	switch dir {
	case "/proc", "/sys", "/dev":
		return true
	case "/etc", "/private/etc", "/bin", "/sbin", "/boot", "/lib", "/lib32", "/lib64", "/libx32", "/run", "/var/run", "/var/spool", "/System", "/Library",
		"/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/share",
		"/usr/local/bin", "/usr/local/sbin", "/usr/local/lib", "/usr/local/etc":
		return write
	}
	return false
}
