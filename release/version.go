package main

import (
	"regexp"
	"strconv"
	"strings"
)

// described takes apart what git describe says of a tree with tags: the tag, commits since, and the commit.
var described = regexp.MustCompile(`^v?(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.]+)?(?:-(\d+)-g([0-9a-f]+))?$`)

// semantic turns what git describe says into a semantic version. What lies after a tag counts as before the next patch, so that a
// package of it replaces the tag's and is replaced by the next one.
func semantic(describe string) string {
	describe, dirty := strings.CutSuffix(describe, "-dirty")
	m := described.FindStringSubmatch(describe)
	if m == nil {
		return "0.0.0-dev.g" + describe + suffix(dirty)
	}
	major, minor, patch, pre, count, commit := m[1], m[2], m[3], m[4], m[5], m[6]
	if count == "" && !dirty {
		return major + "." + minor + "." + patch + pre
	}
	if pre != "" { // 1.2.3-rc.1 is followed by 1.2.3-rc.1.dev.4
		pre += ".dev."
	} else {
		n, err := strconv.Atoi(patch)
		if err != nil {
			panic("release: the expression let a patch number pass that is none: " + patch)
		}
		patch, pre = strconv.Itoa(n+1), "-dev."
	}
	if count == "" {
		count = "0"
	}
	version := major + "." + minor + "." + patch + pre + count
	if commit != "" {
		version += ".g" + commit
	}
	return version + suffix(dirty)
}

func suffix(dirty bool) string {
	if dirty {
		return ".dirty"
	}
	return ""
}
