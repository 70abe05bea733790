package verb

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/device"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

// Unemulated is the value of an emulated setting by which a page sees the browser's own again.
const Unemulated = "default"

// checkEmulated checks a value of the kinds that a browser emulates.
func (k Kind) checkEmulated(s string) (string, error) {
	if s == Unemulated {
		return s, nil
	}
	switch k {
	case Device:
		return checkDevice(s)
	case Geolocation:
		_, err := ParseGeolocation(s)
		return s, err
	case Timezone:
		return checkTimezone(s)
	case Locale:
		return checkLocale(s)
	}
	_, err := ParseViewport(s)
	return s, err
}

// checkDevice returns the name of a device as its list has it.
func checkDevice(s string) (string, error) {
	if d, ok := device.Find(s); ok {
		return d.Name, nil
	}
	near, hint := nearDevices(s), "`set devices` lists them."
	if near == nil {
		hint = "Such as " + strings.Join(commonDevices(), ", ") + "; `set devices` lists all."
	}
	return "", &Error{Code: InvalidArgument, Message: plain.Quote(s) + " is not a known device", Suggestions: near, Hint: hint}
}

// commonDevices returns a device of each kind.
func commonDevices() []string {
	return []string{"iPhone 15", "iPad Pro", "Pixel 7", "Galaxy S25", "Desktop Chrome"}
}

// nearDevices returns the names that differ from a text by few typing mistakes, or else a few that contain it, or that
// begin with nearly the same word.
func nearDevices(s string) []string {
	names := device.Names()
	if near := spelling.Nearest(s, names); near != nil {
		return near
	}
	first, _, _ := strings.Cut(s, " ")
	var makes []string
	for _, name := range names {
		if word, _, _ := strings.Cut(name, " "); !slices.Contains(makes, word) {
			makes = append(makes, word)
		}
	}
	near := spelling.Nearest(first, makes)
	if near == nil {
		near = []string{""}
	}
	for _, part := range []string{s, near[0]} {
		var some []string
		for _, name := range names {
			if part != "" && strings.Contains(strings.ToLower(name), strings.ToLower(part)) && !strings.HasSuffix(name, " landscape") {
				some = append(some, name)
			}
		}
		if len(some) > 0 {
			return some[max(0, len(some)-6):] // the newest are last
		}
	}
	return nil
}

// Position is a place on Earth.
type Position struct {
	Latitude, Longitude float64 // in degrees
	Accuracy            float64 // in metres
}

// ParseGeolocation parses LATITUDE,LONGITUDE or LATITUDE,LONGITUDE,ACCURACY, in degrees and metres. The accuracy is 0
// if it is not given, as in Playwright.
func ParseGeolocation(s string) (Position, error) {
	parts := strings.Split(s, ",")
	if len(parts) < 2 || len(parts) > 3 {
		return Position{}, Invalid(plain.Quote(s)+" is not a place on Earth", "Write LATITUDE,LONGITUDE in degrees, such as 52.52,13.405; an accuracy in metres may follow.")
	}
	var numbers [3]float64
	limits := [...]struct {
		name string
		most float64
	}{{"latitude", 90}, {"longitude", 180}, {"accuracy", 1e9}}
	for i, part := range parts {
		n, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsNaN(n) || math.Abs(n) > limits[i].most || i == 2 && n < 0 {
			least := -limits[i].most
			if i == 2 {
				least = 0
			}
			return Position{}, Invalid(plain.Quote(part) + " is not a " + limits[i].name + ": a number from " +
				strconv.FormatFloat(least, 'f', -1, 64) + " to " + strconv.FormatFloat(limits[i].most, 'f', -1, 64))
		}
		numbers[i] = n
	}
	return Position{Latitude: numbers[0], Longitude: numbers[1], Accuracy: numbers[2]}, nil
}

// The names of the IANA time zone database, from the Go distribution's zoneinfo.zip. Chromium accepts any text once a
// time zone is set, and ignores what is no time zone (measured on Chromium 156).
//
//go:embed timezones.txt
var timezones string

func checkTimezone(s string) (string, error) {
	names := strings.Fields(timezones)
	if i := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, s) }); i >= 0 {
		return names[i], nil
	}
	near := spelling.Nearest(s, names)
	if near == nil { // the city alone
		for _, name := range names {
			if _, city, _ := strings.Cut(name, "/"); strings.EqualFold(city, strings.ReplaceAll(s, " ", "_")) {
				near = append(near, name)
			}
		}
	}
	return "", &Error{Code: InvalidArgument, Message: plain.Quote(s) + " is not a time zone", Suggestions: near,
		Hint: "Give a name of the IANA time zone database, such as Europe/Berlin or UTC."}
}

// checkLocale checks that a language tag is well-formed: a language, then subtags of 1 to 8 letters and digits (RFC
// 5646, §2.1).
func checkLocale(s string) (string, error) {
	tag := strings.ReplaceAll(s, "_", "-")
	for i, part := range strings.Split(tag, "-") {
		alphanumeric := strings.Trim(strings.ToLower(part), "abcdefghijklmnopqrstuvwxyz0123456789") == ""
		if !alphanumeric || part == "" || len(part) > 8 || i == 0 && (len(part) < 2 || len(part) > 3 || strings.ContainsAny(part, "0123456789")) {
			return "", Invalid(plain.Quote(s)+" is not a language tag", "Write a language, or a language and a region, such as de or de-DE.")
		}
	}
	return tag, nil
}
