package commands

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/client"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/mistakes"
	"github.com/usher-browser/usher/internal/verb/shell"
)

// errTime is the cause when the time of timeoutMs is over.
var errTime = errors.New("the time of the call is over")

// run runs a call of the tool. Errors of the command are results, too.
func (c *command) run(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	if ms := a.Int("timeoutMs"); ms > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, time.Duration(ms)*time.Millisecond, errTime)
		defer cancel()
		ctx = limited
	}
	reply, v, err := c.reply(ctx, h, a)
	if err != nil && errors.Is(context.Cause(ctx), errTime) {
		err = api.Errorf(api.Timeout, "%s%s: it took longer than timeoutMs (%d ms)", Prefix, c.name, a.Int("timeoutMs"))
	}
	var res *tool.Result
	if err != nil {
		res = failure(err)
	} else if res, err = c.result(ctx, h, v, reply); err != nil {
		return nil, err
	}
	if !c.traits().Is(tool.PageContent) { // all of the text is usher's
		res.Text, res.Page = strings.TrimPrefix(res.Text+"\n"+res.Page, "\n"), ""
	}
	return res, nil
}

// reply runs the command.
func (c *command) reply(ctx context.Context, h *tool.Host, a tool.Args) (*client.Reply, *verb.Verb, error) {
	call, values, err := c.prepare(a)
	if err != nil {
		return nil, nil, err
	}
	v := call.Verb
	if v.Is(verb.Local) && !v.Is(verb.AnyProcess) {
		reply, err := c.local(ctx, call)
		return reply, v, err
	}
	host := *h
	if name := a.Str("session"); name != "" {
		host.Session = name
	}
	cmd := host.Command(v.Name, values)
	cmd.Program = c.o.Mode.Program()
	reply, err := host.Daemon.Run(ctx, cmd)
	return reply, v, err
}

// prepare returns the command for some arguments, with the values by which it is sent, if agents may use it.
func (c *command) prepare(a tool.Args) (*verb.Call, verb.Values, error) {
	v, err := c.choose(a)
	if err != nil {
		return nil, nil, err
	}
	values, err := c.values(v, a)
	if err != nil {
		return nil, nil, err
	}
	call, err := c.o.Table.NewCall(v.Name, values, c.o.Mode)
	if err != nil {
		return nil, nil, err
	}
	own := call.Globals.Names()
	if extra := a.Strings("extraArgs"); len(extra) > 0 {
		if call, err = c.withExtra(call, extra, values); err != nil {
			return nil, nil, err
		}
	}
	return call, values, c.check(call, own)
}

// Refused returns the error if extraArgs has a flag that agents cannot give.
func Refused(o Options, name string, a tool.Args) error {
	for _, r := range rows() {
		if Prefix+r.name != name || !a.Has("extraArgs") {
			continue
		}
		if _, _, err := newCommand(o, r).prepare(a); api.CodeOf(err) == api.GuardRefused {
			return err
		}
	}
	return nil
}

// values returns the values of a call of the command.
func (c *command) values(v *verb.Verb, a tool.Args) (verb.Values, error) {
	values := verb.Values{}
	for name, texts := range c.fixed {
		if name != word {
			values[name] = texts
		}
	}
	for i := range c.fields {
		f := &c.fields[i]
		given, ok := a.Value(f.name)
		if !ok || f.targets[0] == word {
			continue
		}
		texts, err := f.texts(given)
		if err != nil {
			return nil, err
		}
		of, _ := f.in(v)
		if f.as == asFeature { // several fields are one list
			texts = slices.Concat(values[of.name], texts)
		}
		values[of.name] = texts
	}
	for _, name := range []string{"session", "namespace"} {
		if text := a.Str(name); text != "" {
			values[name] = []string{text}
		}
	}
	return values, nil
}

// withExtra adds flags that are given as words to a call and its values. They stand before the arguments, so that none of those is
// taken for a flag.
func (c *command) withExtra(call *verb.Call, extra []string, values verb.Values) (*verb.Call, error) {
	v := call.Verb
	var args []string
	for i := range v.Args {
		args = append(args, call.List(v.Args[i].Name)...)
	}
	own := call.Argv()
	own = own[:len(own)-len(args)]
	if n := len(own) - 1; len(args) > 0 && own[n] == "--" {
		own = own[:n]
	}
	at := len(call.Globals.Argv()) + len(strings.Fields(v.Name))
	words := slices.Concat(own[:at], extra, own[at:])
	if len(args) > 0 {
		words = append(append(words, "--"), args...)
	}
	parsed, err := mistakes.Parse(c.o.Table, words, c.o.Mode)
	if err != nil {
		return nil, err
	}
	same := parsed.Verb == v
	for i := 0; same && i < len(v.Args); i++ {
		same = slices.Equal(parsed.List(v.Args[i].Name), call.List(v.Args[i].Name))
	}
	if !same {
		return nil, api.Errorf(api.InvalidArgument, "extraArgs: give flags of %s and their values only", v.Name)
	}
	for i := range v.Flags {
		if name := v.Flags[i].Name; parsed.Has(name) {
			values[name] = parsed.List(name)
		}
	}
	for _, name := range parsed.Globals.Names() {
		values[name] = parsed.Globals.List(name)
	}
	return parsed, nil
}

// check refuses what agents cannot use: as a command, as a flag, and in the rows of a batch. Own are the global flags of the tool itself.
func (c *command) check(call *verb.Call, own []string) error {
	if err := call.RefusedToAgents(own...); err != nil {
		return err
	}
	if call.Verb.Name != "batch" {
		return nil
	}
	for _, line := range call.List("commands") {
		words, err := shell.Split(line)
		if err != nil {
			return api.Errorf(api.InvalidArgument, "commands: %w", err)
		}
		// A line that cannot be parsed is a row of the result.
		if row, err := mistakes.Parse(c.o.Table, words, c.o.Mode); err == nil {
			if err := row.RefusedToAgents(); err != nil {
				return err
			}
		}
	}
	return nil
}

// local runs a command that runs in the client's process.
func (c *command) local(ctx context.Context, call *verb.Call) (*client.Reply, error) {
	if c.o.Local == nil {
		return nil, api.Errorf(api.Unsupported, "%s cannot be used here", call.Verb.Name).WithHint("Use it in a shell.")
	}
	if err := call.Give("json", "true"); err != nil {
		return nil, err
	}
	var out, errOut bytes.Buffer
	exit := c.o.Local(ctx, call, &out, &errOut)
	var envelope struct {
		client.Reply
		Error string   `json:"error"`
		Code  api.Code `json:"code"`
	}
	if err := json.Unmarshal(out.Bytes(), &envelope, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, api.Errorf(api.Internal, "%s: the result cannot be read: %w", call.Verb.Name, err)
	}
	switch {
	case envelope.Error != "":
		return nil, &api.Error{Code: envelope.Code, Message: envelope.Error}
	case len(envelope.Data) == 0: // under the name agent-browser, doctor prints its data alone
		envelope.Data = bytes.TrimSpace(out.Bytes())
	}
	if exit != 0 { // the data say what is wrong, such as those of doctor
		envelope.Warning = strings.TrimSpace(errOut.String())
	}
	return &envelope.Reply, nil
}
