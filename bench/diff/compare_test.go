package main

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		theirs, ours string
		want         []string // kind and field
	}{
		"same":                     {`{"a":1,"b":[true,null]}`, `{"b":[true,null],"a":1}`, nil},
		"missing":                  {`{"a":1,"b":2}`, `{"a":1}`, []string{"missing $.b"}},
		"extra":                    {`{"a":1}`, `{"a":1,"b":2}`, []string{"extra $.b"}},
		"type":                     {`{"a":1}`, `{"a":"1"}`, []string{"type $.a"}},
		"null is a type":           {`{"a":null}`, `{"a":false}`, []string{"type $.a"}},
		"value":                    {`{"a":"x"}`, `{"a":"y"}`, []string{"value $.a"}},
		"number":                   {`{"a":3}`, `{"a":5}`, []string{"value $.a"}},
		"parts of pixels":          {`{"x":10.25}`, `{"x":10.5}`, nil},
		"length":                   {`{"a":[1]}`, `{"a":[1,2]}`, []string{"value $.a"}},
		"in a list":                {`{"a":[{"b":1}]}`, `{"a":[{"b":2,"c":3}]}`, []string{"value $.a[0].b", "extra $.a[0].c"}},
		"own ids":                  {`{"s":"tab t3 at @e12 in /tmp/u-123/x"}`, `{"s":"tab t1 at @e7 in /tmp/u-99/x"}`, nil},
		"volatile":                 {`{"pid":1,"targetId":"A"}`, `{"pid":900,"targetId":"B"}`, nil},
		"volatile type":            {`{"pid":1}`, `{"pid":"1"}`, []string{"type $.pid"}},
		"cookies in another order": {`{"data":{"cookies":[{"name":"a"},{"name":"b"}]}}`, `{"data":{"cookies":[{"name":"b"},{"name":"a"}]}}`, nil},
		"refs": {`{"data":{"refs":{"e1":{"role":"button","name":"A"},"e2":{"role":"link","name":"B"}}}}`,
			`{"data":{"refs":{"e5":{"role":"link","name":"B"},"e9":{"role":"button","name":"A"}}}}`, nil},
		"other refs": {`{"data":{"refs":{"e1":{"role":"button","name":"A"}}}}`, `{"data":{"refs":{"e1":{"role":"button","name":"B"}}}}`,
			[]string{"value $.data.refs"}},
		"outline order": {`{"data":{"snapshot":"- a [ref=e1]\n- b [ref=e2]"}}`, `{"data":{"snapshot":"- b [ref=e1]\n- a [ref=e2]"}}`, nil},
		"outline lines": {`{"data":{"snapshot":"- a\n- b"}}`, `{"data":{"snapshot":"- a"}}`, []string{"value $.data.snapshot"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var theirs, ours any
			if err := json.Unmarshal([]byte(test.theirs), &theirs); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(test.ours), &ours); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range compare("$", theirs, ours) {
				got = append(got, d.kind+" "+d.field)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAlikeInLists(t *testing.T) {
	t.Parallel()
	got := gather([]difference{
		{kind: "extra", field: "$.data.list[0].a", ours: "1"},
		{kind: "extra", field: "$.data.list[1].a", ours: "2"},
		{kind: "value", field: "$.data.list[1].a", ours: "3"},
	})
	want := []difference{
		{kind: "extra", field: "data.list[].a", ours: "1", times: 2},
		{kind: "value", field: "data.list[].a", ours: "3", times: 1},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(difference{})); diff != "" {
		t.Error(diff)
	}
}

func TestImprovements(t *testing.T) {
	t.Parallel()
	list, err := improvements("# note\n\nopen http* | extra data.status | the status is told\n* | value data.tabs[].title | the title is true\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		command, kind, field string
		want                 bool
	}{
		{"open http://127.0.0.1/x", "extra", "data.status", true},
		{"open http://127.0.0.1/x", "value", "data.status", false},
		{"get title", "extra", "data.status", false},
		{"tab list", "value", "data.tabs[].title", true},
		{"tab list", "value", "data.tabs[].url", false},
	} {
		if got := covers(list, difference{command: test.command, kind: test.kind, field: test.field}) != nil; got != test.want {
			t.Errorf("%s, %s: %v, want %v", test.command, test.field, got, test.want)
		}
	}
	if _, err := improvements("open | extra data"); err == nil {
		t.Error("a row without a reason was taken")
	}
	if _, err := improvements(stated); err != nil {
		t.Error(err)
	}
}
