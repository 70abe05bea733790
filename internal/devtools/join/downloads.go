package join

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/wire"
)

// behavior are the parameters of Browser.setDownloadBehavior.
type behavior struct {
	Behavior string `json:"behavior"`
	Context  string `json:"browserContextId,omitzero"`
	Path     string `json:"downloadPath,omitzero"`
	Events   bool   `json:"eventsEnabled"`
}

// downloads are a client's wishes for the downloads of the session. A browser context has one directory for downloads, and usher must
// find them there: so the client gets copies where it wants them.
type downloads struct {
	wish    behavior          // guarded by client.mu: for downloads that begin now
	running map[string]wanted // guarded by client.mu: by GUID
}

// wanted is what the client wants of a download.
type wanted struct {
	behavior
	name string // the suggested one
}

// setDownloads takes Browser.setDownloadBehavior.
func (c *client) setDownloads(cmd *wire.Command, p params) *cdp.Error {
	if refused := c.inContext(cmd, p); refused != nil {
		return refused
	}
	var wish behavior
	if err := json.Unmarshal(cmd.Params, &wish, jsontext.AllowInvalidUTF8(true)); err != nil {
		return refusal(codeParams, "Invalid parameters")
	}
	dir := c.of.options.Downloads()
	if wish.Context != string(c.of.context) || dir == "" {
		return nil // a browser context of the client's own
	}
	switch {
	case wish.Behavior != "allow" && wish.Behavior != "allowAndName" && wish.Behavior != "deny" && wish.Behavior != "default":
		return refusal(codeParams, "Invalid parameters: behavior")
	case wish.Behavior[0] == 'a' && !filepath.IsAbs(wish.Path):
		return refusal(codeParams, "downloadPath not provided")
	}
	c.mu.Lock()
	c.downloads.wish = wish
	c.mu.Unlock()
	text, err := json.Marshal(behavior{Behavior: "allowAndName", Context: wish.Context, Path: dir, Events: wish.Events})
	if err != nil {
		return refusal(codeServer, err.Error())
	}
	cmd.Params = text
	return nil
}

// download passes an event of a download on, when the client's copy is there.
func (c *client) download(msg []byte, env wire.Envelope) {
	var p struct {
		GUID  string         `json:"guid"`
		Name  string         `json:"suggestedFilename"`
		State string         `json:"state"`
		Path  jsontext.Value `json:"filePath"`
	}
	if json.Unmarshal(env.Payload, &p) != nil || p.GUID == "" || filepath.Base(p.GUID) != p.GUID {
		c.pass(msg, env)
		return
	}
	c.mu.Lock()
	wish := c.downloads.running[p.GUID]
	switch {
	case env.Method == "Browser.downloadWillBegin":
		if c.downloads.running == nil {
			c.downloads.running = map[string]wanted{}
		}
		c.downloads.running[p.GUID] = wanted{c.downloads.wish, p.Name}
	case p.State != "inProgress":
		delete(c.downloads.running, p.GUID)
	}
	closed := c.closed
	if p.State == "completed" && !closed {
		c.copying.Add(1)
	}
	c.mu.Unlock()
	if p.State != "completed" || closed {
		c.pass(msg, env)
		return
	}
	go func() {
		defer c.copying.Done()
		if path := c.deliver(wish, p.GUID); path != "" && p.Path != nil {
			if text, err := json.Marshal(path, jsontext.AllowInvalidUTF8(true)); err == nil {
				env.Payload = bytes.Replace(env.Payload, append([]byte(filePath), p.Path...), append([]byte(filePath), text...), 1)
				msg = env.Append(nil)
			}
		}
		c.pass(msg, env)
	}()
}

// filePath begins the member of Browser.downloadProgress that says where a file is.
const filePath = `"filePath":`

// deliver puts a copy of a download where the client wants it, in place of a file that is there, as Chromium does. It returns its path; "" if there is
// none, or it failed: then the client is told where usher's is.
func (c *client) deliver(wish wanted, guid string) (path string) {
	name := guid
	switch wish.Behavior {
	case "allow":
		if name = filepath.Base(filepath.FromSlash(wish.name)); name == "." || name == ".." {
			return ""
		}
	case "allowAndName":
	default:
		return ""
	}
	from, to := filepath.Join(c.of.options.Downloads(), guid), filepath.Join(wish.Path, name)
	if from == to || copyFile(from, to) != nil {
		return ""
	}
	return to
}

// copyFile links or copies a file to another name, in place of what has it.
func copyFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	part := to + "." + filepath.Base(from) + ".part"
	if os.Link(from, part) != nil {
		if err := copyContent(from, part); err != nil {
			return err
		}
	}
	err := os.Rename(part, to)
	if err != nil {
		_ = os.Remove(part) // the first error counts
	}
	return err
}

// copyContent copies a file to a new one; a part of a file is worse than none.
func copyContent(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		_ = os.Remove(to)
	}
	return err
}
