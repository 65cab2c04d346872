package contents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/faulttest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// related writes what a request adds for relations, one a line.
func related(c *contents.Contents) string {
	var lines []string
	for _, item := range c.Items {
		if r := item.Relation; r != nil {
			lines = append(lines, fmt.Sprintf("%s: %s %s -> %s (%d): %q", item.ID, r.Kind, r.From, r.To, r.Hops, item.Text))
		}
	}
	return strings.Join(lines, "\n")
}

func TestExpandRelations(t *testing.T) {
	s := newShelf(t, map[string]string{
		"tea.md":    "# Tea\n\nSee [water](water.md#soft).\n\n## Pot\n\nWarm.\n",
		"water.md":  "# Water\n\nWet.\n\n## Soft\n\nAs [rain](rain.md).\n",
		"rain.md":   "# Rain\n\nFalls.\n",
		"coffee.md": "# Coffee\n\n## Not tea\n\nUnlike [tea](tea.md).\n",
	})
	read := func(hops int, ids ...string) *contents.Contents {
		t.Helper()
		return s.read(t, contents.Request{IDs: ids, Expand: contents.Expansion{Relations: hops}})
	}
	one := strings.Join([]string{
		`text://water#lines=5-7: hyperlink text://tea#lines=3-3 -> text://water#lines=5-7 (1): "## Soft\n\nAs [rain](rain.md).\n"`,
		`text://coffee#lines=3-5: hyperlink text://coffee#lines=5-5 -> text://tea (1): "## Not tea\n\nUnlike [tea](tea.md).\n"`,
	}, "\n")
	two := one + "\n" + `text://rain: hyperlink text://water#lines=7-7 -> text://rain (2): "# Rain\n\nFalls.\n"`
	for hops, want := range []string{"", one, two} {
		if got := related(read(hops, "tea")); got != want {
			t.Errorf("%d hops:\n%s\nwant\n%s", hops, got, want)
		}
	}
	if got := related(read(1, "tea.tea.pot")); got != "" {
		t.Errorf("a node without links has %s", got)
	}
	if got := related(read(1, "text://tea#lines=3")); !strings.HasPrefix(got, "text://water#lines=5-7") {
		t.Errorf("an address has %s", got)
	}
	if got := related(read(1, "tea", "water.water.soft")); strings.Contains(got, "water#lines=5-7:") {
		t.Errorf("what was asked for comes again: %s", got)
	}
	if got := related(read(1, "tea", "water")); strings.Contains(got, "text://water#lines=5-7:") {
		t.Errorf("a part of what was asked for comes again: %s", got)
	}
	data, err := json.Marshal(read(2, "tea"))
	if err != nil || !strings.Contains(string(data), `"relation":{"kind":"hyperlink","from":"text://water#lines=7-7","to":"text://rain","hops":2}`) {
		t.Errorf("%s, %v", data, err)
	}
	if _, err := s.Read(t.Context(), contents.Request{IDs: []string{"tea"}, Expand: contents.Expansion{Relations: 3}}); citekit.CodeOf(err) != message.CodeInvalidInput {
		t.Errorf("three hops: %v", err)
	}
}

// An answer without time for all that is related has the text that was asked for,
// and says that it is not complete.
func TestExpandLate(t *testing.T) { synctest.Test(t, testExpandLate) }

func testExpandLate(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("a.md", []byte("[b](b.md)\n"))
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: faulttest.StuckLinks{Resolver: &text.Resolver{}}}, nil)
	defer lib.Close()
	if err := lib.Save(t.Context(), &citekit.ResourceMap{ResourceID: "a", Type: citekit.Text, SourcePath: "a.md"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	c, err := contents.New(lib, nil).Read(ctx, contents.Request{IDs: []string{"a"}, Expand: contents.Expansion{Relations: 1}})
	if err != nil || len(c.Items) != 1 || c.Items[0].Text == "" || !c.Late {
		t.Fatalf("%+v, %v", c, err)
	}
	if data, err := json.Marshal(c); !strings.Contains(string(data), `"complete":false`) {
		t.Errorf("%s, %v", data, err)
	}
}

// TestExpandOutdated reads what is related where a source changed and another
// is gone: neither is quoted.
func TestExpandOutdated(t *testing.T) {
	s := newShelf(t, map[string]string{
		"a.md": "# A\n\n[b](b.md) [c](c.md) [d](d.md)\n", "b.md": "# B\n\nold words\n", "c.md": "# C\n\n[a](a.md)\n", "d.md": "# D\n",
	})
	s.write(t, "b.md", "# B\n\nnew words\n")
	if err := os.Remove(filepath.Join(s.dir, "c.md")); err != nil {
		t.Fatal(err)
	}
	c := s.read(t, contents.Request{IDs: []string{"a"}, Expand: contents.Expansion{Relations: 2}})
	if len(c.Items) != 2 || c.Items[1].ResourceID != "d" || !strings.Contains(c.Items[0].Note, "left out because their sources changed") {
		t.Errorf("%s; note %q", related(c), c.Items[0].Note)
	}
	s.write(t, "a.md", "# A\n")
	c = s.read(t, contents.Request{IDs: []string{"a"}, Expand: contents.Expansion{Relations: 2}})
	if len(c.Items) != 1 || citekit.CodeOf(c.Items[0].Err) != message.CodeStale {
		t.Errorf("%s; %v", related(c), c.Items[0].Err)
	}
}

// TestExpandMany reads a page that leads to many in several answers, each place
// once, and says how many there are more.
func TestExpandMany(t *testing.T) {
	sharedtest.NotShort(t)
	files := make(map[string]string)
	links := "# Hub\n\n"
	for i := range 60 {
		links += fmt.Sprintf("[page](p%d.md)\n", i)
		files[fmt.Sprintf("p%d.md", i)] = fmt.Sprintf("# Page %d\n\n%s[next](p%d.md)\n", i, strings.Repeat("some words. ", 20), (i+1)%60)
	}
	files["hub.md"] = links
	s := newShelf(t, files)
	req := contents.Request{IDs: []string{"hub"}, Expand: contents.Expansion{Relations: 1}, MaxTokens: 1500}
	seen := make(map[string]bool)
	for calls := 0; ; calls++ {
		c := s.read(t, req)
		for _, item := range c.Items {
			if item.Relation != nil && seen[item.ID] && item.Text == "" {
				t.Errorf("%s comes again without text", item.ID)
			}
			seen[item.ID] = true
		}
		if calls == 0 && !strings.Contains(c.Items[0].Note, "40 more related places left out") {
			t.Errorf("note %q", c.Items[0].Note)
		}
		if req.Cursor = c.NextCursor; req.Cursor == "" {
			break
		}
		if calls > 50 {
			t.Fatal("it does not end")
		}
	}
	if len(seen) != 21 {
		t.Errorf("%d parts", len(seen))
	}
	req.Cursor = ""
	req.Cursor = s.read(t, req).NextCursor
	s.write(t, "p0.md", "# Other\n")
	if _, err := s.Read(context.Background(), req); citekit.CodeOf(err) != message.CodeInvalidInput || !strings.Contains(err.Error(), "related changed") {
		t.Errorf("a cursor after a change: %v", err)
	}
}
