// Package values reads what code gives commands.
package values

import (
	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// Set sets one value of a command to a decoded value of JSON. Null sets nothing; objects, and lists of anything but texts, are errors.
func Set(values verb.Values, name string, value any) error {
	switch value := value.(type) {
	case nil:
	case string, bool, float64:
		values.Set(name, value)
	case []any:
		texts := make([]string, 0, len(value))
		for _, v := range value {
			text, ok := v.(string)
			if !ok {
				return api.Errorf(api.InvalidArgument, "%s: a list of texts is expected", name)
			}
			texts = append(texts, text)
		}
		values.Set(name, texts)
	default:
		return api.Errorf(api.InvalidArgument, "%s: an object is no value of a command", name)
	}
	return nil
}
