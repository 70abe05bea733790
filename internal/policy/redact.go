package policy

import (
	"strconv"
	"strings"
	"sync"
)

// Redaction removes secrets from text that is shown, logged or stored.
//
// A secret is recognised by its form (keys with a well-known prefix, JSON web tokens, private keys), by its position
// (the value of an Authorization or Cookie header, the password in an address), or by its name (access_token=...). What
// remains shows what it was: the prefix of a key, the name of a header. Redaction is idempotent.

// Mark replaces a secret.
const Mark = "[redacted]"

// Text returns s without secrets.
func Text(s string) string {
	for _, pass := range [...]func(string) string{privateKeys, headerLines, hideBearers, userinfo, parameters, webTokens, keys} {
		s = pass(s)
	}
	return s
}

// prefix is the beginning of one kind of key, and what must follow it.
type prefix struct {
	text  string
	least int    // characters that must follow
	more  string // those allowed besides letters and digits
}

// prefixes of keys that are secret, from what their makers publish. A longer one stands before one that it begins with.
var prefixes = [...]prefix{
	{"sk-ant-", 16, "-_"}, {"sk-proj-", 16, "-_"}, {"sk-or-", 16, "-_"}, {"sk-", 20, "-_"}, // Anthropic, OpenAI, OpenRouter
	{"sk_live_", 12, ""}, {"sk_test_", 12, ""}, {"rk_live_", 12, ""}, {"rk_test_", 12, ""}, {"whsec_", 16, "+/="}, // Stripe
	{"ghp_", 20, ""}, {"gho_", 20, ""}, {"ghu_", 20, ""}, {"ghs_", 20, ""}, {"ghr_", 20, ""}, {"github_pat_", 20, "_"}, // GitHub
	{"glpat-", 16, "-_"}, {"glrt-", 16, "-_"}, {"gldt-", 16, "-_"}, {"glptt-", 16, "-_"}, // GitLab
	{"xoxb-", 10, "-"}, {"xoxa-", 10, "-"}, {"xoxp-", 10, "-"}, {"xoxr-", 10, "-"}, {"xoxs-", 10, "-"}, {"xapp-", 10, "-"}, // Slack
	{"AKIA", 16, ""}, {"ASIA", 16, ""}, // Amazon
	{"AIza", 30, "-_"}, {"ya29.", 20, "-_"}, {"GOCSPX-", 20, "-_"}, // Google
	{"hf_", 20, ""}, {"r8_", 20, ""}, {"gsk_", 20, ""}, {"xai-", 20, "-_"}, {"pplx-", 20, ""}, {"nvapi-", 20, "-_"}, // model hosts
	{"tvly-", 16, "-"}, {"fc-", 32, ""}, {"bb_live_", 16, "-_"}, {"bu_", 32, "-_"}, {"exa_", 16, "-_"}, // browsers and search
	{"npm_", 30, ""}, {"pypi-", 30, "-_"}, {"rubygems_", 30, ""}, {"dckr_pat_", 20, "-_"}, // package registries
	{"dop_v1_", 30, ""}, {"doo_v1_", 30, ""}, {"dapi", 32, ""}, {"hvs.", 20, "-_"}, {"hvb.", 20, "-_"}, {"tskey-", 16, "-"}, // clouds
	{"shpat_", 30, ""}, {"shpca_", 30, ""}, {"shpss_", 30, ""}, {"sq0atp-", 20, "-_"}, {"sq0csp-", 20, "-_"}, // shops
	{"SG.", 30, "-_."}, {"PMAK-", 30, "-"}, {"figd_", 20, "-_"}, {"lin_api_", 20, ""}, {"ATATT3", 30, "-_="}, {"glsa_", 20, "_"},
	{"sbp_", 30, ""}, {"sntrys_", 20, "-_=+/"}, {"AGE-SECRET-KEY-1", 30, ""},
}

// byFirst finds the prefixes by their first letter.
var byFirst = sync.OnceValue(func() *[256][]*prefix {
	var t [256][]*prefix
	for i := range prefixes {
		p := &prefixes[i]
		t[p.text[0]] = append(t[p.text[0]], p)
	}
	return &t
})

// keys redacts keys with a well-known prefix, at the beginning of a word, and keeps that prefix.
func keys(s string) string {
	var b strings.Builder
	from := 0
	eachKey(s, func(begin, end int, _ *prefix) bool {
		b.WriteString(s[from:begin])
		b.WriteString(Mark)
		from = end
		return true
	})
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// eachKey finds the keys in a text and calls found with the position behind the well-known prefix. It ends when found
// returns false.
func eachKey(s string, found func(begin, end int, p *prefix) bool) {
	table := byFirst()
	for i := 0; i < len(s); i++ {
		candidates := table[s[i]]
		if len(candidates) == 0 || i > 0 && isWord(s[i-1]) {
			continue
		}
		for _, p := range candidates {
			if !strings.HasPrefix(s[i:], p.text) {
				continue
			}
			begin := i + len(p.text)
			if n := span(s[begin:], p.more); n >= p.least {
				if !found(begin, begin+n, p) {
					return
				}
				i = begin + n - 1
				break
			}
		}
	}
}

// secretIn returns the well-known prefix of a key in an address, as it is written or percent-encoded, "" if there is
// none. Words in lower case with dashes between, as in addresses of articles, are no key.
func secretIn(url string) string {
	begins := ""
	for range 4 { // encoded, and encoded again
		eachKey(url, func(begin, end int, p *prefix) bool {
			if !isSlug(url[begin:end]) {
				begins = p.text
			}
			return begins == ""
		})
		plain := percentDecoded(url)
		if begins != "" || plain == url {
			return begins
		}
		url = plain
	}
	return begins
}

func isSlug(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '-' && (c < 'a' || c > 'z') {
			return false
		}
	}
	return strings.Count(s, "-") >= 2
}

// percentDecoded replaces percent escapes by their bytes, and leaves invalid ones.
func percentDecoded(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if i+2 < len(s) && s[i] == '%' {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// hide finds every occurrence of text at the beginning of a word, and replaces by the Mark the part of what follows
// that secret returns: from keep to end. An end of 0 means that there is no secret.
func hide(s, text string, secret func(rest string) (keep, end int)) string {
	from := 0
	var b strings.Builder
	for at := 0; ; {
		i := strings.Index(s[at:], text)
		if i < 0 {
			break
		}
		begin := at + i + len(text)
		at = begin
		if i := begin - len(text); i > 0 && isWord(s[i-1]) && isWord(text[0]) {
			continue
		}
		keep, end := secret(s[begin:])
		if end <= keep {
			continue
		}
		b.WriteString(s[from : begin+keep])
		b.WriteString(Mark)
		from, at = begin+end, begin+end
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

func isWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}

// span counts the letters, digits and characters of more that s begins with.
func span(s, more string) int {
	n := 0
	for n < len(s) && (s[n] != '_' && isWord(s[n]) || strings.IndexByte(more, s[n]) >= 0) {
		n++
	}
	return n
}

// webTokens hides JSON web tokens: three parts in base64, of which the first two are JSON objects.
func webTokens(s string) string {
	return hide(s, "eyJ", func(rest string) (int, int) {
		const chars = "-_="
		header := span(rest, chars)
		if header < 5 || !strings.HasPrefix(rest[header:], ".eyJ") {
			return 0, 0
		}
		end := header + 1 + span(rest[header+1:], chars)
		if end < len(rest) && rest[end] == '.' {
			end += 1 + span(rest[end+1:], chars)
		}
		return 0, end
	})
}

// privateKeys hides what stands between the lines that fence a private key.
func privateKeys(s string) string {
	return hide(s, "-----BEGIN ", func(rest string) (int, int) {
		fence := strings.Index(rest, "PRIVATE KEY-----")
		if fence < 0 || fence > 30 {
			return 0, 0
		}
		body := fence + len("PRIVATE KEY-----")
		end := strings.Index(rest[body:], "-----END")
		switch {
		case end < 0:
			end = len(rest) - body // cut off, but no less secret
		case rest[body:body+end] == Mark:
			return 0, 0
		}
		return body, body + end
	})
}

// userinfo redacts the user information in addresses: scheme://name:password@host.
func userinfo(s string) string {
	return hide(s, "://", func(rest string) (int, int) {
		authority := strings.IndexAny(rest, "/?#\\ \t\r\n\"'<>`")
		if authority < 0 {
			authority = len(rest)
		}
		at := strings.LastIndexByte(rest[:authority], '@')
		if at <= 0 || rest[:at] == Mark {
			return 0, 0
		}
		return 0, at
	})
}
