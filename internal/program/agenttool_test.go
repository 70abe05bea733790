package program_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/tool/agentbrowser"
)

// TestAgentToolDetails: the result of the tool agent_browser has the members of the command agent-tool's details, in the same order.
func TestAgentToolDetails(t *testing.T) {
	t.Parallel()
	names := func(of reflect.Type) (list []string) {
		for _, f := range reflect.VisibleFields(of) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
				list = append(list, name)
			}
		}
		return list
	}
	want, have := names(reflect.TypeFor[result.Details]()), names(agentbrowser.Tools()[0].Output)
	for _, name := range want {
		if !slices.Contains(have, name) {
			t.Errorf("the tool does not declare %s", name)
		}
	}
	for _, name := range have {
		if !slices.Contains(want, name) {
			t.Errorf("the tool declares %s, which the details do not have", name)
		}
	}
}
