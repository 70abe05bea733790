package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

//go:embed files/Containerfile
var containerfile []byte

// debName is the name of the .deb of a processor.
func (r *release) debName(arch string) string { return "usher_" + r.version + "_" + arch + ".deb" }

// debs writes the Debian packages, by nfpm.
func (r *release) debs(ctx context.Context, about *pages) error {
	var manual bytes.Buffer
	z, err := gzip.NewWriterLevel(&manual, gzip.BestCompression)
	if err != nil {
		return fmt.Errorf("compress the manual: %w", err)
	}
	if _, err = z.Write(about.manual); err == nil {
		err = z.Close()
	}
	if err != nil {
		return fmt.Errorf("compress the manual: %w", err)
	}
	work, err := os.MkdirTemp("", "usher-deb-")
	if err != nil {
		return fmt.Errorf("prepare the .deb: %w", err)
	}
	defer os.RemoveAll(work)
	for name, data := range map[string][]byte{"usher.1.gz": manual.Bytes(), "copyright": about.license,
		"usher.bash": about.completion["bash"], "_usher": about.completion["zsh"], "usher.fish": about.completion["fish"]} {
		if err := os.WriteFile(filepath.Join(work, name), data, 0o644); err != nil {
			return fmt.Errorf("prepare the .deb: %w", err)
		}
	}
	for _, p := range platforms {
		if p.os != "linux" {
			continue
		}
		conf := filepath.Join(work, p.arch+".yaml")
		if err := os.WriteFile(conf, []byte(r.debConfig(p, work)), 0o644); err != nil {
			return fmt.Errorf("prepare the .deb: %w", err)
		}
		cmd := exec.CommandContext(ctx, "go", "tool", "-modfile="+filepath.Join("tools", "go.mod"), "nfpm", "package",
			"--packager", "deb", "--config", conf, "--target", r.path(r.debName(p.arch)))
		cmd.Dir = r.source
		cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.stamp.Unix(), 10))
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("make the .deb for %s: %w\n%s", p.arch, err, text)
		}
		info, err := os.Stat(r.path(r.debName(p.arch)))
		if err != nil {
			return fmt.Errorf("make the .deb for %s: %w", p.arch, err)
		}
		fmt.Printf("%8.1f MB  %s\n", float64(info.Size())/1e6, r.debName(p.arch))
	}
	return nil
}

// debConfig is what nfpm is told of a package.
func (r *release) debConfig(p platform, work string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `name: usher
arch: %s
platform: linux
version: %q
version_schema: semver
section: web
priority: optional
maintainer: The usher authors <usher@localhost>
homepage: %s
license: Apache-2.0
mtime: %q
description: |
  %s
  An agent reads a page as a short outline in which every element has a name it
  can act on, acts with real mouse and key events, and is told what happened.
recommends:
  - chromium | chromium-browser | google-chrome-stable
contents:
`, p.arch, r.version, homepage, r.stamp.Format("2006-01-02T15:04:05Z"), summary)
	for _, c := range [][3]string{
		{r.binary(p), "/usr/bin/usher", "0755"},
		{filepath.Join(work, "usher.1.gz"), "/usr/share/man/man1/usher.1.gz", "0644"},
		{filepath.Join(work, "copyright"), "/usr/share/doc/usher/copyright", "0644"},
		{filepath.Join(work, "usher.bash"), "/usr/share/bash-completion/completions/usher", "0644"},
		{filepath.Join(work, "_usher"), "/usr/share/zsh/vendor-completions/_usher", "0644"},
		{filepath.Join(work, "usher.fish"), "/usr/share/fish/vendor_completions.d/usher.fish", "0644"},
	} {
		fmt.Fprintf(&b, "  - {src: %q, dst: %q, file_info: {mode: %s, owner: root, group: root}}\n", c[0], c[1], c[2])
	}
	return b.String()
}

// formula writes the Homebrew formula, for a tap.
func (r *release) formula() error {
	var b strings.Builder
	fmt.Fprintf(&b, "class Usher < Formula\n  desc %q\n  homepage %q\n  version %q\n  license \"Apache-2.0\"\n", summary, homepage, r.version)
	for _, system := range [...][2]string{{"darwin", "macos"}, {"linux", "linux"}} {
		fmt.Fprintf(&b, "\n  on_%s do\n", system[1])
		for _, cpu := range [...][2]string{{"arm64", "arm"}, {"amd64", "intel"}} {
			name := r.archiveName(platform{system[0], cpu[0]})
			sum, err := checksum(r.path(name))
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "    on_%s do\n      url \"%s/releases/download/%s/%s\"\n      sha256 \"%s\"\n    end\n", cpu[1], homepage, r.describe, name, sum)
		}
		b.WriteString("  end\n")
	}
	b.WriteString(`
  def install
    bin.install "usher"
    man1.install "usher.1"
    bash_completion.install "completion/usher.bash" => "usher"
    zsh_completion.install "completion/_usher"
    fish_completion.install "completion/usher.fish"
  end

  test do
    assert_match "usher ` + r.describe + `", shell_output("#{bin}/usher version")
  end
end
`)
	return r.write("usher.rb", []byte(b.String()))
}

func (r *release) container() error { return r.write("Containerfile", containerfile) }

// sumsName is the file of checksums, in the form of sha256sum.
const sumsName = "SHA256SUMS"

// sums writes the checksums of all files that people download.
func (r *release) sums() error {
	all, err := r.downloads()
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, name := range all {
		sum, err := checksum(r.path(name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, name)
	}
	return r.write(sumsName, []byte(b.String()))
}

// downloads are the files that people download, in order.
func (r *release) downloads() ([]string, error) {
	var all []string
	for _, pattern := range []string{"*.tar.gz", "*.zip", "*.deb", "npm/*.tgz", "usher.rb", "Containerfile"} {
		found, err := filepath.Glob(r.path(pattern))
		if err != nil {
			return nil, fmt.Errorf("list the files of the release: %w", err)
		}
		for _, path := range found {
			name, err := filepath.Rel(r.out, path)
			if err != nil {
				return nil, fmt.Errorf("list the files of the release: %w", err)
			}
			all = append(all, filepath.ToSlash(name))
		}
	}
	slices.Sort(all)
	return all, nil
}

func checksum(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read for its checksum: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
