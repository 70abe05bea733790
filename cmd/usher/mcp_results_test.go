package main

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/toolset"
)

// newClient makes a client that compares every result of usher's own tools with what the tool declares.
func newClient(t *testing.T, name string, opts *mcp.ClientOptions) *mcp.Client {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, opts)
	tools := toolset.Native()
	client.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			got, ok := res.(*mcp.CallToolResult)
			if !ok || err != nil || got.StructuredContent == nil {
				return res, err
			}
			name := req.GetParams().(*mcp.CallToolParams).Name
			if i := slices.IndexFunc(tools, func(o tool.Tool) bool { return o.Name == name }); i >= 0 {
				if problem := undeclared(&tools[i], got.StructuredContent); problem != nil {
					t.Errorf("%s: %v in %v", name, problem, got.StructuredContent)
				}
			}
			return res, err
		}
	})
	return client
}

// undeclared says what of a result is not as the tool declares it: by the type of its results, and by the schema in the list.
func undeclared(by *tool.Tool, structured any) error {
	members, ok := structured.(map[string]any)
	succeeded, told := members["success"].(bool)
	if !ok || !told {
		return fmt.Errorf("success is missing")
	}
	raw, err := json.Marshal(structured)
	if err != nil {
		return err
	}
	of := by.Output
	_, own := members["failureCategory"] // the failures of agent_browser have the members of its successes
	if !succeeded && !own {
		of = tool.FailureOutput()
	}
	if err := json.Unmarshal(raw, reflect.New(of).Interface(), json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	var schema struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if declared := by.ResultSchema(); declared != nil {
		if err := json.Unmarshal(declared, &schema); err != nil {
			return err
		}
	}
	for _, name := range schema.Required {
		if _, ok := members[name]; !ok {
			return fmt.Errorf("%s is required and missing", name)
		}
	}
	for name, value := range members {
		if want := schema.Properties[name].Type; want != "" && !slices.Contains(typesOf(value), want) {
			return fmt.Errorf("%s is to be a value of type %s", name, want)
		}
	}
	return nil
}

// typesOf returns the types of JSON Schema that a value has.
func typesOf(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{"string"}
	case bool:
		return []string{"boolean"}
	case float64:
		if v == float64(int64(v)) {
			return []string{"number", "integer"}
		}
		return []string{"number"}
	case []any:
		return []string{"array"}
	case map[string]any:
		return []string{"object"}
	}
	return []string{"null"}
}

// TestUndeclared checks the comparison itself.
func TestUndeclared(t *testing.T) {
	t.Parallel()
	tools := map[string]*tool.Tool{}
	for _, o := range toolset.Native() {
		tools[o.Name] = &o
	}
	for _, c := range []struct{ tool, result, problem string }{
		{"browser_click", `{"success":true,"clicked":"@e1","navigation":{"url":"x","committed":true,"sameDocument":false},"changes":"x","title":"t"}`, ""},
		{"browser_click", `{"success":false,"error":"e","code":"not_found"}`, ""},
		{"browser_click", `{"clicked":"@e1"}`, "success is missing"},
		{"browser_click", `{"success":true,"clicked":1}`, "clicked"},
		{"browser_click", `{"success":true,"clicked":"@e1","pressed":"a"}`, "pressed"},
		{"browser_click", `{"success":true,"clicked":"@e1","navigation":{"to":"x"}}`, "to"},
		{"browser_click", `{"success":false,"error":"e","code":"x","clicked":"@e1"}`, "clicked"},
		{"browser_hover", `{"success":true,"hovered":"@e1","over":true}`, "over"}, // its schema is not listed
		{"browser_cdp", `{"success":true,"method":"m","result":{"any":1}}`, ""},
		{"browser_cdp", `{"success":true,"method":"m","result":[]}`, "result is to be a value of type object"},
		{"browser_console", `{"success":true,"result":null,"result_type":"null"}`, ""},
		{"browser_snapshot", `{"success":true,"snapshot":"","element_count":0.5}`, "element_count"},
	} {
		var structured any
		if err := json.Unmarshal([]byte(c.result), &structured); err != nil {
			t.Fatal(err)
		}
		problem := undeclared(tools[c.tool], structured)
		if (problem == nil) != (c.problem == "") || problem != nil && !strings.Contains(problem.Error(), c.problem) {
			t.Errorf("%s: %s: %v, want %q", c.tool, c.result, problem, c.problem)
		}
	}
}
