// Package redact redacts secrets in results and errors of commands: keys by their shape, tokens, passwords in addresses.
package redact

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/policy"
)

// Data returns data as JSON without the secrets in it.
func Data(data any) (jsontext.Value, error) {
	raw, err := api.AppendJSON(nil, data)
	if err != nil {
		return nil, err
	}
	clean, err := policy.JSON(raw)
	if err != nil { // return nothing rather than text that was not searched for secrets
		return nil, api.Errorf(api.Internal, "%w", err)
	}
	return clean, nil
}

// Error returns an error without the secrets in its message, hint and data.
func Error(err error) error {
	var e *api.Error
	if !errors.As(err, &e) {
		return err // it is cleaned when it is converted to an api.Error
	}
	clean := *e
	clean.Message, clean.Hint, clean.Data = policy.Text(e.Message), policy.Text(e.Hint), nil
	for name, value := range e.Data {
		data, err := Data(value)
		if err != nil {
			return err
		}
		clean.With(name, data)
	}
	return &clean
}
