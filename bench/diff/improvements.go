package main

import (
	_ "embed"
	"fmt"
	"path"
	"strings"
)

//go:embed improvements.txt
var stated string

// improvement is a difference that is meant.
type improvement struct {
	command string // pattern of path.Match, where a star also matches spaces; matched against the command line
	field   string // pattern for the kind and the field, as "extra data.status"; indexes are left empty
	why     string
	used    bool
}

// improvements reads the list: a line is "command | kind field | why"; empty lines and those starting with # do not count.
func improvements(text string) ([]*improvement, error) {
	var list []*improvement
	number := 0
	for row := range strings.Lines(text) {
		number++
		row = strings.TrimSpace(row)
		if row == "" || strings.HasPrefix(row, "#") {
			continue
		}
		columns := strings.SplitN(row, "|", 3)
		if len(columns) != 3 || strings.TrimSpace(columns[2]) == "" {
			return nil, fmt.Errorf("improvements.txt:%d: want command | kind field | why, found %q", number, row)
		}
		i := &improvement{command: strings.TrimSpace(columns[0]), field: strings.TrimSpace(columns[1]), why: strings.TrimSpace(columns[2])}
		for _, pattern := range []string{i.command, i.field} {
			if _, err := path.Match(guarded(pattern), ""); err != nil {
				return nil, fmt.Errorf("improvements.txt:%d: %w in %q", number, err, pattern)
			}
		}
		list = append(list, i)
	}
	return list, nil
}

// covers finds the first improvement that explains a difference.
func covers(list []*improvement, d difference) *improvement {
	for _, i := range list {
		if matches(i.command, d.command) && matches(i.field, d.kind+" "+d.field) {
			i.used = true
			return i
		}
	}
	return nil
}

// matches is path.Match with stars that cross slashes, since commands hold addresses.
func matches(pattern, text string) bool {
	found, err := path.Match(guarded(pattern), guarded(text))
	return err == nil && found
}

// guarded replaces what path.Match would treat as special and stands for itself here: slashes, and the brackets of lists.
func guarded(text string) string {
	return strings.NewReplacer("/", "\x01", "[", "\x02", "]", "\x03").Replace(text)
}
