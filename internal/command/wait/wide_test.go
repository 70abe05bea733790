package wait

import (
	"strings"
	"testing"
)

// TestWideScript: a text with quotes and line ends is one JSON string of the expression.
func TestWideScript(t *testing.T) {
	got := wideScript("a \"b\"\n</script>")
	if !strings.Contains(got, `"a \"b\" </script>"`) && !strings.Contains(got, `"a \"b\" \u003c/script>"`) {
		t.Errorf("%.120s", got)
	}
}
