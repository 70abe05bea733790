package main

import (
	"testing"

	"github.com/usher-browser/usher/bench/scripts"
)

func TestPipe(t *testing.T) {
	site, err := scripts.OpenSite()
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	p, err := openPipe(site.Origin() + "/article")
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if err := p.evaluate(20); err != nil {
		t.Error(err)
	}
	var title struct {
		Result struct {
			Value string `json:"value"`
		} `json:"result"`
	}
	if err := p.call("Runtime.evaluate", map[string]any{"expression": "document.title"}, &title); err != nil || title.Result.Value != "About tea" {
		t.Errorf("the title is %q, %v; want that of the article", title.Result.Value, err)
	}
	if err := p.call("Runtime.nothing", nil, &title); err == nil {
		t.Error("a method that does not exist gave no error")
	}
}

func BenchmarkPipe(b *testing.B) {
	site, err := scripts.OpenSite()
	if err != nil {
		b.Fatal(err)
	}
	defer site.Close()
	p, err := openPipe(site.Origin() + "/article")
	if err != nil {
		b.Fatal(err)
	}
	defer p.close()
	for b.Loop() {
		if err := p.evaluate(1); err != nil {
			b.Fatal(err)
		}
	}
}
