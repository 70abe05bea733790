package codegen

import (
	"fmt"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/element/locate"
)

// Action is one thing that a person did.
type Action struct {
	// Kind is open, back, forward, tab new, tab close, click, dblclick, drag, fill, check, uncheck, select, upload or press.
	Kind string
	Tab  int    // number of the tab in the recording, from 1
	URL  string // of open and tab new
	// Frame is the name or the address of the frame, InFrame what finds it in Playwright; empty for the page.
	Frame, InFrame string
	Locator        locate.Locator
	CSS            string // another way to find the element
	Value          string // the text of a fill, the key of a press, the CSS of the element on which a drag ended
	Values         []string
	Secret         bool   // Value was withheld
	Button         string // of a click; "focus" if a key went to an element that no action before was about
	Modifiers      []string
	// Dialogs are those that were open and answered after the action, Popup the number of the tab that it opened.
	Dialogs []Dialog
	Popup   int

	at         time.Time
	navigation int // number of the navigation that it was added for; 0 for none
}

// Dialog is how a dialog was answered.
type Dialog struct {
	Accepted bool
	Text     string
}

// join adds an action to those before: what is typed into a field is one action, and so is a double click.
func join(all []Action, a Action) []Action {
	same := func(i int) bool {
		b := &all[i]
		return b.Tab == a.Tab && b.Frame == a.Frame && b.CSS == a.CSS && b.CSS != "" && b.Dialogs == nil && b.Popup == 0
	}
	n := len(all)
	switch {
	case a.Kind == "fill" && n > 0 && same(n-1) && (all[n-1].Kind == "fill" || all[n-1].Kind == "click" && all[n-1].plain()),
		a.Kind == "select" && n > 0 && same(n-1) && all[n-1].Kind == "select":
		a.Locator = all[n-1].Locator // as it was before the text was there
		all = all[:n-1]
	case a.Kind == "dblclick":
		for k := 0; k < 2 && len(all) > 0 && same(len(all)-1) && all[len(all)-1].Kind == "click"; k++ {
			a.Locator = all[len(all)-1].Locator
			all = all[:len(all)-1]
		}
	}
	return append(all, a)
}

// plain reports whether a click is one of the left button without keys.
func (a *Action) plain() bool { return (a.Button == "" || a.Button == "left") && len(a.Modifiers) == 0 }

// Usher returns the recording as lines of a shell script. Secrets are variables of it, which the caller has to set.
func Usher(actions []Action) []string {
	out := []string{"#!/bin/sh", "set -e"}
	current, secrets := 1, secretNames{}
	for i := range actions {
		a := &actions[i]
		if a.Tab != current && a.Kind != "tab new" && a.Kind != "tab close" {
			out = append(out, fmt.Sprintf("usher tab t%d", a.Tab))
		}
		current = a.Tab
		out = append(out, a.usher(&secrets)...)
		for _, d := range a.Dialogs {
			switch {
			case !d.Accepted:
				out = append(out, "usher dialog dismiss")
			case d.Text != "":
				out = append(out, "usher dialog accept "+shell(d.Text))
			default:
				out = append(out, "usher dialog accept")
			}
		}
		if a.Popup != 0 {
			current = a.Popup // usher makes it the active tab
		}
	}
	return out
}

func (a *Action) usher(secrets *secretNames) []string {
	frame := ""
	if a.Frame != "" {
		frame = " --frame " + shell(a.Frame)
	}
	line := func(words ...string) []string { return []string{"usher " + strings.Join(words, " ") + frame} }
	css := shell(a.CSS)
	switch a.Kind {
	case "open":
		return line("open", shell(a.URL))
	case "tab new":
		if a.URL == "" {
			return line("tab new")
		}
		return line("tab new", shell(a.URL))
	case "back", "forward":
		return line(a.Kind)
	case "drag":
		return line("drag", css, shell(a.Value))
	case "tab close":
		return []string{fmt.Sprintf("usher tab close t%d", a.Tab)}
	case "press":
		press := "usher press " + shell(a.Value)
		if a.Button == "focus" {
			return []string{"usher focus " + css + frame, press}
		}
		return []string{press}
	case "select", "upload":
		values := make([]string, 0, len(a.Values))
		for _, v := range a.Values {
			values = append(values, shell(v))
		}
		return line(a.Kind, css, strings.Join(values, " "))
	case "fill":
		if a.Secret {
			return line("fill", css, `"${`+secrets.of(a)+`:?}"`)
		}
		if strings.HasPrefix(a.Value, "-") || a.Value == "" || a.find() == "" {
			return []string{"usher fill " + css + frame + " -- " + shell(a.Value)}
		}
		return line(a.find(), "fill", shell(a.Value), a.findFlags())
	case "click":
		if !a.plain() {
			words := []string{"click", css}
			if a.Button != "left" {
				words = append(words, "--button", a.Button)
			}
			if len(a.Modifiers) > 0 {
				words = append(words, "--modifiers", strings.Join(a.Modifiers, "+"))
			}
			return line(words...)
		}
	}
	if a.find() == "" {
		return line(a.Kind, css)
	}
	return line(strings.TrimSpace(a.find() + " " + a.Kind + " " + a.findFlags()))
}

// find returns the command that finds the element by its locator; empty if that takes CSS.
func (a *Action) find() string {
	l := &a.Locator
	if l.By == locate.ByCSS || l.Nth != nil || strings.HasPrefix(l.Value, "-") {
		return ""
	}
	return "find " + string(l.By) + " " + shell(l.Value)
}

func (a *Action) findFlags() string {
	flags := ""
	if a.Locator.Name != "" {
		flags = "--name " + shell(a.Locator.Name)
	}
	if a.Locator.Exact {
		flags = strings.TrimSpace(flags + " --exact")
	}
	return flags
}

// shell quotes a word for a POSIX shell.
func shell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// secretNames gives each field with a secret a variable.
type secretNames struct{ fields []string }

func (n *secretNames) of(a *Action) string {
	key := a.Frame + "\x00" + a.CSS
	for i, f := range n.fields {
		if f == key {
			return fmt.Sprintf("SECRET_%d", i+1)
		}
	}
	n.fields = append(n.fields, key)
	return fmt.Sprintf("SECRET_%d", len(n.fields))
}

// Playwright returns the recording as a script for Node with the package playwright. Secrets are environment variables.
func Playwright(actions []Action) string {
	var b strings.Builder
	b.WriteString("const { chromium } = require('playwright');\n\n(async () => {\n  const browser = await chromium.launch();\n" +
		"  const context = await browser.newContext();\n  const page1 = await context.newPage();\n")
	secrets := secretNames{}
	for i := range actions {
		a := &actions[i]
		page := fmt.Sprintf("page%d", a.Tab)
		for _, d := range a.Dialogs {
			answer := "dismiss()"
			if d.Accepted {
				answer = "accept()"
				if d.Text != "" {
					answer = "accept(" + single(d.Text) + ")"
				}
			}
			fmt.Fprintf(&b, "  %s.once('dialog', (dialog) => dialog.%s);\n", page, answer)
		}
		if a.Popup != 0 {
			fmt.Fprintf(&b, "  const popup%d = %s.waitForEvent('popup');\n", a.Popup, page)
		}
		b.WriteString("  " + a.playwright(page, &secrets) + "\n")
		if a.Popup != 0 {
			fmt.Fprintf(&b, "  const page%d = await popup%d;\n", a.Popup, a.Popup)
		}
	}
	b.WriteString("  await browser.close();\n})();\n")
	return b.String()
}

func (a *Action) playwright(page string, secrets *secretNames) string {
	on := "await " + page + "." + a.InFrame + PlaywrightLocator(a.Locator) + "."
	switch a.Kind {
	case "open":
		return "await " + page + ".goto(" + single(a.URL) + ");"
	case "tab new":
		if a.URL == "" {
			return "const " + page + " = await context.newPage();"
		}
		return "const " + page + " = await context.newPage();\n  await " + page + ".goto(" + single(a.URL) + ");"
	case "back":
		return "await " + page + ".goBack();"
	case "forward":
		return "await " + page + ".goForward();"
	case "drag":
		return on + "dragTo(" + page + "." + a.InFrame + "locator(" + single(a.Value) + "));"
	case "tab close":
		return "await " + page + ".close();"
	case "fill":
		if a.Secret {
			return on + "fill(process.env." + secrets.of(a) + ");"
		}
		return on + "fill(" + single(a.Value) + ");"
	case "press":
		return on + "press(" + single(a.Value) + ");"
	case "select", "upload":
		values := make([]string, 0, len(a.Values))
		for _, v := range a.Values {
			values = append(values, single(v))
		}
		method := map[string]string{"select": "selectOption", "upload": "setInputFiles"}[a.Kind]
		return on + method + "([" + strings.Join(values, ", ") + "]);"
	case "click":
		if !a.plain() {
			var options []string
			if a.Button != "left" {
				options = append(options, "button: "+single(a.Button))
			}
			if len(a.Modifiers) > 0 {
				options = append(options, "modifiers: ['"+strings.Join(a.Modifiers, "', '")+"']")
			}
			return on + "click({ " + strings.Join(options, ", ") + " });"
		}
	}
	return on + a.Kind + "();"
}
