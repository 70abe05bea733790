package network

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestOfPage: what the document before sent while the new one was on its way is not the page's, nor is another navigation.
func TestOfPage(t *testing.T) {
	main := &model.Frame{ID: "top", Loader: "new"}
	list := []journal.Request{
		{ID: "old", Loader: "old", Frame: "top", URL: "old"}, {ID: "1", Loader: "inner", Frame: "sub", URL: "old-frame"},
		{ID: "new", Loader: "new", Frame: "top", URL: "new"}, {ID: "2", Loader: "old", Frame: "top", URL: "late"}, {ID: "3", Loader: "inner", Frame: "sub", URL: "late-frame"},
		{ID: "4", Loader: "new", Frame: "top", URL: "own"}, {ID: "5", Loader: "newer", Frame: "sub2", URL: "own-frame"}, {ID: "6", URL: "worker"},
		{ID: "next", Loader: "next", Frame: "top", URL: "elsewhere"},
	}
	page, lost := ofPage(list, main, 7)
	var got []string
	for _, r := range page {
		got = append(got, r.URL)
	}
	if s := strings.Join(got, " "); s != "new own own-frame worker" || lost != 0 {
		t.Errorf("%s; %d lost", s, lost)
	}
}
