package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// file is one file of an archive.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

// pages are what stands beside the program in every package.
type pages struct {
	license, readme, manual []byte
	completion              map[string][]byte // by shell
}

// pages reads the documents and asks this machine's program for its completions.
func (r *release) pages(ctx context.Context) (*pages, error) {
	p := &pages{completion: map[string][]byte{}}
	for name, to := range map[string]*[]byte{"LICENSE": &p.license, "README.md": &p.readme, "docs/usher.1": &p.manual} {
		data, err := os.ReadFile(filepath.Join(r.source, filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("read a page: %w", err)
		}
		*to = data
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		text, err := output(ctx, r.binary(platform{runtime.GOOS, runtime.GOARCH}), "completion", shell)
		if err != nil {
			return nil, err
		}
		p.completion[shell] = []byte(text + "\n")
	}
	return p, nil
}

// archiveName is the name of a platform's archive.
func (r *release) archiveName(p platform) string {
	ext := ".tar.gz"
	if p.os == "windows" {
		ext = ".zip"
	}
	return "usher_" + r.version + "_" + p.String() + ext
}

// archives writes an archive for each platform.
func (r *release) archives(about *pages) error {
	for _, p := range platforms {
		program, err := os.ReadFile(r.binary(p))
		if err != nil {
			return fmt.Errorf("read the program for %s: %w", p, err)
		}
		top := "usher_" + r.version + "_" + p.String() + "/"
		all := []file{
			{top + p.program(), 0o755, program}, {top + "LICENSE", 0o644, about.license}, {top + "README.md", 0o644, about.readme},
			{top + "usher.1", 0o644, about.manual},
			{top + "completion/usher.bash", 0o644, about.completion["bash"]}, {top + "completion/_usher", 0o644, about.completion["zsh"]},
			{top + "completion/usher.fish", 0o644, about.completion["fish"]}, {top + "completion/usher.ps1", 0o644, about.completion["powershell"]},
		}
		data, err := packed(all, p.os == "windows", r.stamp)
		if err != nil {
			return fmt.Errorf("pack for %s: %w", p, err)
		}
		if err := r.write(r.archiveName(p), data); err != nil {
			return err
		}
	}
	return nil
}

// packed is a .zip or a .tar.gz of files.
func packed(all []file, zipped bool, stamp time.Time) ([]byte, error) {
	var b bytes.Buffer
	if zipped {
		z := zip.NewWriter(&b)
		for _, f := range all {
			h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: stamp}
			h.SetMode(f.mode)
			w, err := z.CreateHeader(h)
			if err == nil {
				_, err = w.Write(f.data)
			}
			if err != nil {
				return nil, fmt.Errorf("add %s: %w", f.name, err)
			}
		}
		err := z.Close()
		return b.Bytes(), err
	}
	g, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	t := tar.NewWriter(g)
	for _, f := range all {
		err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: stamp})
		if err == nil {
			_, err = t.Write(f.data)
		}
		if err != nil {
			return nil, fmt.Errorf("add %s: %w", f.name, err)
		}
	}
	err = errors.Join(t.Close(), g.Close())
	return b.Bytes(), err
}

// write puts a file of the release in its place and says so.
func (r *release) write(name string, data []byte) error {
	path := r.path(filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	fmt.Printf("%8.1f MB  %s\n", float64(len(data))/1e6, name)
	return nil
}
