// Package completion writes the scripts by which shells complete command lines.
package completion

import (
	"slices"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/help"
)

// Script returns the completion script of a shell ("bash", "zsh", "fish" or "powershell") for the table. The script
// is static: completing starts no process.
func Script(t *verb.Table, shell string, mode verb.Mode) (string, error) {
	write := map[string]func(t *verb.Table, program string) string{
		"bash": bash, "zsh": zsh, "fish": fish, "powershell": powershell,
	}[shell]
	if write == nil {
		return "", &verb.Error{Code: verb.InvalidArgument, Message: plain.Quote(shell) + " is not a shell that completion supports",
			Accepted: t.Find("completion").Args[0].Choices}
	}
	// The texts of the table call the program by its own name.
	return strings.ReplaceAll(write(t, mode.Program()), verb.Usher.Program(), mode.Program()), nil
}

// entry is one word a line may begin with, and what may follow it.
type entry struct {
	words   []string // the word and its synonyms
	summary string
	next    []string     // second words and choices of the first argument
	flags   []*verb.Flag // of every verb that begins with the word
}

func entriesOf(t *verb.Table) []entry {
	var out []entry
	at := map[string]int{}
	for i := range t.All() {
		v := &t.All()[i]
		first, second, _ := strings.Cut(v.Name, " ")
		n, ok := at[first]
		if !ok {
			n = len(out)
			at[first] = n
			e := entry{words: append([]string{first}, v.Synonyms...), summary: v.Summary}
			if f := t.Family(first); f != nil {
				e.words, e.summary = []string{first}, f.Summary
			}
			out = append(out, e)
		}
		e := &out[n]
		if second != "" {
			e.next = append(e.next, second)
		} else if len(v.Args) > 0 {
			e.next = append(e.next, v.Args[0].Choices...)
		}
		if v.Name == "help" {
			e.next = append(append(t.FirstWords(), help.Topics()...), verb.Daemon)
		}
		for j := range v.Flags {
			if f := &v.Flags[j]; !f.Hidden && !hasFlag(e.flags, f.Name) {
				e.flags = append(e.flags, f)
			}
		}
	}
	return append(out, entry{words: []string{verb.Daemon}, summary: "the daemon that owns the sessions", next: []string{"status", "stop", "run"}})
}

// offer is the completion at one position after a verb: some words, or the name of a file.
type offer struct {
	verb     string // its words, or a synonym
	position int    // how many words stand between the verb and here
	more     bool   // and at every later position
	words    []string
}

// offers returns the positions with a completion; no words mean files.
func offers(t *verb.Table) []offer {
	var out []offer
	for i := range t.All() {
		v := &t.All()[i]
		for _, name := range append([]string{v.Name}, v.Synonyms...) {
			for position := range v.Args {
				a := &v.Args[position]
				// An element that may be left out in front of a file (screenshot): the first word may be that file.
				skipped := !a.Required && position+1 < len(v.Args) && v.Args[position+1].Kind == verb.Path
				if len(a.Choices) > 0 || a.Kind == verb.Path || skipped {
					out = append(out, offer{name, position, a.Variadic, a.Choices})
				}
			}
		}
	}
	return out
}

// fileWords returns the first words of the verbs that take the name of a file.
func fileWords(t *verb.Table) []string {
	var out []string
	for _, o := range offers(t) {
		first, _, _ := strings.Cut(o.verb, " ")
		if len(o.words) == 0 && !slices.Contains(out, first) {
			out = append(out, first)
		}
	}
	return out
}

func hasFlag(flags []*verb.Flag, name string) bool {
	for _, f := range flags {
		if f.Name == name {
			return true
		}
	}
	return false
}

// identifier makes a name for a shell function.
func identifier(program string) string { return "_" + strings.ReplaceAll(program, "-", "_") }

// valueFlags sorts the flags that take a value: those with choices, those that name a file or directory, and the others.
func valueFlags(entries []entry) (choices map[string][]string, order, files, others []string) {
	choices = map[string][]string{}
	seen := map[string]bool{}
	visit := func(f *verb.Flag) {
		if f.Kind == verb.Bool || seen[f.Name] {
			return
		}
		seen[f.Name] = true
		switch {
		case len(f.Choices) > 0:
			choices["--"+f.Name] = f.Choices
			order = append(order, "--"+f.Name)
		case f.Kind == verb.Path:
			files = append(files, "--"+f.Name)
		default:
			others = append(others, "--"+f.Name)
		}
	}
	for i := range verb.LineFlags() {
		visit(&verb.LineFlags()[i])
	}
	for _, e := range entries {
		for _, f := range e.flags {
			visit(f)
		}
	}
	return choices, order, files, others
}

func dashed(flags []*verb.Flag) []string {
	var out []string
	for _, f := range flags {
		out = append(out, "--"+f.Name)
	}
	return out
}

func globalWords() []string {
	var out []string
	for i := range verb.LineFlags() {
		out = append(out, "--"+verb.LineFlags()[i].Name)
	}
	return append(out, "--help", "--version")
}

// bash returns the script for bash, with the position of every argument. Bash splits --flag=value into three
// words where "=" is among its word breaks, which is the default.
func bash(t *verb.Table, program string) string {
	entries := entriesOf(t)
	choices, order, files, others := valueFlags(entries)
	var b strings.Builder
	fn := identifier(program)
	list := func(words string) string { return "COMPREPLY=($(compgen -P \"$stem\" -W " + words + " -- \"$cur\"))" }
	const file = "COMPREPLY=($(compgen -P \"$stem\" -f -- \"$cur\"))"
	b.WriteString("# bash completion for " + program + ": source <(" + program + " completion bash)\n")
	b.WriteString(fn + "() {\n  local cur=${COMP_WORDS[COMP_CWORD]} prev= stem= subs= flags= i word verb at=1\n  local -a words=()\n" +
		"  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD-1]}\n  COMPREPLY=()\n" +
		"  if [[ $cur == = ]]; then cur=\n  elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}\n" +
		"  elif [[ $cur == --*=* ]]; then stem=${cur%%=*}= prev=${cur%%=*} cur=${cur#*=}\n  fi\n  case $prev in\n")
	for _, name := range order {
		b.WriteString("    " + name + ") " + list("'"+strings.Join(choices[name], " ")+"'") + "; return ;;\n")
	}
	b.WriteString("    " + strings.Join(files, "|") + ") " + file + "; return ;;\n")
	b.WriteString("    " + strings.Join(others, "|") + ") return ;;\n  esac\n")
	b.WriteString("  for ((i = 1; i < COMP_CWORD; i++)); do\n    word=${COMP_WORDS[i]}\n    case $word in\n" +
		"      " + strings.Join(append(append(append([]string{}, order...), files...), others...), "|") +
		") ((i++)); [[ ${COMP_WORDS[i]} == = ]] && ((i++)) ;;\n" +
		"      -*) ;;\n      *) words+=(\"$word\") ;;\n    esac\n  done\n")
	b.WriteString("  [[ ${words[0]} == help ]] && ((${#words[@]} > 1)) && words=(\"${words[@]:1}\") at=0\n" +
		"  local globals='" + strings.Join(globalWords(), " ") + "'\n  verb=${words[0]}\n  case $verb in\n")
	var all []string
	for _, e := range entries {
		all = append(all, e.words...)
		first := e.words[0]
		subs := ""
		if t.Family(first) != nil || first == "help" || first == verb.Daemon {
			subs = strings.Join(e.next, " ")
		}
		if subs != "" || len(e.flags) > 0 {
			b.WriteString("    " + strings.Join(e.words, "|") + ") subs='" + subs + "' flags='" + strings.Join(dashed(e.flags), " ") + "' ;;\n")
		}
	}
	b.WriteString("  esac\n  if [[ $cur == -* ]]; then " + list("\"$flags $globals\"") + "; return\n" +
		"  elif ((${#words[@]} == 0)); then " + list("'"+strings.Join(all, " ")+"'") + "; return\n" +
		"  elif ((${#words[@]} == 1)) && [[ -n $subs ]]; then " + list("\"$subs\"") + "; return\n" +
		"  elif ((at == 0)); then return\n" + // after help
		"  elif [[ -n $subs ]]; then verb+=\" ${words[1]}\" at=2\n  fi\n" +
		"  case $verb:$((${#words[@]} - at)) in\n")
	for _, o := range offers(t) {
		position := strconv.Itoa(o.position)
		if o.more {
			position = "[" + position + "-9]*" // no verb has a list at a later position
		}
		do := file
		if len(o.words) > 0 {
			do = list("'" + strings.Join(o.words, " ") + "'")
		}
		b.WriteString("    '" + o.verb + ":'" + position + ") " + do + " ;;\n")
	}
	b.WriteString("  esac\n}\ncomplete -F " + fn + " " + program + "\n")
	return b.String()
}

// zshWord quotes a word in single quotes, and escapes the colon that separates a word from its description.
func zshWord(word, doc string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(word, ":", `\:`)+":"+doc, "'", `'\''`) + "'"
}

func zsh(t *verb.Table, program string) string {
	entries := entriesOf(t)
	choices, order, files, others := valueFlags(entries)
	var b strings.Builder
	fn := identifier(program)
	b.WriteString("#compdef " + program + "\n# zsh completion for " + program + ": source <(" + program + " completion zsh)\n")
	b.WriteString(fn + "() {\n  local first= next= word i\n  local -a commands subs flags globals\n  case $words[CURRENT-1] in\n")
	for _, name := range order {
		b.WriteString("    " + name + ") compadd -- " + strings.Join(choices[name], " ") + "; return ;;\n")
	}
	b.WriteString("    " + strings.Join(files, "|") + ") _files; return ;;\n    " + strings.Join(others, "|") + ") return ;;\n  esac\n")
	b.WriteString("  for ((i = 2; i < CURRENT; i++)); do\n    word=$words[i]\n    case $word in\n      " +
		strings.Join(append(append(append([]string{}, order...), files...), others...), "|") + ") ((i++)) ;;\n" +
		"      -*) ;;\n      *) if [[ -z $first ]]; then first=$word; elif [[ -z $next ]]; then next=$word; fi ;;\n    esac\n  done\n  globals=(\n")
	for i := range verb.LineFlags() {
		b.WriteString("    " + zshWord("--"+verb.LineFlags()[i].Name, verb.LineFlags()[i].Doc) + "\n")
	}
	b.WriteString("    " + zshWord("--help", "help for the command") + "\n    " + zshWord("--version", "the version") + "\n  )\n  case $first in\n")
	for _, e := range entries {
		if len(e.next) == 0 && len(e.flags) == 0 {
			continue
		}
		b.WriteString("    " + strings.Join(e.words, "|") + ")\n      subs=(" + strings.Join(e.next, " ") + ")\n      flags=(")
		for _, f := range e.flags {
			b.WriteString("\n        " + zshWord("--"+f.Name, f.Doc))
		}
		b.WriteString(") ;;\n")
	}
	b.WriteString("  esac\n  commands=(\n")
	for _, e := range entries {
		for _, w := range e.words {
			b.WriteString("    " + zshWord(w, e.summary) + "\n")
		}
	}
	b.WriteString("  )\n  if [[ $words[CURRENT] == -* ]]; then\n    (( $#flags )) && _describe flag flags\n    _describe 'global flag' globals\n" +
		"  elif [[ -z $first ]]; then\n    _describe command commands\n" +
		"  elif [[ -z $next && $#subs -gt 0 ]]; then\n    compadd -- $subs\n" +
		"  else\n    case $first in " + strings.Join(fileWords(t), "|") + ") _files ;; esac\n  fi\n}\ncompdef " + fn + " " + program + "\n")
	return b.String()
}

func fishQuote(s string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "'", `\'`) + "'"
}

func fish(t *verb.Table, program string) string {
	var b strings.Builder
	b.WriteString("# fish completion for " + program + ": " + program + " completion fish | source\n")
	line := func(parts ...string) { b.WriteString("complete -c " + program + " " + strings.Join(parts, " ") + "\n") }
	flag := func(f *verb.Flag, condition string) {
		parts := []string{}
		if condition != "" {
			parts = append(parts, "-n "+fishQuote(condition))
		}
		parts = append(parts, "-l "+f.Name)
		if f.Short != "" {
			parts = append(parts, "-s "+f.Short)
		}
		switch {
		case f.Kind == verb.Bool || f.Optional:
		case len(f.Choices) > 0:
			parts = append(parts, "-x -a "+fishQuote(strings.Join(f.Choices, " ")))
		case f.Kind == verb.Path:
			parts = append(parts, "-r -F")
		default:
			parts = append(parts, "-x")
		}
		line(append(parts, "-d "+fishQuote(f.Doc))...)
	}
	for i := range verb.LineFlags() {
		flag(&verb.LineFlags()[i], "")
	}
	line("-f -n " + fishQuote("not __fish_seen_subcommand_from "+strings.Join(fileWords(t), " ")))
	line("-l help -s h -d 'help for the command'")
	line("-l version -s V -d 'the version'")
	for _, e := range entriesOf(t) {
		for _, w := range e.words {
			line("-n __fish_use_subcommand", "-f -a "+w, "-d "+fishQuote(e.summary))
		}
		seen := "__fish_seen_subcommand_from " + strings.Join(e.words, " ")
		if len(e.next) > 0 {
			line("-n "+fishQuote(seen), "-f -a "+fishQuote(strings.Join(e.next, " ")))
		}
		for _, f := range e.flags {
			flag(f, seen)
		}
	}
	return b.String()
}

func psList(words []string) string {
	if len(words) == 0 {
		return "@()"
	}
	return "@('" + strings.Join(words, "','") + "')"
}

func powershell(t *verb.Table, program string) string {
	entries := entriesOf(t)
	choices, order, files, others := valueFlags(entries)
	var b strings.Builder
	b.WriteString("# PowerShell completion for " + program + ": " + program + " completion powershell | Out-String | Invoke-Expression\n")
	b.WriteString("Register-ArgumentCompleter -Native -CommandName '" + program + "' -ScriptBlock {\n  param($word, $ast, $position)\n")
	b.WriteString("  $choices = @{\n")
	for _, name := range order {
		b.WriteString("    '" + name + "' = " + psList(choices[name]) + "\n")
	}
	b.WriteString("  }\n  $valued = $choices.Keys + " + psList(append(append([]string{}, files...), others...)) + "\n  $table = @{\n")
	var all []string
	for _, e := range entries {
		all = append(all, e.words...)
		for _, w := range e.words {
			b.WriteString("    '" + w + "' = @{ next = " + psList(e.next) + "; flags = " + psList(dashed(e.flags)) + " }\n")
		}
	}
	b.WriteString("  }\n  $globals = " + psList(globalWords()) + "\n  $first = ''; $next = ''; $prev = ''; $skip = $false\n")
	b.WriteString(`  foreach ($element in $ast.CommandElements | Select-Object -Skip 1) {
    $text = $element.ToString()
    if ($element.Extent.EndOffset -ge $position) { break }
    $prev = $text
    if ($skip) { $skip = $false; continue }
    if ($valued -contains $text) { $skip = $true; continue }
    if ($text.StartsWith('-')) { continue }
    if (-not $first) { $first = $text } elseif (-not $next) { $next = $text }
  }
  if ($choices.ContainsKey($prev)) { $found = $choices[$prev] }
  elseif ($skip) { return }
  elseif ($word.StartsWith('-')) { $found = @($globals); if ($first -and $table.ContainsKey($first)) { $found = $table[$first].flags + $globals } }
`)
	b.WriteString("  elseif (-not $first) { $found = " + psList(all) + " }\n")
	b.WriteString(`  elseif (-not $next -and $table.ContainsKey($first)) { $found = $table[$first].next }
  else { return }
  $found | Where-Object { $_ -like "$word*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}
`)
	return b.String()
}
