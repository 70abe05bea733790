package options

import (
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/verb"
)

// Live are the values of the options that can change while a page is open, by name; options without a value are
// absent. The map is never modified.
type Live map[string]string

// live reports whether a change is applied while pages are open.
func (o *option) live() bool {
	return o.page != nil || o.dialogs != nil || o.context != nil
}

// of returns the value of a live option. Equivalent settings have equal values.
func (o *option) of(set *config.Settings) string {
	if o.value != nil {
		return o.value(set)
	}
	v := o.in(set)
	switch verb.GlobalFlag(o.name).Kind {
	case verb.Bool:
		if !v.bool() {
			return ""
		}
	case verb.Duration:
		if v.duration() == 0 {
			return ""
		}
		return v.duration().String()
	}
	if o.page != nil && v.str() == verb.Unemulated {
		return ""
	}
	return joinKey(v.list()...)
}

// LiveOf returns the live options in the settings.
func LiveOf(set *config.Settings) Live {
	return Live{}.with(set, func(*option) bool { return true })
}

// givenIn reports whether the settings have a value of a live option.
func (o *option) givenIn(set *config.Settings) bool {
	return o.in(set).given() || o.value != nil && o.value(set) != ""
}

// Merge returns o with the values that are given in set. Those of files and of the environment are part of every
// command: they count when they differ from the standing ones, which they were before, so a flag or a command holds
// against them.
func (o Live) Merge(set *config.Settings, standing Live) Live {
	return o.with(set, func(row *option) bool {
		return row.givenIn(set) && (row.in(set).asFlag() || row.of(set) != standing[row.name])
	})
}

// Stand returns the standing options o with the values that files and the environment give in set.
func (o Live) Stand(set *config.Settings) Live {
	return o.with(set, func(row *option) bool { return row.givenIn(set) && !row.in(set).asFlag() })
}

// with returns o with the values of set for some of the options.
func (o Live) with(set *config.Settings, which func(*option) bool) Live {
	out := Live{}
	for _, row := range table() {
		value := o[row.name]
		if row.live() && which(&row) {
			value = row.of(set)
		}
		if value != "" {
			out[row.name] = value
		}
	}
	return out
}

// PagesDiffer reports whether pages have to be told of the change from old to o.
func (o Live) PagesDiffer(old Live) bool {
	return slices.ContainsFunc(table(), func(row option) bool { return row.page != nil && o[row.name] != old[row.name] })
}

// effective returns the value of an option with what others imply: a position is for pages to read.
func (o Live) effective(name string) string {
	if name != "permissions" || o["geolocation"] == "" {
		return o[name]
	}
	return joinKey(append([]string{"geolocation=allow"}, splitKey(o[name])...)...)
}

// List returns the words of an option.
func (o Live) List(name string) []string { return splitKey(o[name]) }

// joinKey joins words to one value, by which they are compared.
func joinKey(parts ...string) string { return strings.Join(parts, "\x00") }

// splitKey returns the words in a value of joinKey; none for an empty value.
func splitKey(key string) []string {
	if key == "" {
		return nil
	}
	return strings.Split(key, "\x00")
}
