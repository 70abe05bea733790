// Command release builds what people install, and tries it.
//
//	go run ./release              into dist: an archive per platform, .deb packages, npm packages, a Homebrew formula, a Containerfile, SHA256SUMS
//	go run ./release -try         installs what is in dist the way a person would, into temporary directories, and runs it
//
// The version is the tag, as git describe tells it. Two builds of one commit are equal byte by byte: times in archives are the commit's.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// homepage is where the project lives; archives are downloaded from its releases.
const homepage = "https://github.com/usher-browser/usher"

// summary is the line that package managers show.
const summary = "Browser automation for AI agents: command line, daemon and MCP server over the Chrome DevTools Protocol"

// platform is a system and processor that usher is built for, in Go's words and in those of npm.
type platform struct{ os, arch string }

var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

func (p platform) String() string { return p.os + "_" + p.arch }

// program is the name of the binary.
func (p platform) program() string {
	if p.os == "windows" {
		return "usher.exe"
	}
	return "usher"
}

// release is one version and where its files go.
type release struct {
	describe string // what git says
	version  string // the same as a semantic version
	stamp    time.Time
	source   string // the repository
	out      string // dist
}

// path is a file of the release.
func (r *release) path(parts ...string) string {
	return filepath.Join(append([]string{r.out}, parts...)...)
}

// binary is where a platform's program lies; it is kept for packages.
func (r *release) binary(p platform) string { return r.path("bin", p.String(), p.program()) }

func main() {
	out := flag.String("out", "dist", "where the files go")
	try := flag.Bool("try", false, "install and run what was built")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := here(ctx, *out)
	if err == nil {
		if *try {
			err = r.try(ctx)
		} else {
			err = r.build(ctx)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// here is the release of the repository that the working directory is in.
func here(ctx context.Context, out string) (*release, error) {
	source, err := output(ctx, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	r := &release{source: source}
	if r.out, err = filepath.Abs(out); err != nil {
		return nil, fmt.Errorf("find %s: %w", out, err)
	}
	if r.describe, err = output(ctx, "git", "-C", source, "describe", "--tags", "--always", "--dirty"); err != nil {
		return nil, err
	}
	r.version = semantic(r.describe)
	when, err := output(ctx, "git", "-C", source, "log", "-1", "--format=%ct")
	if err != nil {
		return nil, err
	}
	seconds, err := strconv.ParseInt(when, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read the time of the commit: %w", err)
	}
	r.stamp = time.Unix(seconds, 0).UTC()
	return r, nil
}

// build makes every file of the release.
func (r *release) build(ctx context.Context) error {
	if err := os.RemoveAll(r.out); err != nil {
		return fmt.Errorf("clear %s: %w", r.out, err)
	}
	began := time.Now()
	fmt.Printf("usher %s (%s)\n", r.version, r.describe)
	for _, p := range platforms {
		if err := r.compile(ctx, p); err != nil {
			return err
		}
	}
	pages, err := r.pages(ctx)
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return r.archives(pages) },
		func() error { return r.debs(ctx, pages) },
		r.npm,
		r.formula,
		r.container,
		r.sums,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	fmt.Printf("built in %s\n", time.Since(began).Round(time.Second))
	return nil
}

// compile builds the program for a platform.
func (r *release) compile(ctx context.Context, p platform) error {
	flags := "-s -w"
	if p.os == "linux" {
		flags += " -E usher_entry" // see internal/cli/fastpath
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", flags+" -X github.com/usher-browser/usher/internal/cli/fastpath.Version="+r.describe, "-o", r.binary(p), "./cmd/usher")
	cmd.Dir = r.source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build for %s: %w\n%s", p, err, text)
	}
	return nil
}

// output runs a program and returns what it prints, without the last line end.
func output(ctx context.Context, name string, args ...string) (string, error) {
	var stderr strings.Builder
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimRight(string(text), "\n"), nil
}
