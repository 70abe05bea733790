// Package pagescript has usher's scripts for the isolated world of a page, how they are brought there and called, and which of those calls
// only read.
//
// The last is for the user's own Chrome: while its user allows reading only, the scripts of agents run with throwOnSideEffect, by
// which V8 ends ours, too, because they keep what they know of a page in maps of their own. [Reading] tells our reading calls by their
// whole text, so that they can run without.
package pagescript

import (
	_ "embed"
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

//go:embed agent.js
var agentFile string

//go:embed storage.js
var storageFile string

// agent and storage are the scripts as expressions.
var (
	agent   = strings.TrimSuffix(strings.TrimSpace(agentFile), ";")
	storage = strings.TrimSuffix(strings.TrimSpace(storageFile), ";")
)

// global is the only variable of the isolated world besides [maker]: the script.
const global = "usher"

// maker is the variable of the isolated world that has the function which makes the script.
const maker = "usherMake"

// Ensure creates the script if its maker is there, and evaluates to whether the script is there. Every call begins with it, so that no
// call needs a round trip before it. The elements of a page are properties of the window, too, by their id or name, in every world
// (<div id=usher>): only the window's own property counts.
const Ensure = `(Object.hasOwn(globalThis,"` + global + `")||Object.hasOwn(globalThis,"` + maker + `")&&` +
	`!!Object.defineProperty(globalThis,"` + global + `",{value:` + maker + `()}))`

// Absent is what a call yields where the script neither is nor stands ready: in a document from before the browser was watched.
const Absent = "usher is absent"

// Functions of the script that are called on an object of the page, by Runtime.callFunctionOn.
const (
	AdoptClosedRoot = "function(){usher.adoptClosedRoot(this)}"
	IDOf            = "function(){return usher.idOf(this)}"
	Located         = "function(){return this instanceof Element?{element:usher.located(this)}:{}}"
	RootOf          = "function(){return this.getRootNode()}"
	UpdateInternals = "function(all){return usher.updateInternals(this, all)}"
)

// Make returns the source of a function that creates the script in a document; until it is called it costs next to nothing. It is for
// Page.addScriptToEvaluateOnNewDocument. To send the script itself to a document takes the browser and its renderer 6 ms each
// (measured on Chromium 156), even for a page without any call.
func Make() string { return defineOwn(maker, "()=>"+agent) }

// Install returns an expression that creates the script in a document that has neither script nor maker.
func Install() string { return defineOwn(global, agent) + ";0" }

// defineOwn sets a property of the window for good, unless it is there.
func defineOwn(name, value string) string {
	return `Object.hasOwn(globalThis,"` + name + `")||Object.defineProperty(globalThis,"` + name + `",{value:` + value + `})`
}

// Call returns an expression that calls a function of the script with one argument, nil for none, or yields [Absent].
func Call(fn string, args any) (string, error) {
	arg := []byte{}
	if args != nil {
		var err error
		if arg, err = jsonv2.Marshal(args, jsontext.AllowInvalidUTF8(true)); err != nil {
			return "", fmt.Errorf("encode argument of in-page %s: %w", fn, err)
		}
	}
	return callsOfAgent.Before + fn + callsOfAgent.Open + string(arg) + callsOfAgent.Close, nil
}

// CallStorage returns an expression that calls a function of the script which reads and writes the storage of an origin. The argument
// is parsed as JSON, because the member __proto__ of a literal would be no member.
func CallStorage(fn string, args any) (string, error) {
	text, err := jsonv2.Marshal(args, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "", fmt.Errorf("encode the argument of %s: %w", fn, err)
	}
	quoted, err := jsonv2.Marshal(string(text), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "", fmt.Errorf("encode the argument of %s: %w", fn, err)
	}
	c := callsOfStorage()
	return c.Before + fn + c.Open + string(quoted) + c.Close, nil
}
