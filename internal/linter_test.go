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

// TestLinterTable keeps the layers in the linter's configuration what they are here. The linter knows rooms and layers; the neighbours
// within one, TestLayers alone.
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

// linterTable is a rule for every layer, and for the rooms that may know less than their layer does.
func linterTable() string {
	var out strings.Builder
	var told []string // rooms whose sentence stands already, to be pointed at
	rule := func(name string, rooms []string, denied func(room string) bool) {
		fmt.Fprintf(&out, "        %s:\n          list-mode: lax\n          files: [\"**/internal/{%s}/**\", \"!$test\"]\n          deny:\n", name, strings.Join(rooms, ","))
		for _, f := range layers {
			for _, room := range f.rooms {
				switch {
				case !denied(room):
				case slices.Contains(told, room):
					fmt.Fprintf(&out, "            - *%s\n", room)
				default:
					told = append(told, room)
					fmt.Fprintf(&out, "            - &%s {pkg: %s/internal/%s, desc: %q}\n", room, module, room, f.why)
				}
			}
		}
	}
	for i, f := range layers {
		rooms := slices.DeleteFunc(slices.Clone(f.rooms), func(room string) bool { return room == "local" || slices.Contains(doors, room) })
		if len(rooms) > 0 && i < len(layers)-1 { // nothing stands above the last layer
			rule(fmt.Sprintf("layer%d", i), rooms, func(room string) bool { return layer(room) > i })
		}
	}
	allDoors := append(slices.Clone(doors), "local")
	rule("frontdoors", doors, func(room string) bool { return !slices.Contains(doorsKnow, room) && !slices.Contains(allDoors, room) })
	rule("workshop", []string{"local"}, func(room string) bool { return room != "local" && !slices.Contains(workshop, room) })
	return out.String()
}
