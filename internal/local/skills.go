package local

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/skills"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/help"
)

// SkillName is a row of the result of `skills list`, which is an array of them.
type SkillName struct {
	Description string `json:"description"` // what it is about, and when to read it
	Name        string `json:"name"`
}

// SkillText is a row of the result of `skills get`, which is an array of them.
type SkillText struct {
	Content string        `json:"content"`
	Files   []skills.File `json:"files,omitzero"` // its references, with --full; those that were asked for, with --ref
	Name    string        `json:"name"`
}

// SkillPlace is the result of `skills path`: name and path of a skill, or paths of all.
type SkillPlace struct {
	Name  string   `json:"name,omitzero"`
	Path  string   `json:"path,omitzero"`
	Paths []string `json:"paths,omitzero"`
}

// skillSet is what the commands about skills work on.
type skillSet struct {
	all  []skills.Skill
	dir  string // the user's directory, "" for the built-in ones
	req  *api.Request
	call *verb.Call
}

// newSkillSet reads the skills: those of the directory in USHER_SKILLS_DIR or, by that name, AGENT_BROWSER_SKILLS_DIR;
// else the built-in ones, in which the program has the name by which it was called.
func newSkillSet(req *api.Request, call *verb.Call) (*skillSet, error) {
	s := &skillSet{req: req, call: call}
	for _, name := range []string{call.Mode.EnvPrefix() + "SKILLS_DIR", verb.Usher.EnvPrefix() + "SKILLS_DIR"} {
		dir := req.Getenv(name)
		if dir == "" {
			continue
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(req.Cwd, dir)
		}
		all, err := skills.In(dir)
		if err != nil {
			return nil, api.Errorf(api.FileNotFound, "read the skills of %s, from %s: %w", dir, name, err).
				WithHint("Correct %s, or unset it to use the built-in skills.", name)
		}
		s.all, s.dir = all, dir
		return s, nil
	}
	all, err := skills.BuiltIn()
	if err != nil {
		return nil, err
	}
	if call.Mode != verb.Usher {
		for i := range all {
			all[i] = s.named(all[i])
		}
	}
	s.all = all
	return s, nil
}

// complete adds the reference that is made from the table, to the built-in skills.
func (s *skillSet) complete() error {
	if s.dir != "" {
		return nil
	}
	for i := range s.all {
		if s.all[i].Name == "core" {
			reference, err := s.commands()
			if err != nil {
				return err
			}
			s.all[i].Files = append(s.all[i].Files, skills.File{Path: "references/commands.md", Content: reference})
		}
	}
	return nil
}

// named gives a built-in skill the name by which the program was called.
func (s *skillSet) named(in skills.Skill) skills.Skill {
	replace := strings.NewReplacer(verb.Usher.Program(), s.call.Mode.Program()).Replace
	out := in
	out.Description, out.Content, out.Files = replace(in.Description), replace(in.Content), nil
	for _, f := range in.Files {
		out.Files = append(out.Files, skills.File{Path: f.Path, Content: replace(f.Content)})
	}
	return out
}

// commands is the reference of all commands and flags, from the table.
func (s *skillSet) commands() (string, error) {
	text := "# Every command\n\n```\n"
	topics := [][]string{nil, {"flags"}}
	if s.call.Mode == verb.AgentBrowser { // whose first page has the flags, too
		topics = topics[:1]
	}
	for _, topic := range topics {
		page, err := help.Text(s.call.Table(), s.call.Mode, topic...)
		if err != nil {
			return "", err
		}
		text += page + "\n"
	}
	return strings.TrimSuffix(text, "\n") + "```\n", nil
}

// find returns a skill by its name.
func (s *skillSet) find(name string) (*skills.Skill, error) {
	i := slices.IndexFunc(s.all, func(k skills.Skill) bool { return strings.EqualFold(k.Name, name) })
	if i >= 0 {
		return &s.all[i], nil
	}
	e := api.Errorf(api.InvalidArgument, "Skill not found: %s", name)
	var names []string
	for _, k := range s.all {
		names = append(names, k.Name)
	}
	if len(names) == 0 {
		return nil, e.WithHint("There is no skill in %s.", s.dir)
	}
	return nil, e.WithHint("There are: %s.", strings.Join(names, ", "))
}

// runSkills runs the commands about skills.
func runSkills(req *api.Request, call *verb.Call) (Output, error) {
	s, err := newSkillSet(req, call)
	if err != nil {
		return Output{}, err
	}
	switch call.Verb.Name {
	case "skills get":
		return s.get()
	case "skills path":
		return s.path()
	}
	return s.list(), nil
}

func (s *skillSet) list() Output {
	rows := []SkillName{}
	var text strings.Builder
	for _, k := range s.all {
		rows = append(rows, SkillName{k.Description, k.Name})
		if s.call.Mode == verb.AgentBrowser {
			fmt.Fprintf(&text, "  %-28s  %s\n", k.Name, k.Description)
		} else {
			fmt.Fprintf(&text, "%-15s %s\n", k.Name, k.Description)
		}
	}
	if s.call.Mode == verb.AgentBrowser {
		return Output{Data: rows, Text: strings.TrimSuffix(text.String(), "\n")}
	}
	fmt.Fprintf(&text, "\n%s skills get <name> prints one", s.call.Mode.Program())
	return Output{Data: rows, Text: text.String()}
}

func (s *skillSet) get() (Output, error) {
	references := s.call.Bool("full") || s.call.Has("ref")
	if references {
		if err := s.complete(); err != nil {
			return Output{}, err
		}
	}
	wanted := s.all
	if !s.call.Bool("all") {
		wanted = nil
		for _, name := range s.call.List("names") {
			k, err := s.find(name)
			if err != nil {
				return Output{}, err
			}
			wanted = append(wanted, *k)
		}
	}
	rows := []SkillText{}
	var parts []string
	for _, k := range wanted {
		row := SkillText{Name: k.Name, Content: k.Content}
		if references {
			var err error
			if row.Files, err = s.references(&k); err != nil {
				return Output{}, err
			}
		}
		text := []string{k.Content}
		if s.call.Has("ref") { // the text itself was read before
			text, row.Content = nil, ""
		}
		for _, f := range row.Files {
			text = append(text, "--- "+f.Path+" ---\n\n"+f.Content)
		}
		parts = append(parts, strings.TrimRight(strings.Join(text, "\n"), "\n"))
		rows = append(rows, row)
	}
	return Output{Data: rows, Text: strings.Join(parts, "\n\n")}, nil
}

// references returns the references of a skill, or those of --ref: a path, or a file's name with or without its ending.
func (s *skillSet) references(k *skills.Skill) ([]skills.File, error) {
	if !s.call.Has("ref") {
		return k.Files, nil
	}
	var out []skills.File
	var have []string
	for _, f := range k.Files {
		have = append(have, f.Path)
	}
	for _, want := range s.call.List("ref") {
		i := slices.IndexFunc(k.Files, func(f skills.File) bool {
			base := f.Path[strings.LastIndexByte(f.Path, '/')+1:]
			return want == f.Path || want == base || want == strings.TrimSuffix(base, filepath.Ext(base))
		})
		if i < 0 {
			e := api.Errorf(api.InvalidArgument, "Reference not found: %s, in the skill %s", want, k.Name)
			if have == nil {
				return nil, e.WithHint("It has no references.")
			}
			return nil, e.WithHint("There are: %s.", strings.Join(have, ", "))
		}
		out = append(out, k.Files[i])
	}
	return out, nil
}

// path returns where the skills are as files. The built-in ones are written when this is asked, to a directory whose
// name depends on their content.
func (s *skillSet) path() (Output, error) {
	dir := s.dir
	if dir == "" {
		err := s.complete()
		if err == nil {
			dir, err = s.write()
		}
		if err != nil {
			return Output{}, err
		}
	}
	name := s.call.Str("name")
	if name == "" {
		return Output{Data: SkillPlace{Paths: []string{dir}}, Text: dir}, nil
	}
	k, err := s.find(name)
	if err != nil {
		return Output{}, err
	}
	at := filepath.Join(dir, k.Name)
	return Output{Data: SkillPlace{Name: k.Name, Path: at}, Text: at}, nil
}

// write writes the built-in skills and returns their directory. An existing one has the same content, because its name
// is made from that; it is moved into place when it is complete.
func (s *skillSet) write() (string, error) {
	places, err := dirs.Of(s.req.Getenv, "", s.call.Mode == verb.AgentBrowser)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	for _, k := range s.all {
		fmt.Fprintf(hash, "%s\x00%s\x00%v\x00", k.Name, k.Content, k.Files)
	}
	parent := filepath.Join(places.Home, "skills")
	dir := filepath.Join(parent, hex.EncodeToString(hash.Sum(nil))[:16])
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	failed := func(err error) error {
		return api.Errorf(api.FileWriteFailed, "write the skills to %s: %w", parent, err).WithHint("`%s skills get <name>` prints them.", s.call.Mode.Program())
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", failed(err)
	}
	temporary, err := os.MkdirTemp(parent, "new-*")
	if err != nil {
		return "", failed(err)
	}
	for _, k := range s.all {
		for _, f := range append([]skills.File{{Path: "SKILL.md", Content: k.Content}}, k.Files...) {
			at := filepath.Join(temporary, k.Name, filepath.FromSlash(f.Path))
			if err = os.MkdirAll(filepath.Dir(at), 0o700); err == nil {
				err = os.WriteFile(at, []byte(f.Content), 0o600)
			}
			if err != nil {
				return "", failed(err)
			}
		}
	}
	if err := os.Rename(temporary, dir); err != nil {
		if _, there := os.Stat(dir); there == nil { // another process was faster
			return dir, os.RemoveAll(temporary)
		}
		return "", failed(err)
	}
	return dir, nil
}
