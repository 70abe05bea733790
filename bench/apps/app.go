package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// app is an application from npm.
type app struct {
	name  string
	start func(ctx context.Context, modules, dir string) (*site, error)
	jobs  []job
}

// job is work that somebody does in an application.
type job struct {
	name string
	// prepare puts into the application what the job starts from; it may be nil.
	prepare func(*site) error
	steps   func(*site) []step
	// done asks the application's own state whether the job was done; it is nil if it was.
	done func(*site) error
}

// site is an application that runs, in a directory of its own.
type site struct {
	url, dir string
	process  *exec.Cmd
	said     *bytes.Buffer
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), l.Close()
}

// serve starts a script of Node and waits until it answers on the port.
func serve(ctx context.Context, dir, port string, env []string, script string, args ...string) (*site, error) {
	s := &site{url: "http://127.0.0.1:" + port, dir: dir, said: &bytes.Buffer{}}
	s.process = exec.CommandContext(ctx, "node", append([]string{script}, args...)...)
	s.process.Env = append(append(os.Environ(), "HOME="+dir), env...)
	s.process.Dir = dir
	s.process.Stdout, s.process.Stderr = s.said, s.said
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	if err := within(time.Minute, func() error { _, err := s.get("/"); return err }); err != nil {
		s.stop()
		return nil, fmt.Errorf("%s does not answer: %w: %s", script, err, s.said)
	}
	return s, nil
}

// stop ends the application; how it ends does not matter.
func (s *site) stop() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

func (s *site) get(path string) (string, error) {
	return s.ask(http.MethodGet, path, "")
}

func (s *site) ask(method, path, body string, header ...string) (string, error) {
	req, err := http.NewRequest(method, s.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return "", err
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	if res.StatusCode >= 300 {
		return "", fmt.Errorf("%s %s: %s", method, path, res.Status)
	}
	return string(text), nil
}

// within tries until try succeeds or the time is over, and gives its last error.
func within(limit time.Duration, try func() error) error {
	end := time.Now().Add(limit)
	for {
		err := try()
		if err == nil || time.Now().After(end) {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}
