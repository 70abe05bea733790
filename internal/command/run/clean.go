package run

import (
	"github.com/usher-browser/usher/internal/command/run/redact"
	"github.com/usher-browser/usher/internal/policy"
)

// Redact redacts secrets in a result: keys by their shape, tokens, passwords in addresses. It is for results under the
// site guard; other callers get the data unchanged.
func Redact(res Result, err error) (Result, error) {
	if err != nil {
		return Result{}, redact.Error(err)
	}
	res.Text, res.Warning = policy.Text(res.Text), policy.Text(res.Warning)
	if res.Data == nil {
		return res, nil
	}
	data, err := redact.Data(res.Data)
	if err != nil {
		return Result{}, err
	}
	res.Data = data
	return res, nil
}
