package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// difference is one field in which two answers to the same command differ.
type difference struct {
	command string
	field   string // a path such as data.tabs[0].title
	kind    string // missing, extra, type, value, exit
	theirs  string
	ours    string
	times   int // in how many members of a list, after gather
}

// gather makes one difference of those that are alike but for their place in a list, with the first one's values.
func gather(all []difference) []difference {
	var gathered []difference
	at := map[string]int{}
	for _, d := range all {
		d.field = strings.TrimPrefix(index().ReplaceAllString(d.field, "[]"), "$.")
		key := d.kind + " " + d.field
		i, known := at[key]
		if !known {
			i = len(gathered)
			at[key] = i
			gathered = append(gathered, d)
		}
		gathered[i].times++
	}
	return gathered
}

var index = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[\d+\]`) })

// volatile fields differ from run to run of the same program, so that only their type is compared.
func volatile(field string) bool {
	name := field[strings.LastIndexByte(field, '.')+1:]
	switch name {
	case "timestamp", "responseBody", "requestId", "targetId", "cdpUrl", "pid", "size", "socketDir", "version", "hash", "path", "confirmation_id", "objectId", "uniqueId", "date":
		return true
	}
	return strings.Contains(field, "headers.") || strings.Contains(field, "responseHeaders.") || strings.Contains(field, "args[")
}

// compare lists the differences between two decoded answers, theirs being the measure.
func compare(field string, theirs, ours any) []difference {
	if kind(theirs) != kind(ours) {
		return []difference{{field: field, kind: "type", theirs: short(theirs), ours: short(ours)}}
	}
	switch theirs := theirs.(type) {
	case map[string]any:
		return compareObjects(field, theirs, ours.(map[string]any))
	case []any:
		return compareLists(field, theirs, ours.([]any))
	case float64:
		if d := theirs - ours.(float64); volatile(field) || d < 1 && d > -1 {
			return nil // a pixel's part is a matter of rounding
		}
	case string:
		if volatile(field) || plain(theirs) == plain(ours.(string)) || isError(field) && beginsWith(plain(ours.(string)), plain(theirs)) {
			return nil
		}
		if strings.HasSuffix(field, ".snapshot") || strings.HasSuffix(field, ".tree") {
			return compareOutlines(field, theirs, ours.(string))
		}
	default:
		if theirs == ours || volatile(field) {
			return nil
		}
	}
	return []difference{{field: field, kind: "value", theirs: short(theirs), ours: short(ours)}}
}

// isError reports whether a field is the text of an error.
func isError(field string) bool { return field == "$.error" || strings.HasSuffix(field, "].error") }

// beginsWith reports whether our text of an error begins with the first line of theirs, which is what programs match.
// What we tried and found stands behind it.
func beginsWith(ours, theirs string) bool {
	line, _, _ := strings.Cut(theirs, "\n")
	return strings.HasPrefix(ours, line)
}

func compareObjects(field string, theirs, ours map[string]any) []difference {
	if strings.HasSuffix(field, ".refs") {
		return compareOutlines(field, elements(theirs), elements(ours))
	}
	var found []difference
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		// The launch report that rides on every answer has a hash no JavaScript program can read; it is compared as one field.
		value, present := ours[name]
		switch {
		case !present:
			found = append(found, difference{field: field + "." + name, kind: "missing", theirs: short(theirs[name])})
		case name != "lifecycle":
			found = append(found, compare(field+"."+name, theirs[name], value)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if _, present := theirs[name]; !present {
			found = append(found, difference{field: field + "." + name, kind: "extra", ours: short(ours[name])})
		}
	}
	return found
}

func compareLists(field string, theirs, ours []any) []difference {
	if len(theirs) != len(ours) {
		return []difference{{field: field, kind: "value", theirs: fmt.Sprintf("%d items", len(theirs)), ours: fmt.Sprintf("%d items", len(ours))}}
	}
	if strings.HasSuffix(field, "data.cookies") { // the browser has no order of them
		theirs, ours = byName(theirs), byName(ours)
	}
	var found []difference
	for i := range theirs {
		found = append(found, compare(fmt.Sprintf("%s[%d]", field, i), theirs[i], ours[i])...)
	}
	return found
}

// byName returns objects in the order of their names.
func byName(list []any) []any {
	name := func(object any) string {
		members, _ := object.(map[string]any)
		return fmt.Sprint(members["name"])
	}
	return slices.SortedFunc(slices.Values(list), func(a, b any) int { return strings.Compare(name(a), name(b)) })
}

// compareOutlines compares lines without regard to their order or refs, and says which stand on one side only.
func compareOutlines(field, theirs, ours string) []difference {
	count := map[string]int{}
	for line := range strings.Lines(plain(theirs)) {
		count[strings.TrimSpace(line)]++
	}
	for line := range strings.Lines(plain(ours)) {
		count[strings.TrimSpace(line)]--
	}
	var lost, added []string
	for _, line := range slices.Sorted(maps.Keys(count)) {
		if n := count[line]; n > 0 {
			lost = append(lost, line)
		} else if n < 0 {
			added = append(added, line)
		}
	}
	if lost == nil && added == nil {
		return nil
	}
	return []difference{{field: field, kind: "value", theirs: short(strings.Join(lost, " / ")), ours: short(strings.Join(added, " / "))}}
}

// elements is the map of refs as lines of role and name.
func elements(refs map[string]any) string {
	var lines []string
	for _, ref := range refs {
		if element, is := ref.(map[string]any); is {
			lines = append(lines, fmt.Sprintf("%v %q", element["role"], element["name"]))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`/(?:\S*/)?u-\d+|\b[0-9A-F]{32}\b|@?\be\d+\b|\bt\d+\b`)
})

// plain replaces what is a program's own in a text: its home, target ids, refs, tab ids.
func plain(text string) string {
	return variable().ReplaceAllStringFunc(text, func(found string) string {
		switch {
		case strings.Contains(found, "u-"):
			return "{home}"
		case len(found) == 32:
			return "{id}"
		case strings.HasPrefix(strings.TrimPrefix(found, "@"), "e"):
			return "{ref}"
		}
		return "{tab}"
	})
}

func kind(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "list"
	}
	return "object"
}

// short is a value in a width that fits a table.
func short(value any) string {
	const width = 100
	text := fmt.Sprintf("%v", value)
	if kind(value) == "string" {
		text = fmt.Sprintf("%q", value)
	}
	if kind(value) == "object" {
		text = "{" + strings.Join(slices.Sorted(maps.Keys(value.(map[string]any))), ",") + "}"
	}
	if letters := []rune(text); len(letters) > width {
		return string(letters[:width]) + "…"
	}
	return text
}
