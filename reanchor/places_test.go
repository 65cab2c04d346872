package reanchor_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/internal/test/testcorpus"
	"github.com/citekit/citekit/reanchor"
)

const (
	places    = "Jahr,Ort,Wert\n2019,Bonn,17\n2020,Köln,17\n2021,Bonn,18\n2022,Köln,17\n"
	placesNow = "Jahr,Ort,Wert\n2018,Ulm,17\n2019,Bonn,17\n2020,Köln,17\n2021,Bonn,18\n2022,Köln,17\n"
)

var (
	levels = [][]string{
		{"Level", "File", "Size", "bzip2", "", "Share"},
		{"1", "code.h", "97323", "22381", "", "23.0%"}, {"1", "all.txt", "120224", "54834", "", "45.6%"},
		{"5", "code.h", "97323", "22381", "", "22.9%"}, {"5", "all.txt", "120224", "54076", "", "45.0%"},
		{"9", "code.h", "97323", "22381", "", "35.3%"},
	}
	levelsNow = append([][]string{levels[0], {"0", "new.h", "12", "10", "", "83.3%"}}, levels[1:]...)
)

func parse(t testing.TB, address string) citekit.Address {
	t.Helper()
	a, err := citekit.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A quote at several places is moved to none of them, whatever is asked for, unless a
// kept version tells which one was cited.
func TestSeveralPlaces(t *testing.T) {
	sharedtest.Once(t)
	twice := "# One\n\nThe result was positive and stands.\n\n# Two\n\nOther words.\n\n# Three\n\nThe result was positive and stands.\n"
	files := map[string]string{"d.csv": places, "m.xlsx": string(testcorpus.Workbook(levels...)), "t.md": twice}
	now := map[string]string{"d.csv": placesNow, "m.xlsx": string(testcorpus.Workbook(levelsNow...)), "t.md": "New.\n\n" + twice}
	for _, c := range []struct{ quote, cited, moved string }{
		{"17", "text://d#rows=5&cols=Wert", "text://d#rows=6&cols=Wert"},
		{"2022,Köln,17", "text://d#rows=5", "text://d#rows=6"},
		{"22381", "doc://m#sheet=Q4&cells=D4", "doc://m#sheet=Q4&cells=D5"},
		{"97323", "doc://m#sheet=Q4&rows=4", "doc://m#sheet=Q4&rows=5"},
		{"code.h", "doc://m#sheet=Q4&cells=A4:D4", "doc://m#sheet=Q4&cells=A5:D5"},
		{"The result was positive and stands.", "text://t#lines=11", "text://t#lines=13"},
	} {
		text := "He says “" + c.quote + "” [" + c.cited + "]."
		want := map[bool]string{false: text, true: strings.Replace(text, c.cited, parse(t, c.moved).String(), 1)}
		for _, kept := range []bool{false, true} {
			s := newShelf(t, files)
			if kept {
				if _, err := s.Rewrite(t.Context(), text, nil); err != nil {
					t.Fatal(err)
				}
			}
			s.ingest(t, now)
			got, err := s.Rewrite(t.Context(), text, &reanchor.RewriteOptions{Similar: true})
			if err != nil || len(got.Citations) != 1 {
				t.Fatalf("%s: %+v, %v", c.cited, got, err)
			}
			one := got.Citations[0]
			if c.quote == "2022,Köln,17" { // it is at one place
				want[false] = want[true]
			} else if ambiguous := one.Result.How == reanchor.Ambiguous; ambiguous == kept || one.Left() == kept {
				t.Errorf("%s, kept %v: %s, left %v", c.cited, kept, one.Result.How, one.Left())
			}
			if got.Text != want[kept] {
				t.Errorf("kept %v: %s, want %s", kept, got.Text, want[kept])
			}
		}
	}
}

func TestAmbiguous(t *testing.T) {
	const lost = "&v=0123456789abcdef"
	s := newShelf(t, map[string]string{"d.csv": placesNow, "m.xlsx": string(testcorpus.Workbook(levelsNow...)), "n.md": "The kettle boils at noon.\n\nA break.\n\nThe kettle boils at noon.\n"})
	for _, c := range []struct {
		quote, cited string
		places       int
		candidates   string
	}{
		{"22381", "doc://m#sheet=Q4&cells=F3", 3, "doc://m#sheet=Q4&cells=D3 doc://m#sheet=Q4&cells=D5 doc://m#sheet=Q4&cells=D7"},
		{"22381", "doc://m#sheet=Q4&cells=D3" + lost, 3, ""}, // the row of today need not be that of then
		{"The kettle boils at noon.", "text://n#lines=3", 2, "text://n#lines=1-1 text://n#lines=5-5"},
		{"The kettle boils at noon.", "text://n#lines=5" + lost, 2, ""},
		{"The kettle never boils at noon.", "text://n#lines=3", 2, "text://n#lines=1-1 text://n#lines=5-5"}, // altered
	} {
		got := s.find(t, reanchor.Request{Address: parse(t, c.cited), Quote: c.quote})
		if got.How != reanchor.Ambiguous || got.How.Moves() || got.Address.Resource != "" || got.Places != c.places {
			t.Errorf("%s: %+v", c.cited, got)
		}
		var all []string
		for _, a := range got.Candidates {
			all = append(all, a.String())
		}
		if at := strings.Join(all, " "); c.candidates != "" && at != c.candidates {
			t.Errorf("%s: at %s", c.cited, at)
		}
		var read struct {
			Address    any
			Candidates []string
			Places     int
		}
		data, err := json.Marshal(got)
		if err != nil || json.Unmarshal(data, &read) != nil || read.Address != nil || len(read.Candidates) != len(all) || read.Places != c.places {
			t.Errorf("%s, %v", data, err)
		}
	}
}

// Words of a kept version that are at several places of the new one, none of which has
// the words beside it, are at no known place.
func TestAmbiguousText(t *testing.T) {
	s := newShelf(t, map[string]string{"a.txt": "alpha\nreturn nil\nbeta\n"})
	a := s.cite(t, "text://a#lines=2")
	s.ingest(t, map[string]string{"a.txt": "one\nreturn nil\ntwo\nthree\nreturn nil\nfour\n"})
	if got := s.find(t, reanchor.Request{Address: a}); got.How != reanchor.Ambiguous || got.Address.Resource != "" || got.Places != 2 {
		t.Errorf("%+v", got)
	}
}

// Versions that lead to different places lead to none.
func TestVersionsThatDiffer(t *testing.T) {
	s := newShelf(t, map[string]string{"d.csv": places})
	a := parse(t, "text://d#rows=3&cols=Wert")
	s.cite(t, a.String())
	s.ingest(t, map[string]string{"d.csv": placesNow})
	s.cite(t, a.String())
	s.ingest(t, map[string]string{"d.csv": "Jahr,Ort,Wert\n2016,Trier,12\n2017,Mainz,13\n" + strings.TrimPrefix(placesNow, "Jahr,Ort,Wert\n")})
	if got := s.find(t, reanchor.Request{Address: a, Quote: "17"}); got.How != reanchor.Ambiguous {
		t.Errorf("%+v", got)
	}
}

// A moved citation selects as it did: cells and rows stay cells and rows.
func TestShape(t *testing.T) {
	s := newShelf(t, map[string]string{"d.csv": places, "m.xlsx": string(testcorpus.Workbook(levels...))})
	cited := map[string]string{
		"doc://m#sheet=Q4&cells=F4": "sheet=Q4&cells=F5", "doc://m#sheet=Q4&rows=4": "sheet=Q4&rows=5", "doc://m#sheet=Q4&cells=B4:D4": "sheet=Q4&cells=B5:D5",
		"text://d#rows=4": "rows=5", "text://d#rows=4&cols=Wert": "rows=5&cols=Wert", "text://d#lines=4": "lines=5-5",
	}
	pins := make(map[string]citekit.Address)
	for address := range cited {
		pins[address] = s.cite(t, address)
	}
	s.ingest(t, map[string]string{"d.csv": placesNow, "m.xlsx": string(testcorpus.Workbook(levelsNow...))})
	for address, want := range cited {
		if got := s.find(t, reanchor.Request{Address: pins[address]}); got.How != reanchor.Unique || got.Address.Location.String() != want {
			t.Errorf("%s is moved to %s: %+v", address, got.Address, got)
		}
	}
	// With another column before it, a cell is not where its number says.
	var wider [][]string
	for _, row := range levels {
		wider = append(wider, append([]string{row[0], ""}, row[1:]...))
	}
	pin := s.cite(t, "doc://m#sheet=Q4&cells=F5")
	s.ingest(t, map[string]string{"m.xlsx": string(testcorpus.Workbook(wider...))})
	if got := s.find(t, reanchor.Request{Address: pin}); got.Address.Location.String() != "sheet=Q4&cells=A4:G4" {
		t.Errorf("%+v", got)
	}
	if got := s.find(t, reanchor.Request{Address: parse(t, "doc://m#sheet=Q4&cells=F7"), Quote: "35.3%"}); got.Address.Location.String() != "sheet=Q4&cells=G6" {
		t.Errorf("%+v", got)
	}
}

// Cells of a table in a text stay cells, in the block where the table is now.
func TestShapeOfTable(t *testing.T) {
	rows := [][]string{{"Block", "State"}, {"1", "intact"}, {"2", "damaged beyond all repair"}}
	s := newShelf(t, map[string]string{"w.docx": string(testcorpus.WordTable([]string{"States"}, rows...))})
	pin, bare := s.cite(t, "doc://w#blocks=2&cells=B3"), parse(t, "doc://w#blocks=2&cells=B3")
	s.ingest(t, map[string]string{"w.docx": string(testcorpus.WordTable([]string{"News", "States"}, rows...))})
	for _, req := range []reanchor.Request{{Address: pin}, {Address: bare, Quote: "damaged beyond all repair"}, {Address: pin, Quote: "damaged"}} {
		if got := s.find(t, req); got.How != reanchor.Unique || got.Address.Location.String() != "blocks=3&cells=B3" {
			t.Errorf("%s %q: %+v", req.Address, req.Quote, got)
		}
	}
}
