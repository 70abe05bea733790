package provider

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/usher-browser/usher/internal/wire"
)

// browserbase: https://docs.browserbase.com/reference/api/create-a-session. A session without keepAlive ends when its
// connection does.
func browserbase() *service {
	return &service{
		name: "browserbase", title: "Browserbase", key: "BROWSERBASE_API_KEY", page: "https://www.browserbase.com/sessions",
		at: "BROWSERBASE_BASE_URL", base: "https://api.browserbase.com", passes: []string{"proxy"},
		open: func(ctx context.Context, c *client) (opened, error) {
			body := map[string]any{}
			if id := c.env("BROWSERBASE_PROJECT_ID"); id != "" {
				body["projectId"] = id
			}
			switch {
			case c.options.Proxy != "":
				body["proxies"] = []any{externalProxy(c, c.options.Proxy)}
			case c.on("BROWSERBASE_PROXY", false):
				body["proxies"] = []any{map[string]any{"type": "browserbase"}}
			}
			settings := map[string]any{}
			if c.on("BROWSERBASE_ADVANCED_STEALTH", false) {
				settings["advancedStealth"] = true
			}
			if system := c.env("BROWSERBASE_OS"); system != "" {
				settings["os"] = system
			}
			if len(settings) > 0 {
				body["browserSettings"] = settings
			}
			var got struct {
				ID         string `json:"id"`
				ConnectURL string `json:"connectUrl"`
				ProjectID  string `json:"projectId"`
			}
			err := c.do(ctx, request{method: http.MethodPost, path: "/v1/sessions", header: http.Header{"X-BB-API-Key": {c.key}}, body: body}, &got)
			return opened{id: got.ID, ref: got.ID + " " + got.ProjectID, endpoint: got.ConnectURL}, err
		},
		stop: func(ctx context.Context, c *client, ref string) error {
			id, project, _ := strings.Cut(ref, " ")
			body := map[string]any{"status": "REQUEST_RELEASE"}
			if project != "" {
				body["projectId"] = project
			}
			return c.do(ctx, request{
				method: http.MethodPost, path: "/v1/sessions/" + url.PathEscape(id), header: http.Header{"X-BB-API-Key": {c.key}}, body: body,
			}, nil)
		},
	}
}

// externalProxy describes a proxy server to Browserbase. The server is given without its login.
func externalProxy(c *client, proxy string) map[string]any {
	out := map[string]any{"type": "external", "server": proxy}
	if !strings.Contains(proxy, "://") {
		proxy = "http://" + proxy
	}
	u, err := url.Parse(proxy)
	if err != nil || u.User == nil {
		return out
	}
	password, _ := u.User.Password()
	c.secret(password)
	out["username"], out["password"] = u.User.Username(), password
	u.User = nil
	out["server"] = u.String()
	return out
}

// browserless: https://docs.browserless.io/baas/session-management/persisting-state. Its addresses contain the key as
// token.
func browserless() *service {
	return &service{
		name: "browserless", title: "Browserless", key: "BROWSERLESS_API_KEY", page: "https://account.browserless.io",
		at: "BROWSERLESS_API_URL", base: "https://production-sfo.browserless.io",
		open: func(ctx context.Context, c *client) (opened, error) {
			ttl, err := c.number("BROWSERLESS_TTL", 300_000)
			if err != nil {
				return opened{}, err
			}
			kind := c.env("BROWSERLESS_BROWSER_TYPE")
			switch kind {
			case "":
				kind = "chromium"
			case "chromium", "chrome":
			default:
				return opened{}, c.fail("BROWSERLESS_BROWSER_TYPE is %.40q, which usher cannot drive; nothing was started", kind).WithHint("Unset it, or set it to chromium or chrome.")
			}
			var got struct {
				ID      string `json:"id"`
				Connect string `json:"connect"`
				Stop    string `json:"stop"`
			}
			err = c.do(ctx, request{
				method: http.MethodPost, path: "/session?token=" + url.QueryEscape(c.key),
				body: map[string]any{"ttl": ttl, "stealth": c.on("BROWSERLESS_STEALTH", true), "browser": kind},
			}, &got)
			if err != nil {
				return opened{}, err
			}
			ref, err := c.pathOf(got.Stop)
			if err != nil {
				return opened{}, err
			}
			if got.ID == "" { // its last versions give one
				got.ID = ref[strings.LastIndexByte(ref, '/')+1:]
			}
			return opened{id: got.ID, ref: ref, endpoint: got.Connect}, nil
		},
		stop: func(ctx context.Context, c *client, ref string) error {
			q := url.Values{"token": {c.key}, "force": {"true"}}
			return c.do(ctx, request{method: http.MethodDelete, path: ref + "?" + q.Encode()}, nil)
		},
	}
}

// pathOf returns the path of an address that the API returned, which must be at the API itself, because it gets the key.
func (c *client) pathOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Path == "" {
		return "", c.fail("the answer has no address at which the session can be stopped, but %.80q", c.hide(address))
	}
	base, err := url.Parse(c.base)
	if err != nil {
		return "", err
	}
	if u.Host != base.Host {
		return "", c.fail("the session is to be stopped at the host %s, not at that of the API (%s), where alone the key is sent", u.Host, base.Host).
			WithHint("Set %s to https://%s.", c.service.at, u.Host)
	}
	return strings.TrimPrefix(u.EscapedPath(), strings.TrimRight(base.EscapedPath(), "/")), nil
}

// browserUse: https://docs.browser-use.com/cloud/api-v4/browsers/create-browser-session.
func browserUse() *service {
	header := func(c *client) http.Header { return http.Header{"X-Browser-Use-API-Key": {c.key}} }
	return &service{
		name: "browseruse", title: "Browser Use", key: "BROWSER_USE_API_KEY", page: "https://cloud.browser-use.com",
		at: "BROWSER_USE_API_URL", base: "https://api.browser-use.com/api/v4",
		open: func(ctx context.Context, c *client) (opened, error) {
			body := map[string]any{}
			if id := c.env("BROWSER_USE_PROFILE_ID"); id != "" {
				body["profileId"] = id
			}
			switch country := strings.ToLower(c.env("BROWSER_USE_PROXY_COUNTRY")); country {
			case "":
			case "none", "direct":
				body["proxyCountryCode"] = nil
			default:
				body["proxyCountryCode"] = country
			}
			if c.on("BROWSER_USE_ENABLE_RECORDING", false) {
				body["enableRecording"] = true
			}
			var got struct {
				ID     string `json:"id"`
				CDPURL string `json:"cdpUrl"`
			}
			err := c.do(ctx, request{method: http.MethodPost, path: "/browsers", header: header(c), body: body}, &got)
			return opened{id: got.ID, ref: got.ID, endpoint: got.CDPURL}, err
		},
		stop: func(ctx context.Context, c *client, id string) error {
			return c.do(ctx, request{
				method: http.MethodPatch, path: "/browsers/" + url.PathEscape(id), header: header(c), body: map[string]any{"action": "stop"},
			}, nil)
		},
	}
}

// kernel: https://www.kernel.sh/docs/api-reference/browsers/create-a-browser-session.
func kernel() *service {
	header := func(c *client) http.Header { return http.Header{"Authorization": {"Bearer " + c.key}} }
	return &service{
		name: "kernel", title: "Kernel", key: "KERNEL_API_KEY", page: "https://dashboard.onkernel.com",
		at: "KERNEL_ENDPOINT", base: "https://api.onkernel.com",
		open: func(ctx context.Context, c *client) (opened, error) {
			idle, err := c.number("KERNEL_TIMEOUT_SECONDS", 300)
			if err != nil {
				return opened{}, err
			}
			body := map[string]any{"headless": c.on("KERNEL_HEADLESS", true), "stealth": c.on("KERNEL_STEALTH", false), "timeout_seconds": idle}
			if name := c.env("KERNEL_PROFILE_NAME"); name != "" {
				body["profile"] = map[string]any{"name": name, "save_changes": c.on("KERNEL_PROFILE_SAVE_CHANGES", true)}
			}
			var got struct {
				ID  string `json:"session_id"`
				CDP string `json:"cdp_ws_url"`
			}
			err = c.do(ctx, request{method: http.MethodPost, path: "/browsers", header: header(c), body: body}, &got)
			return opened{id: got.ID, ref: got.ID, endpoint: got.CDP}, err
		},
		stop: func(ctx context.Context, c *client, id string) error {
			return c.do(ctx, request{method: http.MethodDelete, path: "/browsers/" + url.PathEscape(id), header: header(c)}, nil)
		},
	}
}

// agentCore: https://docs.aws.amazon.com/bedrock-agentcore/latest/APIReference/API_StartBrowserSession.html. Requests and the
// WebSocket are signed (SigV4).
func agentCore() *service {
	return &service{
		name: "agentcore", title: "AgentCore", key: "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", page: "https://console.aws.amazon.com/bedrock-agentcore",
		at: "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", base: "https://bedrock-agentcore.us-east-1.amazonaws.com",
		authorize: authorizeAWS,
		open: func(ctx context.Context, c *client) (opened, error) {
			limit, err := c.number("AGENTCORE_SESSION_TIMEOUT", 3600)
			if err != nil {
				return opened{}, err
			}
			browser := c.env("AGENTCORE_BROWSER_ID")
			if browser == "" {
				browser = "aws.browser.v1"
			}
			body := map[string]any{"name": "usher", "sessionTimeoutSeconds": limit}
			if id := c.env("AGENTCORE_PROFILE_ID"); id != "" {
				body["profileConfiguration"] = map[string]any{"profileIdentifier": id}
			}
			var got struct {
				ID      string `json:"sessionId"`
				Streams struct {
					Automation struct {
						Endpoint string `json:"streamEndpoint"`
					} `json:"automationStream"`
				} `json:"streams"`
			}
			err = c.do(ctx, request{method: http.MethodPut, path: "/browsers/" + url.PathEscape(browser) + "/sessions/start", body: body, sign: c.aws.sign}, &got)
			return opened{id: got.ID, ref: browser + " " + got.ID, endpoint: got.Streams.Automation.Endpoint}, err
		},
		stop: func(ctx context.Context, c *client, ref string) error {
			browser, id, _ := strings.Cut(ref, " ")
			return c.do(ctx, request{
				method: http.MethodPut, path: "/browsers/" + url.PathEscape(browser) + "/sessions/stop?sessionId=" + url.QueryEscape(id),
				body: map[string]any{}, sign: c.aws.sign,
			}, nil)
		},
		access: func(c *client, endpoint string) (wire.Access, error) {
			header, err := c.aws.headers(endpoint)
			return wire.Access{Header: header}, err
		},
	}
}
