package mapadapter_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mapadapter"
)

var graphFiles = fstest.MapFS{
	"out/communities.json": {Data: []byte(`[
		{"id": "c0", "community": 0, "level": 0, "parent": -1, "children": [1], "title": "Community 0", "entity_ids": ["e1", "e2", "missing"], "relationship_ids": ["r1"], "text_unit_ids": ["t1", "t2"]},
		{"id": "c1", "community": 1, "level": 1, "parent": 0, "children": [], "title": "Community 1", "entity_ids": ["e2"], "text_unit_ids": ["t2"]},
		{"id": "c2", "community": 2, "level": 0, "parent": 77, "title": "Community 2"}]`)},
	"out/community_reports.jsonl": {Data: []byte(`{"id": "x", "community": 1, "title": "Those who sow", "summary": "They sow."}` + "\n")},
	"out/entities.json": {Data: []byte(`{"id": {"0": "e1", "1": "e2", "2": "e3"}, "title": {"0": "RAIN", "1": "FARMER", "2": "SUN"},
		"type": {"0": "EVENT", "1": "PERSON", "2": null}, "description": {"0": "It rains.", "1": "", "2": "Shines."}}`)},
	"out/relationships.json": {Data: []byte(`[{"id": "r1", "source": "RAIN", "target": "FARMER", "description": "helps", "text_unit_ids": ["t1", "none"]}, {"id": "r2", "source": "RAIN", "target": "NOBODY"}]`)},
	"out/text_units.jsonl":   {Data: []byte("{\"id\": \"t1\", \"text\": \"# Farm\\n\\nRain fell.\"}\n{\"id\": \"t2\", \"text\": \"The farmer sows.\"}\n{\"id\": \"t3\", \"text\": \"Nowhere.\"}\n")},
	"out/documents.jsonl":    {Data: []byte(`{"id": "d1", "title": "farm.txt", "text": "…"}`)},
	"out/stats.json":         {Data: []byte(`{}`)},
}

func TestGraphRAG(t *testing.T) {
	in := mapadapter.Input{FS: graphFiles, Name: "out"}
	m := adapt(t, mapadapter.GraphRAG{}, in, &mapadapter.Options{Open: opener(map[string]string{"farm.txt": "# Farm\n\nRain fell.\nThe farmer sows.\n"})})
	compare(t, m, `
community-0 | community | Community 0 | virtual://farm#community-0
  community-0.those-who-sow | community | Those who sow | virtual://farm#community-0.those-who-sow
    community-0.those-who-sow.farmer | entity | FARMER | virtual://farm#community-0.those-who-sow.farmer
    community-0.those-who-sow.the-farmer-sows | text_unit | The farmer sows. | l4
  community-0.rain | entity | RAIN | virtual://farm#community-0.rain
  community-0.rain-farmer | relationship | RAIN → FARMER | virtual://farm#community-0.rain-farmer
  community-0.farm | text_unit | Farm | l1-3
community-2 | community | Community 2 | virtual://farm#community-2
sun | entity | SUN | virtual://farm#sun
rain-nobody | relationship | RAIN → NOBODY | virtual://farm#rain-nobody
nowhere | text_unit | Nowhere. | virtual://farm#nowhere
`)
	if m.Type != citekit.Text || m.SourcePath != "farm.txt" || m.SourceHash() == "" || m.Metadata["adapter"] != "graphrag" {
		t.Errorf("type %s, source %q, metadata %v", m.Type, m.SourcePath, m.Metadata)
	}
	if n := m.Node("community-0.those-who-sow"); n.Summary != "They sow." {
		t.Errorf("summary %q", n.Summary)
	}
	related, _ := json.Marshal(m.Metadata["relations"])
	if want := `[{"evidence":["community-0.farm"],"from":"community-0.rain","kind":"relationship","text":"helps","to":"community-0.those-who-sow.farmer"}]`; string(related) != want {
		t.Errorf("relations %s, want %s", related, want)
	}
	if in, ok := extra(t, "graphrag-dulce-communities.parquet"); ok {
		compareGraph(t, in)
	}
}

func TestGraphRAGWithoutSource(t *testing.T) {
	m := adapt(t, mapadapter.GraphRAG{}, mapadapter.Input{FS: graphFiles, Name: "out/communities.json"}, nil)
	if m.Type != citekit.Virtual || m.SourcePath != "" || m.Metadata["source_name"] != "farm.txt" {
		t.Errorf("type %s, source %q, metadata %v", m.Type, m.SourcePath, m.Metadata)
	}
	for n := range m.All() {
		if n.Location.Modality != citekit.Virtual {
			t.Errorf("node %s is at %+v", n.ID, n.Location)
		}
	}
}

// compareGraph compares the communities of a real graph with its rows.
func compareGraph(t *testing.T, in mapadapter.Input) {
	t.Helper()
	var text strings.Builder
	for _, row := range exportRows(t, in, "graphrag-dulce-text_units.export.jsonl") {
		text.WriteString(row["text"].(string) + "\n\n")
	}
	m := adapt(t, mapadapter.GraphRAG{}, in, &mapadapter.Options{SourcePath: "dulce.txt", Open: opener(map[string]string{"dulce.txt": text.String()})})
	types := make(map[string]int)
	placed := 0
	for n, depth := range m.All() {
		types[n.Type]++
		if n.Type == "text_unit" && !n.Location.Lines.IsZero() {
			placed++
		}
		if n.Type == "community" && depth != communityLevel(t, in, n.Title) {
			t.Errorf("%s is at depth %d", n.Title, depth)
		}
	}
	if types["community"] != 10 || types["entity"] < 39 || types["text_unit"] < 5 || placed != types["text_unit"] {
		t.Errorf("nodes %v; %d text units have lines", types, placed)
	}
}

func communityLevel(t *testing.T, in mapadapter.Input, title string) int {
	t.Helper()
	for _, row := range exportRows(t, in, "graphrag-dulce-communities.export.jsonl") {
		if row["title"] == title {
			return int(row["level"].(float64))
		}
	}
	t.Fatalf("no community %q", title)
	return 0
}

// TestGraphRAGHostile makes maps of communities in cycles and chains.
func TestGraphRAGHostile(t *testing.T) {
	var chain, wide strings.Builder
	for i := range 500 {
		fmt.Fprintf(&chain, `{"community": %d, "parent": %d, "title": "C", "entity_ids": ["e"]}`+"\n", i, i-1)
	}
	for i := range 30_000 {
		fmt.Fprintf(&wide, `{"id": "e%d", "title": "E", "description": "x"}`+"\n", i)
	}
	for name, test := range map[string]struct {
		files fstest.MapFS
		nodes int
	}{
		"cycle":    {fstest.MapFS{"communities.json": {Data: []byte(`[{"community": 1, "parent": 2}, {"community": 2, "parent": 1}, {"community": 3, "parent": 3}]`)}}, 3},
		"children": {fstest.MapFS{"communities.json": {Data: []byte(`[{"community": 1, "children": [2, 1]}, {"community": 2, "children": [1]}]`)}}, 2},
		"chain":    {fstest.MapFS{"communities.jsonl": {Data: []byte(chain.String())}, "entities.jsonl": {Data: []byte(`{"id": "e", "title": "E"}`)}}, 942},
		"wide":     {fstest.MapFS{"communities.jsonl": {Data: []byte(chain.String())}, "entities.jsonl": {Data: []byte(wide.String())}}, 500},
		"twice":    {fstest.MapFS{"entities.json": {Data: []byte(`[{"id": "a", "title": "A"}, {"id": "a", "title": "B"}, {"title": "C"}]`)}}, 1},
	} {
		m := adapt(t, mapadapter.GraphRAG{}, mapadapter.Input{FS: test.files, Name: "."}, nil)
		nodes, deepest := 0, 0
		for _, depth := range m.All() {
			nodes++
			deepest = max(deepest, depth)
		}
		if nodes != test.nodes || deepest >= 64 {
			t.Errorf("%s: %d nodes, %d deep; want %d", name, nodes, deepest, test.nodes)
		}
	}
}

func exportRows(t *testing.T, in mapadapter.Input, name string) []map[string]any {
	t.Helper()
	f, err := in.FS.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return jsonLines(t, f)
}

func jsonLines(t *testing.T, r io.Reader) []map[string]any {
	t.Helper()
	var rows []map[string]any
	for decoder := json.NewDecoder(r); ; {
		var row map[string]any
		if err := decoder.Decode(&row); errors.Is(err, io.EOF) {
			return rows
		} else if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
}

// TestGraphRAGUnreadable has a table beside the others that cannot be read.
func TestGraphRAGUnreadable(t *testing.T) {
	files := fstest.MapFS{
		"out/entities.json":       {Data: []byte(`[{"id": "e1", "title": "A", "description": "An entity."}]`)},
		"out/documents.parquet":   {Data: []byte("PAR1, and no more")},
		"out/communities.parquet": {Data: []byte("nothing")},
	}
	var warnings []string
	opts := &mapadapter.Options{Warn: func(err error) { warnings = append(warnings, err.Error()) }}
	for _, name := range []string{"out", "out/entities.json"} {
		warnings = nil
		maps, err := mapadapter.GraphRAG{}.Adapt(t.Context(), mapadapter.Input{FS: files, Name: name}, opts)
		if err != nil || len(maps) != 1 || len(maps[0].Nodes) != 1 {
			t.Fatalf("%s: %d maps, %v", name, len(maps), err)
		}
		if len(warnings) != 2 || !strings.HasPrefix(warnings[0], "communities.parquet: ") || !strings.HasPrefix(warnings[1], "documents.parquet: ") {
			t.Errorf("%s: warnings %q", name, warnings)
		}
		if got := fmt.Sprint(maps[0].Metadata["omitted"]); got != "[communities documents]" {
			t.Errorf("%s: left out %s", name, got)
		}
	}
	_, err := mapadapter.GraphRAG{}.Adapt(t.Context(), mapadapter.Input{FS: files, Name: "out/documents.parquet"}, opts)
	if !errors.Is(err, citekit.ErrFormat) || !strings.Contains(err.Error(), "documents.parquet") {
		t.Errorf("the input itself: %v", err)
	}
}
