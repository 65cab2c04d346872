package search_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/textlayer"
)

// rowLibrary has a log, a table and cues in which one place answers, among much that
// shares words with it, and pages of prose that share some of its words.
func rowLibrary() map[string]string {
	var log, table, cues strings.Builder
	table.WriteString("city,river,population,mayor\n")
	cues.WriteString("WEBVTT\n\n")
	for i := range 120 {
		event := fmt.Sprintf("INFO worker %d finished job %d in queue blue", i%7, i)
		said := fmt.Sprintf("we walked to hill number %d", i)
		switch i {
		case 70:
			event = "ERROR archive volume rejected checksum mismatch"
		case 71:
			event = "INFO worker retries archive"
		case 80:
			said = "the lantern was lit"
		case 81:
			said = "with whale oil until then"
		}
		fmt.Fprintf(&log, "2024-05-%02d %02d:%02d:00 %s\n", 1+i/24, i%24, i%60, event)
		fmt.Fprintf(&table, "Town%d,Stream%d,%d,Mayor%d\n", i, i%9, 1000+i, i)
		fmt.Fprintf(&cues, "00:%02d:%02d.000 --> 00:%02d:%02d.500\n%s\n\n", i/30, i%30*2, i/30, i%30*2+1, said)
	}
	return map[string]string{
		"server.log":  log.String(),
		"towns.csv":   table.String(),
		"talk.vtt":    cues.String(),
		"manual.md":   "# Volumes\n\nThe archive checksum of a volume is kept beside the archive. A volume has a checksum.\n\n# Rivers\n\nThe river and its mayor: a river of the city, the mayor of a city.\n",
		"lanterns.md": "# Lanterns\n\nA lantern needs oil. The oil of a lantern is bought in spring, and the lantern is cleaned before the oil is filled in.\n",
	}
}

func TestRows(t *testing.T) {
	s := newShelf(t, rowLibrary())
	layers := textlayer.New(s.Library, nil)
	for _, test := range []struct{ query, address, has string }{
		{"archive volume checksum mismatch", "text://server#lines=70-72", "rejected checksum mismatch"},
		{"mayor and river of Town77", "text://towns#lines=78-80", "Town77,Stream5,1077,Mayor77"},
		{"lantern lit with whale oil", "text://talk#lines=240-250", "whale oil until"},
	} {
		found := s.find(t, search.Request{Query: test.query})
		first := found.Results[0]
		if first.Address.String() != test.address || !strings.Contains(first.Snippet, test.has) {
			t.Errorf("%s: %s with %q first, want %s with %q", test.query, first.Address, first.Snippet, test.address, test.has)
		}
		layer, err := layers.Open(ctx, first.ResourceID)
		if err != nil {
			t.Fatal(err)
		}
		ranges, err := layer.Ranges(first.Address.Location)
		if err != nil || len(ranges) != 1 {
			t.Fatal(ranges, err)
		}
		text, err := layer.Text(ctx, ranges[0].From, ranges[0].To)
		if err != nil || strings.TrimRight(text, "\n") != strings.TrimRight(first.Passage.Text, "\n") {
			t.Errorf("%s: the address has %q, the passage is %q, %v", test.query, text, first.Passage.Text, err)
		}
		layer.Close()
	}
}

// TestRowsWhole shows that a caller who needs the passage around a row gets it, in the
// same order, and that scores are the sums of their reasons.
func TestRowsWhole(t *testing.T) {
	s := newShelf(t, rowLibrary())
	narrow := s.find(t, search.Request{Query: "archive volume checksum mismatch", Rationale: true})
	whole := s.find(t, search.Request{Query: "archive volume checksum mismatch", Whole: true})
	if len(narrow.Results) != len(whole.Results) {
		t.Fatal(len(narrow.Results), len(whole.Results))
	}
	for i, r := range narrow.Results {
		w := whole.Results[i]
		if r.ResourceID != w.ResourceID || r.Score != w.Score || !w.Address.Location.Contains(r.Address.Location) {
			t.Errorf("%s %v, whole %s %v", r.Address, r.Score, w.Address, w.Score)
		}
		sum := 0.
		for _, reason := range r.Rationale {
			sum += reason.Score
		}
		if diff := sum - r.Score; diff > .01 || diff < -.01 {
			t.Errorf("%s has the score %v, its reasons %v", r.Address, r.Score, sum)
		}
	}
	quoted := s.find(t, search.Request{Query: `"checksum mismatch" archive`})
	if len(quoted.Results) != 1 || !strings.Contains(quoted.Results[0].Passage.Text, "checksum mismatch") {
		t.Error(addresses(quoted))
	}
}

// TestFileName shows that a passage is found by the name of its file, which is not its
// title.
func TestFileName(t *testing.T) {
	text := "\n\n## Flags\n\nThe flag keep leaves the input as it is.\n"
	s := newShelf(t, map[string]string{"packer.md": "# Manual" + text, "squeezer.md": "# Manual" + text, "zoo.md": "# Animals\n\nThe keeper.\n"})
	for _, name := range []string{"packer", "squeezer"} {
		found := s.find(t, search.Request{Query: "keep flag " + name})
		if r := found.Results[0]; r.Address.String() != "text://"+name+"#lines=1-5" || len(r.Path) != 1 {
			t.Errorf("%s: %s in %q first", name, r.Address, r.Path)
		}
	}
}

// TestRowsBySource shows that a row is found by the title of its source, which no row has,
// and by a number that stands between commas.
func TestRowsBySource(t *testing.T) {
	files := map[string]string{"almanac.md": "# Almanac\n\nOf 1984: rainfall was low, and snow fell twice.\n"}
	for _, name := range []string{"rainfall-norway", "rainfall-spain"} {
		rows := "year,spring,autumn,winter\n"
		for year := range 60 {
			rows += fmt.Sprintf("%d,%d.25,%d.5,%d\n", 1950+year, 30+year%7, 50+year%11, 20+year%5)
		}
		files[name+".csv"] = rows
	}
	s := newShelf(t, files)
	found := s.find(t, search.Request{Query: "rainfall in norway, autumn 1984"})
	if first := found.Results[0]; first.Address.String() != "text://rainfall-norway#lines=35-37" || len(first.Path) > 0 {
		t.Errorf("%s %q with the path %q first", first.Address, first.Snippet, first.Path)
	}
}

// partsLists returns a list of washers and the parts that use the washer AX-1042, and a
// list of orders, of which four have the number 1002.
func partsLists() map[string]string {
	parts, orders := "part,name,weight,diameter,remark\n", "order,customer,amount,remark\n"
	for i := range 400 {
		switch {
		case i == 200:
			parts += "AX-1042,washer A,347,71.31,\n"
		case i%5 == 0:
			parts += fmt.Sprintf("BX-%d,bolt of steel,%d,%d.5,use with AX-1042\n", 3000+i, 100+i, i)
		default:
			parts += fmt.Sprintf("CX-%d,nut of brass,%d,%d.25,none\n", 5000+i, 100+i, i)
		}
		number := 5000 + i
		if i == 7 || i == 8 || i == 20 || i == 31 {
			number = 1002
		}
		orders += fmt.Sprintf("%d,Customer %c%d,%d.50,sent by post\n", number, 'A'+i%26, i, 20+i)
	}
	return map[string]string{"parts.csv": parts, "orders.csv": orders}
}

// TestRowsOfOnePassage shows that rows of one passage that answer as well are results of
// their own, and that no line is in two of them.
func TestRowsOfOnePassage(t *testing.T) {
	s := newShelf(t, partsLists())
	found := s.find(t, search.Request{Query: "AX-1042", TopK: search.MaxTopK})
	own, lines := 0, make(map[string]bool)
	for _, r := range found.Results {
		text := r.Passage.Text
		if !strings.Contains(text, "AX-1042") {
			t.Errorf("%s lacks the word: %q", r.Address, text)
		}
		own += strings.Count(text, "AX-1042,washer A")
		for line := range strings.Lines(text) {
			if lines[line] {
				t.Errorf("%s has a line again: %q", r.Address, line)
			}
			lines[line] = true
		}
	}
	if own != 1 || len(found.Results) != search.MaxTopK || found.Total < 70 {
		t.Errorf("%d results of %d, %d with the part's own row", len(found.Results), found.Total, own)
	}

	const rows = "text://orders#lines=8-9 text://orders#lines=10-11 text://orders#lines=21-23 text://orders#lines=32-34"
	if found := s.find(t, search.Request{Query: "order 1002"}); !strings.HasPrefix(addresses(found), rows+" ") {
		t.Error(addresses(found))
	}
	if found := s.find(t, search.Request{Query: "1002"}); addresses(found) != rows || found.Total != 4 || !found.Exact {
		t.Errorf("%s, total %d, exact %v", addresses(found), found.Total, found.Exact)
	}
	if few := s.find(t, search.Request{Query: "1002", TopK: 2}); len(few.Results) != 2 || few.Total != 4 || !few.Exact {
		t.Errorf("%s, total %d", addresses(few), few.Total)
	}
	for _, req := range []search.Request{{Whole: true}, {By: search.ByNodes}, {By: search.ByResources}} {
		req.Query = "1002"
		if found := s.find(t, req); len(found.Results) != 1 || found.Total != 1 {
			t.Errorf("%+v: %s, total %d", req, addresses(found), found.Total)
		}
	}

	same := ""
	for i := range 400 {
		same += fmt.Sprintf("2024-05-01 10:%02d:%02d ERROR pump %d has stopped\n", i/60, i%60, i)
	}
	s = newShelf(t, map[string]string{"pumps.log": same})
	if found := s.find(t, search.Request{Query: "pump has stopped"}); len(found.Results) != 10 || found.Total < 10 || found.Exact {
		t.Errorf("%s, total %d, exact %v", addresses(found), found.Total, found.Exact)
	}
}

// TestRowsByMeaning shows that rows of one passage keep their places in a ranking by
// vectors, which count for all of them, and are judged each by its own text.
func TestRowsByMeaning(t *testing.T) {
	files := partsLists()
	files["post.md"] = "# Post\n\nA parcel 1002 cm long is not sent.\n"
	lastRow := judge(func(texts []string) (scores []float64, err error) {
		for _, text := range texts {
			scores = append(scores, float64(strings.Count(text, "1002,Customer F31")))
		}
		return scores, nil
	})
	s := newSemantic(t, files, search.Semantics{Embedder: newThesaurus("letter post", "parcel"), Reranker: lastRow})
	found := s.find(t, search.Request{Query: "1002 parcel letter", Rationale: true})
	rows := 0
	for _, r := range found.Results {
		sum := 0.
		for _, reason := range r.Rationale {
			if reason.Fields[0] == "vector" {
				sum += reason.Score
			}
		}
		if strings.Contains(r.Passage.Text, "\n1002,") || strings.HasPrefix(r.Passage.Text, "1002,") {
			if rows++; sum == 0 {
				t.Errorf("%s has no share of the vector of its passage", r.Address)
			}
		}
	}
	const want = "text://orders#lines=32-34 text://post#lines=1-3 text://orders#lines=8-9 text://orders#lines=10-11 text://orders#lines=21-23 "
	if got := addresses(found); rows != 4 || !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	seen := make(map[string]bool)
	for _, r := range found.Results {
		if seen[r.Address.String()] {
			t.Error(r.Address, "twice")
		}
		seen[r.Address.String()] = true
	}
}

// TestRowsOfAccessLog shows that a line of a web server's log is an entry.
func TestRowsOfAccessLog(t *testing.T) {
	log := ""
	for i := range 800 {
		log += fmt.Sprintf("127.0.0.1 - - [10/Oct/2000:13:%02d:%02d -0700] \"GET /page%d HTTP/1.0\" 200 %d\n", i/60, i%60, i+1, 2326+i)
	}
	s := newShelf(t, map[string]string{"access.log": log})
	if found := s.find(t, search.Request{Query: "page700"}); addresses(found) != "text://access#lines=699-701" {
		t.Error(addresses(found))
	}
}

// TestRowsAtEnd shows that the last rows of a long table are not given whole, although
// they are few, but a short table is.
func TestRowsAtEnd(t *testing.T) {
	staff, few := "number,name,office,since\n", "number,name,office,since\n"
	for i := range 312 {
		row := fmt.Sprintf("%d,Person%d,Room %d of the old building,%d\n", i+1, i+1, i%50, 1990+i%30)
		if staff += row; i < 5 {
			few += row
		}
	}
	s := newShelf(t, map[string]string{"staff.csv": staff, "few.csv": few})
	whole := s.find(t, search.Request{Query: "Person312", Whole: true})
	if text := whole.Results[0].Passage.Text; len(text) > 1000 || strings.Count(text, "\n") < 5 {
		t.Fatalf("the last passage has %d bytes, and this test needs a short one", len(text))
	}
	if found := s.find(t, search.Request{Query: "Person312"}); addresses(found) != "text://staff#lines=312-313" {
		t.Error(addresses(found))
	}
	if found := s.find(t, search.Request{Query: "Person3", Filters: index.Filters{Resources: []string{"few"}}}); addresses(found) != "text://few#lines=1-6" {
		t.Error(addresses(found))
	}
}
