package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/localtest"
)

func TestSkillsOfADirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	localtest.WriteFile(t, filepath.Join(dir, "shop", "SKILL.md"), "---\nname: shop\ndescription: >\n  How to buy\n  tea\n---\n\n# Shop\n", 0o644)
	localtest.WriteFile(t, filepath.Join(dir, "shop", "references", "prices.md"), "1 EUR\n", 0o644)
	localtest.WriteFile(t, filepath.Join(dir, "notes.txt"), "no skill", 0o644)
	run := func(argv ...string) (Output, error) {
		req, call := request(t, []string{"USHER_SKILLS_DIR=" + dir}, argv...)
		return runSkills(req, call)
	}
	out, err := run("skills")
	if rows, ok := out.Data.([]SkillName); err != nil || !ok || len(rows) != 1 || rows[0] != (SkillName{"How to buy tea", "shop"}) {
		t.Errorf("skills: %+v, %v", out.Data, err)
	}
	out, err = run("skills", "get", "shop", "--full")
	if rows, ok := out.Data.([]SkillText); err != nil || !ok || len(rows[0].Files) != 1 || rows[0].Files[0].Path != "references/prices.md" {
		t.Errorf("skills get --full: %+v, %v", out.Data, err)
	}
	for _, name := range []string{"prices", "prices.md", "references/prices.md"} {
		if out, err = run("skills", "get", "shop", "--ref", name); err != nil || strings.Contains(out.Text, "# Shop") || !strings.Contains(out.Text, "1 EUR") {
			t.Errorf("--ref %s: %q, %v", name, out.Text, err)
		}
	}
	if out, err = run("skills", "path", "shop"); err != nil || out.Text != filepath.Join(dir, "shop") {
		t.Errorf("skills path: %q, %v", out.Text, err)
	}
	for _, c := range []struct {
		argv []string
		want string
	}{
		{[]string{"skills", "get", "tea"}, "Skill not found: tea"},
		{[]string{"skills", "get", "shop", "--ref", "tea"}, "references/prices.md"},
		{[]string{"skills", "path", "tea"}, "There are: shop."},
	} {
		_, err := run(c.argv...)
		if e := api.AsError(err); err == nil || !strings.Contains(e.Message+e.Hint, c.want) {
			t.Errorf("%v: %v, want %q", c.argv, err, c.want)
		}
	}
	req, call := request(t, []string{"USHER_SKILLS_DIR=" + filepath.Join(dir, "gone")}, "skills")
	if _, err := runSkills(req, call); api.CodeOf(err) != api.FileNotFound {
		t.Errorf("a directory that does not exist: %v", err)
	}
}

// The built-in skills are written where `skills path` says, once.
func TestSkillsPath(t *testing.T) {
	t.Parallel()
	req, call := request(t, nil, "skills", "path", "network")
	var first os.FileInfo
	for range 2 {
		out, err := runSkills(req, call)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(out.Text, "SKILL.md")
		text, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(text), "---\nname: network\n") {
			t.Errorf("%s: %.40q, %v", file, text, err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && !os.SameFile(first, info) {
			t.Error("the skills were written again")
		}
		first = info
	}
	left, err := filepath.Glob(filepath.Join(req.Getenv("USHER_HOME"), "skills", "new-*"))
	if err != nil || left != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
