package contents_test

import (
	"testing"

	"github.com/citekit/citekit/contents"
)

// TestHTML reads what a page shows on some lines, also on those of a part of a row.
func TestHTML(t *testing.T) {
	s := newShelf(t, map[string]string{
		"rain.html": "<!DOCTYPE html><title>T</title>\n<h1>Rain &amp; sun</h1>\n<p>It <b>rained</b>\non Monday.</p>\n<script>\nx()\n</script>\n" +
			"<table><tr>\n<td>Monday</td>\n<td>12 mm</td>\n</tr></table>\n</html>\n",
		"app.html": "<html>\n<script src=x></script>\n</html>\n",
	})
	for id, want := range map[string]string{
		"text://rain":            "Rain & sun\n\nIt rained\non Monday.\n\nMonday\t12 mm\n",
		"text://rain#lines=3":    "It rained\n",
		"text://rain#lines=3-4":  "It rained\non Monday.\n\n",
		"text://rain#lines=10":   "12 mm\n",
		"text://rain#lines=8-11": "Monday\t12 mm\n",
		"text://rain#lines=5-7":  "",
		"text://rain#lines=12":   "",
		"text://rain#blocks=2":   "It rained on Monday.\n",
		"text://app#lines=2":     "<script src=x></script>\n",
	} {
		item := s.read(t, contents.Request{IDs: []string{id}, Runs: true}).Items[0]
		if item.Err != nil || item.Text != want {
			t.Errorf("%s: %q, %v; want %q", id, item.Text, item.Err, want)
		}
		checkRuns(t, item)
	}
	if item := s.read(t, contents.Request{IDs: []string{"text://rain#lines=13"}}).Items[0]; item.Err == nil {
		t.Error("there is a line behind the last")
	}
}
