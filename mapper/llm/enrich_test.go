package llm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/mapper/llm"
)

// structural is a mapper that finds what it is told.
type structural func() (*citekit.Draft, error)

func (s structural) Map(context.Context, *citekit.Source, citekit.MapRequest) (*citekit.Draft, error) {
	return s()
}

func base() (*citekit.Draft, error) {
	return &citekit.Draft{
		Title: "Lines",
		Nodes: []*citekit.Node{
			{Title: "Start", Type: "section", Location: atLines(1, 5), Summary: "this is line 1", Children: []*citekit.Node{
				{Type: "passage", Location: atLines(2, 3)},
				{Type: "passage", Location: atLines(4, 4)},
			}},
			{ID: "end", Title: "End", Type: "section", Location: atLines(6, 10)},
			{Type: "passage", Location: atLines(9, 10)},
		},
		Method:   "headings",
		Metadata: map[string]any{"pages": 3},
	}, nil
}

func enrich(t *testing.T, model llm.Model, opts *llm.Options) *citekit.Draft {
	t.Helper()
	got, err := llm.Enrich(structural(base), model, fakes, opts).Map(t.Context(), source(numbered(10)), citekit.MapRequest{Modality: citekit.Text})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// compareStructure fails if got differs from the base in more than the titles
// of nodes without one, and summaries.
func compareStructure(t *testing.T, got *citekit.Draft) {
	t.Helper()
	want, _ := base()
	compareNodes(t, want.Nodes, got.Nodes)
	ingest.NameNodes(want.Nodes)
	ingest.NameNodes(got.Nodes)
	if diff := cmp.Diff(ids(want.Nodes), ids(got.Nodes)); diff != "" {
		t.Error("ids:", diff)
	}
	if got.Method != "headings" || got.Title != "Lines" || got.Metadata["pages"] != 3 {
		t.Errorf("got %+v", got)
	}
}

func compareNodes(t *testing.T, want, got []*citekit.Node) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%d nodes, want %d", len(got), len(want))
	}
	for i, n := range want {
		if !n.Location.Equal(got[i].Location) || n.Type != got[i].Type || n.Title != "" && n.Title != got[i].Title {
			t.Errorf("got %+v, want %+v", got[i], n)
		}
		compareNodes(t, n.Children, got[i].Children)
	}
}

func ids(nodes []*citekit.Node) (list []string) {
	for n := range (&citekit.ResourceMap{Nodes: nodes}).All() {
		list = append(list, n.ID)
	}
	return list
}

func TestEnrich(t *testing.T) {
	model := answers("```json\n" + `{"nodes":[
		{"node":1,"title":"Another title","summary":"Begins."},
		{"node":2,"title":"Two and three","summary":null},
		{"node":4,"title":null,"summary":"Ends.","lines":[1,99],"id":"x","children":[{"node":3,"title":"no"}]},
		{"node":4,"title":null,"summary":"Ends twice."},
		{"node":99,"title":"None","summary":"None."},
		{"node":5,"title":"Nine","summary":"Nine and ten."}]}` + "\n```")
	got := enrich(t, model, nil)
	compareStructure(t, got)
	var said []string
	for n := range (&citekit.ResourceMap{Nodes: got.Nodes}).All() {
		said = append(said, n.Title+": "+n.Summary)
	}
	want := []string{"Start: Begins.", "Two and three: ", ": ", "End: Ends.", "Nine: Nine and ten."}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{"titles": 2, "summaries": 3}, got.Metadata["enrichment"]); diff != "" {
		t.Error(diff)
	}
	if text := model.text(0); !strings.Contains(text, "[node 2] passage, lines=2-3\ntext: this is line 2 this is line 3") {
		t.Errorf("request %s", text)
	}
	got = enrich(t, answers(`{"nodes":[{"node":1,"title":null,"summary":"New."},{"node":4,"title":null,"summary":"New."}]}`), &llm.Options{KeepSummaries: true})
	if got.Nodes[0].Summary != "this is line 1" || got.Nodes[1].Summary != "New." {
		t.Errorf("summaries %q, %q", got.Nodes[0].Summary, got.Nodes[1].Summary)
	}
}

func TestEnrichKeepsTheMapOfTheBase(t *testing.T) {
	for _, test := range []struct {
		name  string
		model *fake
		want  string
	}{
		{"a server that fails", &fake{answer: func(*llm.Request) (*llm.Response, error) {
			return nil, &llm.Error{Message: "too many requests", Status: 429, Attempts: 4}
		}}, "too many requests (HTTP 429), 4 times"},
		{"refused", &fake{answer: func(*llm.Request) (*llm.Response, error) { return nil, llm.ErrRefused }}, "the model refused"},
		{"nonsense", answers("no"), "the answer is not a map of the source: the answer has no JSON: invalid syntax"},
		{"other nodes", answers(`{"nodes":[{"node":77,"title":"x"}]}`), "the answer is not a map of the source: it says nothing of the nodes it was asked about"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := enrich(t, test.model, nil)
			compareStructure(t, got)
			want, _ := base()
			if diff := cmp.Diff(want.Nodes[0].Summary, got.Nodes[0].Summary); diff != "" {
				t.Error(diff)
			}
			note := got.Metadata["enrichment"].(map[string]any)
			if note["error"] != test.want || note["titles"] != 0 {
				t.Errorf("note %v", note)
			}
		})
	}
}

func TestEnrichErrors(t *testing.T) {
	broken := structural(func() (*citekit.Draft, error) { return nil, citekit.ErrFormat })
	if _, err := llm.Enrich(broken, answers("[]"), fakes, nil).Map(t.Context(), source("x"), citekit.MapRequest{Modality: citekit.Text}); !errors.Is(err, citekit.ErrFormat) {
		t.Errorf("an error of the base: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	model := &fake{answer: func(*llm.Request) (*llm.Response, error) {
		cancel()
		return nil, errors.New("gone")
	}}
	if _, err := llm.Enrich(structural(base), model, fakes, nil).Map(ctx, source(numbered(10)), citekit.MapRequest{Modality: citekit.Text}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestEnrichMedia(t *testing.T) {
	scan := structural(func() (*citekit.Draft, error) {
		return &citekit.Draft{Nodes: []*citekit.Node{{Type: "pages", Location: citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: 1, Last: 3}}}}}}, nil
	})
	model := answers(`{"nodes":[{"node":1,"title":"A scan","summary":"Three pages."}]}`)
	model.media = "application/"
	got, err := llm.Enrich(scan, model, fakes, nil).Map(t.Context(), source(" \f \f "), citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatal(err)
	}
	if got.Nodes[0].Title != "A scan" || model.uploads != 1 || model.released != 1 || model.requests[0].Parts[0].Media == nil {
		t.Errorf("%+v, %d uploads, %d released", got.Nodes[0], model.uploads, model.released)
	}
	reader := answers("[]")
	got, err = llm.Enrich(scan, reader, fakes, nil).Map(t.Context(), source(" \f \f "), citekit.MapRequest{Modality: citekit.Document})
	if err != nil || len(reader.requests) != 0 || got.Metadata["enrichment"].(map[string]any)["error"] == nil {
		t.Errorf("a scan for a model that reads: %v, %v", got, err)
	}
}

func TestEnrichManyNodes(t *testing.T) {
	deep := structural(func() (*citekit.Draft, error) {
		s := &citekit.Draft{}
		for range 50 {
			n := &citekit.Node{Type: "section", Location: atLines(1, 2)}
			for range 3 {
				n.Children = append(n.Children, &citekit.Node{Type: "passage", Location: atLines(2, 2)})
			}
			s.Nodes = append(s.Nodes, n)
		}
		return s, nil
	})
	model := &fake{answer: func(req *llm.Request) (*llm.Response, error) {
		var notes []string
		for i := range 300 {
			notes = append(notes, fmt.Sprintf(`{"node":%d,"title":"T","summary":"S"}`, i))
		}
		return &llm.Response{Text: `{"nodes":[` + strings.Join(notes, ",") + `]}`}, nil
	}}
	for _, test := range []struct{ parts, requests, titles, unasked int }{
		{64, 4, 200, 0},
		{2, 1, 50, 150}, // the top level alone
	} {
		model.requests = nil
		got, err := llm.Enrich(deep, model, fakes, &llm.Options{MaxParts: test.parts}).Map(t.Context(), source(numbered(3)), citekit.MapRequest{Modality: citekit.Text})
		if err != nil {
			t.Fatal(err)
		}
		note := got.Metadata["enrichment"].(map[string]any)
		unasked, _ := note["not_asked"].(int)
		if len(model.requests) != test.requests || note["titles"] != test.titles || unasked != test.unasked {
			t.Errorf("%d requests, %v", len(model.requests), note)
		}
	}
}

func FuzzEnrich(f *testing.F) {
	f.Add([]byte(`{"nodes":[{"node":1,"title":"T","summary":"S","id":"x","type":"y","lines":[9,9],"children":[]},{"node":2,"title":"\u202e\n"}]}`))
	f.Add([]byte(`[{"n":"3","title":"T"},{"node":-1},{"node":1e99}]`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		compareStructure(t, enrich(t, answers(string(answer)), nil))
	})
}
