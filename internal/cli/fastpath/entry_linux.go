//go:build (amd64 || arm64) && !cgo

package fastpath

import (
	"syscall"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/usher-browser/usher/internal/api/exchange"
	"github.com/usher-browser/usher/internal/api/frame"
)

// Most of the time of a short command is the start of Go's runtime: threads, heap, the tables of all packages
// (docs/decisions, local protocol). The entry of the program therefore runs the command before that, if it can: see
// usher_entry in entry_linux_amd64.s. What it runs is Go, but without a runtime, so all functions below
//
//   - allocate nothing: a test counts. Their memory is early, which the system maps zeroed, and that of the arguments.
//   - have no channels, maps, defer, goroutines, or interfaces that convert; and do not panic.
//   - call the system with RawSyscall only. The process has one thread and Go's signal handlers are not set.
//
// At the first thing that they cannot do they return, and the program starts as every program of Go. Until the request is
// sent, nothing has happened then; after that, [exchange.Continue] goes on where they were.

// Limits of what runs early. Longer command lines and environments take the other road.
const (
	maxWords   = 256
	maxEnv     = 1024
	maxRequest = 64 << 10
)

// early is the memory of the functions below.
var early struct {
	words   [maxWords]string
	env     [maxEnv]string
	sent    [maxEnv]string // those of env that are sent
	cwd     [4096]byte
	request frame.Request
	out     [maxRequest]byte
	in      [bufferSize]byte
	address syscall.RawSockaddrUnix
	begun   exchange.Begun // a conversation to go on with; Socket is 0 without one
}

// bufferSize bounds one write of output, in bytes.
const bufferSize = 64 << 10

// What usher_entry has for a goroutine and its thread's local storage.
var (
	noGoroutine [1024]byte //nolint:unused // in assembly
	noStorage   [2]uintptr //nolint:unused // in assembly
)

// pageSize is what [Build] reads, too.
const pageSize = 4096

// Tags of the auxiliary vector.
const (
	atNull   = 0
	atPHDR   = 3
	atSecure = 23
)

// enter is called at the entry of the process, with the address of what the kernel put on the stack.
func enter(stack unsafe.Pointer) { //nolint:unused // usher_entry calls it
	words, env, build, ok := arguments(stack)
	if !ok {
		return
	}
	if status, ok := run(words, env, build, 1, 2); ok {
		for {
			_, _ = call(syscall.SYS_EXIT_GROUP, uintptr(status), 0, 0)
		}
	}
}

// arguments returns the words and the environment of the process, and the build of its program. On the stack are the number
// of words, their addresses and a null, those of the environment and a null, and pairs of a tag and a value. ok is false if
// there are too many, or if the user of the process is another than its caller's.
func arguments(stack unsafe.Pointer) (words, env []string, build string, ok bool) {
	count := *(*int)(stack)
	if count < 1 || count > maxWords {
		return nil, nil, "", false
	}
	at := unsafe.Add(stack, 8)
	for i := range count {
		early.words[i] = stringAt(next(&at))
	}
	next(&at)
	pairs := 0
	for p := next(&at); p != nil; p = next(&at) {
		if pairs == maxEnv {
			return nil, nil, "", false
		}
		early.env[pairs] = stringAt(p)
		pairs++
	}
	for {
		tag, value := uintptr(next(&at)), next(&at)
		switch {
		case tag == atNull:
			return early.words[:count], early.env[:pairs], build, build != ""
		case tag == atPHDR && value != nil: // on the first page of the program, as the build is
			build = buildID(unsafe.String((*byte)(unsafe.Add(value, -int(uintptr(value)%pageSize))), pageSize))
		case tag == atSecure && value != nil:
			return nil, nil, "", false
		}
	}
}

// next returns the word at *at, and advances that.
func next(at *unsafe.Pointer) unsafe.Pointer {
	word := *(*unsafe.Pointer)(*at)
	*at = unsafe.Add(*at, 8)
	return word
}

// stringAt returns the string that ends with a zero.
func stringAt(p unsafe.Pointer) string {
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return unsafe.String((*byte)(p), n)
}

// resume goes on with the conversation that run left, if there is one.
func resume(streams func() exchange.Streams) (r exchange.Result, ok bool) {
	if early.begun.Socket == 0 {
		return r, false
	}
	begun := early.begun
	early.begun = exchange.Begun{}
	return exchange.Continue(begun, streams()), true
}

// call is a system call, again if a signal interrupts it.
func call(number, a, b, c uintptr) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall(number, a, b, c)
		if errno != syscall.EINTR {
			return int(n), errno
		}
	}
}

// closeSocket closes a socket; nothing of it is needed any more.
func closeSocket(fd int) { _, _ = call(syscall.SYS_CLOSE, uintptr(fd), 0, 0) }

// run runs the command line, with its output to two descriptors. ok is false if it could not: then early.begun has the
// conversation with the daemon, if one began.
func run(words, env []string, build string, out, errOut int) (status int, ok bool) {
	program, ok := programOf(words[0])
	if !ok {
		return 0, false
	}
	argv := words[1:]
	getenv := func(name string) string { return lookup(env, name) }
	if asksVersion(argv, getenv) {
		n := copy(early.out[:], program)
		early.out[n] = ' '
		n += 1 + copy(early.out[n+1:], Version)
		early.out[n] = '\n'
		return 0, write(out, early.out[:n+1]) == n+1
	}
	if text, known := knownText(program, argv, getenv); known {
		return 0, write(out, unsafe.Slice(unsafe.StringData(text), len(text))) == len(text)
	}
	if IsDaemonCommand(argv) || MayBeLocal(argv) {
		return 0, false
	}
	path, ok := frame.AppendSocket(early.out[:0], getenv, program == "agent-browser")
	if !ok {
		return 0, false
	}
	early.address.Family = syscall.AF_UNIX
	for i, c := range path {
		early.address.Path[i] = int8(c)
	}
	early.address.Path[len(path)] = 0
	request, ok := encode(program, argv, env, build)
	if !ok {
		return 0, false
	}
	fd, pid := connectTo(unsafe.Pointer(&early.address))
	if fd < 0 {
		return 0, false
	}
	if !send(fd, request) { // it did not arrive as a whole, so it has no effect
		closeSocket(fd)
		return 0, false
	}
	early.begun = exchange.Begun{Socket: fd, PID: pid, Limit: exchange.ReplyTimeout(frame.OpRun)}
	return follow(&early.begun, out, errOut)
}

// lookup returns the value of a variable; the first counts, as in package os.
func lookup(env []string, name string) string {
	for _, pair := range env {
		if len(pair) > len(name) && pair[len(name)] == '=' && pair[:len(name)] == name {
			return pair[len(name)+1:]
		}
	}
	return ""
}

// encode returns the request. ok is false if it is too long, or not valid UTF-8.
func encode(program string, argv, env []string, build string) (request []byte, ok bool) {
	r := &early.request
	*r = frame.Request{PeerUID: -1, Build: build, Env: early.sent[:0]}
	// The result has the terminating zero. A directory outside of the root has a name that does not begin with a slash.
	if n, errno := call(syscall.SYS_GETCWD, uintptr(unsafe.Pointer(&early.cwd)), uintptr(len(early.cwd)), 0); errno == 0 && n > 1 && early.cwd[0] == '/' {
		r.Cwd = unsafe.String(&early.cwd[0], n-1)
	}
	if !utf8.ValidString(r.Cwd) || !utf8.ValidString(build) {
		return nil, false
	}
	fill(r, program, argv, env)
	const perField = 16                           // its length and its name, at most
	size := 10*perField + len(r.Cwd) + len(build) // there are 10 that are always there
	for _, word := range argv {
		if !utf8.ValidString(word) {
			return nil, false
		}
		size += len(word) + perField
	}
	for _, pair := range r.Env {
		size += len(pair) + perField
	}
	if size > len(early.out) {
		return nil, false
	}
	request, _, ok = frame.AppendRequest(early.out[:0], r)
	return request, ok
}

// connectTo connects to the daemon with the timeouts of [exchange.Do], if it is the user's. The descriptor is -1 otherwise.
func connectTo(address unsafe.Pointer) (fd, pid int) {
	fd, errno := call(syscall.SYS_SOCKET, syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if errno != 0 {
		return -1, 0
	}
	if fd <= 2 { // a standard stream is closed, and Go's runtime opens the null device in its place
		closeSocket(fd)
		return -1, 0
	}
	limit := syscall.Timeval{Sec: int64(exchange.ReplyTimeout(frame.OpRun) / time.Second)}
	var peer syscall.Ucred
	if option(fd, syscall.SYS_SETSOCKOPT, syscall.SO_RCVTIMEO, unsafe.Pointer(&limit), unsafe.Sizeof(limit)) &&
		option(fd, syscall.SYS_SETSOCKOPT, syscall.SO_SNDTIMEO, unsafe.Pointer(&limit), unsafe.Sizeof(limit)) {
		if _, errno := call(syscall.SYS_CONNECT, uintptr(fd), uintptr(address), unsafe.Sizeof(syscall.RawSockaddrUnix{})); errno == 0 &&
			option(fd, syscall.SYS_GETSOCKOPT, syscall.SO_PEERCRED, unsafe.Pointer(&peer), unsafe.Sizeof(peer)) {
			if user, _ := call(syscall.SYS_GETUID, 0, 0, 0); user == int(peer.Uid) {
				return fd, int(peer.Pid)
			}
		}
	}
	closeSocket(fd)
	return -1, 0
}

// option sets or gets an option of a socket.
func option(fd int, number uintptr, name int, value unsafe.Pointer, size uintptr) bool {
	length := uint32(size)
	last := size
	if number == syscall.SYS_GETSOCKOPT {
		last = uintptr(unsafe.Pointer(&length))
	}
	_, _, errno := syscall.RawSyscall6(number, uintptr(fd), syscall.SOL_SOCKET, uintptr(name), uintptr(value), last, 0)
	return errno == 0
}

// send sends all of p. A daemon that closes causes an error, and not a signal.
func send(fd int, p []byte) bool {
	for len(p) > 0 {
		n, _, errno := syscall.RawSyscall6(syscall.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)), syscall.MSG_NOSIGNAL, 0, 0)
		switch errno {
		case 0:
			p = p[n:]
		case syscall.EINTR:
		default:
			return false
		}
	}
	return true
}

// write writes p, and returns how many bytes it could.
func write(fd int, p []byte) (written int) {
	for written < len(p) {
		n, errno := call(syscall.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&p[written])), uintptr(len(p)-written))
		switch errno {
		case 0:
			written += n
		case syscall.EAGAIN: // somebody set O_NONBLOCK
			ready := struct {
				fd              int32
				events, revents int16
			}{fd: int32(fd), events: pollOut}
			_, _, _ = syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&ready)), 1, 0, 0, 0, 0) // without a limit
		default:
			return written
		}
	}
	return written
}

// pollOut asks poll for room to write.
const pollOut = 4

// follow copies the daemon's output until the command has ended. Otherwise b has what is left of the conversation.
func follow(b *exchange.Begun, out, errOut int) (status int, ok bool) {
	start, end := 0, 0
	for {
		used, status, next := step(b, early.in[start:end], out, errOut)
		start += used
		b.Unread = early.in[start:end]
		switch next {
		case ended:
			return status, true
		case stuck:
			return 0, false
		case again:
			continue
		}
		end = copy(early.in[:], early.in[start:end])
		start = 0
		b.Unread = early.in[:end]
		if end == len(early.in) {
			return 0, false
		}
		n, errno := call(syscall.SYS_READ, uintptr(b.Socket), uintptr(unsafe.Pointer(&early.in[end])), uintptr(len(early.in)-end))
		b.TimedOut = errno == syscall.EAGAIN
		if errno != 0 || n == 0 {
			return 0, false
		}
		end += n
	}
}

// What to do after a step.
type verdict int

const (
	again verdict = iota // the next step
	more                 // read more first
	ended                // exit
	stuck                // continue in package exchange
)

// step deals with what is at the beginning of data: a part of the output, or a frame. It returns how many bytes of it are
// used, and for ended the exit status.
func step(b *exchange.Begun, data []byte, out, errOut int) (used, status int, next verdict) {
	if b.Rest.Size > 0 {
		if len(data) == 0 {
			return 0, 0, more
		}
		part := data[:min(len(data), b.Rest.Size)]
		to := out
		if b.Rest.Kind == frame.Err {
			to = errOut
		}
		written := write(to, part)
		b.Rest.Size -= written
		if written < len(part) {
			return written, 0, stuck
		}
		return written, 0, again
	}
	kind, size, ok := frame.Head(data)
	if !ok {
		return 0, 0, more
	}
	switch kind {
	case frame.Out, frame.Err:
		b.Rest = frame.Frame{Kind: kind, Size: size}
		return frame.HeaderSize, 0, again
	case frame.Alive:
		if size == 0 {
			return frame.HeaderSize, 0, again
		}
	case frame.Exit:
		if size > len(early.in)-frame.HeaderSize {
			return 0, 0, stuck
		}
		if len(data) < frame.HeaderSize+size {
			return 0, 0, more
		}
		if status, ok = frame.Status(data[frame.HeaderSize : frame.HeaderSize+size]); ok {
			return 0, status, ended
		}
	}
	return 0, 0, stuck
}
