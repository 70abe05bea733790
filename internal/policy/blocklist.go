package policy

import (
	"fmt"
	"net/netip"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// Blocklist is a list of sites that are not to be visited. A line is
//
//	example.com        that host and every one below it; www. in front makes no difference
//	*.example.com      only those below it
//	ads*.example.com   hosts in which * stands for anything
//	https://example.com/login    the host of the address
//	0.0.0.0 example.com          the host, as in a hosts file
//	# anything         a remark, also behind a rule
type Blocklist struct {
	hosts map[string]blocked
	below map[string]blocked
	globs []globbed
}

type blocked struct{ rule, source string }

type globbed struct {
	Pattern
	blocked
}

// Add reads the lines of one source. The error names the first line that is no rule: a list that is not understood
// protects nobody.
func (b *Blocklist) Add(source string, lines ...string) error {
	for i, line := range lines {
		where := source
		if len(lines) > 1 {
			where = fmt.Sprintf("%s:%d", source, i+1)
		}
		rule, _, _ := strings.Cut(strings.TrimSpace(line), " #")
		rule, _, _ = strings.Cut(rule, "\t#")
		rule = strings.TrimSpace(rule)
		if rule == "" || rule[0] == '#' {
			continue
		}
		if err := b.add(rule, where); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return nil
}

func (b *Blocklist) add(rule, source string) error {
	host := rule
	if fields := strings.Fields(rule); len(fields) == 2 {
		if _, err := netip.ParseAddr(fields[0]); err == nil {
			host = fields[1]
		}
	}
	if b.hosts == nil {
		b.hosts, b.below = map[string]blocked{}, map[string]blocked{}
	}
	is := blocked{rule, source}
	host = strings.ToLower(host)
	rest, below := strings.CutPrefix(host, "*.")
	if strings.Contains(rest, "*") {
		p, err := parsePattern(host, false)
		if err != nil || strings.ContainsAny(host, "/: \t") {
			return fmt.Errorf("%q is no host, nor a pattern for hosts", rule)
		}
		b.globs = append(b.globs, globbed{p, is})
		return nil
	}
	name, err := hostOf(rest)
	if err != nil {
		return fmt.Errorf("%q is no host, nor an address that has one", rule)
	}
	if below {
		b.below[name] = is
	} else {
		b.hosts[strings.TrimPrefix(name, "www.")] = is
	}
	return nil
}

// hostOf is the host of an address, or of what is only a host, as browsers spell it.
func hostOf(s string) (string, error) {
	if !strings.Contains(s, "://") {
		if strings.ContainsAny(s, " \t@?#") {
			return "", fmt.Errorf("%q is no host", s)
		}
		s = "http://" + s
	}
	u, err := whatwg.Parse(s)
	if err != nil {
		return "", err
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "" {
		return "", fmt.Errorf("%q has no host", s)
	}
	return host, nil
}

// Len is the number of rules.
func (b *Blocklist) Len() int {
	if b == nil {
		return 0
	}
	return len(b.hosts) + len(b.below) + len(b.globs)
}

// Match finds the rule that a host falls under. A nil list has none.
func (b *Blocklist) Match(host string) (rule, source string, found bool) {
	if b.Len() == 0 {
		return "", "", false
	}
	for name, inner := host, false; ; inner = true {
		if is, ok := b.hosts[name]; ok {
			return is.rule, is.source, true
		}
		if is, ok := b.below[name]; ok && inner {
			return is.rule, is.source, true
		}
		_, rest, more := strings.Cut(name, ".")
		if !more {
			break
		}
		name = rest
	}
	for i := range b.globs {
		if b.globs[i].Match(host) {
			return b.globs[i].rule, b.globs[i].source, true
		}
	}
	return "", "", false
}
