package gate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

// Parse parses a policy file:
//
//	{"default": "allow", "allow": ["get"], "deny": ["eval"], "confirm": ["download"]}
//
// Every member may be missing; the default is allow. Unknown members and names are errors, which name the line and the
// nearest valid word: a policy that is not understood would not protect.
func Parse(table *verb.Table, path string, text []byte) (*Policy, error) {
	r := &policyReader{table: table, text: text, dec: jsontext.NewDecoder(bytes.NewReader(text))}
	p := &Policy{Path: path, Default: Allow, lists: map[Decision][]string{}}
	if err := r.object(p); err != nil {
		at := 1 + bytes.Count(text[:min(int(r.dec.InputOffset()), len(text))], []byte("\n"))
		var syntax *jsontext.SyntacticError
		if errors.As(err, &syntax) {
			at = 1 + bytes.Count(text[:min(int(syntax.ByteOffset), len(text))], []byte("\n"))
		}
		return nil, fmt.Errorf("%s:%d: %w", path, at, err)
	}
	return p, nil
}

type policyReader struct {
	table *verb.Table
	text  []byte
	dec   *jsontext.Decoder
}

func (r *policyReader) object(p *Policy) error {
	if r.dec.PeekKind() != '{' {
		if _, err := r.dec.ReadToken(); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		return errSyntax
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	for r.dec.PeekKind() != '}' {
		name, err := r.dec.ReadToken()
		if err != nil {
			return err
		}
		if err := r.member(p, name.String()); err != nil {
			return err
		}
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("there is text after the policy")
	}
	return nil
}

func (r *policyReader) member(p *Policy, name string) error {
	switch name {
	case "default":
		word, err := r.word("default")
		if err != nil {
			return err
		}
		switch d := Decision(word); d {
		case Allow, Deny, Confirm:
			p.Default = d
			return nil
		}
		return fmt.Errorf("default is %q: write allow, deny or confirm", word)
	case string(Allow), string(Deny), string(Confirm):
		list, err := r.list(name)
		p.lists[Decision(name)] = list
		return err
	}
	members := []string{"default", "allow", "deny", "confirm"}
	if near := spelling.Nearest(name, members); len(near) > 0 {
		return fmt.Errorf("a policy has no member %q; did you mean %s?", name, strings.Join(near, " or "))
	}
	return fmt.Errorf("a policy has no member %q; it has %s", name, strings.Join(members, ", "))
}

func (r *policyReader) list(member string) ([]string, error) {
	tok, err := r.dec.ReadToken()
	if err != nil {
		return nil, err
	}
	if tok.Kind() != '[' {
		return nil, fmt.Errorf("%s is not a list of names", member)
	}
	list := []string{}
	for r.dec.PeekKind() != ']' {
		word, err := r.word(member)
		if err != nil {
			return nil, err
		}
		if err := known(r.table, word); err != nil {
			return nil, fmt.Errorf("%s: %w", member, err)
		}
		list = append(list, word)
	}
	_, err = r.dec.ReadToken()
	return list, err
}

func (r *policyReader) word(member string) (string, error) {
	tok, err := r.dec.ReadToken()
	if err != nil {
		return "", err
	}
	if tok.Kind() != '"' {
		return "", fmt.Errorf("%s has a value that is not a text", member)
	}
	return tok.String(), nil
}

// actionNames returns the actions of agent-browser's protocol whose names differ from those of the commands, each with
// the command, family or category that it is.
var actionNames = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"launch": "launch", "evaluate": "eval", "evalhandle": "eval", "addscript": "eval", "addstyle": "eval", "expose": "eval",
		"gettext": "get text", "innertext": "get text", "innerhtml": "get html", "content": "get html", "inputvalue": "get value", "count": "get count",
		"boundingbox": "get box", "styles": "get styles", "getattribute": "get attr", "title": "get title", "url": "get url", "cdp_url": "get cdp-url",
		"isvisible": "is visible", "isenabled": "is enabled", "ischecked": "is checked",
		"waitforurl": "wait", "waitforloadstate": "wait", "waitforfunction": "wait", "waitfordownload": "wait",
		"getbyrole": "find role", "getbytext": "find text", "getbylabel": "find label", "getbyplaceholder": "find placeholder", "getbyalttext": "find alt",
		"getbytitle": "find title", "getbytestid": "find testid", "nth": "find nth",
		"mousemove": "mouse move", "mousedown": "mouse down", "mouseup": "mouse up", "wheel": "mouse wheel",
		"inserttext": "keyboard inserttext", "mainframe": "frame switch", "multiselect": "select", "setvalue": "fill", "clear": "fill", "setcontent": "eval",
		"requests": "network requests", "request_detail": "network request", "responsebody": "network request",
		"route": "network route", "unroute": "network unroute", "har_start": "network har start", "har_stop": "network har stop",
		"viewport": "set viewport", "geolocation": "set geo", "offline": "set offline", "headers": "set headers",
		"credentials": "set credentials", "emulatemedia": "set media", "permissions": "set permissions", "useragent": "set useragent",
		"timezone": "set timezone", "locale": "set locale", "selectall": "press", "dispatch": "eval", "pause": "pause",
		"storage_get": "storage_get", "storage_set": "storage_set", "storage_clear": "storage_clear", // synonyms of acts
		"credentials_set": "auth save", "credentials_get": "auth show", "credentials_list": "auth list", "credentials_delete": "auth delete",
		"input_mouse": "mouse", "input_keyboard": "keyboard", "input_touch": "tap",
		"screencast_start": "stream", "screencast_stop": "stream", "video_start": "record start", "video_stop": "record stop",
		"recording_start": "record start", "recording_stop": "record stop", "recording_restart": "record restart", "bringtofront": "tab switch",
	}
})
