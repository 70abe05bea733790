package vm

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/script/message"
)

// encode returns the bytes of an ArrayBuffer as text of an encoding.
func (m *machine) encode(args []value) (value, error) {
	if len(args) != 2 {
		return undefined, errArguments
	}
	encoding, ok := m.toText(args[0])
	b, isBuffer := m.bytes(args[1])
	if !ok || !isBuffer {
		return undefined, errArguments
	}
	switch encoding {
	case "base64":
		return m.text(base64.StdEncoding.EncodeToString(b)), nil
	case "base64url":
		return m.text(base64.RawURLEncoding.EncodeToString(b)), nil
	case "hex":
		return m.text(hex.EncodeToString(b)), nil
	}
	return undefined, fmt.Errorf("there is no encoding %q", encoding)
}

// errorJSON returns an error of a call for the prelude.
func errorJSON(e *message.Error) (string, error) {
	b, err := json.Marshal(e)
	return string(b), err
}
