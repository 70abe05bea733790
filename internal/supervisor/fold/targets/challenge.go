package targets

import (
	"strings"
)

// challenges are the headers by which services declare a bot challenge in place of the document: Cloudflare documents
// cf-mitigated, whose one value is challenge, AWS WAF x-amzn-waf-action, which is challenge or captcha.
var challenges = map[string]struct {
	service string
	values  string // separated by spaces
}{
	"cf-mitigated":      {"Cloudflare", "challenge"},
	"x-amzn-waf-action": {"AWS WAF", "challenge captcha"},
}

// challenger returns the service that sent a challenge in place of a document, empty for none.
func challenger(headers map[string]string) string {
	for name, value := range headers {
		c, known := challenges[strings.ToLower(name)]
		if value = strings.ToLower(strings.TrimSpace(value)); known && value != "" && strings.Contains(" "+c.values+" ", " "+value+" ") {
			return c.service
		}
	}
	return ""
}
