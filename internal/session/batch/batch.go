// Package batch reads the commands of `batch`, from its arguments or from standard input.
package batch

import (
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/shell"
)

// Row is a command of a batch: its words, or why it has none.
type Row struct {
	Words []string
	Err   error
}

// Rows reads the commands from the arguments, or from standard input if there are none.
func Rows(call *verb.Call, stdin io.Reader) ([]Row, error) {
	var rows []Row
	if !call.Has("commands") {
		data, err := io.ReadAll(stdin)
		if err != nil {
			return nil, api.Errorf(api.InvalidArgument, "batch: read standard input: %w", err)
		}
		commands, err := parse(data)
		if err != nil {
			return nil, err
		}
		for _, words := range commands {
			rows = append(rows, Row{Words: words})
		}
		return rows, nil
	}
	for i, text := range call.List("commands") {
		words, err := shell.Split(text)
		if err != nil { // the others have their own results
			words, err = []string{text}, api.Errorf(api.InvalidArgument, "batch: command %d: %w", i+1, err).WithHint("%s", quoting)
		}
		rows = append(rows, Row{words, err})
	}
	return rows, nil
}

// quoting is the hint on a command that cannot be split into words.
const quoting = "Put a text that contains one kind of quote into the other: fill @e5 \"it's\". Outside of quotes write a backslash before a quote."

// form is the hint on the format of batch's standard input.
const form = "Write one command per line, such as fill @e5 'Ada Lovelace'; or a JSON array, such as " +
	"[[\"fill\",\"@e5\",\"Ada Lovelace\"],{\"command\":[\"press\",\"Enter\"],\"timeout\":\"2s\"}]."

// parse parses the standard input of batch: a JSON array of commands, or one command per line with words
// quoted as in a shell. Blank lines and those that begin with # are ignored.
func parse(data []byte) ([][]string, error) {
	text := strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff"))
	switch {
	case text == "":
		return nil, verb.Invalid("There is no command on standard input", form)
	case text[0] == '[' || text[0] == '{':
		return parseJSON([]byte(text))
	}
	var out [][]string
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if line == "" || line[0] == '#' {
			continue
		}
		words, err := shell.Split(line)
		if err != nil {
			return nil, verb.Invalid("Line "+strconv.Itoa(n)+" of standard input: "+err.Error(), quoting, form)
		}
		out = append(out, words)
	}
	return out, nil
}

// parseJSON parses a JSON array of commands: each an array of words, one line of text, or an object with either of
// these as command, and the deadline of the row as timeout.
func parseJSON(data []byte) ([][]string, error) {
	if data[0] == '{' {
		return nil, verb.Fail(verb.InvalidJSON, "The input of batch is a JSON object, not an array of commands", form)
	}
	var rows []jsontext.Value
	if err := json.Unmarshal(data, &rows); err != nil {
		return nil, verb.Fail(verb.InvalidJSON, "The input of batch is not a JSON array of commands: "+err.Error(), form)
	}
	out := make([][]string, 0, len(rows))
	for _, row := range rows {
		command, timeout, err := limitedRow(row)
		if err != nil {
			return nil, err
		}
		var words []string
		var line string
		switch {
		case json.Unmarshal(command, &words) == nil:
		case json.Unmarshal(command, &line) == nil:
			var err error
			if words, err = shell.Split(line); err != nil {
				return nil, verb.Invalid("A batch row cannot be read: "+err.Error(), quoting, form)
			}
		default:
			return nil, verb.Fail(verb.InvalidJSON, "The batch row "+plain.Quote(string(row))+" is neither an array of words nor a line of text, nor an object with a command", form)
		}
		if len(words) == 0 {
			return nil, verb.Fail(verb.InvalidJSON, "The batch row "+plain.Quote(string(row))+" has no command in it", form)
		}
		if timeout != "" {
			words = append([]string{"--timeout", timeout}, words...)
		}
		out = append(out, words)
	}
	return out, nil
}

// limitedRow returns the command of a row, and its timeout as --timeout takes it; "" if the row has none.
func limitedRow(row jsontext.Value) (command jsontext.Value, timeout string, err error) {
	if row.Kind() != '{' {
		return row, "", nil
	}
	object := map[string]jsontext.Value{}
	if err := json.Unmarshal(row, &object); err != nil {
		return nil, "", verb.Fail(verb.InvalidJSON, "The batch row "+plain.Quote(string(row))+" cannot be read: "+strings.TrimPrefix(err.Error(), "json: "), form)
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if name != "command" && name != "timeout" {
			return nil, "", verb.Fail(verb.InvalidJSON, "The batch row "+plain.Quote(string(row))+" has the member "+plain.Quote(name)+"; it may have command and timeout", form)
		}
	}
	command, given := object["command"], object["timeout"]
	switch given.Kind() {
	case '0':
		timeout = given.String()
	case '"':
		if err := json.Unmarshal(given, &timeout); err != nil {
			return nil, "", verb.Fail(verb.InvalidJSON, "The timeout of the batch row "+plain.Quote(string(row))+": "+err.Error(), form)
		}
	case 0, 'n':
		return command, "", nil
	default:
		timeout = "?"
	}
	if _, err := verb.GlobalFlag("timeout").Check(timeout); err != nil {
		return nil, "", verb.Fail(verb.InvalidJSON, "The timeout of the batch row "+plain.Quote(string(row))+" is neither a number of milliseconds nor a text such as \"2s\"", form)
	}
	return command, timeout, nil
}
