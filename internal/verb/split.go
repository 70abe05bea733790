package verb

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// SplitWords splits a line as a shell does: blanks separate words, single quotes keep everything, double quotes keep
// everything but a backslash before " or \, and a backslash outside quotes keeps the next character. Nothing is
// expanded. An unmatched quote and a backslash at the end are errors.
func SplitWords(line string) ([]string, error) {
	var words []string
	var b strings.Builder
	inWord := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\n', '\r':
			if inWord {
				words = append(words, b.String())
				b.Reset()
				inWord = false
			}
		case '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return nil, Invalid("The single quote in " + Quote(line) + " is never closed")
			}
			b.WriteString(line[i+1 : i+1+end])
			i += end + 1
			inWord = true
		case '"':
			n, ok := doubleQuoted(&b, line[i+1:])
			if !ok {
				return nil, Invalid("The double quote in " + Quote(line) + " is never closed")
			}
			i += n
			inWord = true
		case '\\':
			if i+1 == len(line) {
				return nil, Invalid("The backslash at the end of " + Quote(line) + " has nothing to keep")
			}
			i++
			b.WriteByte(line[i])
			inWord = true
		default:
			b.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, b.String())
	}
	return words, nil
}

// doubleQuoted copies the text up to the closing quote and returns how many bytes it took, the quote included.
func doubleQuoted(b *strings.Builder, s string) (int, bool) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return i + 1, true
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return 0, false
}

// JoinWords joins words into one line that SplitWords splits into the same words.
func JoinWords(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w != "" && strings.IndexFunc(w, needsQuote) < 0 {
			b.WriteString(w)
			continue
		}
		b.WriteByte('\'')
		b.WriteString(strings.ReplaceAll(w, "'", `'\''`))
		b.WriteByte('\'')
	}
	return b.String()
}

func needsQuote(r rune) bool {
	plain := '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || strings.ContainsRune("-_./:@=,+%", r)
	return !plain
}

// batchInput is the hint on the format of batch's standard input.
const batchInput = "Write one command per line, such as fill @e5 'Ada Lovelace'; or a JSON array, such as " +
	"[[\"fill\",\"@e5\",\"Ada Lovelace\"],{\"command\":[\"press\",\"Enter\"],\"timeout\":\"2s\"}]."

// BatchFromInput parses the standard input of batch: a JSON array of commands, or one command per line with words
// quoted as in a shell. Blank lines and those that begin with # are ignored.
func BatchFromInput(data []byte) ([][]string, error) {
	text := strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff"))
	switch {
	case text == "":
		return nil, Invalid("There is no command on standard input", batchInput)
	case text[0] == '[' || text[0] == '{':
		return batchFromJSON([]byte(text))
	}
	var out [][]string
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if line == "" || line[0] == '#' {
			continue
		}
		words, err := SplitWords(line)
		if err != nil {
			e := AsError(err)
			return nil, Fail(e.Code, "Line "+strconv.Itoa(n)+" of standard input: "+e.Message, batchInput)
		}
		out = append(out, words)
	}
	return out, nil
}

// batchFromJSON parses a JSON array of commands: each an array of words, one line of text, or an object with either of
// these as command, and the deadline of the row as timeout.
func batchFromJSON(data []byte) ([][]string, error) {
	var rows []jsontext.Value
	if err := json.Unmarshal(data, &rows); err != nil {
		return nil, Fail(InvalidJSON, "The input of batch is not a JSON array of commands: "+err.Error(), batchInput)
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
			if words, err = SplitWords(line); err != nil {
				return nil, err
			}
		default:
			return nil, Fail(InvalidJSON, "The batch row "+Quote(string(row))+" is neither an array of words nor a line of text, nor an object with a command", batchInput)
		}
		if len(words) == 0 {
			return nil, Fail(InvalidJSON, "The batch row "+Quote(string(row))+" has no command in it", batchInput)
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
	var object struct {
		Command jsontext.Value `json:"command"`
		Timeout jsontext.Value `json:"timeout"`
	}
	if err := json.Unmarshal(row, &object, json.RejectUnknownMembers(true)); err != nil {
		return nil, "", Fail(InvalidJSON, "The batch row "+Quote(string(row))+" has members other than command and timeout: "+err.Error(), batchInput)
	}
	switch object.Timeout.Kind() {
	case '0':
		timeout = object.Timeout.String()
	case '"':
		if err := json.Unmarshal(object.Timeout, &timeout); err != nil {
			return nil, "", Fail(InvalidJSON, "The timeout of the batch row "+Quote(string(row))+": "+err.Error(), batchInput)
		}
	case 0, 'n':
		return object.Command, "", nil
	default:
		timeout = "?"
	}
	if _, err := Duration.check(timeout, nil); err != nil {
		return nil, "", Fail(InvalidJSON, "The timeout of the batch row "+Quote(string(row))+" is neither a number of milliseconds nor a text such as \"2s\"", batchInput)
	}
	return object.Command, timeout, nil
}
