package api

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Envelope is the JSON object that a command prints with --json:
//
//	{"success":true,"data":{…},"error":null,"warning":"…","code":"…"}
//	{"success":false,"data":null,"error":"…","code":"…"}
//
// The keys have this order. warning and code are present only if set; a failure always has a code. Keys in data are
// sorted.
type Envelope struct {
	// Data is any value that can be encoded as JSON; nil prints null.
	Data any
	// Err makes the envelope a failure. If Data is nil, the error's Data is printed.
	Err error
	// Warning is a sentence about a success with reservations.
	Warning string
	// Code marks a success that needs attention. A failure has Err's code.
	Code Code
	// Lifecycle is added to a data object as "lifecycle", for the program name agent-browser only.
	Lifecycle *Lifecycle
	// Boundary is printed first, as "_boundary", if the result may have text of pages and the caller asked for it.
	Boundary *Boundary
}

// Boundary says that a result may have text of pages.
type Boundary struct {
	// Nonce is 16 random bytes in hexadecimal digits, made for this result.
	Nonce string `json:"nonce"`
	// Origin is the address of the page in the tab, or "unknown".
	Origin string `json:"origin"`
}

// Append appends the boundary as a member of an object, without a comma.
func (b *Boundary) Append(dst []byte) []byte {
	dst = append(append(dst, `"_boundary":{"nonce":`...), appendString(nil, b.Nonce)...)
	return append(append(append(dst, `,"origin":`...), appendString(nil, b.Origin)...), '}')
}

// Lifecycle is agent-browser's report, with each command, about the browser. The members are in that tool's alphabetical
// order.
type Lifecycle struct {
	EffectiveLaunch     EffectiveLaunch `json:"effectiveLaunch"`
	Launched            bool            `json:"launched"`
	RelaunchedBrowser   bool            `json:"relaunchedBrowser"`
	RestartedBackground bool            `json:"restartedBackground"`
	RestorePath         string          `json:"restorePath,omitzero"`
	RestoreStatus       string          `json:"restoreStatus"`
	Reused              bool            `json:"reused"`
	SavePath            string          `json:"savePath,omitzero"`
	SaveStatus          string          `json:"saveStatus"`
}

// EffectiveLaunch is the launch part of [Lifecycle]. LaunchHash is null before a launch. It is below 2^53, the limit of
// exact integers in JavaScript.
type EffectiveLaunch struct {
	BrowserLaunched bool    `json:"browserLaunched"`
	Engine          string  `json:"engine"`
	LaunchHash      *uint64 `json:"launchHash"`
}

// Append appends the envelope to dst, without a newline. It fails only if data cannot be encoded; dst is then returned
// unchanged.
func (e Envelope) Append(dst []byte) ([]byte, error) {
	data := e.Data
	var failure *Error
	if e.Err != nil {
		failure = AsError(e.Err)
		if data == nil && failure.Data != nil {
			data = failure.Data
		}
	}
	raw, err := marshalData(data, e.Lifecycle)
	if err != nil {
		return dst, err
	}
	dst = append(dst, '{')
	if e.Boundary != nil {
		dst = append(e.Boundary.Append(dst), ',')
	}
	dst = append(dst, `"success":`...)
	dst = fmt.Appendf(dst, "%t", failure == nil)
	dst = append(dst, `,"data":`...)
	dst = append(dst, raw...)
	dst = append(dst, `,"error":`...)
	code := e.Code
	if failure == nil {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, failure.Sentence())
		code = failure.Code
	}
	if e.Warning != "" {
		dst = append(dst, `,"warning":`...)
		dst = appendString(dst, e.Warning)
	}
	if code != "" {
		dst = append(dst, `,"code":`...)
		dst = appendString(dst, string(code))
	}
	return append(dst, '}'), nil
}

// JoinWarnings joins two warnings, either of which may be empty.
func JoinWarnings(a, b string) string {
	if a != "" && b != "" {
		return a + "; " + b
	}
	return a + b
}

// AppendJSON appends v as envelopes print data: keys sorted, only what JSON requires escaped, invalid UTF-8 replaced by
// U+FFFD.
func AppendJSON(dst []byte, v any) ([]byte, error) {
	raw, err := marshalData(v, nil)
	if err != nil {
		return dst, err
	}
	return append(dst, raw...), nil
}

func marshalData(data any, life *Lifecycle) (jsontext.Value, error) {
	if data == nil {
		return jsontext.Value("null"), nil
	}
	raw, err := json.Marshal(data,
		json.Deterministic(true),
		json.FormatNilSliceAsNull(false),
		jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	value := jsontext.Value(raw)
	if life != nil && value.Kind() == '{' {
		if value, err = mergeLifecycle(value, life); err != nil {
			return nil, err
		}
	}
	// Numbers stay as written: ids above 2^53 must not be rounded.
	err = value.Format(jsontext.ReorderRawObjects(true),
		jsontext.CanonicalizeRawInts(false),
		jsontext.CanonicalizeRawFloats(false),
		jsontext.PreserveRawStrings(true),
		jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("sort the keys of a result: %w", err)
	}
	return value, nil
}

// mergeLifecycle adds the member lifecycle at the beginning; sorting moves it to its place.
func mergeLifecycle(object jsontext.Value, life *Lifecycle) (jsontext.Value, error) {
	raw, err := json.Marshal(life)
	if err != nil {
		return nil, fmt.Errorf("encode lifecycle: %w", err)
	}
	merged := make(jsontext.Value, 0, len(object)+len(raw)+16)
	merged = append(merged, `{"lifecycle":`...)
	merged = append(merged, raw...)
	if string(object) != "{}" {
		merged = append(merged, ',')
	}
	return append(merged, object[1:]...), nil
}

func appendString(dst []byte, s string) []byte {
	out, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		// Invalid UTF-8 is the only error; out then has it replaced.
		return out
	}
	return out
}
