package wire

import (
	"bytes"
	"testing"
)

func TestRecordingHoldsNoPassword(t *testing.T) {
	for in, want := range map[string]string{
		`{"method":"Fetch.continueWithAuth","params":{"a":{"password":"p\"\\x","username":"u"}}}`: `{"method":"Fetch.continueWithAuth","params":{"a":{"password":"","username":"u"}}}`,
		`{"method":"Fetch.continueWithAuth","params":{"a":{"password":"p`:                         `{"method":"Fetch.continueWithAuth","params":{"a":{"password":"`,
		`{"method":"Fetch.continueWithAuth","params":{}}`:                                         `{"method":"Fetch.continueWithAuth","params":{}}`,
		`{"method":"Runtime.evaluate","params":{"password":"p"}}`:                                 `{"method":"Runtime.evaluate","params":{"password":"p"}}`,
	} {
		if got := withoutPassword([]byte(in)); !bytes.Equal(got, []byte(want)) {
			t.Errorf("%s is recorded as %s", in, got)
		}
	}
}
