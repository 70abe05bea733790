// Package dirs determines the paths of usher's files. It depends on nothing but the standard library, because the
// command line client needs it and must start as fast as a process can.
package dirs

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"unicode/utf8"
)

// Dirs are the paths of one namespace. Nothing is created.
type Dirs struct {
	Home      string // configuration, and persistent files
	Run       string // the lock and the log of the daemon, and its socket where the path is short enough; mode 0700
	Socket    string // the daemon's Unix socket: in Run, or see [SocketOf]
	Artifacts string // files that commands wrote without a given path
	Cache     string // installed browsers, and other files that can be created again
	Config    string // the directory of the user's configuration file
	State     string // saved states; mode 0700
}

// socketLimit is the longest path a Unix socket may have everywhere: sun_path holds 104 bytes on macOS and the BSDs, 108 on
// Linux and Windows, the final zero included.
const socketLimit = 103

// SocketName is the file name of the daemon's socket inside Run.
const SocketName = "usher.sock"

// Of determines the paths from the environment.
//
// Home is USHER_HOME, else .usher in the user's home directory. Run is USHER_SOCKET_DIR, else AGENT_BROWSER_SOCKET_DIR
// when called by that name, else run inside Home. XDG_RUNTIME_DIR is not used: it is set in some shells of a user and
// not in others (cron, su, containers), and every shell of a user must find the same daemon. A namespace gets
// directories of its own below. When the path of the socket would be longer than the limit, the socket is in a
// directory of the temporary directory whose name is a hash of the path that was too long.
//
// agentBrowser is true if the program was called by that name: its configuration is then in ~/.agent-browser, and its
// artifacts in tmp there, in the directories in which that tool puts them. The daemon is the same. Saved states are then
// in that tool's directory, so that both use the same.
//
// The error is an *Error.
func Of(env func(string) string, namespace string, agentBrowser bool) (Dirs, error) {
	d, err := of(env, namespace, agentBrowser)
	if err != nil {
		return d, &Error{err}
	}
	return d, nil
}

// Error is the error when the environment gives no path for the user's files.
type Error struct{ cause error }

// Remedy is the hint of an Error.
const Remedy = "Set USHER_HOME to a short directory of your own."

func (e *Error) Error() string { return "there is no place for the files of usher: " + e.cause.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Coded returns the error with its code of package api.
func (e *Error) Coded() (code, message, hint string, data map[string]any) {
	return "invalid_config", e.Error(), Remedy, nil
}

func of(env func(string) string, namespace string, agentBrowser bool) (Dirs, error) {
	var d Dirs
	user, err := userHome(env)
	d.Home = env("USHER_HOME")
	moved := d.Home != ""
	if !moved {
		if err != nil {
			return d, err
		}
		d.Home = filepath.Join(user, ".usher")
	}
	if d.Home, err = filepath.Abs(d.Home); err != nil {
		return d, fmt.Errorf("resolve USHER_HOME: %w", err)
	}
	d.Config = d.Home
	keep, artifacts := d.Home, "artifacts"
	d.State = filepath.Join(d.Home, "state")
	if agentBrowser && user != "" {
		d.Config = filepath.Join(user, ".agent-browser")
		d.State = filepath.Join(d.Config, "sessions")
		keep, artifacts = filepath.Join(d.Config, "tmp"), "" // scripts look for files in tmp/screenshots
	}
	if d.Run, err = filepath.Abs(runDir(env, d.Home, agentBrowser)); err != nil {
		return d, fmt.Errorf("resolve the socket directory: %w", err)
	}
	d.Cache = cacheDir(env, d.Home, moved)
	if namespace != "" {
		keep = filepath.Join(keep, "namespaces", FileName(namespace))
		d.Run = filepath.Join(d.Run, "namespaces", FileName(namespace))
		d.State = filepath.Join(d.State, "namespaces", FileName(namespace))
	}
	d.Artifacts = filepath.Join(keep, artifacts)
	d.Socket, err = SocketOf(d.Run)
	return d, err
}

// SocketOf returns the path of the socket of the daemon whose lock and log are in run: there, or, when that path would
// be longer than the limit, in a directory of the temporary directory that has nothing else in it. Its name is derived
// from run, so that every shell finds it; [Dirs.MakeRun] and [Dirs.CheckSocket] return an error if another user created
// it.
func SocketOf(run string) (string, error) {
	socket := filepath.Join(run, SocketName)
	if len(socket) <= socketLimit {
		return socket, nil
	}
	h := fnv.New64a()
	h.Write([]byte(run))
	socket = filepath.Join(os.TempDir(), "usher-"+strconv.Itoa(os.Getuid())+"-"+strconv.FormatUint(h.Sum64(), 36), SocketName)
	if len(socket) > socketLimit {
		return "", fmt.Errorf("the socket path %s is longer than %d bytes", socket, socketLimit)
	}
	return socket, nil
}

// fileNameLimit is the longest name of a session or namespace that is used as it is, in bytes. Most file systems allow
// 255.
const fileNameLimit = 200

// FileName returns the file name for a session or namespace: its name, or, for a name that is too long for a file
// system, the beginning of it with a hash of all of it. Names may have 128 characters of up to four bytes.
func FileName(name string) string {
	if len(name) <= fileNameLimit {
		return name
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	cut := fileNameLimit
	for !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + "-" + strconv.FormatUint(h.Sum64(), 36)
}

// Profiles returns the directory of temporary profiles: a directory of the user's own in the temporary directory.
func Profiles() string {
	if uid := os.Getuid(); uid >= 0 {
		return filepath.Join(os.TempDir(), "usher-"+strconv.Itoa(uid))
	}
	return filepath.Join(os.TempDir(), "usher")
}

// SnapProfiles returns the directory of temporary profiles for a browser from a snap, which has access neither to the
// temporary directory nor to hidden files in the home directory.
func SnapProfiles(home string) string {
	return filepath.Join(home, "snap", "chromium", "common", "usher")
}

// userHome reads the home directory from the given environment, which in the daemon is the client's.
func userHome(env func(string) string) (string, error) {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	if h := env(name); h != "" {
		return h, nil
	}
	h, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the home directory: %w", err)
	}
	return h, nil
}

func runDir(env func(string) string, home string, agentBrowser bool) string {
	if d := env("USHER_SOCKET_DIR"); d != "" {
		return d
	}
	if d := env("AGENT_BROWSER_SOCKET_DIR"); agentBrowser && d != "" {
		return d
	}
	return filepath.Join(home, "run")
}

func cacheDir(env func(string) string, home string, moved bool) string {
	if moved {
		return filepath.Join(home, "cache")
	}
	if d := env("XDG_CACHE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "usher")
	}
	if d, err := os.UserCacheDir(); err == nil {
		return filepath.Join(d, "usher")
	}
	return filepath.Join(home, "cache")
}
