// Package screen is the interactive screen of `usher tools`: switches for toolsets and tools per platform, with their
// cost. [Screen] computes what is shown and what a key does, without a terminal; [Run] connects it to one.
package screen

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/toolset"
)

// Screen is the state of the screen. It implements [tea.Model].
type Screen struct {
	pages         []*page
	current       int // index of the current page
	host          *tool.Host
	save          func([]config.Edit) error
	search        string
	searching     bool
	cursor        int
	top           int // index of the first visible row
	width         int
	height        int
	status        string
	quitConfirmed bool // the user pressed quit once with unsaved changes
	undo          []step
	done          bool
}

// page is the screen of one platform.
type page struct {
	setup    *toolset.Setup
	change   *toolset.Change
	report   *toolset.Report
	expanded map[string]bool // toolsets whose tools are listed
}

// step is the state before a change, for undo.
type step struct {
	page   *page
	change *toolset.Change
}

// row is a line with a switch.
type row struct {
	group *toolset.Group
	entry *toolset.Entry // nil for a toolset's row
}

// New returns the screen of some platforms. save is called to write the changes to the configuration.
func New(setups []*toolset.Setup, host *tool.Host, save func([]config.Edit) error) (*Screen, error) {
	s := &Screen{host: host, save: save, width: 100, height: 30}
	for _, setup := range setups {
		p := &page{setup: setup, change: setup.Change(), expanded: map[string]bool{}}
		if err := p.updateReport(host); err != nil {
			return nil, err
		}
		s.pages = append(s.pages, p)
	}
	return s, nil
}

func (p *page) updateReport(host *tool.Host) (err error) {
	p.report, err = p.setup.Report(p.change.Choice, host)
	return err
}

func (s *Screen) page() *page { return s.pages[s.current] }

// rows returns the rows that match the search.
func (s *Screen) rows() (out []row) {
	p := s.page()
	for i := range p.report.Groups {
		g := &p.report.Groups[i]
		if g.Kind == toolset.Platform {
			continue
		}
		var tools []row
		for _, name := range g.Tools {
			e := p.report.Tool(name)
			if s.search == "" && p.expanded[g.Name] || s.search != "" && s.matches(name, e.Doc) {
				tools = append(tools, row{g, e})
			}
		}
		if s.search == "" || len(tools) > 0 || s.matches(g.Name, g.Doc) {
			out = append(append(out, row{g, nil}), tools...)
		}
	}
	return out
}

// matches reports whether one of the texts contains the search text.
func (s *Screen) matches(texts ...string) bool {
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(strings.ToLower(t), strings.ToLower(s.search)) })
}

// Init implements [tea.Model].
func (s *Screen) Init() tea.Cmd { return nil }

// Update implements [tea.Model].
func (s *Screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		s.key(msg)
	}
	if s.done {
		return s, tea.Quit
	}
	s.cursor = max(0, min(s.cursor, len(s.rows())-1))
	return s, nil
}

// key handles a key outside the search.
func (s *Screen) key(k tea.KeyPressMsg) {
	name := k.String()
	if name != "q" && name != "ctrl+c" {
		s.quitConfirmed = false
	}
	s.status = ""
	switch {
	case name == "ctrl+c":
		s.done = true
		return
	case s.searching:
		s.searchKey(k)
		return
	}
	switch name {
	case "up", "k":
		s.cursor--
	case "down", "j":
		s.cursor++
	case "pgup":
		s.cursor -= s.visibleRows()
	case "pgdown":
		s.cursor += s.visibleRows()
	case "home":
		s.cursor = 0
	case "end":
		s.cursor = len(s.rows())
	case "tab", "shift+tab":
		step := 1
		if name == "shift+tab" {
			step = len(s.pages) - 1
		}
		s.current, s.cursor, s.top = (s.current+step)%len(s.pages), 0, 0
	case "right", "l", "left", "h":
		s.expand(name == "right" || name == "l")
	case "/":
		s.searching = true
	case "esc":
		s.search = ""
	case "space", "enter":
		s.toggle()
	case "u":
		s.undoLast()
	case "s":
		s.saveAll()
	case "q":
		s.quit()
	}
}

// searchKey handles a key in the search.
func (s *Screen) searchKey(k tea.KeyPressMsg) {
	switch name := k.String(); name {
	case "enter", "down":
		s.searching = false
	case "esc":
		s.searching, s.search = false, ""
	case "backspace":
		if runes := []rune(s.search); len(runes) > 0 {
			s.search = string(runes[:len(runes)-1])
		}
	default:
		s.search += k.Text
	}
	s.cursor, s.top = 0, 0
}

// expand shows or hides the tools of the toolset under the cursor.
func (s *Screen) expand(open bool) {
	rows := s.rows()
	if len(rows) == 0 {
		return
	}
	g := rows[s.cursor].group
	s.page().expanded[g.Name] = open
	if !open { // move the cursor to the toolset
		s.cursor = slices.IndexFunc(s.rows(), func(r row) bool { return r.group.Name == g.Name })
	}
}

// toggle toggles the switch under the cursor.
func (s *Screen) toggle() {
	rows := s.rows()
	if len(rows) == 0 {
		return
	}
	r, p := rows[s.cursor], s.page()
	name, on := r.group.Name, r.group.On
	if r.entry != nil {
		name, on = r.entry.Name, r.entry.On
	}
	before := p.change.Copy()
	p.change.Notes = nil
	err := p.change.Turn(!on, name)
	if err == nil {
		err = p.updateReport(s.host)
	}
	if err != nil {
		p.change = before
		s.status = err.Error()
		return
	}
	s.undo = append(s.undo, step{p, before})
	s.status = strings.Join(p.change.Notes, "; ")
}

func (s *Screen) undoLast() {
	if len(s.undo) == 0 {
		s.status = "there is nothing to undo"
		return
	}
	last := s.undo[len(s.undo)-1]
	s.undo = s.undo[:len(s.undo)-1]
	last.page.change = last.change
	if err := last.page.updateReport(s.host); err != nil {
		s.status = err.Error()
	}
}

// edits returns the edits of all pages.
func (s *Screen) edits() (out []config.Edit) {
	for _, p := range s.pages {
		out = append(out, p.change.Edits()...)
	}
	return out
}

func (s *Screen) saveAll() {
	edits := s.edits()
	if len(edits) == 0 {
		s.status = "there is nothing to save"
		return
	}
	if err := s.save(edits); err != nil {
		s.status = err.Error()
		return
	}
	for _, p := range s.pages {
		p.change.Saved()
	}
	s.undo = nil
	s.status = "saved; connected agents get the tools at once"
}

func (s *Screen) quit() {
	if len(s.edits()) > 0 && !s.quitConfirmed {
		s.quitConfirmed = true
		s.status = "not saved: s saves, q again leaves without"
		return
	}
	s.done = true
}

// visibleRows returns how many rows fit.
func (s *Screen) visibleRows() int { return max(3, s.height-7) }

// View implements [tea.Model].
func (s *Screen) View() tea.View {
	v := tea.NewView(s.render())
	v.AltScreen = true
	return v
}

func (s *Screen) render() string {
	bold, faint, mark := lipgloss.NewStyle().Bold(true), lipgloss.NewStyle().Faint(true), lipgloss.NewStyle().Reverse(true)
	p := s.page()
	var b strings.Builder
	line := func(style lipgloss.Style, text string) { b.WriteString(style.Render(fit(text, s.width)) + "\n") }
	var names []string
	for i, other := range s.pages {
		name := other.setup.Platform
		if i == s.current {
			name = "[" + name + "]"
		}
		names = append(names, name)
	}
	line(bold, "usher tools   "+strings.Join(names, "  "))
	line(lipgloss.NewStyle(), fmt.Sprintf("%d tools, about %d tokens in every request%s", p.report.Served, p.report.Tokens, s.unsaved()))
	cursor := ""
	if s.searching {
		cursor = "_"
	}
	line(faint, "search: "+s.search+cursor)
	line(faint, strings.Repeat("─", s.width))
	rows := s.rows()
	s.top = max(0, min(s.top, s.cursor, len(rows)-1))
	if s.cursor >= s.top+s.visibleRows() {
		s.top = s.cursor - s.visibleRows() + 1
	}
	for i := s.top; i < s.top+s.visibleRows(); i++ {
		style, text := lipgloss.NewStyle(), ""
		if i < len(rows) {
			text = rows[i].text()
			if i == s.cursor {
				style, text = mark, fmt.Sprintf("%-*s", s.width, text)
			}
		}
		line(style, text)
	}
	line(faint, strings.Repeat("─", s.width))
	line(lipgloss.NewStyle(), s.status)
	b.WriteString(faint.Render(fit("space switch  → ← tools  / search  tab platform  u undo  s save  q quit", s.width)))
	return b.String()
}

func (s *Screen) unsaved() string {
	if n := len(s.edits()); n > 0 {
		return "   * not saved"
	}
	return ""
}

// text returns the row: switch, name, cost, and what is missing or the description.
func (r row) text() string {
	if e := r.entry; e != nil {
		box, about := "[ ]", e.Doc
		if e.On {
			box = "[x]"
		}
		if e.Missing != "" {
			box, about = strings.Replace(box, "x", "-", 1), "missing: "+e.Missing
		}
		return fmt.Sprintf("      %s %-28s %6d  %s", box, e.Name, e.Tokens, about)
	}
	g := r.group
	box, about := "[ ]", g.Doc
	switch {
	case g.Problem != "":
		about = g.Problem
	case g.Served < len(g.Tools) && g.On:
		about = fmt.Sprintf("%d of %d; %s", g.Served, len(g.Tools), g.Doc)
	}
	if g.On {
		box = "[x]"
	} else if g.Served > 0 {
		box = "[~]"
	}
	return fmt.Sprintf("  %s %-32s %6d  %s", box, g.Name, g.Tokens, about)
}

// fit cuts a line to the width of the screen.
func fit(text string, width int) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' || r == 0x1b }), " ")
	if lipgloss.Width(text) <= width {
		return text
	}
	runes := []rune(text)
	for len(runes) > 0 && lipgloss.Width(string(runes)) > width-1 {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// Run shows the screen until the user quits or ctx ends.
func Run(ctx context.Context, s *Screen, in io.Reader, out io.Writer) error {
	if _, err := tea.NewProgram(s, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out)).Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("show the screen: %w", err)
	}
	return nil
}
