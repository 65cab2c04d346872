package stats_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/stats"
)

// listed returns the ids of the items of a list, with their states.
func listed(list *stats.List) (ids []string) {
	for _, item := range list.Items {
		ids = append(ids, strings.TrimSuffix(item.ResourceID+" "+item.State, " "))
	}
	return ids
}

func TestList(t *testing.T) {
	lib, _ := newLibrary(t)
	for id, data := range otherMaps {
		write(t, lib, id, data)
	}
	c := stats.New(lib, nil)
	for name, test := range map[string]struct {
		req  stats.ListRequest
		want []string
	}{
		"all":           {stats.ListRequest{MaxBytes: 1 << 20}, []string{"ballad unreadable", "broken", "gone vanished", "linked", "outside outside_roots", "tea"}},
		"by a word":     {stats.ListRequest{MaxBytes: 1 << 20, Query: "TEA"}, []string{"ballad unreadable", "tea"}},
		"by two words":  {stats.ListRequest{MaxBytes: 1 << 20, Query: "txt gone"}, []string{"gone vanished"}},
		"by no word":    {stats.ListRequest{MaxBytes: 1 << 20, Query: "coffee"}, nil},
		"by modality":   {stats.ListRequest{MaxBytes: 1 << 20, Type: citekit.Virtual}, []string{"linked"}},
		"at most two":   {stats.ListRequest{MaxBytes: 1 << 20, Limit: 2}, []string{"ballad unreadable", "broken"}},
		"one at least":  {stats.ListRequest{MaxBytes: 1}, []string{"ballad unreadable"}},
		"of both kinds": {stats.ListRequest{MaxBytes: 1 << 20, Query: "tea", Type: citekit.Text}, []string{"tea"}},
	} {
		list, err := c.List(t.Context(), test.req)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(test.want, listed(list)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	said, err := c.List(t.Context(), stats.ListRequest{MaxBytes: 1 << 20, Query: "broken", Say: func(error) string { return "it is broken" }})
	if err != nil || len(said.Items) != 1 || said.Items[0].Error != "it is broken" {
		t.Errorf("the error of a map: %+v, %v", said, err)
	}
	tea, err := c.List(t.Context(), stats.ListRequest{MaxBytes: 1 << 20, Query: "tea", Type: citekit.Text})
	if err != nil || tea.Items[0].Nodes != 2 || tea.Items[0].Title != "Tea" || fmt.Sprint(tea.Items[0].Address) != "text://tea" {
		t.Errorf("tea: %+v, %v", tea.Items, err)
	}
}

// TestListInParts follows cursors to the end, which are of one request only.
func TestListInParts(t *testing.T) {
	lib, _ := newLibrary(t)
	for i := range 7 {
		id := fmt.Sprintf("note-%d", i)
		write(t, lib, id, strings.ReplaceAll(teaMap, `"resource_id": "tea"`, `"resource_id": "`+id+`"`))
	}
	c := stats.New(lib, nil)
	var all []string
	for req := (stats.ListRequest{MaxBytes: 1 << 20, Limit: 3, Query: "note"}); ; {
		list, err := c.List(t.Context(), req)
		if err != nil || len(list.Items) > 3 {
			t.Fatal(list, err)
		}
		if all = append(all, listed(list)...); list.NextCursor == "" {
			break
		}
		req.Cursor = list.NextCursor
		if _, err := c.List(t.Context(), stats.ListRequest{MaxBytes: 1 << 20, Query: "another", Cursor: req.Cursor}); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("the cursor of another request: %v", err)
		}
	}
	if len(all) != 7 || all[0] != "note-0" || all[6] != "note-6" {
		t.Errorf("all: %q", all)
	}
	if _, err := c.List(t.Context(), stats.ListRequest{Cursor: "?"}); !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("no cursor: %v", err)
	}
	names, err := c.List(t.Context(), stats.ListRequest{MaxBytes: 1 << 20, Names: true})
	if err != nil || len(names.Resources) != 8 {
		t.Errorf("names: %+v, %v", names, err)
	}
	ids, next, err := c.IDs(t.Context(), "", 5)
	if err != nil || len(ids) != 5 || next == "" {
		t.Fatal(ids, next, err)
	}
	if rest, next, err := c.IDs(t.Context(), next, 5); err != nil || next != "" || fmt.Sprint(rest) != "[note-5 note-6 tea]" {
		t.Errorf("the other ids: %q, %q, %v", rest, next, err)
	}
	addresses, err := c.Addresses(t.Context())
	if err != nil || len(addresses) != 8 || addresses[7].String() != "text://tea" {
		t.Errorf("addresses: %v, %v", addresses, err)
	}
}
