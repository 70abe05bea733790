package internal_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the linter's table of layers")

// The marks around what TestLinterTable writes.
const (
	tableStart = "        # layers: written by make generate from internal/layers_test.go\n"
	tableEnd   = "        # end of layers\n"
)

// TestLinterTable compares the layers in the linter's configuration with those here. The linter checks packages and layers; only
// TestLayers checks the neighbours within one.
func TestLinterTable(t *testing.T) {
	t.Parallel()
	const path = "../.golangci.yml"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := bytes.Cut(text, []byte(tableStart))
	_, after, ended := bytes.Cut(rest, []byte(tableEnd))
	if !found || !ended {
		t.Fatalf("%s has no place for the layers", path)
	}
	want := slices.Concat(before, []byte(tableStart), []byte(linterTable()), []byte(tableEnd), after)
	if bytes.Equal(text, want) {
		return
	}
	if !*update {
		t.Fatalf("%s has other layers than internal/layers_test.go; run make generate", path)
	}
	if err := os.WriteFile(path, want, 0o644); err != nil {
		t.Fatal(err)
	}
}

// linterTable returns a rule for every layer, and for the packages that may import less than their layer.
func linterTable() string {
	var out strings.Builder
	var defined []string // packages with a YAML anchor already
	rule := func(title string, packages []string, denied func(name string) bool) {
		fmt.Fprintf(&out, "        %s:\n          list-mode: lax\n          files: [\"**/internal/{%s}/**\", \"!$test\"]\n          deny:\n", title, strings.Join(packages, ","))
		for _, f := range layers {
			for _, name := range f.packages {
				switch {
				case !denied(name):
				case slices.Contains(defined, name):
					fmt.Fprintf(&out, "            - *%s\n", name)
				default:
					defined = append(defined, name)
					fmt.Fprintf(&out, "            - &%s {pkg: %s/internal/%s, desc: %q}\n", name, module, name, f.why)
				}
			}
		}
	}
	for i, f := range layers {
		packages := slices.DeleteFunc(slices.Clone(f.packages), func(name string) bool { return name == "local" || slices.Contains(frontends, name) })
		if len(packages) > 0 && i < len(layers)-1 { // nothing stands above the last layer
			rule(fmt.Sprintf("layer%d", i), packages, func(name string) bool { return layer(name) > i })
		}
	}
	allFrontends := append(slices.Clone(frontends), "local")
	rule("frontends", frontends, func(name string) bool {
		return !slices.Contains(frontendImports, name) && !slices.Contains(allFrontends, name)
	})
	rule("local", []string{"local"}, func(name string) bool { return name != "local" && !slices.Contains(localImports, name) })
	return out.String()
}
