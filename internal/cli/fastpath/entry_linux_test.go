//go:build (amd64 || arm64) && !cgo

package fastpath

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/usher-browser/usher/internal/api/exchange"
	"github.com/usher-browser/usher/internal/api/frame"
)

// fields returns a frame of the daemon's.
func fields(f frame.Frame) string { return string(frame.Append(nil, f)) }

// raw returns a frame with bytes.
func raw(kind frame.Kind, text string) string {
	return string(frame.Append(nil, frame.Frame{Kind: kind, Size: len(text)})) + text
}

// answers are conversations as the daemon and others have them.
var answers = map[string]string{
	"nothing":            "",
	"status 0":           fields(frame.Frame{Kind: frame.Exit}),
	"status 3":           fields(frame.Frame{Kind: frame.Exit, Status: 3, Text: "message", Hint: "hint"}),
	"output":             raw(frame.Out, "some") + raw(frame.Err, "wrong\n") + raw(frame.Out, "thing\n") + fields(frame.Frame{Kind: frame.Exit, Status: 1}),
	"empty output":       raw(frame.Out, "") + fields(frame.Frame{Kind: frame.Exit}),
	"long output":        raw(frame.Out, strings.Repeat("long ", 60_000)) + fields(frame.Frame{Kind: frame.Exit}),
	"alive":              fields(frame.Frame{Kind: frame.Alive}) + raw(frame.Out, "x") + fields(frame.Frame{Kind: frame.Alive}) + fields(frame.Frame{Kind: frame.Exit}),
	"input":              raw(frame.Out, "x") + fields(frame.Frame{Kind: frame.WantInput}) + raw(frame.Out, "y") + fields(frame.Frame{Kind: frame.Exit, Status: 2}),
	"progress":           fields(frame.Frame{Kind: frame.Progress, Text: "half"}) + fields(frame.Frame{Kind: frame.Exit}),
	"local":              fields(frame.Frame{Kind: frame.Local}),
	"refused":            fields(frame.Frame{Kind: frame.Refused, Code: frame.Retired, Build: "b", PID: 7, Sessions: 2}),
	"unknown":            raw('?', "new") + fields(frame.Frame{Kind: frame.Exit}),
	"lost":               raw(frame.Out, "some"),
	"lost in output":     raw(frame.Out, "some")[:frame.HeaderSize+2],
	"lost in header":     raw(frame.Out, "some")[:4],
	"lost in fields":     fields(frame.Frame{Kind: frame.Exit, Status: 3})[:frame.HeaderSize+5],
	"older build":        "{\"exit\":0}\n",
	"too long":           "x\xff\xff\xff\xff\xff\xff\xff\xff",
	"long fields":        fields(frame.Frame{Kind: frame.Exit, Status: 4, Text: strings.Repeat("x", 100_000)}),
	"too many fields":    fields(frame.Frame{Kind: frame.Exit, Text: strings.Repeat("x", frame.MaxFields)}),
	"no number":          string(frame.Exit) + "\x00\x00\x00\x00\x00\x00\x00\x0c\x00\x00\x00\x08status=x",
	"field without name": string(frame.Exit) + "\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x01x",
}

// TestRoads compares the conversation at the entry with that of package exchange.
func TestRoads(t *testing.T) {
	for name, answer := range answers {
		for _, size := range []int{1, 7, 4096, 1 << 20} {
			if size < 100 && len(answer) > 10_000 {
				continue
			}
			sameRoads(t, name, answer, size)
		}
	}
}

// FuzzRoads does it with any answer.
func FuzzRoads(f *testing.F) {
	for _, answer := range answers {
		if len(answer) < 10_000 {
			f.Add([]byte(answer), 5)
		}
	}
	f.Fuzz(func(t *testing.T, answer []byte, size int) {
		sameRoads(t, "the input", string(answer), max(size&0xffff, 1+len(answer)/100))
	})
}

func sameRoads(t *testing.T, name, answer string, size int) {
	t.Helper()
	usual := heard(t, answer, size, func(socket string, out, errOut *os.File) exchange.Result {
		r := &frame.Request{V: frame.Version, Op: frame.OpRun, Argv: []string{"get", "title"}, Build: "b"}
		return exchange.Do(r, socket, exchange.Streams{In: strings.NewReader("in"), Out: out, Err: errOut})
	})
	early := heard(t, answer, size, func(socket string, out, errOut *os.File) exchange.Result {
		return atEntry(t, socket, []string{"get", "title"}, out, errOut)
	})
	if !reflect.DeepEqual(early, usual) {
		t.Errorf("%s, %d bytes at once:\nat the entry %+v\nusually      %+v", name, size, early, usual)
	}
}

// atEntry runs a command as the entry does, and goes on as First does.
func atEntry(t *testing.T, socket string, argv []string, out, errOut *os.File) exchange.Result {
	env := []string{"HOME=/nonexistent", "USHER_SOCKET_DIR=" + filepath.Dir(socket)}
	status, ok := run(append([]string{"/usr/bin/usher"}, argv...), env, "b", int(out.Fd()), int(errOut.Fd()))
	if ok {
		if early.begun.Socket == 0 {
			t.Fatal("nothing was sent")
		}
		result := exchange.Result{Outcome: exchange.Done, Frame: frame.Frame{Kind: frame.Exit, Status: status}, PID: early.begun.PID}
		syscall.Close(early.begun.Socket)
		early.begun = exchange.Begun{}
		return result
	}
	result, ok := resume(func() exchange.Streams {
		return exchange.Streams{In: strings.NewReader("in"), Out: out, Err: errOut}
	})
	if !ok {
		t.Fatal("the entry did not begin")
	}
	return result
}

// what a command printed, and how it ended.
type hearing struct {
	outcome  exchange.Outcome
	status   int
	code     string
	pid      int
	err      string
	out, bad string
}

// heard runs a command with a daemon that sends the answer, in pieces, and closes.
func heard(t *testing.T, answer string, size int, command func(socket string, out, errOut *os.File) exchange.Result) hearing {
	t.Helper()
	dir, err := os.MkdirTemp("", "u")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, frame.SocketName)
	// A goroutine in a raw system call neither leaves its processor to the one that answers, nor stops for a collection, which
	// would stop that meanwhile.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	served := answering(t, socket, answer, size)
	out, errOut := file(t, dir, "out"), file(t, dir, "err")
	result := command(socket, out, errOut)
	<-served
	h := hearing{outcome: result.Outcome, status: result.Frame.Status, code: result.Frame.Code, pid: result.PID, out: contents(t, out), bad: contents(t, errOut)}
	if result.Err != nil {
		h.err = result.Err.Error()
	}
	return h
}

// answering listens for one client.
func answering(t *testing.T, socket, answer string, size int) <-chan struct{} {
	t.Helper()
	fd := listen(t, socket, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer syscall.Close(fd)
		conn, _, err := syscall.Accept(fd)
		if err != nil {
			t.Error(err)
			return
		}
		client := os.NewFile(uintptr(conn), "client")
		defer client.Close()
		request, err := frame.NewReader(client, 4096).Request()
		if err != nil || len(request.Argv) != 2 || request.Build != "b" {
			t.Errorf("asked for %+v: %v", request, err)
		}
		for len(answer) > 0 {
			n, err := client.WriteString(answer[:min(size, len(answer))])
			if err != nil {
				return // the client has heard enough
			}
			answer = answer[n:]
		}
		// With unread bytes of the client's, closing would reset the connection and take the answer away.
		_ = syscall.Shutdown(conn, syscall.SHUT_WR)
		_, _ = io.Copy(io.Discard, client)
	}()
	return done
}

func file(t *testing.T, dir, name string) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func contents(t *testing.T, f *os.File) string {
	t.Helper()
	defer f.Close()
	data, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestEncode compares the request of the entry with that of the usual road.
func TestEncode(t *testing.T) {
	t.Setenv("USHER_SOMETHING", "some")
	t.Setenv("NO_COLOR", "1")
	t.Setenv("OTHER", "not sent")
	old := os.Args
	t.Cleanup(func() { os.Args = old })
	for _, argv := range [][]string{nil, {"get", "title"}, {"fill", "#a", "ä\U0001F600\n", ""}, {"--provider", "agentcore", "open"}} {
		os.Args = append([]string{"usher"}, argv...)
		want, _, _ := frame.AppendRequest(nil, newRequest("usher"))
		got, ok := encode("usher", argv, os.Environ(), Build())
		if !ok || !bytes.Equal(got, want) {
			t.Errorf("%q:\n%q\nwant\n%q", argv, got, want)
		}
	}
	if _, ok := encode("usher", nil, []string{"OTHER=" + strings.Repeat("x", maxRequest)}, "b"); !ok {
		t.Error("a variable that is not sent makes the request too long")
	}
	for name, argv := range map[string][]string{"invalid": {"\xff"}, "long": {strings.Repeat("x", maxRequest)}} {
		if _, ok := encode("usher", argv, nil, "b"); ok {
			t.Errorf("an argument that is %s was accepted", name)
		}
	}
}

// TestEncodeWithoutDirectory runs it in a directory that was removed.
func TestEncodeWithoutDirectory(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	data, ok := encode("usher", nil, nil, "b")
	if !ok {
		t.Fatal("not encoded")
	}
	if r, err := frame.ParseRequest(data[frame.HeaderSize:]); err != nil || r.Cwd != "" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestEarlyAllocatesNothing counts what the functions of the entry take from the heap, which is not there when they run. The
// count needs all other goroutines to rest, so no daemon answers here: the answer is there before.
func TestEarlyAllocatesNothing(t *testing.T) {
	dir := t.TempDir()
	discard, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer discard.Close()
	fd := int(discard.Fd())
	env := append(os.Environ(), "HOME=/nonexistent", "USHER_SOCKET_DIR="+dir)
	listener := listen(t, filepath.Join(dir, frame.SocketName), 100)
	defer syscall.Close(listener)
	address := &syscall.RawSockaddrUnix{Family: syscall.AF_UNIX}
	for i, c := range []byte(filepath.Join(dir, frame.SocketName)) {
		address.Path[i] = int8(c)
	}
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(pair[0])
	defer syscall.Close(pair[1])
	answer := []byte(answers["output"])
	argv := []string{"fill", "#name", "ä"}
	version, help, local, reload := []string{"usher", "--version"}, []string{"usher", "click", "--help"}, []string{"usher", "doctor"}, []string{"usher", "reload"}
	for name, f := range map[string]func() bool{
		"version": func() bool { _, ok := run(version, env, "b", fd, fd); return ok },
		"help":    func() bool { _, ok := run(help, env, "b", fd, fd); return ok },
		"local":   func() bool { _, ok := run(local, env, "b", fd, fd); return !ok },
		"nobody":  func() bool { _, ok := run(reload, env[:len(env)-1], "b", fd, fd); return !ok },
		"request": func() bool {
			request, ok := encode("usher", argv, env, "b")
			return ok && send(pair[1], request) && drained(pair[0], len(request))
		},
		"connect": func() bool {
			fd, pid := connectTo(unsafe.Pointer(address))
			syscall.Close(fd)
			return pid == os.Getpid()
		},
		"answer": func() bool {
			if n, err := syscall.Write(pair[1], answer); n < len(answer) || err != nil {
				return false
			}
			early.begun = exchange.Begun{Socket: pair[0]}
			status, ok := follow(&early.begun, fd, fd)
			early.begun = exchange.Begun{}
			return ok && status == 1
		},
	} {
		ran := true
		if n := testing.AllocsPerRun(20, func() { ran = ran && f() }); n > 0 || !ran {
			t.Errorf("%s: %v allocations, as expected: %v", name, n, ran)
		}
	}
}

// drained reads n bytes.
func drained(fd, n int) bool {
	for n > 0 {
		got, err := syscall.Read(fd, early.in[:min(n, len(early.in))])
		if err != nil || got == 0 {
			return false
		}
		n -= got
	}
	return true
}

func listen(t *testing.T, socket string, backlog int) (fd int) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: socket}), syscall.Listen(fd, backlog))
	}
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

// TestArguments reads a stack as the kernel makes it.
func TestArguments(t *testing.T) {
	page := make([]byte, 3*pageSize)
	first := pageSize - int(uintptr(unsafe.Pointer(&page[0]))%pageSize)
	copy(page[first+100:], "\x04\x00\x00\x00\x03\x00\x00\x00\x04\x00\x00\x00Go\x00\x00a/b")
	header := uintptr(unsafe.Pointer(&page[first+64]))
	var kept [][]byte
	stackOf := func(words, env []string, auxiliary ...uintptr) unsafe.Pointer {
		stack := []uintptr{uintptr(len(words))}
		for _, part := range [][]string{words, env} {
			for _, s := range part {
				p := append([]byte(s), 0)
				kept = append(kept, p)
				stack = append(stack, uintptr(unsafe.Pointer(&p[0])))
			}
			stack = append(stack, 0)
		}
		stack = append(append(stack, auxiliary...), atNull, 0)
		return unsafe.Pointer(&stack[0])
	}
	words, env, build, ok := arguments(stackOf([]string{"usher", "", "a b"}, []string{"A=1", "B="}, 6, 4096, atPHDR, header, atSecure, 0))
	if want := fmt.Sprint([]string{"usher", "", "a b"}, []string{"A=1", "B="}, "b", true); fmt.Sprint(words, env, build, ok) != want {
		t.Errorf("%q %q %q %v", words, env, build, ok)
	}
	for name, stack := range map[string]unsafe.Pointer{
		"no word":        stackOf(nil, nil, atPHDR, header),
		"no header":      stackOf([]string{"usher"}, nil),
		"another user":   stackOf([]string{"usher"}, nil, atPHDR, header, atSecure, 1),
		"many words":     stackOf(make([]string, maxWords+1), nil, atPHDR, header),
		"many variables": stackOf([]string{"usher"}, make([]string, maxEnv+1), atPHDR, header),
	} {
		if _, _, _, ok := arguments(stack); ok {
			t.Errorf("%s was accepted", name)
		}
	}
	runtime.KeepAlive(kept)
	runtime.KeepAlive(page)
}

// TestWriteWaits writes to a pipe that somebody set to O_NONBLOCK, and that is full.
func TestWriteWaits(t *testing.T) {
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	if err := syscall.SetNonblock(ends[0], false); err != nil {
		t.Fatal(err)
	}
	reader := os.NewFile(uintptr(ends[0]), "reader")
	read := make(chan int)
	go func() {
		n, err := io.Copy(io.Discard, reader)
		if err != nil {
			t.Error(err)
		}
		read <- int(n)
	}()
	text := bytes.Repeat([]byte("x"), 1<<20)
	if n := write(ends[1], text); n != len(text) {
		t.Errorf("wrote %d of %d", n, len(text))
	}
	syscall.Close(ends[1])
	if n := <-read; n != len(text) {
		t.Errorf("read %d of %d", n, len(text))
	}
}
