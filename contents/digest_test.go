package contents_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/workspace"
)

func contextMaps(t testing.TB, n int) []*citekit.ResourceMap {
	t.Helper()
	book := &citekit.ResourceMap{ResourceID: "book", Type: citekit.Document, Title: "The `Book`\nof \u202eThings"}
	for i := range n {
		section := &citekit.Node{
			ID: fmt.Sprintf("part-%d", i), Title: fmt.Sprintf("Part %d", i), Summary: "It begins here.", Type: "section",
			Location: citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: 1 + i*10, Last: 10 + i*10}}},
		}
		for j := range 3 {
			section.Children = append(section.Children, &citekit.Node{
				ID: fmt.Sprintf("part-%d.s%d", i, j), Title: fmt.Sprintf("Section %d", j), Type: "section",
				Location: citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: 1 + i*10 + j, Last: 1 + i*10 + j}}},
			})
		}
		book.Nodes = append(book.Nodes, section)
	}
	code := &citekit.ResourceMap{ResourceID: "code", Type: citekit.Text, Title: "main.go", Nodes: []*citekit.Node{
		{ID: "main", Title: "main", Type: "function", Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 3, Last: 9}}},
	}}
	return []*citekit.ResourceMap{book, code}
}

func TestContextMarkdown(t *testing.T) {
	c, err := contents.DigestMaps(contextMaps(t, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "# The 'Book' of Things\nbook, doc://book\n" +
		"- `part-0` Part 0 (pages=1-10)\n  It begins here.\n" +
		"  - `part-0.s0` Section 0 (pages=1)\n  - `part-0.s1` Section 1 (pages=2)\n  - `part-0.s2` Section 2 (pages=3)\n" +
		"\n# main.go\ncode, text://code\n- `main` main (lines=3-9)\n"
	if diff := cmp.Diff(want, c.Text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c.Nodes != 5 || c.Omitted != 0 || c.Tokens != contents.EstimateTokens(c.Text) || !cmp.Equal(c.Resources, []string{"book", "code"}) {
		t.Errorf("%+v", c)
	}
}

func TestContextBudget(t *testing.T) {
	sharedtest.NotShort(t)
	maps := contextMaps(t, 50)
	for _, format := range []contents.DigestFormat{contents.Markdown, contents.JSON} {
		last := 0
		for tokens := 60; tokens <= 6000; tokens += 60 {
			c, err := contents.DigestMaps(maps, &contents.DigestOptions{MaxTokens: tokens, Format: format})
			if errors.Is(err, citekit.ErrTooLarge) && tokens < 200 {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.Tokens > tokens || c.Tokens != contents.EstimateTokens(c.Text) || c.Nodes+c.Omitted != 201 || c.Nodes < last {
				t.Errorf("%s, %d tokens: %d tokens, %d and %d nodes", format, tokens, c.Tokens, c.Nodes, c.Omitted)
			}
			if c.Nodes > 0 && !strings.Contains(c.Text, "part-0") {
				t.Errorf("%d tokens: the first part is missing", tokens)
			}
			if strings.Contains(c.Text, "Section 2") && !strings.Contains(c.Text, "part-49") {
				t.Errorf("%d tokens: a part is missing where there is room for sections", tokens)
			}
			if strings.Contains(c.Text, "It begins") && c.Omitted > 0 {
				t.Errorf("%d tokens: summaries where nodes are left out", tokens)
			}
			last = c.Nodes
		}
		if last != 201 {
			t.Errorf("%s: %d nodes with the largest budget", format, last)
		}
	}
}

// TestContextAlike checks that no map takes the room of all.
func TestContextAlike(t *testing.T) {
	maps := contextMaps(t, 500)
	for _, maps := range [][]*citekit.ResourceMap{maps, {maps[0], maps[1], maps[0]}} {
		c, err := contents.DigestMaps(maps, &contents.DigestOptions{MaxTokens: 100})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(c.Text, "`part-0`") || !strings.Contains(c.Text, "`main`") || c.Omitted == 0 {
			t.Errorf("one of the maps is not shown:\n%s", c.Text)
		}
		if shown := strings.Count(c.Text, "- `"); shown != c.Nodes || !cmp.Equal(c.Resources, []string{"book", "code"}) {
			t.Errorf("%d nodes are shown: %+v", shown, c)
		}
	}
}

func TestContextJSON(t *testing.T) {
	c, err := contents.DigestMaps(contextMaps(t, 2), &contents.DigestOptions{Format: contents.JSON, MaxTokens: 170})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Resources []struct {
			ResourceID string `json:"resource_id"`
			Address    string
			Nodes      []struct {
				ID, At string
				More   int
			}
		}
	}
	if err := json.Unmarshal([]byte(c.Text), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Resources) != 2 || got.Resources[0].Address != "doc://book" || got.Resources[0].Nodes[1].At != "pages=11-20" || got.Resources[0].Nodes[1].More == 0 {
		t.Errorf("%s", c.Text)
	}
}

// TestOfAll gives no ids, which stands for all resources.
func TestOfAll(t *testing.T) {
	lib := citekit.New(workspace.NewMemory(nil), nil, nil)
	defer lib.Close()
	none, err := contents.DigestOf(t.Context(), lib, nil, nil)
	if err != nil || none.Text != "" || len(none.Resources) != 0 {
		t.Errorf("without maps: %+v, %v", none, err)
	}
	for _, m := range contextMaps(t, 1) {
		m.SourcePath = m.ResourceID
		if err := lib.Save(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	named, err := contents.DigestOf(t.Context(), lib, []string{"book", "code"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, ids := range [][]string{nil, {}} {
		all, err := contents.DigestOf(t.Context(), lib, ids, nil)
		if err != nil || all.Text != named.Text {
			t.Errorf("%v: %+v, %v", ids, all, err)
		}
	}
}

func TestContextErrors(t *testing.T) {
	maps := contextMaps(t, 1)
	for _, test := range []struct {
		opts contents.DigestOptions
		want error
	}{
		{contents.DigestOptions{MaxTokens: 3}, citekit.ErrTooLarge},
		{contents.DigestOptions{MaxTokens: -3}, citekit.ErrSyntax},
		{contents.DigestOptions{Format: "html"}, citekit.ErrSyntax},
	} {
		if _, err := contents.DigestMaps(maps, &test.opts); !errors.Is(err, test.want) {
			t.Errorf("%+v: %v", test.opts, err)
		}
	}
	f := linetest.New(t)
	if _, err := contents.DigestOf(t.Context(), f.Library, []string{"poem", "none"}, nil); citekit.CodeOf(err) != message.CodeNotFound {
		t.Errorf("a missing resource: %v", err)
	}
	c, err := contents.DigestOf(t.Context(), f.Library, []string{"poem"}, nil)
	if err != nil || !strings.Contains(c.Text, "- `db` (virtual://db/7)\n") || !strings.Contains(c.Text, "- `odd`\n") {
		t.Errorf("%v, %v", c, err)
	}
}

func BenchmarkContext(b *testing.B) {
	maps := contextMaps(b, 2500)
	for b.Loop() {
		if _, err := contents.DigestMaps(maps, nil); err != nil {
			b.Fatal(err)
		}
	}
}
