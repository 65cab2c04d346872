package command

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/parquettest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace"
)

// entriesWith returns how many entries of the index have a word, without a search that
// would bring it up to date.
func entriesWith(t *testing.T, dir, word string) int {
	t.Helper()
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, nil, nil)
	defer lib.Close()
	searcher := search.New(lib, nil)
	defer searcher.Close()
	words, _, err := searcher.Words(t.Context(), word)
	if err != nil || len(words) != 1 {
		t.Fatalf("got %v, %v", words, err)
	}
	return words[0].Entries
}

// TestIngestIndexes lets each ingest make the index, and keep it up to date, unless it is
// told not to.
func TestIngestIndexes(t *testing.T) {
	w := newFolder(t)
	for _, test := range []struct {
		text                string
		flags               []string
		black, green, white int
	}{
		{"Black", nil, 1, 0, 0},
		{"Green", []string{"--no-index"}, 1, 0, 0},
		{"Green", nil, 0, 1, 0}, // the source is unchanged
		{"White", []string{"--force", "--json"}, 0, 0, 1},
	} {
		w.write("tea.md", "# Tea\n\n"+test.text+".\n")
		out := w.ran(append([]string{"ingest", "."}, test.flags...)...)
		black, green, white := entriesWith(t, w.dir, "black"), entriesWith(t, w.dir, "green"), entriesWith(t, w.dir, "white")
		if black != test.black || green != test.green || white != test.white {
			t.Errorf("%s %q: entries are %d, %d, %d: %s", test.text, test.flags, black, green, white, out)
		}
	}
}

// damagedParquet returns a table with a footer that is right, so that it is mapped, and
// pages that cannot be read.
func damagedParquet(t *testing.T) string {
	data := parquettest.File(t, 20, 20, "gzip")
	for i := 100; i < len(data)/2; i++ {
		data[i] ^= 0x55
	}
	return string(data)
}

// TestUnreadableIsToldOnce has a source that is mapped and whose text cannot be read: the
// ingest that finds it so names it, with the reason and what to do. Later ones count it,
// and searches that find something do not mention it.
func TestUnreadableIsToldOnce(t *testing.T) {
	w := newFolder(t)
	w.write("tea.md", "# Tea\n\nA kettle.\n")
	w.write("rows.parquet", damagedParquet(t))
	const figure, named = "\n1 of 2 resources searchable", "\nrows.parquet: mapped, but its text cannot be searched: "
	do := func(args ...string) string { return "\n" + w.ran(args...) }
	out := do("ingest", ".")
	_, line, _ := strings.Cut(out, named)
	if !strings.Contains(out, figure+"\n") || !strings.Contains(line, "damaged") || !strings.Contains(line, "; replace the file and ingest it again") {
		t.Errorf("at first: %s", out)
	}
	if out := do("ingest", "."); !strings.HasPrefix(out, "\n2 unchanged"+figure+" (-v says why the others are not)\n") || strings.Contains(out, named) {
		t.Errorf("again: %s", out)
	}
	if out := do("ingest", ".", "-v"); !strings.Contains(out, named) {
		t.Errorf("again with -v: %s", out)
	}
	var outcome struct {
		Index struct {
			Resources, Searchable int
			Missing               []struct {
				ResourceID string `json:"resource_id"`
				Path, Code string
				Before     bool
			}
		}
	}
	must(t, json.Unmarshal([]byte(do("ingest", ".", "--json")), &outcome))
	if x := outcome.Index; x.Resources != 2 || x.Searchable != 1 || len(x.Missing) != 1 || x.Missing[0].ResourceID != "rows" || x.Missing[0].Path != "rows.parquet" || x.Missing[0].Code != "INVALID_INPUT" || !x.Missing[0].Before {
		t.Errorf("as JSON: %+v", x)
	}
	if out := do("search", "kettle"); strings.Contains(out, "rows") {
		t.Errorf("a search tells it again: %s", out)
	}
	for _, args := range [][]string{{"search", "teapot"}, {"search", "kettle", "--resource", "rows"}} {
		if out := do(args...); !strings.Contains(out, "cannot be read: rows;") {
			t.Errorf("%q: %s", args, out)
		}
	}
	w.write("rows.parquet", string(parquettest.File(t, 20, 20, "gzip")))
	if out := do("ingest", "."); !strings.Contains(out, "\n2 resources searchable\n") || strings.Contains(out, named) {
		t.Errorf("repaired: %s", out)
	}
}

// TestWatchIndexes: a watch keeps the index up to date, and tells once what cannot be
// searched.
func TestWatchIndexes(t *testing.T) {
	sharedtest.NotShort(t)
	f := newFolder(t)
	f.write("tea.md", "# Tea\n\nA kettle.\n")
	f.write("rows.parquet", damagedParquet(t))
	w := watch(t, f.dir)
	w.wait("rows.parquet: mapped, but its text cannot be searched: ")
	if n := entriesWith(t, w.dir, "kettle"); n != 1 {
		t.Errorf("%d entries of the first run", n)
	}
	w.write("pot.md", "# Pot\n\nA lid.\n")
	w.wait("mapped pot.md")
	w.write("more.parquet", damagedParquet(t)+"x") // is told after pot.md is indexed
	w.wait("failed more.parquet")
	w.write("cup.md", "# Cup\n\nA lid.\n")
	w.wait("mapped cup.md")
	w.end()
	if n := w.count("rows.parquet: "); n != 1 {
		t.Errorf("told %d times: %q", n, w.seen)
	}
}

// TestInterruptedIndexGoesOn ends an ingest when its maps are made: they stay, and the
// next ingest indexes them.
func TestInterruptedIndexGoesOn(t *testing.T) {
	w := newFolder(t)
	for _, name := range []string{"a.md", "b.md", "c.md"} {
		w.write(name, "# Tea of "+name+"\n\nA kettle.\n")
	}
	ctx, cancel := context.WithCancel(t.Context())
	var out strings.Builder
	code := run(ctx, []string{"ingest", "--dir", w.dir, "."}, strings.NewReader(""), endAt{&out, "mapped c.md", cancel}, endAt{&out, "", nil})
	if maps, err := filepath.Glob(filepath.Join(w.dir, ".resource_maps", "*.json")); code != exitInterrupted || len(maps) != 3 || err != nil {
		t.Errorf("exit code %d, maps %q, %v: %s", code, maps, err, out.String())
	}
	if out := w.ran("ingest", "."); out != "3 unchanged\n3 resources searchable\n" {
		t.Errorf("the next: %s", out)
	}
	if n := entriesWith(t, w.dir, "kettle"); n != 3 {
		t.Errorf("%d entries", n)
	}
}

// An endAt calls end once it is to write some text.
type endAt struct {
	out  *strings.Builder
	text string
	end  func()
}

func (e endAt) Write(p []byte) (int, error) {
	if e.end != nil && strings.Contains(string(p), e.text) {
		e.end()
	}
	return e.out.Write(p)
}
