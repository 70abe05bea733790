package provider

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// credentials sign requests to AWS by Signature Version 4:
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
type credentials struct {
	id, secret, token string // token is empty for keys without an end
	region, service   string
	now               func() time.Time
}

// authorizeAWS reads the credentials from the environment or, if it has none, from the AWS command line, and sets the region.
func authorizeAWS(ctx context.Context, c *client) error {
	region := "us-east-1"
	for _, name := range []string{"AGENTCORE_REGION", "AWS_REGION", "AWS_DEFAULT_REGION"} {
		if v := c.env(name); v != "" {
			region = v
			break
		}
	}
	if strings.ContainsFunc(region, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		return c.fail("the region %.40q is not the name of one; nothing was started", region).WithHint("Set AGENTCORE_REGION to a name such as us-east-1.")
	}
	if c.env(c.service.at) == "" {
		c.base = "https://bedrock-agentcore." + region + ".amazonaws.com"
	}
	c.aws = credentials{
		id: c.env("AWS_ACCESS_KEY_ID"), secret: c.env("AWS_SECRET_ACCESS_KEY"), token: c.env("AWS_SESSION_TOKEN"),
		region: region, service: "bedrock-agentcore", now: time.Now,
	}
	if c.aws.id == "" || c.aws.secret == "" {
		if err := c.askAWS(ctx); err != nil {
			return err
		}
	}
	c.secret(c.aws.id, c.aws.secret, c.aws.token)
	return nil
}

// askAWS takes the credentials from `aws configure export-credentials`, which knows profiles and single sign-on.
func (c *client) askAWS(ctx context.Context) error {
	none := func(why string) error {
		return c.fail("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, and %s; nothing was started", why).
			WithHint("Set them, or install the AWS command line (version 2) and run `aws sso login` or `aws configure`.")
	}
	path, err := exec.LookPath("aws")
	if err != nil {
		return none("there is no program aws that could give them")
	}
	args := []string{"configure", "export-credentials", "--format", "process"}
	if profile := c.env("AWS_PROFILE"); profile != "" {
		args = append(args, "--profile", profile)
	}
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second
	cmd.Env = os.Environ()
	if home := c.env("HOME"); home != "" {
		cmd.Env = append(cmd.Env, "HOME="+home)
	}
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return none("`aws configure export-credentials` did not answer in time")
	}
	if err != nil {
		return none(fmt.Sprintf("`aws configure export-credentials` failed: %v", err))
	}
	var got struct {
		ID     string `json:"AccessKeyId"`
		Secret string `json:"SecretAccessKey"`
		Token  string `json:"SessionToken"`
	}
	if err := json.Unmarshal(out, &got); err != nil || got.ID == "" || got.Secret == "" {
		return none("`aws configure export-credentials` printed none")
	}
	c.aws.id, c.aws.secret, c.aws.token = got.ID, got.Secret, got.Token
	return nil
}

// headers returns the headers with which the WebSocket at an address is opened now.
func (k *credentials) headers(endpoint string) (http.Header, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, err
	}
	req := &http.Request{Method: http.MethodGet, URL: u, Host: u.Host, Header: http.Header{}}
	return req.Header, k.sign(req, nil)
}

// sign adds the signature to a request whose other headers and body are complete. The signature covers the host, the
// content type and the headers of AWS.
func (k *credentials) sign(req *http.Request, body []byte) error {
	at := k.now().UTC()
	stamp, day := at.Format("20060102T150405Z"), at.Format("20060102")
	req.Header.Set("X-Amz-Date", stamp)
	if k.token != "" {
		req.Header.Set("X-Amz-Security-Token", k.token)
	}
	signed := map[string]string{"host": req.URL.Host}
	for name, values := range req.Header {
		if name = strings.ToLower(name); name == "content-type" || strings.HasPrefix(name, "x-amz-") {
			signed[name] = strings.Join(strings.Fields(strings.Join(values, ",")), " ")
		}
	}
	names := make([]string, 0, len(signed))
	for name := range signed {
		names = append(names, name)
	}
	slices.Sort(names)
	var canonical strings.Builder
	fmt.Fprintf(&canonical, "%s\n%s\n%s\n", req.Method, awsPath(req.URL), awsQuery(req.URL.Query()))
	for _, name := range names {
		fmt.Fprintf(&canonical, "%s:%s\n", name, signed[name])
	}
	list := strings.Join(names, ";")
	hash := sha256.Sum256(body)
	fmt.Fprintf(&canonical, "\n%s\n%x", list, hash)

	scope := day + "/" + k.region + "/" + k.service + "/aws4_request"
	digest := sha256.Sum256([]byte(canonical.String()))
	key := []byte("AWS4" + k.secret)
	for _, part := range []string{day, k.region, k.service, "aws4_request"} {
		key = keyed(key, part)
	}
	signature := hex.EncodeToString(keyed(key, fmt.Sprintf("AWS4-HMAC-SHA256\n%s\n%s\n%x", stamp, scope, digest)))
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+k.id+"/"+scope+", SignedHeaders="+list+", Signature="+signature)
	return nil
}

func keyed(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// awsPath returns the path, each of its parts escaped once more than in the address, as services other than S3 want it.
func awsPath(u *url.URL) string {
	path := u.EscapedPath()
	if path == "" {
		return "/"
	}
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = awsEscape(part)
	}
	return strings.Join(parts, "/")
}

func awsQuery(q url.Values) string {
	var pairs []string
	for name, values := range q {
		for _, v := range values {
			pairs = append(pairs, awsEscape(name)+"="+awsEscape(v))
		}
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}

// awsEscape escapes all but letters, digits and -._~ .
func awsEscape(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c == '-' || c == '.' || c == '_' || c == '~' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
