package device

import (
	"strconv"
	"strings"
)

// Chrome is a Chrome on Linux that was launched with the switch --user-agent. With it the client hints that a page asks for
// (architecture, bitness, form factors, full versions) are empty, as those of no other browser (measured on Chromium 156).
type Chrome struct {
	UserAgent string
	version   string // such as 156.0.8078.79
	major     int
}

// LaunchedChrome returns the Chrome of a User-Agent and a full version. It returns nil for a browser of another brand or
// system, whose client hints are unknown.
func LaunchedChrome(agent, version string) *Chrome {
	first, _, _ := strings.Cut(version, ".")
	major, err := strconv.Atoi(first)
	if err != nil || !strings.Contains(agent, "Linux x86_64") || !strings.HasSuffix(agent, "Chrome/"+first+".0.0.0 Safari/537.36") || major < 0 {
		return nil
	}
	return &Chrome{UserAgent: agent, version: version, major: major}
}

// Override returns the parameters of Emulation.setUserAgentOverride by which pages, frames and workers see the client hints of
// this Chrome on a processor. All are given: in workers Chromium leaves brands and versions empty if they are left out.
func (c *Chrome) Override(goarch string) map[string]any {
	return map[string]any{"userAgent": c.UserAgent, "userAgentMetadata": c.Hints(goarch)}
}

// Hints returns the client hints of this Chrome on a processor, as userAgentMetadata of that command.
func (c *Chrome) Hints(goarch string) map[string]any {
	architecture, bitness := "x86", "64"
	switch goarch {
	case "arm64":
		architecture = "arm"
	case "arm":
		architecture, bitness = "arm", "32"
	case "386":
		bitness = "32"
	}
	return map[string]any{
		"brands": brands(c.major, strconv.Itoa(c.major), ""), "fullVersionList": brands(c.major, c.version, ".0.0.0"), "fullVersion": c.version,
		"platform": "Linux", "platformVersion": "", "architecture": architecture, "bitness": bitness, "model": "",
		"mobile": false, "wow64": false, "formFactors": []string{"Desktop"},
	}
}

// brands lists the brands of Chrome with a version. Their order, and the name and version of the one that stands for all unknown
// ones, follow from the major version (GenerateBrandVersionList in Chromium's components/embedder_support/user_agent_utils.cc).
func brands(major int, version, greaseRest string) []map[string]any {
	signs := [...]string{" ", "(", ":", "-", ".", "/", ")", ";", "=", "?", "_"}
	grease := "Not" + signs[major%len(signs)] + "A" + signs[(major+1)%len(signs)] + "Brand"
	greaseVersion := [...]string{"8", "99", "24"}[major%3] + greaseRest
	order := [...][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}[major%6]
	out := make([]map[string]any, 3)
	out[order[0]] = map[string]any{"brand": grease, "version": greaseVersion}
	out[order[1]] = map[string]any{"brand": "Chromium", "version": version}
	out[order[2]] = map[string]any{"brand": "Google Chrome", "version": version}
	return out
}
