package input

import (
	"strings"
	"testing"
)

// TestVisibleText: a text with quotes and line ends is one JSON string of the predicate.
func TestVisibleText(t *testing.T) {
	got := visibleText("a \"b\"\n</script>")
	if !strings.Contains(got, `"a \"b\" </script>"`) && !strings.Contains(got, `"a \"b\" \u003c/script>"`) {
		t.Errorf("%.120s", got)
	}
}
