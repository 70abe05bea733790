package policy

import "strings"

// secretHeaders are headers whose value is a credential.
var secretHeaders = [...]string{"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token",
	"x-csrf-token", "x-amz-security-token", "x-goog-api-key", "api-key"}

func secretHeader(name string) bool {
	for _, h := range secretHeaders {
		if strings.EqualFold(h, name) {
			return true
		}
	}
	return false
}

// secretParameters are names in queries and forms that go with a credential.
var secretParameters = [...]string{"access_token", "refresh_token", "id_token", "auth_token", "token", "api_key", "apikey",
	"api-key", "client_secret", "secret", "password", "passwd", "pwd", "session_token", "sessionid", "jwt", "signature", "sig",
	"x-amz-signature", "x-amz-security-token", "x-amz-credential", "x-goog-signature", "x-goog-credential", "code_verifier"}

func secretParameter(name string) bool {
	for _, p := range secretParameters {
		if strings.EqualFold(p, name) {
			return true
		}
	}
	return false
}

// parameters redacts the values of credential-named parameters: name=value behind ? & or #.
func parameters(s string) string {
	for _, lead := range [...]string{"?", "&", "#"} {
		s = hide(s, lead, func(rest string) (int, int) {
			name := span(rest, "_-")
			if name == 0 || name > 30 || name >= len(rest) || rest[name] != '=' || !secretParameter(rest[:name]) {
				return 0, 0
			}
			return untilAny(rest, name+1, "&#;, \t\r\n\"'<>`\\)")
		})
	}
	return s
}

// untilAny returns the part of s from keep to the first of the characters that end it, if there is anything to redact.
func untilAny(s string, keep int, stop string) (int, int) {
	end := strings.IndexAny(s[keep:], stop)
	if end < 0 {
		end = len(s) - keep
	}
	if end == 0 || strings.HasPrefix(s[keep:], Mark) {
		return 0, 0
	}
	return keep, keep + end
}

// hideBearers hides what follows the name of a scheme, as in an Authorization header or a curl command.
func hideBearers(s string) string {
	for _, scheme := range [...]string{"Bearer ", "bearer "} {
		s = hide(s, scheme, func(rest string) (int, int) {
			if n := span(rest, "-_.~+/="); n >= 16 {
				return 0, n
			}
			return 0, 0
		})
	}
	return s
}

// headerLines hides the values of secret headers where whole lines stand in a text: "Cookie: a=b".
func headerLines(s string) string {
	var b strings.Builder
	from, at := 0, 0
	for line := range strings.Lines(s) {
		name, value, found := strings.Cut(line, ":")
		if found && secretHeader(strings.TrimSpace(name)) {
			if text := strings.TrimSpace(value); text != "" && text != Mark {
				begin := at + len(name) + 1 + strings.Index(value, text)
				b.WriteString(s[from:begin])
				b.WriteString(Mark)
				from = begin + len(text)
			}
		}
		at += len(line)
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}
