package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// cloudCommander is a file manager with two panels, keys, menus, dialogs of its own and an editor.
var cloudCommander = app{
	name: "cloudcmd",
	start: func(ctx context.Context, modules, dir string) (*site, error) {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		root := filepath.Join(dir, "files")
		if err := os.MkdirAll(filepath.Join(root, "archive"), 0o755); err != nil {
			return nil, err
		}
		for name, text := range map[string]string{"notes.txt": "first line\n", "report.txt": "figures\n", "old.log": "noise\n"} {
			if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
				return nil, err
			}
		}
		// It serves its editor's files from where it is installed, and answers 404 for paths below a directory with a dot.
		if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
			return nil, err
		}
		env := []string{"IP=127.0.0.1", "NODE_OPTIONS=--preserve-symlinks --preserve-symlinks-main"}
		return serve(ctx, dir, port, env, filepath.Join(dir, "node_modules", "cloudcmd", "bin", "cloudcmd.mjs"), "--root", root, "--port", port, "--no-open")
	},
	jobs: []job{
		{
			name: "make a directory, rename a file",
			steps: func(s *site) []step {
				return []step{
					navigate(s.url + "/"),
					click(el("button", `[^"]*F7`)),
					fill(first("textbox"), "invoices"),
					click(el("button", "OK")),
					see("invoices"),
					rightClick(el("link", `report\.txt`)),
					click(item("Rename")),
					fill(el("textbox", `report\.txt`), "figures.txt"),
					click(el("button", "OK")),
					see("figures.txt"),
				}
			},
			done: func(s *site) error { return s.files("invoices/", "figures.txt", "-report.txt") },
		},
		{
			name: "edit a file, save it",
			steps: func(s *site) []step {
				return []step{
					navigate(s.url + "/"),
					click(el("link", `notes\.txt`)),
					press("F4"),
					see("first"),
					add(first("textbox"), "second line"),
					press("Control+s"),
				}
			},
			done: func(s *site) error {
				text, err := os.ReadFile(filepath.Join(s.dir, "files", "notes.txt"))
				if err != nil {
					return err
				}
				if strings.TrimSpace(string(text)) != "first line\nsecond line" {
					return fmt.Errorf("the file holds %q", text)
				}
				return nil
			},
		},
		{
			name: "delete a file, upload one",
			prepare: func(s *site) error {
				return os.WriteFile(filepath.Join(s.dir, "photo.txt"), []byte("a photo\n"), 0o644)
			},
			steps: func(s *site) []step {
				return []step{
					navigate(s.url + "/"),
					rightClick(el("link", `old\.log`)),
					click(item("Delete")),
					see("want to delete"),
					click(el("button", "OK")),
					rightClick(el("link", `notes\.txt`)),
					click(item("Upload")),
					upload(el("button", "Choose File.*|No file chosen"), filepath.Join(s.dir, "photo.txt")),
					see("photo.txt"),
				}
			},
			done: func(s *site) error { return s.files("-old.log", "notes.txt", "report.txt", "photo.txt") },
		},
	},
}

// item is an entry of the context menu. An icon may stand before its name.
func item(name string) element { return el("generic|listitem|StaticText|menuitem", `(?:\S )?`+name) }

// files asks whether these are there, and of those with a minus that they are not; a slash ends directories.
func (s *site) files(wanted ...string) error {
	for _, want := range wanted {
		name, unwanted := strings.CutPrefix(want, "-")
		info, err := os.Stat(filepath.Join(s.dir, "files", name))
		switch {
		case unwanted && err == nil:
			return fmt.Errorf("%s is still there", name)
		case !unwanted && err != nil:
			return err
		case !unwanted && info.IsDir() != strings.HasSuffix(want, "/"):
			return fmt.Errorf("%s is not what it should be", name)
		}
	}
	return nil
}
