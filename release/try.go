package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// errNotHere says that this machine lacks what a trial needs.
var errNotHere = errors.New("not tried")

// notHere is errNotHere with what is lacking.
func notHere(what string) error {
	return fmt.Errorf("%w: %s", errNotHere, what)
}

// try installs what was built the way a person would, and runs it, as far as the machine can. It fails where something that was tried does not work.
func (r *release) try(ctx context.Context) error {
	work, err := os.MkdirTemp("", "usher-try-")
	if err != nil {
		return fmt.Errorf("make a place to try in: %w", err)
	}
	defer os.RemoveAll(work)
	failed := 0
	for _, step := range []struct {
		name string
		do   func(ctx context.Context, dir string) error
	}{
		{"checksums", r.trySums}, {"archives of six platforms", r.tryArchives}, {"archive of this machine", r.tryOwnArchive}, {"deb", r.tryDeb},
		{"npm", func(ctx context.Context, dir string) error { return r.tryNpm(ctx, dir) }},
		{"npm without scripts", func(ctx context.Context, dir string) error { return r.tryNpm(ctx, dir, "--ignore-scripts") }},
		{"formula", r.tryFormula}, {"container", r.tryContainer},
	} {
		began := time.Now()
		dir := filepath.Join(work, strings.ReplaceAll(step.name, " ", "-"))
		err := os.Mkdir(dir, 0o755)
		if err == nil {
			err = step.do(ctx, dir)
		}
		switch {
		case errors.Is(err, errNotHere):
			fmt.Printf("-   %s: %v\n", step.name, err)
		case err != nil:
			failed++
			fmt.Printf("✗   %s: %v\n", step.name, err)
		default:
			fmt.Printf("ok  %s (%.1f s)\n", step.name, time.Since(began).Seconds())
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of the files cannot be used", failed)
	}
	return nil
}

// own is this machine.
func own() platform { return platform{runtime.GOOS, runtime.GOARCH} }

// works runs a program that was installed: it tells its version, opens a page where there is a browser, and ends.
func (r *release) works(ctx context.Context, program, home string) error {
	version, err := output(ctx, program, "version")
	if err != nil {
		return err
	}
	if version != "usher "+r.describe {
		return fmt.Errorf("%s version says %q, want %q", program, version, "usher "+r.describe)
	}
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Env = append(os.Environ(), "USHER_HOME="+filepath.Join(home, "usher-home"))
		text, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, text)
		}
		return strings.TrimSpace(string(text)), err
	}
	_, opened := run("open", "data:text/html,<title>Tried</title>")
	if opened != nil && strings.Contains(opened.Error(), "find Chromium: none in") {
		opened = nil
	} else if opened == nil {
		var title string
		if title, opened = run("get", "title"); opened == nil && title != "Tried" {
			opened = fmt.Errorf("%s get title says %q", program, title)
		}
	}
	_, stopped := run("daemon", "stop")
	return errors.Join(opened, stopped)
}

func (r *release) trySums(context.Context, string) error {
	text, err := os.ReadFile(r.path(sumsName))
	if err != nil {
		return fmt.Errorf("read the checksums: %w", err)
	}
	all, err := r.downloads()
	if err != nil {
		return err
	}
	for _, name := range all {
		sum, err := checksum(r.path(filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if !strings.Contains(string(text), sum+"  "+name+"\n") {
			return fmt.Errorf("%s has another checksum than %s says", name, sumsName)
		}
	}
	if want := 2*len(platforms) + 5; len(all) != want { // archives and npm packages, the npm package, two .deb, the formula, the Containerfile
		return fmt.Errorf("there are %d files to download, want %d: %s", len(all), want, strings.Join(all, ", "))
	}
	return nil
}

// unpacked are the files of an archive.
func unpacked(path string) ([]file, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the archive: %w", err)
	}
	var all []file
	if strings.HasSuffix(path, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		for _, f := range z.File {
			in, err := f.Open()
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", f.Name, err)
			}
			content, err := io.ReadAll(in)
			if err = errors.Join(err, in.Close()); err != nil {
				return nil, fmt.Errorf("read %s: %w", f.Name, err)
			}
			all = append(all, file{f.Name, f.Mode(), content})
		}
		return all, nil
	}
	g, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	t := tar.NewReader(g)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		content, err := io.ReadAll(t)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", h.Name, err)
		}
		all = append(all, file{h.Name, h.FileInfo().Mode(), content})
	}
}

// tryArchives looks at what each archive holds: everything, and a program for its own system and processor.
func (r *release) tryArchives(context.Context, string) error {
	for _, p := range platforms {
		all, err := unpacked(r.path(r.archiveName(p)))
		if err != nil {
			return err
		}
		top := "usher_" + r.version + "_" + p.String() + "/"
		got := map[string]file{}
		for _, f := range all {
			got[strings.TrimPrefix(f.name, top)] = f
		}
		for _, name := range []string{p.program(), "LICENSE", "README.md", "usher.1", "completion/usher.bash", "completion/_usher", "completion/usher.fish", "completion/usher.ps1"} {
			if len(got[name].data) == 0 {
				return fmt.Errorf("the archive for %s has no %s", p, name)
			}
		}
		program := got[p.program()]
		if program.mode&0o111 == 0 {
			return fmt.Errorf("the program for %s cannot be executed: %v", p, program.mode)
		}
		is, err := madeFor(program.data)
		if err != nil {
			return fmt.Errorf("the archive for %s: %w", p, err)
		}
		if is != p {
			return fmt.Errorf("the program in the archive for %s is for %s", p, is)
		}
	}
	return nil
}

// madeFor tells for which platform a program is.
func madeFor(program []byte) (platform, error) {
	in := bytes.NewReader(program)
	if f, err := elf.NewFile(in); err == nil {
		return platform{"linux", map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[f.Machine]}, nil
	}
	if f, err := macho.NewFile(in); err == nil {
		return platform{"darwin", map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}[f.Cpu]}, nil
	}
	f, err := pe.NewFile(in)
	if err != nil {
		return platform{}, fmt.Errorf("it is no program: %w", err)
	}
	return platform{"windows", map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64"}[f.Machine]}, nil
}

func (r *release) tryOwnArchive(ctx context.Context, dir string) error {
	if own().os == "windows" {
		return notHere("a person unpacks a .zip with the mouse")
	}
	name := r.archiveName(own())
	if _, err := output(ctx, "tar", "-xzf", r.path(name), "-C", dir); err != nil {
		return err
	}
	return r.works(ctx, filepath.Join(dir, strings.TrimSuffix(name, ".tar.gz"), "usher"), dir)
}

// tryDeb installs the package into a root of its own, or unpacks it where dpkg may not.
func (r *release) tryDeb(ctx context.Context, dir string) error {
	if _, err := exec.LookPath("dpkg"); err != nil || own().os != "linux" {
		return notHere("no dpkg")
	}
	root, deb := filepath.Join(dir, "root"), r.path(r.debName(own().arch))
	for _, d := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			return fmt.Errorf("prepare a root: %w", err)
		}
	}
	for _, f := range []string{"var/lib/dpkg/status", "var/lib/dpkg/available"} {
		if err := os.WriteFile(filepath.Join(root, f), nil, 0o644); err != nil {
			return fmt.Errorf("prepare a root: %w", err)
		}
	}
	if os.Geteuid() == 0 {
		if _, err := output(ctx, "dpkg", "--root="+root, "--force-depends", "--log="+filepath.Join(dir, "log"), "--install", deb); err != nil {
			return err
		}
		status, err := output(ctx, "dpkg-query", "--admindir="+filepath.Join(root, "var/lib/dpkg"), "--show", "--showformat=${Status} ${Version}", "usher")
		if err != nil {
			return err
		}
		if !strings.HasPrefix(status, "install ok installed ") {
			return fmt.Errorf("dpkg says of the package: %s", status)
		}
	} else if _, err := output(ctx, "dpkg-deb", "--extract", deb, root); err != nil {
		return err
	}
	if _, err := exec.LookPath("man"); err == nil {
		text, err := output(ctx, "man", "--local-file", filepath.Join(root, "usr/share/man/man1/usher.1.gz"))
		if err != nil {
			return err
		}
		if !strings.Contains(text, "snapshot") {
			return errors.New("the manual is shown without its commands")
		}
	}
	return r.works(ctx, filepath.Join(root, "usr/bin/usher"), dir)
}

// tryNpm installs the package and this platform's into a directory, without a network.
func (r *release) tryNpm(ctx context.Context, dir string, flags ...string) error {
	if _, err := exec.LookPath("npm"); err != nil {
		return notHere("no npm")
	}
	args := append([]string{"install", "--prefix", dir, "--offline", "--omit=optional", "--no-audit", "--no-fund", "--cache", filepath.Join(dir, "cache"),
		r.path(filepath.FromSlash(r.npmMain())), r.path(filepath.FromSlash(r.npmFile(own())))}, flags...)
	if _, err := output(ctx, "npm", args...); err != nil {
		return err
	}
	bin := filepath.Join(dir, "node_modules", ".bin", "usher")
	data, err := os.ReadFile(bin)
	if err != nil {
		return fmt.Errorf("look for the command that npm made: %w", err)
	}
	if native := !bytes.HasPrefix(data, []byte("#!")); native == (len(flags) > 0) {
		return fmt.Errorf("with %q the command is the program itself: %v", flags, native)
	}
	return r.works(ctx, bin, dir)
}

// tryFormula checks that the archives a formula names are those that were built; ruby reads it where there is one.
func (r *release) tryFormula(ctx context.Context, _ string) error {
	text, err := os.ReadFile(r.path("usher.rb"))
	if err != nil {
		return fmt.Errorf("read the formula: %w", err)
	}
	found := regexp.MustCompile(`url ".*/([^/"]+)"\s+sha256 "([0-9a-f]+)"`).FindAllSubmatch(text, -1)
	if len(found) != 4 {
		return fmt.Errorf("the formula names %d archives, want 4", len(found))
	}
	for _, m := range found {
		sum, err := checksum(r.path(string(m[1])))
		if err != nil {
			return err
		}
		if sum != string(m[2]) {
			return fmt.Errorf("the formula has another checksum for %s", m[1])
		}
	}
	if _, err := exec.LookPath("ruby"); err != nil {
		return nil //nolint:nilerr // its checksums were tried; without Ruby there is no more to try
	}
	_, err = output(ctx, "ruby", "-c", r.path("usher.rb"))
	return err
}

func (r *release) tryContainer(ctx context.Context, _ string) error {
	if _, err := output(ctx, "docker", "info"); err != nil {
		return notHere("docker does not run here")
	}
	const tag = "usher-try"
	if _, err := output(ctx, "docker", "build", "--tag", tag, "--build-arg", "TARGETARCH="+own().arch, "--file", r.path("Containerfile"), r.out); err != nil {
		return err
	}
	_, ran := output(ctx, "docker", "run", "--rm", tag, "version")
	_, removed := output(ctx, "docker", "rmi", tag)
	return errors.Join(ran, removed)
}
