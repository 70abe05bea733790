package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json"
)

// nodeRED is an editor of flows: a canvas in SVG, drags from a palette, dialogs with forms and tables, a deployment.
var nodeRED = app{
	name: "node-red",
	start: func(ctx context.Context, modules, dir string) (*site, error) {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		// No tour and no question about notifications: they come at a time of their own.
		settings := fmt.Sprintf(`module.exports = {uiHost: "127.0.0.1", uiPort: %s, flowFile: "flows.json", telemetry: {enabled: false}, editorTheme: {tours: false}}`, port)
		if err := os.WriteFile(filepath.Join(dir, "settings.js"), []byte(settings), 0o644); err != nil {
			return nil, err
		}
		return serve(ctx, dir, port, nil, filepath.Join(modules, "node-red", "red.js"), "-u", dir)
	},
	jobs: []job{
		{
			name: "drag a node in, set it up, deploy",
			steps: func(s *site) []step {
				return []step{
					navigate(s.url + "/"),
					see("Flow 1"),
					drag(el("generic", "inject"), canvas),
					doubleClick(at("the node", "g.red-ui-flow-node")),
					fill(el("textbox", "[^\"]*Name"), "every minute"),
					choose(repeat, "interval"),
					click(el("button", "Done")),
					click(el("link|button", "Deploy")),
					see("Successfully deployed"),
				}
			},
			done: func(s *site) error {
				return s.flows(func(all []node) bool {
					return slices.ContainsFunc(all, func(n node) bool { return n.Type == "inject" && n.Name == "every minute" && n.Repeat != "" })
				})
			},
		},
		{
			name: "import a flow, wire its nodes, deploy",
			steps: func(s *site) []step {
				return []step{
					navigate(s.url + "/"),
					see("Flow 1"),
					press("Control+i"),
					see("Clipboard"),
					fill(unnamed("textbox"), twoNodes),
					press("End"), // it looks at what was filled in when a key comes up
					click(el("button", "Import")),
					click(canvas),
					drag(at("the output of start", "g.red-ui-flow-port-output"), at("the input of end", "g.red-ui-flow-port-input")),
					click(el("link|button", "Deploy")),
					see("Successfully deployed"),
				}
			},
			done: func(s *site) error {
				return s.flows(func(all []node) bool {
					return slices.ContainsFunc(all, func(n node) bool { return n.Type == "inject" && len(n.Wires) == 1 && len(n.Wires[0]) == 1 })
				})
			},
		},
		{
			name: "add a flow, name it, deploy",
			steps: func(s *site) []step {
				return []step{
					navigate(s.url + "/"),
					see("Flow 1"),
					click(el("link|button", `\x{f067}|[^"]*\bplus\b[^"]*|[Aa]dd flow`)), // the sign "+" of the icon font
					see("Flow 2"),
					doubleClick(el("link", "[^\"]*Flow 2")),
					fill(el("textbox", "[^\"]*Name"), "Heating"),
					click(el("button", "Done")),
					click(el("link|button", "Deploy")),
					see("Successfully deployed"),
				}
			},
			done: func(s *site) error {
				return s.flows(func(all []node) bool {
					return slices.ContainsFunc(all, func(n node) bool { return n.Type == "tab" && n.Label == "Heating" })
				})
			},
		},
	},
}

var canvas = at("the canvas", "#red-ui-workspace-chart")

// repeat is the list behind the word Repeat, which does not name it; it shows its value, or nothing before its options, and
// perhaps a name made of its id.
var repeat = element{name: "Repeat", line: regexp.MustCompile(`\bcombobox(?: "[^"]*")?(?: \[[^\]]*\])*:?(?: none)?$`)}

const twoNodes = `[{"id":"a1","type":"inject","name":"start","props":[{"p":"payload"}],"repeat":"","once":false,"payload":"","payloadType":"date","x":100,"y":100,"wires":[[]]},{"id":"b1","type":"debug","name":"end","active":true,"tosidebar":true,"complete":"payload","x":400,"y":100,"wires":[]}]`

// node is a node, or a tab, of what is deployed.
type node struct {
	Type   string     `json:"type"`
	Name   string     `json:"name"`
	Label  string     `json:"label"`
	Repeat string     `json:"repeat"`
	Wires  [][]string `json:"wires"`
}

// flows asks Node-RED what is deployed.
func (s *site) flows(right func([]node) bool) error {
	text, err := s.get("/flows")
	if err != nil {
		return err
	}
	var all []node
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return err
	}
	if !right(all) {
		return fmt.Errorf("what is deployed is not that: %s", text)
	}
	return nil
}
