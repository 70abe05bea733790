// Command demo serves a small shop on loopback and lets the real usher buy a teapot in it: through a veil, a slow warehouse, a
// question in a native dialog, a payment form of another site, and a download. It prints each command with its output as it
// goes and leaves nothing running, however it ends.
//
//	make demo
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/usher-browser/usher/internal/cdptest/program"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	binary := flag.String("binary", "bin/usher", "the usher to watch")
	picture := flag.String("picture", "dist/demo.png", "where the annotated screenshot goes")
	flag.Parse()
	err := run(ctx, *binary, *picture)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, picture string) (err error) {
	started := time.Now()
	if picture, err = filepath.Abs(picture); err != nil {
		return err
	}
	if err = os.MkdirAll(filepath.Dir(picture), 0o755); err != nil {
		return fmt.Errorf("make room for the picture: %w", err)
	}
	if binary, err = filepath.Abs(binary); err != nil {
		return err
	}
	s, err := openShop()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	usher, err := program.New("usher", binary, "USHER_HOME={home}/.usher")
	if err != nil {
		return fmt.Errorf("%w; run make build", err)
	}
	// Whatever happens, Ctrl-C included, nothing stays: the last word is the list of processes.
	defer func() { err = errors.Join(err, leaveNothing(usher)) }()

	v := &visit{ctx: ctx, usher: usher, shop: s.url(), picture: picture}
	if err = v.buyTeapot(); err != nil {
		return err
	}
	fmt.Printf("\nThe teapot is bought: %d commands in %.1f s. The picture is %s\n", v.commands, time.Since(started).Seconds(), picture)
	return nil
}

// leaveNothing closes the session, then ends whatever is still there and complains about what should have gone by itself.
func leaveNothing(usher *program.Program) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, closing := usher.Run(ctx, "close", "--all")
	killed, err := usher.End()
	if err = errors.Join(closing, err); err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	if len(killed) > 0 {
		var names []string
		for _, process := range killed {
			names = append(names, fmt.Sprintf("%d %.60s", process.PID, process.Command))
		}
		return fmt.Errorf("clean up: these did not leave when asked and were killed: %s", strings.Join(names, "; "))
	}
	fmt.Println("Nothing is left running.")
	return nil
}
