package script

import "testing"

func TestFirst(t *testing.T) {
	e := newEngine(t)
	r := run(t, e, "return await tab.echo({ a: [1, 2] })")
	if r.Err != nil || string(r.Value) != `{"a":[1,2]}` {
		t.Errorf("got %s %v", r.Value, r.Err)
	}
	if r = run(t, e, "let a = 1\nawait tab.fail()"); r.Err == nil || r.Err.Code != "element_not_found" || r.Err.Hint != "Look again." || r.Err.Line != 2 {
		t.Errorf("got %+v", r.Err)
	}
}
