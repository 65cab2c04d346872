package contents_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// A shelf is a Library over files that a test made.
type shelf struct {
	dir string
	*citekit.Library
	*contents.Reader
}

func newShelf(t testing.TB, files map[string]string) *shelf {
	t.Helper()
	s := &shelf{dir: t.TempDir()}
	for name, content := range files {
		s.write(t, name, content)
	}
	ws, err := workspace.Open(s.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Library = citekit.New(ws, modality.All(), nil)
	t.Cleanup(func() { s.Close() })
	s.ingest(t)
	s.Reader = contents.New(s.Library, nil)
	return s
}

func (s *shelf) write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s *shelf) ingest(t testing.TB) {
	t.Helper()
	report, err := ingest.Run(context.Background(), s.Library, []string{"."}, nil)
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// read reads, and checks what holds of every answer.
func (s *shelf) read(t testing.TB, req contents.Request) *contents.Contents {
	t.Helper()
	c, err := s.Read(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	most := req.MaxTokens
	if most == 0 {
		most = contents.DefaultTokens
	}
	if n := plain.CountTokens(string(data)); n > most {
		t.Errorf("%d tokens, more than %d: %s", n, most, data)
	}
	for _, item := range c.Items {
		if item.Tokens != plain.CountTokens(item.Text) {
			t.Errorf("%s says %d tokens, and has %d", item.ID, item.Tokens, plain.CountTokens(item.Text))
		}
	}
	return c
}

const tea = "# Tea\n\nGreen or black, from a pot that is warm; with milk, or lemon, or neither of them, and in a cup as thin as can be.\n\n## Water\n\nEighty degrees.\n\n## Time\n\nThree minutes.\n\n### Cold\n\nA night.\n"

func TestReadNodesAndAddresses(t *testing.T) {
	s := newShelf(t, map[string]string{"tea.md": tea})
	c := s.read(t, contents.Request{IDs: []string{"tea.tea.water", "text://tea#lines=9-11", "tea", "tea.no-such", "nothing", "text://tea#lines=99", "text://tea#lines=0", "gopher"}})
	want := []struct{ node, text, code string }{
		{"tea.water", "## Water\n\nEighty degrees.\n\n", ""},
		{"", "## Time\n\nThree minutes.\n", ""},
		{"", tea, ""},
		{"", "", "NOT_FOUND"},
		{"", "", "NOT_FOUND"},
		{"", "", "INVALID_INPUT"},
		{"", "", "INVALID_INPUT"},
		{"", "", "NOT_FOUND"},
	}
	if len(c.Items) != len(want) || c.NextCursor != "" {
		t.Fatalf("%d items, cursor %q", len(c.Items), c.NextCursor)
	}
	for i, w := range want {
		item := c.Items[i]
		if item.NodeID != w.node || item.Text != w.text || citekit.CodeOf(item.Err) != w.code {
			t.Errorf("%s: node %q, text %q, error %v; want %v", item.ID, item.NodeID, item.Text, item.Err, w)
		}
	}
	if item := c.Items[0]; item.Address.String() != "text://tea#lines=5-8" || item.MediaType == "" {
		t.Errorf("address %s, media type %q", item.Address, item.MediaType)
	}
}

func TestExpand(t *testing.T) {
	s := newShelf(t, map[string]string{"tea.md": tea})
	c := s.read(t, contents.Request{
		IDs:    []string{"tea.tea.time"},
		Expand: contents.Expansion{Parent: true, Children: true, Neighbours: true},
	})
	var nodes []string
	for _, item := range c.Items {
		nodes = append(nodes, item.NodeID)
	}
	if got := strings.Join(nodes, " "); got != "tea.time tea tea.water tea.time.cold" {
		t.Errorf("read %s", got)
	}
}

// TestCursors reads long texts in small answers: together they are the texts,
// and each answer keeps its bound.
func TestCursors(t *testing.T) {
	long := "# Long\n\n" + strings.Repeat("Ein Satz mit Umlauten: äöü \"Anführung\" \\ und\tTab. 検索の言葉。\n", 300)
	s := newShelf(t, map[string]string{"long.md": long, "tea.md": tea, "solid.txt": strings.Repeat("x", 9000)})
	for _, most := range []int{150, 333, 1000, 5000} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			ids := []string{"long", "tea.tea.water", "solid", "tea"}
			got := make(map[string]string)
			cursor := ""
			for answers := 0; ; answers++ {
				c := s.read(t, contents.Request{IDs: ids, MaxTokens: most, Cursor: cursor, Runs: true})
				given := 0
				for _, item := range c.Items {
					got[item.ID] += item.Text
					given += len(item.Text)
					checkRuns(t, item)
				}
				if cursor = c.NextCursor; cursor == "" {
					break
				}
				if given == 0 && len(c.Items) == 0 || answers > 2000 {
					t.Fatalf("answer %d gives nothing", answers)
				}
			}
			want := map[string]string{"long": long, "tea.tea.water": "## Water\n\nEighty degrees.\n\n", "solid": strings.Repeat("x", 9000), "tea": tea}
			for id, text := range want {
				if got[id] != text {
					t.Errorf("%s: %d bytes came together, want %d", id, len(got[id]), len(text))
				}
			}
		})
	}
}

// TestRunsOfCutText checks that each run of an answer has the lines that the
// answer gives, and no more.
func TestRunsOfCutText(t *testing.T) {
	var log strings.Builder
	for i := range 151 {
		fmt.Fprintf(&log, "2024-05-01 12:00:00 worker: request %d was served in time\n", i+1)
	}
	s := newShelf(t, map[string]string{"log.txt": log.String()})
	lines := strings.SplitAfter(log.String(), "\n")
	for _, id := range []string{"log", "text://log#lines=20-140"} {
		cursor, answers := "", 0
		for ; answers == 0 || cursor != ""; answers++ {
			c := s.read(t, contents.Request{IDs: []string{id}, MaxTokens: 600, Cursor: cursor, Runs: true})
			item := c.Items[0]
			if len(item.Runs) == 0 {
				t.Fatalf("%s, answer %d: no runs", id, answers)
			}
			for _, r := range item.Runs {
				at := r.Address.Location.Lines
				if at.IsZero() {
					t.Fatalf("%s, answer %d: a run at %s", id, answers, r.Address)
				}
				got, want := item.Text[r.Start:r.End], strings.Join(lines[at.First-1:at.Last], "")
				if got != want {
					t.Errorf("%s, answer %d: a run at %s has %d lines: %.60q…", id, answers, r.Address, strings.Count(got, "\n"), got)
				}
			}
			cursor = c.NextCursor
		}
		if answers < 3 {
			t.Errorf("%s: %d answers", id, answers)
		}
	}
}

func checkRuns(t *testing.T, item *contents.Item) {
	t.Helper()
	at := 0
	for _, r := range item.Runs {
		if r.Start < at || r.End <= r.Start || r.End > len([]rune(item.Text)) {
			t.Errorf("a run %d-%d after %d in a text of %d", r.Start, r.End, at, len([]rune(item.Text)))
		}
		at = r.End
	}
}

func TestShortTextsComeWhole(t *testing.T) {
	s := newShelf(t, map[string]string{"tea.md": tea, "solid.txt": strings.Repeat("word ", 9000)})
	c := s.read(t, contents.Request{IDs: []string{"solid", "tea.tea.water"}, MaxTokens: 300})
	if len(c.Items) != 2 || c.Items[1].Text != "## Water\n\nEighty degrees.\n\n" || c.Items[0].Tokens < 100 {
		t.Errorf("got %d and %d tokens", c.Items[0].Tokens, c.Items[1].Tokens)
	}
}

func TestNoText(t *testing.T) {
	s := newShelf(t, map[string]string{"tea.md": tea})
	c := s.read(t, contents.Request{IDs: []string{"tea.tea.water"}, NoText: true})
	if item := c.Items[0]; item.Text != "" || item.Err != nil || item.MediaType == "" || c.NextCursor != "" {
		t.Errorf("got %q, %v, cursor %q", item.Text, item.Err, c.NextCursor)
	}
}

// TestMissing says which part of a text cannot be read, and that the answer is not complete
// then.
func TestMissing(t *testing.T) {
	s := newShelf(t, map[string]string{"old.pdf": string(pdftest.Unnamed("Heading", 80))})
	for _, id := range []string{"old", "doc://old#pages=1"} {
		c := s.read(t, contents.Request{IDs: []string{id}})
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if item := c.Items[0]; item.Note != "page 1: 80 of the 87 characters drawn on it cannot be read" || !strings.Contains(string(data), `"complete":false`) {
			t.Errorf("%s: note %q, %s", id, item.Note, data)
		}
	}
}

// TestNothingThere checks that a part without text says so, if its source has text
// elsewhere.
func TestNothingThere(t *testing.T) {
	written := []pdftest.Row{{X: 72, Y: 100, Size: 11, Text: "The kettle boils water for the tea."}}
	s := newShelf(t, map[string]string{"mixed.pdf": string(pdftest.Rows("", written, nil)), "sums.csv": "name,share\nfirst,\n"})
	for id, want := range map[string]string{
		"doc://mixed#pages=1": "", "doc://mixed#pages=2": "it has no text, as in a scan", "doc://mixed": "", "text://sums#rows=2": "",
	} {
		if item := s.read(t, contents.Request{IDs: []string{id}}).Items[0]; item.Err != nil || item.Note != want || (item.Text == "") != (want != "") {
			t.Errorf("%s: %q, note %q, %v; want %q", id, item.Text, item.Note, item.Err, want)
		}
	}
	s = newShelf(t, map[string]string{"scan.pdf": string(pdftest.Rows("", nil))})
	s.Reader = contents.New(s.Library, &contents.Options{Scans: "--ocr reads it"})
	for id, want := range map[string]string{
		"scan": "its page has no text, as in a scan; --ocr reads it", "doc://scan#pages=1": "its page has no text, as in a scan; --ocr reads it",
	} {
		if item := s.read(t, contents.Request{IDs: []string{id}}).Items[0]; item.Err != nil || item.Note != want {
			t.Errorf("%s: note %q, %v; want %q", id, item.Note, item.Err, want)
		}
	}
}

func TestStale(t *testing.T) {
	s := newShelf(t, map[string]string{"tea.md": tea, "long.txt": strings.Repeat("some words of it\n", 500)})
	c := s.read(t, contents.Request{IDs: []string{"long"}, MaxTokens: 200})
	s.write(t, "tea.md", tea+"More.\n")
	s.write(t, "long.txt", strings.Repeat("other words of it\n", 500))
	item := s.read(t, contents.Request{IDs: []string{"tea.tea.water"}}).Items[0]
	if item.Text != "" || citekit.CodeOf(item.Err) != message.CodeStale {
		t.Errorf("a changed source gives %q, %v", item.Text, item.Err)
	}
	s.ingest(t)
	item = s.read(t, contents.Request{IDs: []string{"long"}, MaxTokens: 200, Cursor: c.NextCursor}).Items[0]
	if item.Text != "" || citekit.CodeOf(item.Err) != message.CodeStale {
		t.Errorf("a cursor into another version gives %q, %v", item.Text, item.Err)
	}
	if err := os.Remove(filepath.Join(s.dir, "tea.md")); err != nil {
		t.Fatal(err)
	}
	item = s.read(t, contents.Request{IDs: []string{"tea"}}).Items[0]
	if item.Text != "" || !errors.Is(item.Err, fs.ErrNotExist) {
		t.Errorf("a source that is gone gives %q, %v", item.Text, item.Err)
	}
}

func TestPinnedVersion(t *testing.T) {
	s := newShelf(t, map[string]string{"tea.md": tea})
	m, err := s.Map(context.Background(), "tea")
	if err != nil {
		t.Fatal(err)
	}
	hash := m.SourceHash()
	other := strings.Map(func(r rune) rune { return '0' + (r+1)%10 }, hash)
	c := s.read(t, contents.Request{IDs: []string{"text://tea#lines=1&v=" + hash[:8], "text://tea#lines=1&v=" + other[:8]}})
	if c.Items[0].Text != "# Tea\n" || citekit.CodeOf(c.Items[1].Err) != message.CodeStale {
		t.Errorf("got %q, %v", c.Items[0].Text, c.Items[1].Err)
	}
}

func TestBadRequests(t *testing.T) {
	s := newShelf(t, map[string]string{"tea.md": tea})
	long := "tea." + strings.Repeat("x.", 5000)
	for name, test := range map[string]struct {
		req  contents.Request
		want error
	}{
		"no ids":       {contents.Request{}, citekit.ErrSyntax},
		"many ids":     {contents.Request{IDs: make([]string, 101)}, citekit.ErrSyntax},
		"few tokens":   {contents.Request{IDs: []string{"tea"}, MaxTokens: 99}, citekit.ErrSyntax},
		"negative":     {contents.Request{IDs: []string{"tea"}, MaxTokens: -5}, citekit.ErrSyntax},
		"many tokens":  {contents.Request{IDs: []string{"tea"}, MaxTokens: 1 << 40}, citekit.ErrSyntax},
		"cursor":       {contents.Request{IDs: []string{"tea"}, Cursor: "AAAA"}, citekit.ErrSyntax},
		"no base64":    {contents.Request{IDs: []string{"tea"}, Cursor: "!"}, citekit.ErrSyntax},
		"a long id":    {contents.Request{IDs: []string{long}, MaxTokens: 100}, citekit.ErrTooLarge},
		"other's ids":  {contents.Request{IDs: []string{"other"}, Cursor: cursorOf(t, s)}, citekit.ErrSyntax},
		"half a curso": {contents.Request{IDs: []string{"tea"}, Cursor: cursorOf(t, s)[:10]}, citekit.ErrSyntax},
	} {
		if c, err := s.Read(context.Background(), test.req); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Read(ctx, contents.Request{IDs: []string{"tea"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func cursorOf(t *testing.T, s *shelf) string {
	t.Helper()
	cursor := s.read(t, contents.Request{IDs: []string{"tea"}, MaxTokens: 100, Runs: true}).NextCursor
	if len(cursor) < 10 {
		t.Fatalf("cursor %q", cursor)
	}
	return cursor
}

func FuzzCursor(f *testing.F) {
	s := newShelf(f, map[string]string{"tea.md": tea})
	f.Add("")
	f.Add(s.read(f, contents.Request{IDs: []string{"tea", "tea.tea"}, MaxTokens: 150}).NextCursor)
	f.Fuzz(func(t *testing.T, cursor string) {
		c, err := s.Read(context.Background(), contents.Request{IDs: []string{"tea", "tea.tea"}, MaxTokens: 150, Cursor: cursor})
		if err != nil && !errors.Is(err, citekit.ErrSyntax) {
			t.Error(err)
		}
		if err == nil && len(c.Items) == 0 {
			t.Error("no items")
		}
	})
}

func BenchmarkReadNode(b *testing.B) {
	s := newShelf(b, map[string]string{"tea.md": tea + strings.Repeat("some words of it\n", 50000)})
	for b.Loop() {
		s.read(b, contents.Request{IDs: []string{"tea.tea.water"}})
	}
}

// TestCursorOfUnreadable goes on with a cursor when one of the texts that it is
// in the middle of cannot be read any more.
func TestCursorOfUnreadable(t *testing.T) {
	long := strings.Repeat("some words of it\n", 500)
	s := newShelf(t, map[string]string{"a.txt": long, "b.txt": long})
	ids := []string{"a", "b"}
	cursor := s.read(t, contents.Request{IDs: ids, MaxTokens: 600}).NextCursor
	s.write(t, "b.txt", "other\n")
	for _, most := range []int{110, 300} {
		c, err := s.Read(context.Background(), contents.Request{IDs: ids, MaxTokens: most, Cursor: cursor})
		if err != nil && !errors.Is(err, citekit.ErrTooLarge) || err == nil && len(c.Items) == 0 {
			t.Errorf("with %d tokens: %v, %v", most, c, err)
		}
	}
}

// TestAskedForComesFirst asks for more than is read around one node: all that was
// asked for comes, under the id it was asked by, and most of it with its text.
func TestAskedForComesFirst(t *testing.T) {
	many := "# Top\n\n"
	for i := range 1100 {
		many += fmt.Sprintf("## Part %d\n\nNumber %d is here.\n\n", i, i)
	}
	s := newShelf(t, map[string]string{"many.md": many, "tea.md": tea})
	ids := []string{"many.top", "tea.tea.water", "many.top.part-1", "many.top.part-2"}
	expand := contents.Expansion{Children: true, Neighbours: true}
	seen := make(map[string]bool)
	cursor := ""
	for range 200 {
		c := s.read(t, contents.Request{IDs: ids, Expand: expand, Cursor: cursor, MaxTokens: 4000})
		if len(c.Items) > 1 && c.Items[1].Tokens == 0 {
			t.Errorf("%d items in one answer, and no room for their text", len(c.Items))
		}
		for _, item := range c.Items {
			seen[item.ID] = true
		}
		if cursor = c.NextCursor; cursor == "" {
			break
		}
		if len(cursor) > 400 {
			t.Errorf("a cursor of %d bytes", len(cursor))
		}
	}
	if cursor != "" {
		t.Error("200 answers do not suffice")
	}
	for _, id := range ids {
		if !seen[id] {
			t.Errorf("%s was not read", id)
		}
	}
	if len(seen) < 1000 {
		t.Errorf("%d parts were read", len(seen))
	}
}

func TestFragments(t *testing.T) {
	s := newShelf(t, map[string]string{"tea.md": tea})
	c := s.read(t, contents.Request{IDs: []string{"tea#lines=1", "tea#lines=0"}})
	if c.Items[0].Text != "# Tea\n" || citekit.CodeOf(c.Items[1].Err) != message.CodeInvalidInput {
		t.Errorf("got %q, %v", c.Items[0].Text, c.Items[1].Err)
	}
}

// A silentReader is a resolver whose text never comes.
type silentReader struct{ citekit.Resolver }

func (silentReader) ReadText(ctx context.Context, _ *citekit.Source, _ citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		<-ctx.Done()
		yield(citekit.TextRun{}, ctx.Err())
	}
}

// TestTimeIsOver has a text that cannot be read in time behind one that can.
func TestTimeIsOver(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("a.txt", []byte("one\ntwo\n"))
	for id, modality := range map[string]string{"a": "text", "silent": "ballad"} {
		data := fmt.Sprintf(`{"resource_id": %q, "type": %q, "title": "", "source_path": "a.txt", "nodes": []}`, id, modality)
		if err := ws.WriteMap(t.Context(), id, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	lib := citekit.New(ws, citekit.Resolvers{"text": modality.All()["text"], "ballad": silentReader{}}, nil)
	defer lib.Close()
	r := contents.New(lib, nil)
	read := func(limit time.Duration, ids ...string) (*contents.Contents, error) {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		return r.Read(ctx, contents.Request{IDs: ids})
	}
	limit := 20 * time.Millisecond
	c, err := read(limit, "a", "silent")
	for ; err != nil && limit < time.Minute; c, err = read(limit, "a", "silent") { // on a busy machine
		limit *= 2
	}
	if err != nil || len(c.Items) != 1 || c.Items[0].Text != "one\ntwo\n" || c.NextCursor == "" {
		t.Fatalf("%+v, %v", c, err)
	}
	if c, err := read(limit, "silent"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%+v, %v", c, err)
	}
	c.Late, c.NextCursor = true, ""
	if data, err := json.Marshal(c); err != nil || !strings.Contains(string(data), `"complete":false`) {
		t.Errorf("%s, %v", data, err)
	}
}

// TestReadCells asks for the cells of tables, and of what has none.
func TestReadCells(t *testing.T) {
	s := newShelf(t, map[string]string{
		"page.html": "<h1>Sales</h1><table><tr><th>Region<th>Q3<tr><td>North<td>(910)</table>",
		"p.pdf":     string(pdftest.Ruled("Table 1: Revenue\nItem|Q2\nRevenue|4,350\nCosts|12\n")),
	})
	c := s.read(t, contents.Request{Cells: true, IDs: []string{"text://page#blocks=2", "text://page#table=1&cells=B2", "doc://p#pages=1&table=1&cells=A2:B2", "text://page#blocks=1", "doc://p#pages=1"}})
	want := []string{"A1 Region, B1 Q3, A2 North, B2 (910)", "B2 (910)", "A2 Revenue, B2 4,350", "", ""}
	for i, item := range c.Items {
		var cells []string
		if item.Table != nil {
			for _, cell := range item.Table.Cells {
				cells = append(cells, cell.Cells.String()+" "+cell.Text)
			}
		}
		if got := strings.Join(cells, ", "); item.Err != nil || got != want[i] {
			t.Errorf("%s: %s, %v; want %s", item.ID, got, item.Err, want[i])
		}
	}
}
