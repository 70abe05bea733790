// Package dirs says where usher keeps things. It depends on nothing but the standard library, because the command line client
// needs it and must start as fast as a process can.
package dirs

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// Dirs are the places of one namespace. They are paths only; nothing exists until someone makes it.
type Dirs struct {
	Home      string // configuration, and what must last
	Run       string // the lock and the log of the daemon, and its socket where the path is short enough; mode 0700
	Socket    string // the daemon's Unix socket: in Run, or see [SocketOf]
	Artifacts string // files that commands wrote without being told where
	Cache     string // browsers that were installed, and what can be made again
	Config    string // the directory in which the user's configuration file lies
}

// socketLimit is the longest path a Unix socket may have everywhere: sun_path holds 104 bytes on macOS and the BSDs, 108 on
// Linux and Windows, the final zero included.
const socketLimit = 103

// SocketName is the file name of the daemon's socket inside Run.
const SocketName = "usher.sock"

// Of works out the places from the environment.
//
// Home is USHER_HOME, else .usher in the user's home directory. Run is USHER_SOCKET_DIR, else AGENT_BROWSER_SOCKET_DIR when
// called by that name, else run inside Home. XDG_RUNTIME_DIR plays no part: it is set in some shells of a user and not in
// others (cron, su, containers), and every shell of a user shall find the same daemon. A namespace gets directories of its
// own below. When the path of the socket would be longer than a socket's path may be, Run moves to a directory in the
// temporary directory whose name is made from the path that was too long.
//
// agentBrowser says that the program was called by that name: its configuration and its artifacts then lie in
// ~/.agent-browser. The daemon is the same.
//
// The error is an *Error.
func Of(env func(string) string, namespace string, agentBrowser bool) (Dirs, error) {
	d, err := of(env, namespace, agentBrowser)
	if err != nil {
		return d, &Error{err}
	}
	return d, nil
}

// Error says why the surroundings leave no place for the files of a person.
type Error struct{ cause error }

// Remedy is what to do about an Error.
const Remedy = "Set USHER_HOME to a short directory of your own."

func (e *Error) Error() string { return "there is no place for the files of usher: " + e.cause.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Coded gives the error its place among those of package api.
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
	keep := d.Home
	if agentBrowser && user != "" {
		d.Config = filepath.Join(user, ".agent-browser")
		keep = filepath.Join(d.Config, "tmp")
	}
	if d.Run, err = filepath.Abs(runDir(env, d.Home, agentBrowser)); err != nil {
		return d, fmt.Errorf("resolve the socket directory: %w", err)
	}
	d.Cache = cacheDir(env, d.Home, moved)
	if namespace != "" {
		keep = filepath.Join(keep, "namespaces", namespace)
		d.Run = filepath.Join(d.Run, "namespaces", namespace)
	}
	d.Artifacts = filepath.Join(keep, "artifacts")
	d.Socket, err = SocketOf(d.Run)
	return d, err
}

// SocketOf is the path of the socket of the daemon whose lock and log are in run: there, or, when that path would be
// longer than a socket's path may be, in a directory of the temporary directory that has nothing else in it. Its name is made
// from run, so that every shell finds it; [Dirs.MakeRun] and [Dirs.CheckSocket] refuse one that somebody else made.
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

// Profiles is where browsers that were started for a while keep their profiles: a directory of the user's own in the
// temporary directory.
func Profiles() string {
	if uid := os.Getuid(); uid >= 0 {
		return filepath.Join(os.TempDir(), "usher-"+strconv.Itoa(uid))
	}
	return filepath.Join(os.TempDir(), "usher")
}

// SnapProfiles is where the profiles of a browser from a snap are, which sees neither the temporary directory nor what is
// hidden in the home.
func SnapProfiles(home string) string {
	return filepath.Join(home, "snap", "chromium", "common", "usher")
}

// userHome reads the home directory from the environment that was handed in, which is the client's when the daemon asks.
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
