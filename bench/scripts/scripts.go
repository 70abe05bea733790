// Package scripts has scripts as agents write them for Playwright and for Puppeteer, the pages they use, and the programs under
// which they run: the libraries in Node, and usher run. make snippets compares their results, make bench BENCH=-run their times.
package scripts

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

// Dialect is the library for which a script is written.
type Dialect string

// The dialects.
const (
	Playwright Dialect = "playwright"
	Puppeteer  Dialect = "puppeteer"
)

// Dialects are both.
var Dialects = []Dialect{Playwright, Puppeteer}

// Script is the body of an async function over page and browser. It returns what JSON can hold: what it saw happen.
// In its code {{same}} stands for the site's origin, and {{cross}} for the origin of the same pages under another site.
type Script struct {
	Name    string // of its file, without .js
	Dialect Dialect
	code    string
}

// String returns dialect and name.
func (s Script) String() string { return string(s.Dialect) + "/" + s.Name }

//go:embed snippets tasks
var sources embed.FS

// Snippets returns the scripts of a dialect that say what happened in detail, to be compared.
func Snippets(d Dialect) ([]Script, error) { return read("snippets", d) }

// Tasks returns the scripts of a dialect whose time is measured. Each may run many times on the same page.
func Tasks(d Dialect) ([]Script, error) { return read("tasks", d) }

func read(kind string, d Dialect) ([]Script, error) {
	dir := path.Join(kind, string(d))
	files, err := sources.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list the scripts: %w", err)
	}
	var all []Script
	for _, file := range files {
		code, err := sources.ReadFile(path.Join(dir, file.Name()))
		if err != nil {
			return nil, fmt.Errorf("read a script: %w", err)
		}
		all = append(all, Script{Name: strings.TrimSuffix(file.Name(), ".js"), Dialect: d, code: string(code)})
	}
	return all, nil
}

// New returns a script of the caller's own.
func New(name, code string) Script { return Script{Name: name, Dialect: Playwright, code: code} }
