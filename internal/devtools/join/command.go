package join

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/wire"
)

// Codes of errors that a client is told, of JSON-RPC 2.0 and Chromium's protocol.
const (
	codeParse     = -32700
	codeInvalid   = -32600
	codeParams    = -32602
	codeServer    = -32000
	codeNoSession = -32001
)

// answerLimit bounds calls that usher makes in place of the client's.
const answerLimit = 30 * time.Second

// Write takes a command of the client. What is wrong with it is answered, and no error. The error is that of the connection to the browser.
func (c *client) Write(msg []byte) error {
	cmd, err := wire.ParseCommand(msg)
	switch {
	case errors.Is(err, wire.ErrNotJSON):
		c.fail(cmd, codeParse, err.Error())
		return nil
	case err != nil:
		c.fail(cmd, codeInvalid, err.Error())
		return nil
	case !c.has(cmd.SessionID):
		c.fail(cmd, codeNoSession, "Session with given id not found.")
		return nil
	}
	domain, _, _ := strings.Cut(cmd.Method, ".")
	if examine := domains[domain]; examine != nil {
		if done, refused := examine(c, &cmd); refused != nil {
			c.fail(cmd, refused.Code, refused.Message)
			return nil //nolint:nilerr // the client was told
		} else if done {
			return nil
		}
	}
	return c.forward(cmd)
}

// level returns what a session gives access to, which clients may name "" if it is their own.
func (c *client) level(session string) level {
	if session == "" || session == c.out.ID {
		return ofBrowser
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[session].level
}

// has reports whether a session is one that the client may name.
func (c *client) has(session string) bool {
	return session != c.out.ID && c.level(session) != ofNothing
}

// forward sends a command to the browser.
func (c *client) forward(cmd wire.Command) error {
	if cmd.Method == "Runtime.runIfWaitingForDebugger" && cmd.SessionID != "" && c.of.browser.Start(cmd.SessionID, func() { c.letRun(cmd) }) {
		return c.out.Conn.Err()
	}
	cmd.SessionID = c.session(cmd)
	return c.out.Conn.Forward(c, cmd)
}

// letRun sends the command that lets a new target run, behind those of others, and answers it: what the page does first may be a dialog, which stops
// it before it answers.
func (c *client) letRun(cmd wire.Command) {
	c.out.Conn.Post(wire.Command{Method: cmd.Method, SessionID: cmd.SessionID})
	c.answer(cmd, struct{}{})
}

// session returns the CDP session of a command.
func (c *client) session(cmd wire.Command) string {
	if cmd.SessionID == "" {
		return c.out.ID
	}
	return cmd.SessionID
}

// fail answers a command with an error.
func (c *client) fail(cmd wire.Command, code int64, message string) {
	text, err := json.Marshal(&cdp.Error{Code: code, Message: message}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		text = []byte(`{"code":` + strconv.Itoa(codeServer) + `,"message":"the error has no JSON"}`)
	}
	if cmd.ID == 0 && cmd.Method == "" { // the message could not be read: nobody knows its id
		c.Put(append(append([]byte(`{"error":`), text...), '}'))
		return
	}
	c.reply(cmd, wire.Envelope{Payload: text, IsError: true})
}

// answer answers a command with a result.
func (c *client) answer(cmd wire.Command, result any) {
	text, err := json.Marshal(result)
	if err != nil {
		c.fail(cmd, codeServer, err.Error())
		return
	}
	c.reply(cmd, wire.Envelope{Payload: text})
}

func (c *client) reply(cmd wire.Command, env wire.Envelope) {
	env.ID, env.SessionID = cmd.ID, cmd.SessionID
	c.Put(env.Append(nil))
}

// refusal is why a command is not sent.
func refusal(code int64, message string) *cdp.Error { return &cdp.Error{Code: code, Message: message} }

var (
	errNoTarget  = refusal(codeParams, "No target with given id found")
	errNoContext = refusal(codeServer, "Failed to find browser context with given id")
)

// examiner looks at a command before it is sent. It may change the parameters. done reports whether it has answered; refused is the answer
// otherwise, if the command is not to be sent.
type examiner func(c *client, cmd *wire.Command) (done bool, refused *cdp.Error)

// domains are the domains whose commands may reach beyond the session. Chromium offers those of the browser in the sessions of pages, too.
var domains = map[string]examiner{
	"Target": (*client).targetCommand, "Browser": (*client).browserCommand, "Storage": (*client).storageCommand,
	"Tracing": (*client).sharedCommand, "Fetch": (*client).sharedCommand, "Security": (*client).sharedCommand, "Tethering": (*client).sharedCommand,
	"Memory": (*client).sharedCommand, "Extensions": (*client).sharedCommand, "PWA": (*client).sharedCommand,
}

// params are the parameters of the examined commands that name something.
type params struct {
	TargetID  string `json:"targetId"`
	SessionID string `json:"sessionId"`
	Context   string `json:"browserContextId"`
	WindowID  int64  `json:"windowId"`
	Flatten   bool   `json:"flatten"`
}

func paramsOf(cmd *wire.Command) (p params, refused *cdp.Error) {
	if cmd.Params == nil {
		return p, nil
	}
	if err := json.Unmarshal(cmd.Params, &p, jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(true)); err != nil {
		return p, refusal(codeParams, "Invalid parameters")
	}
	return p, nil
}

// targetCommand examines commands of the domain Target.
func (c *client) targetCommand(cmd *wire.Command) (done bool, refused *cdp.Error) {
	p, refused := paramsOf(cmd)
	if refused != nil {
		return false, refused
	}
	switch cmd.Method {
	case "Target.setDiscoverTargets", "Target.detachFromTarget", "Target.attachToBrowserTarget":
		if cmd.Method == "Target.detachFromTarget" && !c.has(p.SessionID) {
			return false, refusal(codeParams, "No session with given id")
		}
		return false, nil
	case "Target.setAutoAttach", "Target.autoAttachRelated":
		if cmd.Method == "Target.setAutoAttach" && !p.Flatten && autoAttach(cmd.Params) {
			return false, refusal(codeParams, "usher offers sessions with flatten: true only")
		}
		return false, c.mayReach(p.TargetID)
	case "Target.attachToTarget":
		if !p.Flatten {
			return false, refusal(codeParams, "usher offers sessions with flatten: true only")
		}
		return false, c.mustReach(p.TargetID)
	case "Target.activateTarget", "Target.closeTarget", "Target.getDevToolsTarget", "Target.openDevTools":
		return false, c.mustReach(p.TargetID)
	case "Target.getTargetInfo":
		if p.TargetID == "" { // that of the session
			return false, nil
		}
		return true, c.getTargetInfo(*cmd)
	case "Target.getTargets":
		return true, c.getTargets(*cmd)
	case "Target.getBrowserContexts":
		return true, c.getContexts(*cmd)
	case "Target.createTarget":
		return false, c.inContext(cmd, p)
	case "Target.createBrowserContext":
		c.expect(c.session(*cmd), cmd.ID, c.contextMade)
		return false, setMember(cmd, "disposeOnDetach", true) // also if the client leaves before it is made
	case "Target.disposeBrowserContext":
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.contexts[p.Context] {
			return false, refusal(codeServer, "Only browser contexts that this client made can be disposed of; `usher close` closes the session's")
		}
		return false, nil
	}
	return false, refusal(codeServer, cmd.Method+" is not available over the endpoint of a session")
}

// autoAttach reports whether the parameters of Target.setAutoAttach switch it on.
func autoAttach(raw jsontext.Value) bool {
	var p struct {
		AutoAttach bool `json:"autoAttach"`
	}
	return json.Unmarshal(raw, &p, jsontext.AllowInvalidUTF8(true)) != nil || p.AutoAttach
}

// mayReach returns an error for a target that is not the client's. No target is none of others.
func (c *client) mayReach(target string) *cdp.Error {
	if target == "" {
		return nil
	}
	return c.mustReach(target)
}

// mustReach returns an error unless the target is the client's.
func (c *client) mustReach(target string) *cdp.Error {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	var got struct {
		Info info `json:"targetInfo"`
	}
	err := c.out.Conn.Browser().Call(ctx, "Target.getTargetInfo", map[string]string{"targetId": target}, &got)
	if err != nil || !c.owns(got.Info) {
		return errNoTarget
	}
	return nil
}

// getTargets answers with the client's targets.
func (c *client) getTargets(cmd wire.Command) *cdp.Error {
	var got struct {
		Infos []jsontext.Value `json:"targetInfos"`
	}
	if refused := c.instead(cmd, &got); refused != nil {
		return refused
	}
	own := []jsontext.Value{}
	for _, raw := range got.Infos {
		var t info
		if json.Unmarshal(raw, &t) == nil && c.owns(t) {
			own = append(own, c.of.attached.show(t.TargetID, raw))
		}
	}
	c.answer(cmd, map[string]any{"targetInfos": own})
	return nil
}

// getTargetInfo answers with one of the client's targets.
func (c *client) getTargetInfo(cmd wire.Command) *cdp.Error {
	var got struct {
		Info jsontext.Value `json:"targetInfo"`
	}
	if refused := c.instead(cmd, &got); refused != nil {
		return refused
	}
	var t info
	if json.Unmarshal(got.Info, &t) != nil || !c.owns(t) {
		return errNoTarget
	}
	c.answer(cmd, map[string]any{"targetInfo": jsontext.Value(c.of.attached.show(t.TargetID, got.Info))})
	return nil
}

// ownsWindow returns an error unless a window shows a tab of the client's.
func (c *client) ownsWindow(id int64) *cdp.Error {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	var got struct {
		Infos []info `json:"targetInfos"`
	}
	if err := c.out.Conn.Browser().Call(ctx, "Target.getTargets", nil, &got); err != nil {
		return refusal(codeServer, err.Error())
	}
	for _, t := range got.Infos {
		var window struct {
			ID int64 `json:"windowId"`
		}
		if t.Type != "page" || !c.owns(t) || c.out.Conn.Browser().Call(ctx, "Browser.getWindowForTarget", map[string]string{"targetId": t.TargetID}, &window) != nil {
			continue
		}
		if window.ID == id {
			return nil
		}
	}
	return refusal(codeServer, "Browser window not found")
}

// getContexts answers with the browser contexts that the client made and that are left: the session's is the default one.
func (c *client) getContexts(cmd wire.Command) *cdp.Error {
	var all struct {
		IDs     []string `json:"browserContextIds"`
		Default string   `json:"defaultBrowserContextId,omitempty"`
	}
	if refused := c.instead(cmd, &all); refused != nil {
		return refused
	}
	if c.of.context != "" { // else all of the browser is the client's: usher did not launch it
		c.mu.Lock()
		all.IDs = slices.DeleteFunc(all.IDs, func(id string) bool { return !c.contexts[id] })
		c.mu.Unlock()
		all.Default = string(c.of.context)
	}
	c.answer(cmd, all)
	return nil
}

// contextMade takes the reply to Target.createBrowserContext.
func (c *client) contextMade(env wire.Envelope) {
	var made struct {
		Context string `json:"browserContextId"`
	}
	if env.IsError || json.Unmarshal(env.Payload, &made) != nil || made.Context == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.contexts != nil {
		c.contexts[made.Context] = true
	}
}

// instead makes the client's call on usher's own session of the browser.
func (c *client) instead(cmd wire.Command, result any) *cdp.Error {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	var params any
	if cmd.Params != nil {
		params = cmd.Params
	}
	err := c.out.Conn.Browser().Call(ctx, cmd.Method, params, result)
	var answered *cdp.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &answered):
		return answered
	}
	return refusal(codeServer, err.Error())
}

// inContext adds the session's browser context to a command that names none. The error is that of another session's.
func (c *client) inContext(cmd *wire.Command, p params) *cdp.Error {
	if p.Context != "" {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.inside(p.Context) {
			return errNoContext
		}
		return nil
	}
	if c.of.context == "" {
		return nil
	}
	return setMember(cmd, "browserContextId", c.of.context)
}

// setMember sets a parameter of a command.
func setMember(cmd *wire.Command, name string, value any) *cdp.Error {
	members := map[string]jsontext.Value{}
	if cmd.Params != nil {
		if err := json.Unmarshal(cmd.Params, &members, jsontext.AllowInvalidUTF8(true)); err != nil {
			return refusal(codeParams, "Invalid parameters")
		}
	}
	text, err := json.Marshal(value)
	if err == nil {
		members[name] = text
		cmd.Params, err = json.Marshal(members, jsontext.AllowInvalidUTF8(true))
	}
	if err != nil {
		return refusal(codeParams, err.Error())
	}
	return nil
}

// storageCommand adds the browser context to commands about cookies.
func (c *client) storageCommand(cmd *wire.Command) (done bool, refused *cdp.Error) {
	p, refused := paramsOf(cmd)
	if refused != nil {
		return false, refused
	}
	switch cmd.Method {
	case "Storage.getCookies", "Storage.setCookies", "Storage.clearCookies":
		if c.level(cmd.SessionID) == ofBrowser || p.Context != "" {
			return false, c.inContext(cmd, p)
		}
	}
	return false, nil
}

// browserCommand examines commands of the domain Browser.
func (c *client) browserCommand(cmd *wire.Command) (done bool, refused *cdp.Error) {
	p, refused := paramsOf(cmd)
	if refused != nil {
		return false, refused
	}
	switch cmd.Method {
	case "Browser.close": // as of a browser that goes on: its other users do not end with this client
		c.answer(*cmd, struct{}{})
		c.End(io.EOF)
		return true, nil
	case "Browser.crash", "Browser.crashGpuProcess", "Browser.executeBrowserCommand", "Browser.addPrivacySandboxEnrollmentOverride", "Browser.addPrivacySandboxCoordinatorKeyConfig":
		return false, refusal(codeServer, cmd.Method+" affects other sessions of the browser and is not available over the endpoint of a session")
	case "Browser.setDownloadBehavior":
		return false, c.setDownloads(cmd, p)
	case "Browser.setPermission", "Browser.grantPermissions", "Browser.resetPermissions", "Browser.cancelDownload":
		return false, c.inContext(cmd, p)
	case "Browser.getWindowBounds", "Browser.setWindowBounds", "Browser.setContentsSize":
		return false, c.ownsWindow(p.WindowID)
	case "Browser.getWindowForTarget":
		return false, c.mayReach(p.TargetID)
	}
	return false, nil
}

// sharedCommand refuses commands to the browser itself that would reach the pages of other sessions. In the sessions of pages they
// concern the page only.
func (c *client) sharedCommand(cmd *wire.Command) (done bool, refused *cdp.Error) {
	if c.level(cmd.SessionID) != ofBrowser || c.of.context == "" {
		return false, nil
	}
	return false, refusal(codeServer, cmd.Method+" concerns all sessions of the browser and is not available over the endpoint of a session; send it in the session of a page")
}
