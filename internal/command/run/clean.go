package run

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/policy"
)

// Redact redacts secrets in a result: keys by their shape, tokens, passwords in addresses. It is for results under the
// site guard; other callers get the data unchanged.
func Redact(res Result, err error) (Result, error) {
	if err != nil {
		return Result{}, cleanError(err)
	}
	res.Text, res.Warning = policy.Text(res.Text), policy.Text(res.Warning)
	if res.Data == nil {
		return res, nil
	}
	data, err := cleanData(res.Data)
	if err != nil {
		return Result{}, err
	}
	res.Data = data
	return res, nil
}

func cleanData(data any) (jsontext.Value, error) {
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

func cleanError(err error) error {
	var e *api.Error
	if !errors.As(err, &e) {
		return err // it is cleaned when it is converted to an api.Error
	}
	clean := *e
	clean.Message, clean.Hint, clean.Data = policy.Text(e.Message), policy.Text(e.Hint), nil
	for name, value := range e.Data {
		data, err := cleanData(value)
		if err != nil {
			return err
		}
		clean.With(name, data)
	}
	return &clean
}
