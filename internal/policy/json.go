package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// JSON returns a JSON value without secrets, compact. Besides what Text redacts in every string and name, it redacts
// the values of headers, whether {"Cookie":"..."} or {"name":"Cookie","value":"..."}, and the values of cookies as the
// protocol formats them, with httpOnly beside. The members of the outermost object that keep names are not changed:
// bytes in base64.
func JSON(v jsontext.Value, keep ...string) (jsontext.Value, error) {
	r := redactor{in: jsontext.NewDecoder(bytes.NewReader(v), lenient()), out: make([]byte, 0, len(v)), keep: keep}
	if err := r.value(false); err != nil {
		return nil, fmt.Errorf("redact: %w", err)
	}
	if _, err := r.in.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("redact: more than one value")
	}
	return r.out, nil
}

// lenient accepts what JavaScript strings may contain: unpaired surrogates, and names chosen by a page.
func lenient() jsontext.Options {
	return json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

type redactor struct {
	in   *jsontext.Decoder
	out  []byte
	keep []string
}

// value copies one value; of a secret one every text is hidden.
func (r *redactor) value(secret bool) error {
	switch r.in.PeekKind() {
	case '{':
		return r.object(secret)
	case '[':
		return r.array(secret)
	case '"':
		t, err := r.in.ReadToken()
		if err != nil {
			return err
		}
		s := t.String()
		if secret && s != "" {
			s = Mark
		} else {
			s = Text(s)
		}
		r.quote(s)
		return nil
	}
	return r.copy()
}

// copy copies a value as it is.
func (r *redactor) copy() error {
	v, err := r.in.ReadValue()
	if err != nil {
		return err
	}
	at := len(r.out)
	r.out = append(r.out, v...)
	if k := v.Kind(); k == '{' || k == '[' {
		compact := slices.Clone(v)
		if err := compact.Compact(lenient()); err != nil {
			return err
		}
		r.out = append(r.out[:at], compact...)
	}
	return nil
}

func (r *redactor) quote(s string) {
	// Invalid UTF-8 is the only error, and the text is then there with it replaced.
	r.out, _ = jsontext.AppendQuote(r.out, s)
}

func (r *redactor) array(secret bool) error {
	if _, err := r.in.ReadToken(); err != nil {
		return err
	}
	r.out = append(r.out, '[')
	for n := 0; r.in.PeekKind() != ']'; n++ {
		if n > 0 {
			r.out = append(r.out, ',')
		}
		if err := r.value(secret); err != nil {
			return err
		}
	}
	r.out = append(r.out, ']')
	_, err := r.in.ReadToken()
	return err
}

// object copies an object. Whether its member "value" is a secret depends on the members around it, so that one is
// redacted at the end.
func (r *redactor) object(secret bool) error {
	if _, err := r.in.ReadToken(); err != nil {
		return err
	}
	outermost := r.in.StackDepth() == 1
	r.out = append(r.out, '{')
	from, to := 0, 0   // the member "value" in out
	sensitive := false // the other members mark it as a secret
	for n := 0; r.in.PeekKind() != '}'; n++ {
		t, err := r.in.ReadToken()
		if err != nil {
			return err
		}
		name := t.String()
		if n > 0 {
			r.out = append(r.out, ',')
		}
		r.quote(Text(name))
		r.out = append(r.out, ':')
		at := len(r.out)
		if outermost && slices.Contains(r.keep, name) {
			err = r.copy()
		} else {
			err = r.value(secret || secretHeader(name))
		}
		if err != nil {
			return err
		}
		switch name {
		case "value":
			from, to = at, len(r.out)
		case "httpOnly":
			sensitive = true
		case "name":
			text, err := jsontext.AppendUnquote(nil, r.out[at:])
			sensitive = sensitive || err == nil && secretHeader(string(text))
		}
	}
	r.out = append(r.out, '}')
	if sensitive && to > from && string(r.out[from:to]) != `""` {
		r.out = slices.Replace(r.out, from, to, []byte(`"`+Mark+`"`)...)
	}
	_, err := r.in.ReadToken()
	return err
}
