package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tiddlyWiki is a notebook: one page, editors in frames, dialogs of the browser, saves in the background.
var tiddlyWiki = app{
	name: "tiddlywiki",
	start: func(ctx context.Context, modules, dir string) (*site, error) {
		script, wiki := filepath.Join(modules, "tiddlywiki", "tiddlywiki.js"), filepath.Join(dir, "wiki")
		made := exec.CommandContext(ctx, "node", script, wiki, "--init", "server")
		if said, err := made.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("make a wiki: %w: %s", err, said)
		}
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		return serve(ctx, dir, port, nil, script, wiki, "--listen", "host=127.0.0.1", "port="+port)
	},
	jobs: []job{
		{
			name: "write a tiddler with two tags and a type",
			steps: func(s *site) []step {
				return []step{
					navigate(s.url + "/"),
					click(el("button", "new tiddler")),
					fill(el("textbox", "New Tiddler"), "Travel notes"),
					fill(el("textbox", "Type the text for this tiddler"), "Bern has bears.\nBasel has a harbour."),
					fill(el("textbox", "tag name"), "travel"),
					press("Enter"),
					fill(el("textbox", "tag name"), "swiss"),
					press("Enter"),
					click(el("button", "content type list")),
					click(el("link", "Plain text.*")),
					click(el("button", "Confirm changes to this tiddler")),
					see("Bern has bears."),
				}
			},
			done: func(s *site) error {
				return s.tiddler("Travel notes", `"type":"text/plain"`, `"travel`, `swiss`, `Bern has bears.\nBasel has a harbour.`)
			},
		},
		{
			name: "find a tiddler, delete it, answer the question",
			prepare: func(s *site) error {
				for _, title := range []string{"Shopping", "Shopping list", "Shoes"} {
					if err := s.putTiddler(title, "About "+title); err != nil {
						return err
					}
				}
				return nil
			},
			steps: func(s *site) []step {
				return []step{
					navigate(s.url + "/"),
					fill(first("searchbox"), "Shopp"),
					click(el("link", "Shopping list")),
					see("About Shopping list"),
					click(el("button", "Edit this tiddler").above(el("heading", "Shopping list"))),
					click(el("button", "Delete this tiddler")),
					accept(),
				}
			},
			done: func(s *site) error {
				if err := s.tiddler("Shopping", "About Shopping"); err != nil {
					return err
				}
				if s.tiddler("Shopping list") == nil {
					return errors.New("the tiddler is still there")
				}
				return nil
			},
		},
		{
			name: "import a file, rename what came",
			prepare: func(s *site) error {
				return os.WriteFile(filepath.Join(s.dir, "recipe.json"), []byte(`[{"title":"Recipe","text":"Two eggs and some flour","tags":"kitchen"}]`), 0o644)
			},
			steps: func(s *site) []step {
				return []step{
					navigate(s.url + "/"),
					click(el("tab", "Tools")),
					upload(el("button", "Choose File|Import many types[^\"]*"), filepath.Join(s.dir, "recipe.json")),
					click(el("button", "Import")),
					click(el("link", "Recipe")),
					see("Two eggs"),
					click(el("button", "Edit this tiddler").above(el("heading", "Recipe"))),
					fill(el("textbox", "Recipe"), "Pancakes"),
					click(el("button", "Confirm changes to this tiddler")),
					see("Pancakes"),
				}
			},
			done: func(s *site) error {
				return s.tiddler("Pancakes", "Two eggs and some flour", `"tags":"kitchen"`)
			},
		},
	},
}

// tiddler asks the server whether a tiddler has all of this.
func (s *site) tiddler(title string, wanted ...string) error {
	text, err := s.get("/recipes/default/tiddlers/" + url.PathEscape(title))
	if err != nil {
		return err
	}
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			return fmt.Errorf("no %q in the tiddler: %q", want, text)
		}
	}
	return nil
}

func (s *site) putTiddler(title, text string) error {
	_, err := s.ask(http.MethodPut, "/recipes/default/tiddlers/"+url.PathEscape(title),
		fmt.Sprintf(`{"title":%q,"text":%q}`, title, text), "X-Requested-With", "TiddlyWiki", "Content-Type", "application/json")
	return err
}
