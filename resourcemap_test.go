package citekit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/about"
)

// seedMap is a map as the documentation shows it, with the nulls, the time
// zone and the extra fields that older implementations write.
const seedMap = `{
  "resource_id": "lecture_01", "type": "video", "title": "Introduction to Algorithms",
  "source_path": "videos/lecture_01.mp4",
  "nodes": [
    {"id": "intro", "title": "Introduction", "type": "section",
     "location": {"modality": "video", "start": 0.0, "end": 145.5, "pages": null, "lines": null, "bbox": null, "virtual_address": null},
     "summary": null, "score": 0.75,
     "children": [
       {"id": "intro.welcome", "title": null, "type": "example",
        "location": {"modality": "video", "start": 0, "end": 30.25, "speaker": {"name": "A & B"}}, "children": []}
     ]},
    {"id": "chapter_1", "title": "Big O \u2014 \ud83d\ude80", "type": "section",
     "location": {"modality": "video", "start": 145.5, "end": 285}, "summary": "Asymptotic runtime analysis"}
  ],
  "metadata": {"source_hash": "A1B2", "source_size": 1024000000, "big": 9007199254740993},
  "created_at": "2025-02-16T14:32:10.123456+00:00",
  "generator": ["v1", null]
}`

func TestParseMapOfOlderImplementations(t *testing.T) {
	m, err := citekit.ParseMap([]byte(seedMap))
	if err != nil {
		t.Fatal(err)
	}
	if m.ResourceID != "lecture_01" || m.Type != citekit.Video || m.SourceHash() != "a1b2" {
		t.Errorf("%+v", m)
	}
	if size, ok := m.SourceSize(); size != 1024000000 || !ok {
		t.Errorf("SourceSize = %d, %v", size, ok)
	}
	if at, err := about.Created(m.CreatedAt); err != nil || !at.Equal(time.Date(2025, 2, 16, 14, 32, 10, 123456000, time.UTC)) {
		t.Errorf("Created = %v, %v", at, err)
	}
	var ids []string
	for n, depth := range m.All() {
		ids = append(ids, fmt.Sprint(depth, n.ID))
	}
	if diff := cmp.Diff([]string{"0intro", "1intro.welcome", "0chapter_1"}, ids); diff != "" {
		t.Error(diff)
	}
	if got := m.Node("chapter_1").Title; got != "Big O — 🚀" {
		t.Errorf("title = %q", got)
	}
	if got := m.Address(m.Node("intro")).String(); got != "video://lecture_01#t=0-145.5" {
		t.Errorf("address = %s", got)
	}
}

func TestMapRoundTripKeepsUnknownFields(t *testing.T) {
	m, err := citekit.ParseMap([]byte(seedMap))
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"resource_id":"lecture_01","type":"video","title":"Introduction to Algorithms",` +
		`"source_path":"videos/lecture_01.mp4","nodes":[` +
		`{"id":"intro","title":"Introduction","type":"section","location":{"modality":"video","start":0,"end":145.5},"children":[` +
		`{"id":"intro.welcome","type":"example","location":{"modality":"video","start":0,"end":30.25,"speaker":{"name":"A \u0026 B"}},"children":[]}` +
		`],"score":0.75},` +
		`{"id":"chapter_1","title":"Big O — 🚀","type":"section","location":{"modality":"video","start":145.5,"end":285},"summary":"Asymptotic runtime analysis","children":[]}` +
		`],"metadata":{"big":9007199254740993,"source_hash":"A1B2","source_size":1024000000},` +
		`"created_at":"2025-02-16T14:32:10.123456+00:00","generator":["v1",null]}`
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Error(diff)
	}
}

func TestParseMapErrors(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", "empty; a JSON object was expected"},
		{"null", "null", "a map is an object, not null"},
		{"array", "[]", "a map is an object, not an array"},
		{"truncated", `{"resource_id": "a", "nodes": [`, "not JSON: line 1, column"},
		{"trailing", `{"resource_id": "a"} {}`, "not JSON: line 1, column"},
		{"second line", "{\n  \"resource_id\": x}", "not JSON: line 2, column"},
		{"utf-16", "\xff\xfe{\x00}\x00", "not UTF-8"},
		{"invalid utf-8", "{\"title\": \"\xff\"}", "not UTF-8"},
		{"nul bytes", strings.Repeat("\x00", 1880), "not JSON"},
		{"duplicate key", `{"source_path": "a", "source_path": "b"}`, "source_path is given twice"},
		{"duplicate key in node", `{"nodes": [{"id": "a", "id": "b"}]}`, "nodes[0].id is given twice"},
		{"unknown key twice", `{"x": 1, "x": 2}`, "x is given twice"},
		{"unknown key in node twice", `{"nodes": [{"id": "a", "x": 1, "x": 1}]}`, "nodes[0].x is given twice"},
		{"half a surrogate pair in a node id", `{"nodes": [{"id": "\ud800"}]}`, "nodes[0].id has half a surrogate pair"},
		{"half a surrogate pair in a resource id", `{"resource_id": "a\udfff"}`, "resource_id has half a surrogate pair"},
		{"duplicate key in metadata", `{"metadata": {"source_hash": "a", "source_hash": "b"}}`, "metadata.source_hash is given twice"},
		{"duplicate key deep in metadata", `{"metadata": {"a": [{"b": 1, "b": 2}]}}`, "metadata.a[0].b is given twice"},
		{"nodes is an object", `{"nodes": {}}`, "nodes is an object, not an array"},
		{"node is a string", `{"nodes": [{"children": [{"id":"a"}, "b"]}]}`, "nodes[0].children[1] is a string, not an object"},
		{"id is a number", `{"nodes": [{"id": 5}]}`, "nodes[0].id is a number, not a string"},
		{"title is a boolean", `{"title": true}`, "title is a boolean, not a string"},
		{"metadata is an array", `{"metadata": []}`, "metadata is an array, not an object"},
	}
	for _, test := range tests {
		_, err := citekit.ParseMap([]byte(test.in))
		if !errors.Is(err, citekit.ErrSyntax) || !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestParseMapTakesKeysLiterally(t *testing.T) {
	for _, in := range []string{
		`{"source_path": "ok", "Source_Path": "evil", "SOURCE_PATH": "evil"}`,
		`{"Source_Path": "evil", "source_path": "ok"}`,
		"{\"source_path\": \"ok\", \"\u017fource_path\": \"evil\"}",
		`{"source_path": "ok", "source_path\u0000": "evil"}`,
		"\ufeff" + `{"source_path": "ok"}`,
	} {
		m, err := citekit.ParseMap([]byte(in))
		if err != nil || m.SourcePath != "ok" {
			t.Errorf("%s: %+v, %v", in, m, err)
		}
	}
}

func TestParseMapDepth(t *testing.T) {
	nested := func(depth int) []byte {
		return []byte(`{"resource_id":"deep","nodes":[` + strings.Repeat(`{"id":"n","children":[`, depth) + strings.Repeat(`]}`, depth) + `]}`)
	}
	if _, err := citekit.ParseMap(nested(250)); err != nil {
		t.Errorf("250 deep: %v", err)
	}
	for _, depth := range []int{257, 1000, 9000, 200_000} {
		if _, err := citekit.ParseMap(nested(depth)); !errors.Is(err, citekit.ErrTooLarge) {
			t.Errorf("%d deep: %v, want ErrTooLarge", depth, err)
		}
	}
	if _, err := citekit.ParseMap([]byte(strings.Repeat("[", 5_000_000))); err == nil {
		t.Error("5 million brackets: no error")
	}
}

// TestHostileLocations checks that a location that means nothing neither fails
// its map nor passes for the whole source.
func TestHostileLocations(t *testing.T) {
	for _, location := range []string{
		`null`, `[]`, `{}`, `"x"`, `{"modality": "no sense"}`, `{"modality": "doc"}`, `{"modality": "http"}`,
		`{"modality":"document","pages":[]}`, `{"modality":"document","pages":[0]}`, `{"modality":"document","pages":[-1]}`,
		`{"modality":"document","pages":[1.5]}`, `{"modality":"document","pages":["1"]}`, `{"modality":"document","pages":"1-9"}`,
		`{"modality":"document","pages":[[1]]}`, `{"modality":"document","pages":[true]}`, `{"modality":"document","pages":[9223372036854775808]}`,
		`{"modality":"document","pages":[1e400]}`, `{"modality":"document","pages":[1],"pages":[2]}`,
		`{"modality":"video","start":5,"end":1}`, `{"modality":"video","start":-1,"end":2}`, `{"modality":"video","start":0,"end":0}`,
		`{"modality":"video","start":0,"end":1e308}`, `{"modality":"video","start":"0","end":"1"}`, `{"modality":"video","start":"0;touch x","end":2}`,
		`{"modality":"image","bbox":[0,0,0,0]}`, `{"modality":"image","bbox":[-1,-1,5,5]}`, `{"modality":"image","bbox":[0.1,0.1,0.2]}`,
		`{"modality":"image","bbox":[0,0,1,1,1]}`, `{"modality":"image","bbox":["a",0,1,1]}`, `{"modality":"image","bbox":[10,10,5,5]}`,
		`{"modality":"text","lines":[0,1]}`, `{"modality":"text","lines":[5,1]}`, `{"modality":"text","lines":["1","2"]}`, `{"modality":"text","lines":[]}`, `{"modality":"text","lines":[1,2,3]}`,
		`{"modality":"text","pages":[1]}`, `{"modality":"document","lines":[1,2]}`, `{"modality":"text","start":1}`,
	} {
		m, err := citekit.ParseMap([]byte(`{"resource_id":"r","type":"text","source_path":"s","nodes":[{"id":"bad","location":` + location + `},{"id":"good","location":{"modality":"text","lines":[1,2]}}]}`))
		if err != nil {
			t.Errorf("%s fails the whole map: %v", location, err)
			continue
		}
		if err := m.Node("bad").Location.Validate(); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("%s: %v, want ErrSyntax", location, err)
		}
		if err := m.Node("good").Location.Validate(); err != nil {
			t.Errorf("beside %s: %v", location, err)
		}
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), "nodes[0].location") || !strings.Contains(err.Error(), "'bad'") {
			t.Errorf("%s: Validate = %v; it should name the node and the field", location, err)
		}
		saved, err := json.Marshal(m)
		if err != nil {
			t.Errorf("%s: %v", location, err)
		}
		again, err := citekit.ParseMap(saved)
		if err != nil || again.Node("bad").Location.Validate() == nil {
			t.Errorf("%s is mended by a save: %s", location, saved)
		}
	}
}

func TestPagesAreAList(t *testing.T) {
	m, err := citekit.ParseMap([]byte(`{"resource_id":"b","type":"document","source_path":"b.pdf","nodes":[
		{"id":"pair","location":{"modality":"document","pages":[12,15]}},
		{"id":"mixed","location":{"modality":"document","pages":[9,3,4.0,5,5]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Address(m.Node("pair")).String(); got != "doc://b#pages=12,15" {
		t.Errorf("pair = %s", got)
	}
	if got := m.Address(m.Node("mixed")).String(); got != "doc://b#pages=3-5,9" {
		t.Errorf("mixed = %s", got)
	}
	if err := m.Validate(); err != nil {
		t.Errorf("Validate: %v; a gap is only a warning", err)
	}
	problems := ingest.Check(t.Context(), nil, m)
	if len(problems) != 1 || !problems[0].Warning || problems[0].Node != "pair" {
		t.Errorf("Check = %v, want one warning about 'pair'", problems)
	}
}

func TestDuplicateIDs(t *testing.T) {
	m, err := citekit.ParseMap([]byte(`{"resource_id":"b","type":"text","source_path":"b","nodes":[
		{"id":"n1","title":"A","location":{"modality":"text"}},{"id":"n2","location":{"modality":"text"},"children":[{"id":"n1","title":"B","location":{"modality":"text"}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Node("n1").Title; got != "A" {
		t.Errorf("first of duplicates = %q, want A", got)
	}
	if err := m.Validate(); err == nil || !strings.Contains(err.Error(), "nodes[1].children[0].id") || !strings.Contains(err.Error(), "taken by nodes[0]") {
		t.Errorf("Validate = %v", err)
	}
}

func TestCheckResourceID(t *testing.T) {
	for _, id := range []string{"a", "Lecture_01", "ümlaut", "a b", "con", "r1.json", ".hidden", "-rf", "日本", strings.Repeat("x", 512)} {
		if err := citekit.CheckResourceID(id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, id := range []string{"", ".", "..", "../x", "a/b", `a\b`, "/etc/passwd", "a\x00b", "r\n1", "\x1b[2J", "a\u202eb", "\xff", "a\u2028b", strings.Repeat("x", 513)} {
		if err := citekit.CheckResourceID(id); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("%q: %v, want ErrSyntax", id, err)
		}
	}
}

func TestCloneIsDeep(t *testing.T) {
	m, err := citekit.ParseMap([]byte(seedMap))
	if err != nil {
		t.Fatal(err)
	}
	before, _ := json.Marshal(m)
	clone := m.Clone()
	clone.Nodes[0].Children[0].ID = "changed"
	clone.Nodes[0].Location.Time.End = 1
	clone.Metadata["source_hash"] = "changed"
	if after, _ := json.Marshal(m); string(after) != string(before) {
		t.Errorf("a change to the clone shows in the original:\n%s", after)
	}
}

func FuzzParseMap(f *testing.F) {
	f.Add([]byte(seedMap))
	f.Add([]byte(`{"nodes":[{"id":"a","location":{"modality":"document","pages":[1,2,9]},"children":[{}]}]}`))
	f.Add([]byte(`{"resource_id":"\ud800","nodes":[{"location":null}],"metadata":{"a":[{}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := citekit.ParseMap(data)
		if err != nil {
			if !errors.Is(err, citekit.ErrSyntax) && !errors.Is(err, citekit.ErrTooLarge) {
				t.Fatalf("%v matches neither ErrSyntax nor ErrTooLarge", err)
			}
			return
		}
		ingest.Check(t.Context(), nil, m)
		saved, err := json.Marshal(m)
		if err != nil {
			if errors.Is(err, citekit.ErrTooLarge) || m.Validate() != nil {
				return
			}
			t.Fatalf("a map that was read cannot be saved: %v", err)
		}
		again, err := citekit.ParseMap(saved)
		if err != nil {
			t.Fatalf("a saved map cannot be read: %v\n%s", err, saved)
		}
		if twice, _ := json.Marshal(again); string(twice) != string(saved) {
			t.Fatalf("a load and save changes the map:\n%s\n%s", saved, twice)
		}
	})
}

func BenchmarkParseMap(b *testing.B) {
	var s strings.Builder
	s.WriteString(`{"resource_id":"big","type":"document","title":"t","source_path":"b.pdf","nodes":[`)
	for i := range 10_000 {
		if i > 0 {
			s.WriteByte(',')
		}
		fmt.Fprintf(&s, `{"id":"n%d","title":"Section %d","type":"section","location":{"modality":"document","pages":[%d,%d]},"summary":"About section %d.","children":[]}`, i, i, i+1, i+2, i)
	}
	s.WriteString(`],"metadata":{},"created_at":"2025-01-01T00:00:00Z"}`)
	data := []byte(s.String())
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := citekit.ParseMap(data); err != nil {
			b.Fatal(err)
		}
	}
}
