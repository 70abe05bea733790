package pagescript

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
)

// TestReading: usher's texts are recognised, and nothing that has more in it.
func TestReading(t *testing.T) {
	made := func(text string, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	snapshot := made(Call("snapshot", map[string]string{"name": `"),evil("`}))
	get := made(CallStorage("get", map[string]string{"key": `"))),evil((("`}))
	for _, text := range []string{Make(), Install(), Ensure, snapshot, get, made(Call("viewport", nil))} {
		if !Reading(text) || Acting(text) {
			t.Errorf("no reading text: %.300s", text)
		}
	}
	for _, text := range []string{
		made(Call("scroll", nil)), made(Call("startFill", nil)), made(Call("check", nil)), made(CallStorage("set", nil)), made(CallStorage("clear", nil)),
		snapshot + ";evil()", "evil();" + snapshot, strings.Replace(snapshot, "snapshot(", "snapshot(evil(),", 1),
		strings.Replace(snapshot, `):"`, `)||evil():"`, 1), strings.Replace(snapshot, `):"`, `),evil({}):"`, 1), strings.Replace(snapshot, `snapshot(`, `snapshot(1)||evil(`, 1),
		strings.Replace(snapshot, "{", "{get x(){evil()},", 1), Ensure + "?" + global + ".constructor(" + `):"` + Absent + `"`,
		Install() + ";evil()", Make() + " ", "", "document.title", strings.Replace(get, ".get(", ".get(evil(),", 1),
	} {
		if Reading(text) {
			t.Errorf("a reading text: %.100s…%s", text, text[max(0, len(text)-100):])
		}
		if own := strings.HasPrefix(text, callsOfAgent.Before) || strings.HasPrefix(text, callsOfStorage().Before); Acting(text) != own {
			t.Errorf("acting is %v of %.300s", !own, text)
		}
	}
	if !ReadingFunction(IDOf) || ReadingFunction(IDOf+" ") || ReadingFunction("function(){this.remove()}") {
		t.Error("functions are not told by their whole text")
	}
}

// TestReadsAreExported: the names are those of functions of the scripts, and what the extension gets is the same.
func TestReadsAreExported(t *testing.T) {
	for file, reads := range map[string][]string{"agent": callsOfAgent.Reads, "storage": callsOfStorage().Reads} {
		source, err := os.ReadFile("../../ui/page/src/" + file + ".ts")
		if err != nil {
			t.Fatal(err)
		}
		exported := regexp.MustCompile(`\w+`).FindAllString(string(source), -1)
		for _, name := range reads {
			if !slices.Contains(exported, name) {
				t.Errorf("%s.ts exports no %s", file, name)
			}
		}
		if !slices.IsSorted(reads) {
			t.Errorf("the functions of %s.ts are not in order", file)
		}
	}
	var got Rules
	if err := jsonv2.Unmarshal(ReadingRules(), &got); err != nil || len(got.Scripts) != 3 || len(got.Calls) != 2 || len(got.Functions) != len(functions) {
		t.Errorf("rules with %d, %d, %d, %v", len(got.Scripts), len(got.Calls), len(got.Functions), err)
	}
}
