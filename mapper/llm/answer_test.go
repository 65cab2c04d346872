package llm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mapper/llm"
)

// outline writes nodes as one line each: indentation, type, title, place.
func outline(nodes []*citekit.Node) string {
	var b strings.Builder
	var write func(nodes []*citekit.Node, indent string)
	write = func(nodes []*citekit.Node, indent string) {
		for _, n := range nodes {
			fmt.Fprintf(&b, "%s%s %s %s\n", indent, n.Type, n.Title, citekit.Address{Location: n.Location}.Fragment())
			write(n.Children, indent+"  ")
		}
	}
	write(nodes, "")
	return b.String()
}

var (
	pages40   = citekit.Extent{Modality: citekit.Document, Pages: 40}
	lines100  = citekit.Extent{Modality: citekit.Text, Lines: 100}
	minutes2  = citekit.Extent{Modality: citekit.Video, Duration: 120}
	picture10 = citekit.Extent{Modality: citekit.Image, Width: 10, Height: 10}
)

func TestReadAnswer(t *testing.T) {
	for _, test := range []struct {
		name   string
		extent citekit.Extent
		answer string
		want   string
	}{
		{"levels", pages40, `{"title":"T","nodes":[
			{"level":1,"title":"One","type":"section","pages":[1,2,3],"summary":null},
			{"level":2,"title":"One one","type":"section","pages":[2],"summary":null},
			{"level":3,"title":"Deep","type":"figure","pages":[2],"summary":null},
			{"level":2,"title":"One two","type":"section","pages":[2,3],"summary":null},
			{"level":1,"title":"Two","type":"section","pages":[4,6,7],"summary":null}]}`, `
section One pages=1-3
  section One one pages=2
    figure Deep pages=2
  section One two pages=2-3
section Two pages=4,6-7
`},
		{"children and the location of maps", lines100, `{"resource_id":"x","nodes":[{"id":"a","title":"A","type":"section",
			"location":{"modality":"text","lines":[1,50]},"children":[{"id":"a.b","title":"B","type":"section",
			"location":{"modality":"text","lines":[2,9]},"children":[]}]}]}`, `
section A lines=1-50
  section B lines=2-9
`},
		{"ranges of pages", pages40, `[{"title":"A","pages":"1-3, 5"},{"title":"B","pages":["6-7",9]},{"title":"C","page":10},
			{"title":"D","first_page":11,"last_page":12},{"title":"E","pages":["13"]},{"title":"F","start_page":"14","end_page":14.0}]`, `
section A pages=1-3,5
section B pages=6-7,9
section C pages=10
section D pages=11-12
section E pages=13
section F pages=14
`},
		{"two pages are two pages", pages40, `[{"title":"A","pages":[12,15]}]`, "\nsection A pages=12,15\n"},
		{"lines", lines100, `[{"title":"A","lines":[3,4]},{"title":"B","lines":"5-6"},{"title":"C","line":7},{"title":"D","start_line":8,"end_line":9},{"title":"E","lines":[10]}]`, `
section A lines=3-4
section B lines=5-6
section C lines=7-7
section D lines=8-9
section E lines=10-10
`},
		{"times", minutes2, `[{"title":"A","start":0,"end":15.5},{"title":"B","type":"scene","start":"0:15.5","end":"00:01:15"},{"title":"C","start_time":"75","end_time":"2:00"}]`, `
segment A t=0-15.5
scene B t=15.5-75
segment C t=75-120
`},
		{"boxes", picture10, `[{"title":"All","type":"image","bbox":[0,0,1,1]},{"title":"Part","bbox":[0.5,0.25,1,0.75]}]`, `
image All bbox=0,0,1,1
region Part bbox=0.5,0.25,1,0.75
`},
		{"a figure on a page", pages40, `[{"title":"Fig. 1","type":"figure","pages":[3],"bbox":[0.1,0.1,0.9,0.5]}]`, "\nfigure Fig. 1 pages=3&bbox=0.1,0.1,0.9,0.5\n"},
		{"siblings in order", lines100, `[{"title":"B","lines":[5,6]},{"title":"A","lines":[1,2]}]`, "\nsection A lines=1-2\nsection B lines=5-6\n"},
		{"types that are none", pages40, `[{"title":"A","pages":[1]},{"title":"B","type":"Section ","pages":[2]}]`, "\nsection A pages=1\nsection B pages=2\n"},
		{"titles in a line", pages40, `[{"title":"  A\n\u0007B\u202e  c ","pages":[1]}]`, "\nsection A B c pages=1\n"},
		{"a number as a title", pages40, `[{"title":1984,"pages":"1"}]`, "\nsection 1984 pages=1\n"},
		{"inside another object", pages40, `{"map":{"title":"T","nodes":[{"title":"A","pages":[1]}]}}`, "\nsection A pages=1\n"},
		{"no nodes", pages40, `{"nodes":[]}`, "\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := llm.ReadAnswer([]byte(test.answer), test.extent)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, "\n"+outline(got.Nodes)); diff != "" {
				t.Error(diff)
			}
			if got.LeftOut != 0 || len(got.Problems) != 0 {
				t.Errorf("%d left out: %q", got.LeftOut, got.Problems)
			}
		})
	}
}

func TestReadAnswerLeavesOut(t *testing.T) {
	for _, test := range []struct {
		name    string
		extent  citekit.Extent
		answer  string
		left    int
		want    string
		problem string
	}{
		{"a page past the end", pages40, `[{"title":"A","pages":[40,41]},{"title":"B","pages":[1]}]`, 1, "section B pages=1\n", `node 1 ("A"): page 41 of 40; pages run 1-40`},
		{"page 0", pages40, `[{"title":"A","pages":[0]}]`, 1, "", "node 1 (\"A\"): pages 0; pages count from 1 and do not run backwards"},
		{"a run of a billion pages", pages40, `[{"pages":"1-2000000000"}]`, 1, "", "node 1: page 41 of 40; pages run 1-40"},
		{"lines backwards", lines100, `[{"lines":[9,3]}]`, 1, "", "node 1: lines 9-3 end before they begin"},
		{"lines past the end", lines100, `[{"lines":[9,101]}]`, 1, "", "node 1: lines 9-101 of 100; lines run 1-100"},
		{"a time past the end", minutes2, `[{"start":10,"end":121}]`, 1, "", "node 1: t=10-121 of 120 seconds"},
		{"an empty time", minutes2, `[{"start":0,"end":0}]`, 1, "", "node 1: start 0, end 0; the end must be after the start"},
		{"no time", minutes2, `[{"start":5}]`, 1, "", "node 1: start and end are not seconds"},
		{"thousandths", picture10, `[{"bbox":[100,200,300,400]}]`, 1, "", "node 1: bbox [100, 200, 300, 400]; its numbers are fractions from 0 to 1"},
		{"an empty box", picture10, `[{"bbox":[0.5,0.5,0.5,0.6]}]`, 1, "", "node 1: bbox [0.5, 0.5, 0.5, 0.6] is empty; x2 and y2 are the far edges"},
		{"no place", pages40, `[{"title":"A"}]`, 1, "", `node 1 ("A"): no pages`},
		{"words for pages", pages40, `[{"pages":["one"]}]`, 1, "", "node 1: pages that are not numbers"},
		{"another modality", pages40, `[{"location":{"modality":"text","lines":[1,2]}}]`, 1, "", "node 1: a text location in a document source"},
		{"a string instead of an object", pages40, `["A",{"pages":[1]}]`, 1, "section  pages=1\n", "node 1: it is not an object"},
		{"a parent, whose children stay", pages40,
			`[{"level":1,"title":"A","pages":[1]},{"level":1,"title":"B","pages":[99]},{"level":2,"title":"C","pages":[3]},{"title":"D","pages":[98],"children":[{"title":"E","pages":[5]}]}]`,
			2, "section A pages=1\nsection C pages=3\nsection E pages=5\n", `node 2 ("B"): page 99 of 40; pages run 1-40`},
		{"a child that strays, which stays", pages40, `[{"title":"A","pages":[1],"children":[{"title":"B","pages":[2]}]}]`, 0,
			"section A pages=1\n  section B pages=2\n", `node 2 ("B"): it does not lie within the node it belongs to`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := llm.ReadAnswer([]byte(test.answer), test.extent)
			if err != nil {
				t.Fatal(err)
			}
			if got.LeftOut != test.left {
				t.Errorf("%d left out, want %d", got.LeftOut, test.left)
			}
			if diff := cmp.Diff(test.want, outline(got.Nodes)); diff != "" {
				t.Error(diff)
			}
			if len(got.Problems) == 0 || got.Problems[0] != test.problem {
				t.Errorf("problems %q, want %q", got.Problems, test.problem)
			}
		})
	}
}

func TestReadAnswerErrors(t *testing.T) {
	for _, answer := range []string{"", "no", `{"title":"T"}`, `{"nodes":"none"}`, `{"nodes":`} {
		if _, err := llm.ReadAnswer([]byte(answer), pages40); !errors.Is(err, llm.ErrAnswer) {
			t.Errorf("%q: %v, want an error matching ErrAnswer", answer, err)
		}
	}
	if _, err := llm.ReadAnswer([]byte("[]"), citekit.Extent{Modality: citekit.Virtual}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("virtual: %v", err)
	}
}

func TestReadAnswerBounds(t *testing.T) {
	sharedtest.Once(t)
	deep := strings.Repeat(`{"lines":[1,2],"children":[`, 100) + strings.Repeat("]}", 100)
	got, err := llm.ReadAnswer([]byte("["+deep+"]"), lines100)
	if err != nil {
		t.Fatal(err)
	}
	deepest, count := 0, 0
	for _, depth := range (&citekit.ResourceMap{Nodes: got.Nodes}).All() {
		deepest, count = max(deepest, depth), count+1
	}
	if deepest != 63 || count != 100 {
		t.Errorf("%d nodes, the deepest at %d", count, deepest)
	}
	many := strings.Repeat(`{"lines":[1,2]},`, 20_010)
	got, err = llm.ReadAnswer([]byte("["+many+"]"), lines100)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Nodes) != 20_000 || got.LeftOut != 10 || len(got.Problems) != 10 {
		t.Errorf("%d nodes, %d left out, %d problems", len(got.Nodes), got.LeftOut, len(got.Problems))
	}
	title := strings.Repeat("word ", 100)
	got, err = llm.ReadAnswer([]byte(`[{"lines":[1,1],"title":"`+title+`"}]`), lines100)
	if err != nil || got.Nodes[0].Title != strings.TrimSpace(title[:300]) {
		t.Errorf("title %q, %v", got.Nodes[0].Title, err)
	}
}

// TestReadAnswerManyValues reads answers that are short and would take half a
// gigabyte.
func TestReadAnswerManyValues(t *testing.T) {
	sharedtest.NotShort(t)
	many := strings.Repeat("{},", 2<<20)
	for name, answer := range map[string]string{"JSON": "[" + many + "{}]", "cut off": "[" + many} {
		_, err := llm.ReadAnswer([]byte(answer), lines100)
		if !errors.Is(err, llm.ErrAnswer) || !errors.Is(err, citekit.ErrTooLarge) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	strange := `{"nodes":[{"lines":[1,1],"title":"` + strings.Repeat(`{,\\\"`, 1<<19) + `"}]}` // all of it a text
	if _, err := llm.ReadAnswer([]byte(strange), lines100); err != nil {
		t.Errorf("a long title: error %v", err)
	}
}

func FuzzReadAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"title":"T","nodes":[{"level":1,"title":"A","pages":[1,2],"lines":[1,2],"start":1,"end":2,"bbox":[0,0,1,1]}]}`,
		`[{"pages":"1-3,5","lines":"2-3","start":"1:02","end":"1:03.5","children":[{"level":9}]}]`,
		`{"map":{"nodes":[{"location":{"modality":"text","lines":[1]}}]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, extent := range []citekit.Extent{pages40, lines100, minutes2, picture10} {
			got, err := llm.ReadAnswer(text, extent)
			if err != nil {
				if !errors.Is(err, llm.ErrAnswer) {
					t.Fatal(err)
				}
				continue
			}
			m := &citekit.ResourceMap{Nodes: got.Nodes}
			for n, depth := range m.All() {
				if err := n.Location.Validate(); err != nil {
					t.Fatal(err)
				}
				if err := extent.Check(n.Location); err != nil {
					t.Fatal(err)
				}
				if n.Location.IsWhole() || depth >= 64 {
					t.Fatalf("%+v at depth %d", n, depth)
				}
			}
			ingest.NameNodes(got.Nodes)
			m.Faults(func(path string, _ *citekit.Node, err error) {
				if strings.Contains(err.Error(), "the id is taken") {
					t.Fatalf("%s: %v", path, err)
				}
			})
		}
	})
}
