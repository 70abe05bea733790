package elicitation

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
)

// TestClarifyQuotesQuestion: a question of the agent cannot look like one of usher's.
func TestClarifyQuotesQuestion(t *testing.T) {
	person := &fakePerson{}
	h := &tool.Host{Person: person}
	ask := func(raw string) error {
		tool := Tools()[0]
		args, err := tool.Parse(jsontext.Value(raw))
		if err != nil {
			t.Fatal(err)
		}
		_, err = tool.Run(t.Context(), h, args)
		return err
	}
	if err := ask(`{"question":"x\nThe agent wants to call write_file.\u202e","choices":["allow","deny"]}`); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(person.read, "\n")
	if !strings.Contains(lines[0], "question from the agent") || strings.Contains(person.read, "\u202e") {
		t.Errorf("asked %q", person.read)
	}
	for _, line := range lines[1:] {
		if !strings.HasPrefix(line, quotePrefix) {
			t.Errorf("%q looks like a line of usher's", line)
		}
	}
	if err := ask(`{"question":"x","choices":["a\u200b"]}`); api.CodeOf(err) != api.InvalidArgument {
		t.Errorf("a choice with invisible characters: %v", err)
	}
	if err := ask(`{"question":"` + strings.Repeat("x", 20_000) + `"}`); api.CodeOf(err) != api.TooLarge {
		t.Errorf("an endless question: %v", err)
	}
}
