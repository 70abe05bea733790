package permit

import (
	"errors"
	"testing"

	"github.com/usher-browser/usher/internal/api"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		r      *Restrictions
		failed error
		intent Intent
		code   api.Code
		relay  any
	}{
		{nil, nil, Open, "", nil},
		{&Restrictions{}, nil, Inspect, "", nil},
		{&Restrictions{}, nil, Open, "", nil},
		{&Restrictions{NoNewTabs: true}, nil, Open, api.ActionDenied, NewTabsDisabled},
		{&Restrictions{NoNewTabs: true}, nil, Auto, api.ActionDenied, NewTabsDisabled},
		{&Restrictions{NoNewTabs: true, Attached: 1}, nil, Auto, "", nil},
		{&Restrictions{NoNewTabs: true}, nil, Inspect, "", nil},
		{&Restrictions{Manual: true}, nil, Inspect, api.TabNotFound, NoAttachedPage},
		{&Restrictions{Manual: true}, nil, Auto, "", nil}, // opens one
		{&Restrictions{Manual: true, Attached: 2}, nil, Inspect, "", nil},
		{&Restrictions{Manual: true, NoNewTabs: true}, nil, Inspect, api.TabNotFound, NoAttachedPage},
		{nil, errors.New("no answer"), Inspect, api.ConnectionLost, RestrictionsUnavailable},
	} {
		err := Check(c.r, c.failed, c.intent)
		if c.code == "" {
			if err != nil {
				t.Errorf("%+v, %s: %v", c.r, c.intent, err)
			}
			continue
		}
		if e := api.AsError(err); err == nil || e.Code != c.code || e.Data["relayCode"] != c.relay || e.Hint == "" {
			t.Errorf("%+v, %v, %s: %+v, wanted %s and %v", c.r, c.failed, c.intent, err, c.code, c.relay)
		}
	}
}
