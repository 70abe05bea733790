package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/program"
	"github.com/usher-browser/usher/internal/config/dirs"
)

// actAsOtherUser is what another user of the machine tries, as a program that the tests run under that user.
//
//	reach DIR           prints every directory below that can be listed, and every file that can be read or written
//	connect SOCKET      prints "connected" if somebody answers there
//	processes TEXT      prints the processes whose environment or command line can be read and has the text
//	http URL HOST TOKEN prints the status of a call
//	listen SOCKET       makes the directory and listens in it; prints what is said to it
func actAsOtherUser() {
	switch arg := os.Args[2]; os.Args[1] {
	case "reach":
		_ = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error { // what cannot be reached is what is hoped for
			if d != nil && !d.IsDir() {
				for _, how := range []int{os.O_RDONLY, os.O_WRONLY} {
					if f, err := os.OpenFile(path, how|syscall.O_NONBLOCK, 0); err == nil {
						fmt.Println(path)
						_ = f.Close()
					}
				}
			} else if err == nil {
				if _, err := os.ReadDir(path); err == nil {
					fmt.Println(path)
				}
			}
			return nil
		})
	case "connect":
		if conn, err := net.Dial("unix", arg); err == nil {
			fmt.Println("connected")
			_ = conn.Close()
		}
	case "processes":
		list, _ := filepath.Glob("/proc/[0-9]*")
		for _, dir := range list {
			for _, name := range []string{"environ", "cmdline"} {
				if raw, err := os.ReadFile(filepath.Join(dir, name)); err == nil && dir != fmt.Sprintf("/proc/%d", os.Getpid()) && bytes.Contains(raw, []byte(arg)) {
					fmt.Println(dir, name, strings.ReplaceAll(string(raw), "\x00", " "))
				}
			}
		}
	case "http":
		req, err := http.NewRequest(http.MethodPost, arg, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err == nil {
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			if req.Host = os.Args[3]; os.Args[4] != "" {
				req.Header.Set("Authorization", "Bearer "+os.Args[4])
			}
			if res, err := http.DefaultClient.Do(req); err == nil {
				fmt.Println(res.StatusCode)
			}
		}
	case "listen":
		err := os.MkdirAll(filepath.Dir(arg), 0o755)
		l, also := net.Listen("unix", arg)
		if err = errors.Join(err, also, os.Chmod(arg, 0o777)); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("listening")
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if said, _ := io.ReadAll(conn); len(said) > 0 {
				fmt.Printf("heard %d bytes\n", len(said))
			}
		}
	}
}

// otherUser is another user of the machine.
type otherUser struct {
	t        *testing.T
	dir      string // with programs that everybody may run
	uid, gid uint32
}

// newOtherUser makes a user, who is removed at the end. Only root can; who else runs the tests gets nil, and what
// another user could reach is then judged by the modes of files alone.
func newOtherUser(t *testing.T) *otherUser {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Log("not root: there is no other user to try as; modes and owners are looked at instead")
		return nil
	}
	name := "usher-t" + strconv.Itoa(os.Getpid())
	if out, err := exec.Command("useradd", "--no-create-home", "--shell", "/bin/false", name).CombinedOutput(); err != nil {
		t.Fatalf("make another user: %v\n%s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("userdel", name).CombinedOutput(); err != nil {
			t.Errorf("remove the other user: %v\n%s", err, out)
		}
	})
	u, err := user.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	dir, err3 := os.MkdirTemp("", "n-")
	if err := errors.Join(err1, err2, err3, os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"usher", "stranger"} {
		if err := os.WriteFile(filepath.Join(dir, program), raw, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return &otherUser{t, dir, uint32(uid), uint32(gid)}
}

func (n *otherUser) command(env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(n.dir, name), args...)
	cmd.Env = append([]string{"PATH=/usr/bin:/bin", "HOME=/nonexistent"}, env...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: n.uid, Gid: n.gid}}
	return cmd
}

// tries runs a program as that user and returns what it prints.
func (n *otherUser) tries(env []string, name string, args ...string) string {
	n.t.Helper()
	out, err := n.command(env, name, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		n.t.Fatal(err)
	}
	return string(out)
}

// sharedHome is a home that everybody may look into and a temporary directory that everybody writes in, with usher in
// it, under the worst umask.
type sharedHome struct {
	*program.Program
	t     *testing.T
	usher string // its directory
	tmp   string
}

func newSharedHome(t *testing.T, name string) *sharedHome {
	t.Helper()
	p, err := program.New("usher", cdptest.Chromium(t), "USHER_EXECUTABLE_PATH="+cdptest.Chromium(t))
	if err != nil {
		t.Fatal(err)
	}
	h := &sharedHome{p, t, filepath.Join(p.Home, name), filepath.Join(p.Home, "t")}
	p.Env = append(p.Env, "USHER_HOME="+h.usher)
	if err := errors.Join(os.Chmod(p.Home, 0o755), os.Chmod(h.tmp, 0o777|os.ModeSticky)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := p.End(); err != nil {
			t.Errorf("clear up: %v", err)
		}
	})
	return h
}

// run runs usher and returns what it prints, and whether it succeeded.
func (h *sharedHome) run(args ...string) (string, bool) {
	cmd := exec.Command("/bin/sh", append([]string{"-c", `umask 0; exec usher "$@"`, "usher"}, args...)...)
	cmd.Env, cmd.Dir = append(os.Environ(), h.Env...), h.Home
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func (h *sharedHome) must(args ...string) string {
	h.t.Helper()
	out, ok := h.run(args...)
	if !ok {
		h.t.Fatalf("usher %s: %s", strings.Join(args, " "), out)
	}
	return out
}

// closed says that a directory is this user's alone; all that is below is closed with it.
func closed(t *testing.T, path string) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Error(err)
		return
	}
	if st := info.Sys().(*syscall.Stat_t); int(st.Uid) != os.Geteuid() || info.Mode().Perm()&0o077 != 0 || info.Mode()&fs.ModeSymlink != 0 {
		t.Errorf("%s is of user %d, mode %v", path, st.Uid, info.Mode())
	}
}

// TestOtherUserReachesNothing: under the worst umask another user of the machine reaches neither the daemon nor what it
// keeps, nor secrets that it was given.
func TestOtherUserReachesNothing(t *testing.T) {
	n, h := newOtherUser(t), newSharedHome(t, "u")
	const secret = "s3cret-of-the-person"
	h.Env = append(h.Env, "USHER_CREDENTIALS=me:"+secret, "USHER_PROXY=http://me:"+secret+"@127.0.0.1:9", "USHER_PROXY_BYPASS=*")
	h.must("--record", filepath.Join(h.Home, "record.jsonl"), "open", "about:blank")
	h.must("screenshot")
	h.must("cdp", "Page.getFrameTree")
	var where struct{ Data struct{ URL, Token string } }
	if err := json.Unmarshal([]byte(h.must("--json", "mcp", "http")), &where, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	for _, own := range []string{".", "run", "run/usher.sock", "run/daemon.log", "run/daemon.lock", "mcp-token", "artifacts", "artifacts/screenshots", "downloads", "downloads/default"} {
		closed(t, filepath.Join(h.usher, own))
	}
	closed(t, filepath.Join(h.Home, "record.jsonl"))
	closed(t, filepath.Join(h.tmp, "usher-"+strconv.Itoa(os.Getuid())))
	shots, err := filepath.Glob(filepath.Join(h.usher, "artifacts", "screenshots", "*"))
	if err != nil || len(shots) == 0 {
		t.Errorf("there is no screenshot: %v", err)
	}
	for _, path := range shots {
		closed(t, path)
	}
	// Command lines are open to everybody, whoever looks.
	list, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range list {
		if raw, err := os.ReadFile(path); err == nil && bytes.Contains(raw, []byte(secret)) {
			t.Errorf("a command line has the secret: %s", bytes.ReplaceAll(raw, []byte{0}, []byte{' '}))
		}
	}
	if n == nil {
		return
	}
	for _, line := range strings.Fields(n.tries(nil, "stranger", "reach", h.Home)) {
		if line != h.Home && line != h.tmp {
			t.Errorf("another user reaches %s", line)
		}
	}
	if got := n.tries(nil, "stranger", "connect", filepath.Join(h.usher, "run", "usher.sock")); got != "" {
		t.Errorf("another user speaks with the daemon: %s", got)
	}
	for _, env := range [][]string{{"USHER_HOME=" + h.usher}, {"USHER_SOCKET_DIR=" + filepath.Join(h.usher, "run")}} {
		if out := n.tries(env, "usher", "get", "url"); strings.Contains(out, "about:blank") || !strings.Contains(out, "✗") {
			t.Errorf("another user's command with %s: %s", env, out)
		}
	}
	if got := n.tries(nil, "stranger", "processes", secret); got != "" {
		t.Errorf("another user sees the secret: %s", got)
	}
	if got := n.tries(nil, "stranger", "processes", "USHER_HOME="+h.usher); got != "" {
		t.Errorf("another user reads an environment: %s", got)
	}
	_, address, _ := strings.Cut(where.Data.URL, "http://")
	address, _, _ = strings.Cut(address, "/")
	for _, c := range [][3]string{{address, "", "401"}, {address, "guessed-guessed-guessed", "401"}, {"evil.example", "", "403"}, {"evil.example", where.Data.Token, "403"}} {
		if got := n.tries(nil, "stranger", "http", where.Data.URL, c[0], c[1]); strings.TrimSpace(got) != c[2] {
			t.Errorf("a call as %q with token %q: %s, want %s", c[0], c[1], got, c[2])
		}
	}
	h.must("daemon", "stop")
}

// TestOtherUserPlantsNothing: what another user laid where usher was expected to look is refused, with a way out, and never
// used.
func TestOtherUserPlantsNothing(t *testing.T) {
	n, h := newOtherUser(t), newSharedHome(t, strings.Repeat("x", 120))
	getenv := func(name string) string {
		return map[string]string{"HOME": h.Home, "USHER_HOME": h.usher}[name]
	}
	t.Setenv("TMPDIR", h.tmp)
	places, err := dirs.Of(getenv, "", false)
	if err != nil {
		t.Fatal(err)
	}
	short := filepath.Dir(places.Socket)
	if filepath.Dir(short) != h.tmp {
		t.Fatalf("the socket is in %s", short)
	}
	refused := func(what string, args ...string) {
		t.Helper()
		out, ok := h.run(append([]string{"--json"}, args...)...)
		if ok || !strings.Contains(out, `"permission_denied"`) || !strings.Contains(out, "USHER_HOME") && !strings.Contains(out, "Remove") {
			t.Errorf("%s, usher %s: %s", what, strings.Join(args, " "), out)
		}
	}
	if err := os.WriteFile(filepath.Join(h.tmp, "mcp-token"), []byte("planted-planted-planted-planted\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n == nil { // a link of our own stands for what others lay down: it is refused for being one
		if err := os.Symlink(t.TempDir(), short); err != nil {
			t.Fatal(err)
		}
		refused("a link for the socket's directory", "mcp", "http")
		if err := os.Remove(short); err != nil {
			t.Fatal(err)
		}
	} else {
		if err := os.Chown(filepath.Join(h.tmp, "mcp-token"), int(n.uid), int(n.gid)); err != nil {
			t.Fatal(err)
		}
		trap := n.command(nil, "stranger", "listen", places.Socket)
		heard, err := trap.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := trap.Start(); err != nil {
			t.Fatal(err)
		}
		first := make([]byte, len("listening\n"))
		if _, err := io.ReadFull(heard, first); err != nil || string(first) != "listening\n" {
			t.Fatalf("the trap: %q, %v", first, err)
		}
		for _, args := range [][]string{{"get", "url"}, {"mcp", "http"}, {"daemon", "status"}, {"daemon", "stop"}} {
			refused("a directory and a socket of another user", args...)
		}
		// The server of an agent has a client of its own.
		server := exec.Command("usher", "mcp")
		server.Env, server.Dir = append(os.Environ(), append(h.Env, "USHER_SOCKET_DIR="+short)...), h.Home
		session, err := newClient(t, "test", nil).Connect(t.Context(), &mcp.CommandTransport{Command: server}, nil)
		if err != nil {
			t.Fatal(err)
		}
		a := agent{ClientSession: session, t: t}
		if got := a.call("browser_navigate", map[string]any{"url": "about:blank"}); got["code"] != "permission_denied" {
			t.Errorf("an agent's call to the other user's socket: %v", got)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if err := trap.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(heard)
		if _ = trap.Wait(); len(said) > 0 { // killed, as we know
			t.Errorf("the other user heard something: %s", said)
		}
		if err := os.RemoveAll(short); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Symlink(h.Home, short), os.Lchown(short, int(n.uid), int(n.gid))); err != nil {
			t.Fatal(err)
		}
		refused("a link of another user", "get", "url")
		if err := os.Remove(short); err != nil {
			t.Fatal(err)
		}
	}
	if out := h.must("--json", "mcp", "http"); strings.Contains(out, "planted") {
		t.Errorf("the planted token is used: %s", out)
	}
	closed(t, short)
	for _, own := range []string{"mcp-token", "run", "run/daemon.log", "run/daemon.lock"} {
		closed(t, filepath.Join(h.usher, own))
	}
	if left, err := os.ReadDir(short); err != nil || len(left) != 1 {
		t.Errorf("beside the socket there is more: %v, %v", left, err)
	}
	h.must("mcp", "http", "--stop")
	token := filepath.Join(h.usher, "mcp-token")
	for _, spoil := range []func() error{
		func() error { return os.Chmod(token, 0o644) },
		func() error {
			return errors.Join(os.Chmod(token, 0o600), os.Rename(token, token+"2"), os.Symlink(token+"2", token))
		},
		func() error {
			if n == nil {
				return nil // it is a link still
			}
			return errors.Join(os.Remove(token), os.Rename(token+"2", token), os.Chown(token, int(n.uid), int(n.gid)))
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		refused("a token that others can know", "mcp", "http")
	}
	h.must("daemon", "stop")
	if n != nil {
		if err := os.Chown(h.usher, int(n.uid), int(n.gid)); err != nil {
			t.Fatal(err)
		}
		refused("a home of another user", "open", "about:blank")
	}
}
