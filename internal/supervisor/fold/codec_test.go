package fold

import (
	"errors"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/fold/targets"
)

// fill returns a non-zero value of any plain type.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		fill(v.Elem())
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[policy.DialogRule]() { // it is encoded as its text
			r, err := policy.ParseDialogRule([]string{"accept", "kind=prompt", "message=/a b/i", "frame=*x*", "origin=http://*", "text=c d", "name=n"})
			if err != nil {
				panic(err)
			}
			v.Set(reflect.ValueOf(r))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[jsontext.Value]() {
			v.SetBytes([]byte(`{"a":"<&>"}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(7.5)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(7)
	case reflect.Interface:
		v.Set(reflect.ValueOf(&cdp.Error{Method: "A.b", Code: -32000, Message: "no", Data: "more"}))
	default:
		panic("an input has a field of kind " + v.Kind().String() + ", which this test cannot fill; can a recording hold it?")
	}
}

// Every kind of input is the same after a recording, including kinds that are added later.
func TestEveryInputIsRecorded(t *testing.T) {
	known := New(Options{})
	for name, handler := range known.commands {
		c := handler.New()
		fill(reflect.ValueOf(c))
		line, err := CommandLine(c)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := known.ReadCommand(line)
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%s: %+v came back as %+v, %v", name, c, got, err)
		}
	}
}

// An error that is not of the browser keeps its message.
func TestErrorIsRecorded(t *testing.T) {
	known := New(Options{})
	raw, err := CommandLine(&targets.Closed{Cause: errors.New("cut")})
	if err != nil {
		t.Fatal(err)
	}
	c, err := known.ReadCommand(raw)
	if closed, ok := c.(*targets.Closed); err != nil || !ok || closed.Cause == nil || closed.Cause.Error() != "cut" {
		t.Errorf("%s came back as %+v, %v", raw, c, err)
	}
}
