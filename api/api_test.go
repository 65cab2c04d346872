package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit/api"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/mapper/llm"
	"github.com/citekit/citekit/search"
)

// open returns a corpus over a folder of texts.
func open(t testing.TB, files map[string]string, opts *corpus.Options) *corpus.Corpus {
	t.Helper()
	return openIn(t, t.TempDir(), files, opts)
}

func openIn(t testing.TB, dir string, files map[string]string, opts *corpus.Options) *corpus.Corpus {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := corpus.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if report, err := c.Ingest(t.Context()); err != nil || report.Err() != nil {
		t.Fatal(err, report.Err())
	}
	return c
}

// A client calls an API at an address.
type client struct {
	t   testing.TB
	url string
}

// serve returns a client of the JSON interface alone over a folder of texts.
func serve(t testing.TB, files map[string]string, opts *corpus.Options) client {
	t.Helper()
	server := httptest.NewServer(api.New(open(t, files, opts).Service(nil), nil))
	t.Cleanup(server.Close)
	return client{t, server.URL}
}

// send returns the status and the body of an answer.
func (c client) send(method, path, body string) (int, string) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// ask answers a request, which must have an answer, into a value.
func ask[T any](c client, path, body string) *T {
	c.t.Helper()
	status, text := c.send(http.MethodPost, path, body)
	answer := new(T)
	if err := json.Unmarshal([]byte(text), answer); err != nil || status != http.StatusOK {
		c.t.Fatalf("%s %s: %d %s", path, body, status, text)
	}
	return answer
}

var files = map[string]string{
	"tea.md":         "---\nauthor: Ann Leaf\ntags: [drinks, leaves]\ndate: 2020-05-01\n---\n# Tea\n\nGreen tea is brewed with water of eighty degrees.\n\n## Pot\n\nA pot holds six cups. See [milk](milk.md).\n",
	"milk.md":        "---\nauthor: Bob Cow\ntags: [drinks]\ndate: 2024-05-01\n---\n# Milk\n\nMilk is for black tea. See [sugar](more/sugar.txt).\n",
	"more/sugar.txt": "Sugar is sweet, and some take it with their tea.\n",
}

// found returns the ids of the documents that are found, in order.
func found(r *api.Results) string {
	var ids []string
	for _, one := range r.Results {
		ids = append(ids, one.DocumentID)
	}
	slices.Sort(ids)
	return strings.Join(slices.Compact(ids), " ")
}

func TestSearchFields(t *testing.T) {
	c := serve(t, files, nil)
	for _, one := range []struct{ fields, want string }{
		{``, "milk sugar tea"},
		{`"filters": {"sources": ["tea"]}`, "tea"},                    // an id
		{`"filters": {"sources": ["more/sugar.txt"]}`, "sugar"},       // a path
		{`"filters": {"sources": ["sugar.txt", "tea"]}`, "sugar tea"}, // a name
		{`"filters": {"sources": ["*.md"]}`, "milk tea"},
		{`"filters": {"sources": ["nix"]}`, ""},
		{`"filters": {"types": ["text"]}`, "milk sugar tea"}, // a modality
		{`"filters": {"types": ["md"]}`, "milk tea"},         // a format
		{`"filters": {"types": [".TXT"]}`, "sugar"},
		{`"filters": {"types": ["video"]}`, ""},
		{`"filters": {"authors": ["ann leaf"]}`, "tea"},
		{`"filters": {"labels": ["drinks"]}`, "milk tea"},
		{`"filters": {"labels": ["leaves", "nix"]}`, "tea"},
		{`"filters": {"after": "2022-01-01T00:00:00Z", "types": ["md"]}`, "milk"},
		{`"filters": {"before": "2022-01-01T00:00:00+02:00", "types": ["md"]}`, "tea"},
		{`"filters": {"after": "2021-01-01T00:00:00Z", "before": "2022-01-01T00:00:00Z"}`, ""},
		{`"filters": null, "topK": null, "include": {"document": null}`, "milk sugar tea"},
		{`"mode": "knowledge"`, "milk sugar tea"},
		{`"mode": "graph", "filters": {"authors": ["Ann Leaf"]}`, ""},
		{`"mode": "hybrid"`, "milk sugar tea"},
		{`"mode": "auto"`, "milk sugar tea"},
		{`"topK": 1`, "sugar"},
	} {
		body := `{"q": "tea"`
		if one.fields != "" {
			body += ", " + one.fields
		}
		if got := found(ask[api.Results](c, "/v1/search", body+"}")); got != one.want && one.fields != `"topK": 1` || strings.Contains(got, " ") && one.fields == `"topK": 1` {
			t.Errorf("%s: %q, want %q", one.fields, got, one.want)
		}
	}
	if got := ask[api.Results](c, "/v1/search", `{"q": "black", "mode": "graph"}`); found(got) != "sugar tea" {
		t.Errorf("graph: what is linked with the hit: %q", found(got)) // milk leads to sugar, tea leads to milk
	}
	usual := ask[api.Results](c, "/v1/search", `{"q": "eighty degrees"}`).Results[0]
	if usual.Kind != "chunk" || usual.Document == nil || usual.Document.Title != "Tea" || usual.Document.Type != "text" || len(usual.Highlights) != 2 || usual.Rationale != nil ||
		!strings.HasPrefix(usual.ID, "tea~") || !strings.HasPrefix(usual.Address, "text://tea#lines=") || !strings.Contains(usual.Text, "eighty degrees") || usual.Score <= 0 {
		t.Errorf("defaults: %+v", usual)
	}
	if from, to := usual.Highlights[0][0], usual.Highlights[0][1]; string([]rune(usual.Text)[from:to]) != "eighty" {
		t.Errorf("highlight: %+v", usual)
	}
	other := ask[api.Results](c, "/v1/search", `{"q": "eighty degrees", "include": {"document": false, "highlights": false, "rationale": true}}`).Results[0]
	if other.Document != nil || other.Highlights != nil || len(other.Rationale) == 0 || other.Rationale[0].Term == "" || other.DocumentID != "tea" {
		t.Errorf("turned round: %+v", other)
	}
}

// TestTopK counts the default number of results and the most.
func TestTopK(t *testing.T) {
	many := make(map[string]string)
	for i := range 60 {
		many[fmt.Sprintf("n%02d.txt", i)] = fmt.Sprintf("Harvest number %d has its own words, %d of them.\n", i, i*i)
	}
	c := serve(t, many, nil)
	for _, one := range []struct {
		path, body string
		want       int
	}{
		{"/v1/search", `{"q": "harvest"}`, 20},
		{"/v1/search", `{"q": "harvest", "topK": 50}`, 50},
		{"/v1/search", `{"q": "harvest", "topK": 1}`, 1},
		{"/v1/similar", `{"subject": {"kind": "text", "text": "a harvest with words"}}`, 10},
		{"/v1/similar", `{"subject": {"kind": "text", "text": "a harvest with words"}, "topK": 50, "by": "documents"}`, 50},
	} {
		if got := ask[api.Results](c, one.path, one.body); len(got.Results) != one.want || got.Meta.RequestID == "" || got.Meta.Latency["total"] <= 0 || got.Meta.Latency["search"] <= 0 {
			t.Errorf("%s: %d results, %+v", one.body, len(got.Results), got.Meta)
		}
	}
}

// A judge prefers the shortest text.
type judge struct{ asked atomic.Int64 }

func (j *judge) Rerank(_ context.Context, _ string, texts []string) ([]float64, error) {
	j.asked.Add(1)
	scores := make([]float64, len(texts))
	for i, text := range texts {
		scores[i] = -float64(len(text))
	}
	return scores, nil
}

func TestRerank(t *testing.T) {
	j := new(judge)
	c := serve(t, map[string]string{"long.txt": "Tea tea tea tea, and a long text about tea after that.\n", "short.txt": "Tea.\n"}, &corpus.Options{Search: &search.Options{Semantics: &search.Semantics{Reranker: j}}})
	if got := ask[api.Results](c, "/v1/search", `{"q": "tea", "quality": {"rerank": false}}`); j.asked.Load() != 0 || len(got.Results) != 2 {
		t.Errorf("off: asked %d times, %+v", j.asked.Load(), got)
	}
	if got := ask[api.Results](c, "/v1/search", `{"q": "tea"}`); j.asked.Load() != 1 || got.Results[0].DocumentID != "short" {
		t.Errorf("on: asked %d times, %+v", j.asked.Load(), got)
	}
}

func TestSimilarFields(t *testing.T) {
	c := serve(t, files, nil)
	chunk := ask[api.Results](c, "/v1/search", `{"q": "eighty degrees"}`).Results[0].ID
	for _, one := range []struct{ fields, kind, want string }{
		{`"subject": {"kind": "text", "text": "some sweet sugar"}`, "chunk", "sugar"},
		{`"subject": {"kind": "document", "id": "tea"}`, "chunk", "milk sugar"},
		{`"subject": {"kind": "chunk", "id": "` + chunk + `"}`, "chunk", "milk sugar"},
		{`"subject": {"kind": "document", "id": "tea"}, "by": "documents"`, "document", "milk sugar"},
		{`"subject": {"kind": "document", "id": "tea"}, "by": "chunks", "filters": {"types": ["md"]}`, "chunk", "milk"},
		{`"subject": {"kind": "document", "id": "tea"}, "filters": {"authors": ["Bob Cow"], "labels": ["drinks"], "sources": ["milk.md"], "after": "2021-01-01T00:00:00Z"}`, "chunk", "milk"},
	} {
		got := ask[api.Results](c, "/v1/similar", "{"+one.fields+"}")
		kind := ""
		for _, r := range got.Results {
			if kind = r.Kind; r.Kind != one.kind || r.Document == nil {
				t.Errorf("%s: %+v", one.fields, r)
			}
		}
		if !strings.Contains(found(got), one.want) && !(one.want == "milk sugar" && found(got) != "") || kind == "" || strings.Contains(found(got), "tea") && !strings.Contains(one.fields, "chunk") {
			t.Errorf("%s: %q, want %q", one.fields, found(got), one.want)
		}
	}
}

func TestContentsFields(t *testing.T) {
	c := serve(t, files, nil)
	chunk := ask[api.Results](c, "/v1/search", `{"q": "eighty degrees"}`).Results[0]
	get := func(fields string) *api.Contents {
		t.Helper()
		return ask[api.Contents](c, "/v1/contents", `{"ids": [{"kind": "document", "id": "tea"}, {"kind": "chunk", "id": "`+chunk.ID+`"}, {"kind": "document", "id": "nix"}, {"kind": "chunk", "id": "nix"}]`+fields+`}`)
	}
	usual := get("")
	if len(usual.Contents) != 4 || usual.Relationships != nil || usual.Entities != nil || usual.Evidence != nil || !usual.Complete {
		t.Fatalf("%+v", usual)
	}
	document, part, absent, broken := usual.Contents[0], usual.Contents[1], usual.Contents[2], usual.Contents[3]
	if !strings.Contains(document.Text, "six cups") || document.Chunks != nil || document.Raw != nil || document.Document.Title != "Tea" || document.Address != "text://tea" {
		t.Errorf("document: %+v", document)
	}
	if !strings.Contains(part.Text, "eighty degrees") || strings.Contains(part.Text, "six cups") || part.DocumentID != "tea" || part.Address != chunk.Address || part.ID != chunk.ID {
		t.Errorf("chunk: %+v", part)
	}
	if absent.Error == nil || absent.Error.Code != "NOT_FOUND" || broken.Error == nil || broken.Error.Code != "INVALID_INPUT" || absent.Text+broken.Text != "" {
		t.Errorf("what is not there: %+v, %+v", absent, broken)
	}
	expanded := get(`, "expand": {"chunks": true, "graph": {}}, "includeRaw": true`)
	document = expanded.Contents[0]
	if len(document.Chunks) < 2 || !slices.ContainsFunc(document.Chunks, func(one api.Chunk) bool { return one.ID == chunk.ID && one.Address == chunk.Address }) {
		t.Errorf("chunks: %+v", document.Chunks)
	}
	if document.Raw == nil || document.Raw.Path != "/v1/evidence/text:%2F%2Ftea" || document.Raw.MediaType == "" {
		t.Errorf("raw: %+v", document.Raw)
	} else if status, bytes := c.send("GET", document.Raw.Path, ""); status != 200 || bytes != files["tea.md"] {
		t.Errorf("raw bytes: %d %s", status, bytes)
	}
	if len(expanded.Relationships) == 0 || expanded.Relationships[0].Kind != "hyperlink" || expanded.Relationships[0].To != "text://milk" || len(expanded.Entities) != 1 || expanded.Entities[0].Title != "Milk" || len(expanded.Evidence) == 0 || !strings.Contains(expanded.Evidence[0].Text, "See [milk]") {
		t.Errorf("one hop: %+v %+v %+v", expanded.Relationships, expanded.Entities, expanded.Evidence)
	}
	if got := get(`, "expand": {"graph": {"hops": 2}}`); len(got.Entities) != 2 || got.Entities[1].DocumentID != "sugar" {
		t.Errorf("two hops: %+v", got.Entities)
	}
	if got := get(`, "expand": {"graph": {"hops": 0}}`); len(got.Relationships)+len(got.Entities)+len(got.Evidence) > 0 || got.Relationships == nil || got.Entities == nil || got.Evidence == nil || !got.Complete {
		t.Errorf("no hops: %+v", got)
	}
	for include, has := range map[string][3]bool{`"relationships"`: {true, false, false}, `"entities"`: {false, true, false}, `"evidence"`: {false, false, true}, `"entities", "evidence"`: {false, true, true}} {
		got := get(`, "expand": {"graph": {"include": [` + include + `]}}`)
		if is := [3]bool{got.Relationships != nil, got.Entities != nil, got.Evidence != nil}; is != has {
			t.Errorf("include %s: %v", include, is)
		}
	}
}

// TestChunkStays reads a chunk by its id after its text moved, and after it changed.
func TestChunkStays(t *testing.T) {
	const text = "# Tea\n\nGreen tea is brewed with water of eighty degrees.\n"
	dir := t.TempDir()
	corpus := openIn(t, dir, map[string]string{"tea.md": text}, nil)
	server := httptest.NewServer(api.New(corpus.Service(nil), nil))
	defer server.Close()
	c := client{t, server.URL}
	chunk := ask[api.Results](c, "/v1/search", `{"q": "eighty degrees"}`).Results[0].ID
	read := func(written string) api.Content {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "tea.md"), []byte(written), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := corpus.Ingest(t.Context()); err != nil {
			t.Fatal(err)
		}
		return ask[api.Contents](c, "/v1/contents", `{"ids": [{"kind": "chunk", "id": "`+chunk+`"}]}`).Contents[0]
	}
	if got := read("# Before\n\nSomething else is said first.\n\n" + text); got.Error != nil || !strings.Contains(got.Text, "eighty") || !strings.Contains(got.Address, "lines=5-") {
		t.Errorf("moved: %+v", got)
	}
	if got := read(strings.Replace(text, "eighty", "ninety", 1)); got.Error == nil || got.Error.Code != "NOT_FOUND" {
		t.Errorf("changed: %+v", got)
	}
}

// TestEqualChunks finds texts that stand twice in a document: equal sections, and a short
// one that is a part of one before it. Each id leads to the place that it came with.
func TestEqualChunks(t *testing.T) {
	c := serve(t, map[string]string{
		"equal.md": "# Note\n\nThe kettle sings.\n\n# Note\n\nThe kettle sings.\n\n# End\n",
		"part.md":  "# One\n\nTo hang a ladle, write:\n\n```\n# hangs\n```\n\n# hangs\n",
	}, nil)
	equal := 0
	for _, id := range []string{"equal", "part"} {
		document := ask[api.Contents](c, "/v1/contents", `{"ids": [{"kind": "document", "id": "`+id+`"}], "expand": {"chunks": true}}`).Contents[0]
		places := map[string]string{}
		for i, one := range document.Chunks {
			if strings.Count(document.Text, one.Text) > 1 {
				equal++
			}
			if places[one.ID] != "" {
				t.Errorf("%s: chunk %d has the id of the one at %s", one.Address, i, places[one.ID])
			}
			places[one.ID] = one.Address
		}
		for _, q := range []string{"kettle sings", "hangs"} {
			for _, one := range ask[api.Results](c, "/v1/search", `{"q": "`+q+`", "filters": {"sources": ["`+id+`"]}}`).Results {
				if at := places[one.ID]; at != "" && at != one.Address {
					t.Errorf("%q: %s has the id of %s", q, one.Address, at)
				}
				places[one.ID] = one.Address
			}
		}
		for chunk, address := range places {
			got := ask[api.Contents](c, "/v1/contents", `{"ids": [{"kind": "chunk", "id": "`+chunk+`"}]}`).Contents[0]
			if got.Error != nil || got.Address != address {
				t.Errorf("%s: %s, %+v; want %s", chunk, got.Address, got.Error, address)
			}
			for _, one := range ask[api.Results](c, "/v1/similar", `{"subject": {"kind": "chunk", "id": "`+chunk+`"}}`).Results {
				if one.Address == address {
					t.Errorf("%s is like itself", address)
				}
			}
		}
	}
	if equal != 3 {
		t.Errorf("%d chunks have a text that stands twice; want 3", equal)
	}
}

// A scribe is a model that says what it is told to. It keeps what it was asked.
type scribe struct {
	says  string
	fails error
	asked *llm.Request
	begun chan struct{} // closed when it is asked, and it then waits for the end; nil: it answers
	ended chan struct{}
}

func (s *scribe) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	s.asked = req
	if s.begun != nil {
		close(s.begun)
		<-ctx.Done()
		close(s.ended)
		return nil, ctx.Err()
	}
	return &llm.Response{Text: s.says, Model: "scribe-1"}, s.fails
}

const (
	question = "How hot is the water for green tea?"
	written  = `{"sentences": [{"source": 1, "quote": "Green tea is brewed with water of eighty degrees.", "text": "The water has eighty degrees."}]}`
)

func TestAnswerFields(t *testing.T) {
	model := &scribe{says: written}
	with, without := serve(t, files, &corpus.Options{Model: model}), serve(t, files, nil)
	get := func(c client, fields string) *api.Answer {
		t.Helper()
		return ask[api.Answer](c, "/v1/answer", `{"question": "`+question+`"`+fields+`}`)
	}
	if a := get(without, ""); a.AnswerType != "extractive" || !strings.Contains(a.Note, "no model") || !a.Found || a.Answer != "Green tea is brewed with water of eighty degrees." || len(a.Citations) != 1 || a.Citations[0].Verdict != "exact" || a.Citations[0].DocumentID != "tea" || a.Citations[0].Address != "text://tea#lines=8-8" || len(a.Citations[0].Rationale) == 0 {
		t.Errorf("without a model: %+v", a)
	}
	if a := get(without, `, "answerType": "extractive"`); a.Note != "" {
		t.Errorf("extractive: %+v", a)
	}
	if a := get(with, ""); a.AnswerType != "abstractive" || a.Model != "scribe-1" || a.Note != "" || a.Answer != "The water has eighty degrees." || a.Citations[0].Text != "Green tea is brewed with water of eighty degrees." || a.Citations[0].Sentence != a.Answer {
		t.Errorf("abstractive: %+v", a)
	}
	if a := get(with, `, "model": "other"`); !strings.Contains(a.Note, "scribe-1") {
		t.Errorf("another model: %+v", a)
	}
	if a := get(with, `, "model": "scribe-1"`); a.Note != "" {
		t.Errorf("that model: %+v", a)
	}
	model.asked = nil
	if a := get(with, `, "answerType": "extractive"`); a.AnswerType != "extractive" || model.asked != nil {
		t.Errorf("the model was asked: %+v", a)
	}
	if a := get(without, `, "citations": false, "include": {"rationale": false}`); len(a.Citations) != 0 || a.Answer == "" {
		t.Errorf("no citations: %+v", a)
	}
	if a := get(without, `, "include": {"rationale": false}`); a.Citations[0].Rationale != nil {
		t.Errorf("no rationale: %+v", a)
	}
	for constraints, found := range map[string]bool{`"after": "2022-01-01T00:00:00Z"`: false, `"before": "2022-01-01T00:00:00Z"`: true, `"after": "2020-01-01T00:00:00Z", "before": "2021-01-01T00:00:00Z"`: true} {
		if a := get(without, `, "constraints": {`+constraints+`}`); (a.Found && a.Citations[0].DocumentID == "tea") != found {
			t.Errorf("%s: %+v", constraints, a)
		}
	}
	for _, mode := range []string{"auto", "knowledge", "graph", "hybrid"} {
		if a := get(without, `, "mode": "`+mode+`"`); a.Found != (mode != "graph") {
			t.Errorf("mode %s: %+v", mode, a)
		}
	}
	if a := ask[api.Answer](without, "/v1/answer", `{"question": "What is said of tea?", "maxTokens": 16}`); len(a.Citations) > 1 {
		t.Errorf("16 tokens: %+v", a)
	}
}

// A told is an event of a stream.
type told struct {
	name string
	data string
}

// events reads a stream of events until it ends.
func events(t *testing.T, from io.Reader) (all []told) {
	t.Helper()
	for lines := bufio.NewScanner(from); lines.Scan(); {
		name, isName := strings.CutPrefix(lines.Text(), "event: ")
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		switch {
		case isName:
			all = append(all, told{name: name})
		case isData && len(all) > 0:
			all[len(all)-1].data += data
		case lines.Text() != "":
			t.Errorf("line %q", lines.Text())
		}
	}
	return all
}

func names(all []told) string {
	var list []string
	for _, e := range all {
		list = append(list, e.name)
	}
	return strings.Join(list, " ")
}

func TestStream(t *testing.T) {
	c := serve(t, files, nil)
	get := func(c client, fields string) []told {
		t.Helper()
		_, text := c.send("POST", "/v1/answer", `{"question": "`+question+`", "stream": true`+fields+`}`)
		return events(t, strings.NewReader(text))
	}
	all := get(c, "")
	if names(all) != "meta token citation final" {
		t.Fatalf("%+v", all)
	}
	var meta api.Start
	var token api.Token
	var cited api.Citation
	var end api.End
	for i, to := range []any{&meta, &token, &cited, &end} {
		if err := json.Unmarshal([]byte(all[i].data), to); err != nil {
			t.Fatal(err, all[i])
		}
	}
	if meta.RequestID == "" || meta.AnswerType != "extractive" || token.Text != cited.Text || cited.Address != "text://tea#lines=8-8" ||
		end.Problem != nil || end.Answer.Answer != token.Text || end.Answer.Meta.RequestID != meta.RequestID || end.Answer.Meta.Latency["total"] <= 0 {
		t.Errorf("%+v", all)
	}
	if all := get(c, `, "citations": false`); names(all) != "meta token final" {
		t.Errorf("%+v", all)
	}
	// An error comes as the last event too, without its details.
	broken := serve(t, files, &corpus.Options{Model: &scribe{fails: fmt.Errorf("dial 10.1.2.3: secret")}})
	all = get(broken, "")
	if err := json.Unmarshal([]byte(all[len(all)-1].data), &end); err != nil || names(all) != "meta final" || end.Problem == nil || end.Problem.Status != 500 || end.Problem.Meta.RequestID == "" || strings.Contains(all[1].data, "secret") {
		t.Errorf("%+v", all)
	}
}

// TestStreamEnds leaves in the middle of a stream: the work stops. The first event is
// there before the model has said anything.
func TestStreamEnds(t *testing.T) {
	model := &scribe{begun: make(chan struct{}), ended: make(chan struct{})}
	c := serve(t, files, &corpus.Options{Model: model})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", c.url+"/v1/answer", strings.NewReader(`{"question": "`+question+`", "stream": true}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	first, err := bufio.NewReader(res.Body).ReadString('\n')
	if err != nil || first != "event: meta\n" || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%q, %v", first, err)
	}
	<-model.begun
	cancel()
	<-model.ended
}

// A slowScribe writes its first sentence, and the rest once it may.
type slowScribe struct {
	scribe
	more chan struct{}
}

func (s *slowScribe) Stream(ctx context.Context, _ *llm.Request, tell func(string) error) (*llm.Response, error) {
	first, rest, _ := strings.Cut(s.says, "}, {")
	if err := tell(first + "}, {"); err != nil {
		return nil, err
	}
	select {
	case <-s.more:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return &llm.Response{Model: "scribe-1"}, tell(rest)
}

// TestStreamFlows checks that a sentence reaches the client before the next one is made,
// through all that a server puts between them.
func TestStreamFlows(t *testing.T) {
	model := &slowScribe{more: make(chan struct{})}
	model.says = strings.Replace(written, "}]}", `}, {"source": 1, "quote": "Green tea is brewed with water of eighty degrees.", "text": "Green tea is brewed with it."}]}`, 1)
	server := httptest.NewServer(open(t, files, &corpus.Options{Model: model}).Handler(nil))
	defer server.Close()
	res, err := http.Post(server.URL+"/v1/answer", "application/json", strings.NewReader(`{"question": "`+question+`", "stream": true}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var begun strings.Builder
	lines := bufio.NewReader(res.Body)
	for !strings.Contains(begun.String(), "event: citation") {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("%v after %s", err, begun.String())
		}
		begun.WriteString(line)
	}
	if !strings.Contains(begun.String(), `{"text":"The water has eighty degrees."}`) {
		t.Errorf("%s", begun.String())
	}
	close(model.more)
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	all := events(t, strings.NewReader(begun.String()+string(rest)))
	if names(all) != "meta token citation token citation final" {
		t.Fatalf("%s", names(all))
	}
	if said := `"answer":"The water has eighty degrees. Green tea is brewed with it."`; !strings.Contains(all[3].data, `{"text":" Green tea`) || !strings.Contains(all[5].data, said) {
		t.Errorf("the tokens are not the answer: %s, %s", all[3].data, all[5].data)
	}
}

// TestWholeNumbers checks that a whole number may be written with a point or an exponent.
func TestWholeNumbers(t *testing.T) {
	c := serve(t, map[string]string{"tea.md": tea}, nil)
	const body = `{"ids": [{"kind": "document", "id": "tea"}], "expand": {"graph": {"hops": HOPS}}, "maxTokens": MOST}`
	for number, status := range map[string]int{"1.0": 200, "2e0": 200, "20.0E-1": 200, "-0.0": 200, "0.5": 400, "2.5e0": 400, "3.0": 400, "1e999": 400, "-1e0": 400} {
		given := strings.NewReplacer("HOPS", number, "MOST", "1e6").Replace(body)
		if got, answer := c.send("POST", "/v1/contents", given); got != status {
			t.Errorf("%s: %d %s", number, got, answer)
		}
	}
	if found := ask[api.Results](c, "/v1/search", `{"q": "pot six cups", "topK": 10e-1, "include": {}}`); len(found.Results) != 1 {
		t.Errorf("topK 10e-1: %d results", len(found.Results))
	}
}

// TestAskedLists checks that lists that are asked for are there when they have nothing, and
// that no list is described as null.
func TestAskedLists(t *testing.T) {
	c := serve(t, map[string]string{"alone.md": "# Alone\n\nNo link is here.\n"}, nil)
	for _, one := range []struct{ path, body, want string }{
		{"/v1/contents", `{"ids": [{"kind": "document", "id": "alone"}], "expand": {"graph": {}}}`, `"relationships":[],"entities":[],"evidence":[]`},
		{"/v1/contents", `{"ids": [{"kind": "document", "id": "none"}], "expand": {"chunks": true}}`, `"chunks":[]`},
		{"/v1/search", `{"q": "nothing such"}`, `"results":[]`},
		{"/v1/answer", `{"question": "nothing such"}`, `"citations":[]`},
		{"/v1/verify", `{"text": "Nothing is cited."}`, `"verdicts":[]`},
	} {
		if status, answer := c.send("POST", one.path, one.body); status != 200 || !strings.Contains(answer, one.want) {
			t.Errorf("%s %s: %d %s", one.path, one.body, status, answer)
		}
	}
	if _, described := c.send("GET", "/v1/openapi.json", ""); strings.Contains(described, `["array","null"]`) || !strings.Contains(described, `"type":"array"`) {
		t.Error("the description has a list that may be null")
	}
}

// TestLists pages through the documents, gets the map of each, and counts them.
func TestLists(t *testing.T) {
	c := serve(t, files, nil)
	var ids []string
	for cursor := ""; ; {
		status, text := c.send("GET", "/v1/resources?limit=2&cursor="+cursor, "")
		var page api.Resources
		if err := json.Unmarshal([]byte(text), &page); err != nil || status != http.StatusOK || page.Meta.RequestID == "" {
			t.Fatal(err, text)
		}
		for _, one := range page.Resources {
			ids = append(ids, one.ID)
			var got struct {
				ID  string
				Map struct {
					ResourceID string `json:"resource_id"`
					Nodes      []any
				}
				Meta api.Meta
			}
			if status, text := c.send("GET", "/v1/resources/"+one.ID, ""); status != http.StatusOK || json.Unmarshal([]byte(text), &got) != nil || got.Map.ResourceID != one.ID || len(got.Map.Nodes) == 0 || got.Meta.RequestID == "" {
				t.Errorf("%s: %d %s", one.ID, status, text)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if !slices.Equal(ids, []string{"milk", "sugar", "tea"}) {
		t.Error(ids)
	}
	var info api.Info
	if status, text := c.send("GET", "/v1/info", ""); status != http.StatusOK || json.Unmarshal([]byte(text), &info) != nil || info.Resources != 3 || info.Modalities["text"] != 3 || info.Passages < 3 || info.Abstract || info.Version == "" || info.Uptime <= 0 || info.Meta.RequestID == "" {
		t.Errorf("%d %s", status, text)
	}
}

// TestQuotesAndEvidence checks a quote and a text, and makes evidence.
func TestQuotesAndEvidence(t *testing.T) {
	c := serve(t, files, nil)
	if v := ask[api.Verification](c, "/v1/verify", `{"quote": "A pot holds six cups.", "address": "text://tea"}`); v.Holds == nil || !*v.Holds || v.Verdicts[0].Class != "exact" || v.Verdicts[0].Address != "text://tea#lines=12-12" {
		t.Errorf("a quote: %+v", v)
	}
	if v := ask[api.Verification](c, "/v1/verify", `{"quote": "A pot holds nine cups.", "address": "text://tea"}`); *v.Holds || v.Verdicts[0].Class != "altered" || len(v.Verdicts[0].Difference) != 1 || v.Verdicts[0].Difference[0].Source != "six" {
		t.Errorf("an altered quote: %+v", v)
	}
	if v := ask[api.Verification](c, "/v1/verify", `{"text": "It says \"A pot holds six cups.\" (text://tea#lines=12) and more."}`); v.Holds == nil || !*v.Holds || len(v.Verdicts) != 1 || v.Verdicts[0].Range == nil || !v.Complete {
		t.Errorf("a text: %+v", v)
	}
	if v := ask[api.Verification](c, "/v1/verify", `{"text": "Nothing is cited here."}`); v.Holds != nil {
		t.Errorf("a text that cites nothing: %+v", v)
	}
	e := ask[api.Evidence](c, "/v1/resolve", `{"address": "text://tea#lines=12"}`)
	if e.DocumentID != "tea" || e.Size != int64(len("A pot holds six cups. See [milk](milk.md).\n")) || len(e.SHA256) != 64 || e.Path != "/v1/evidence/text:%2F%2Ftea%23lines=12-12" || e.Meta.RequestID == "" {
		t.Errorf("evidence: %+v", e)
	}
	if status, text := c.send("GET", e.Path, ""); status != http.StatusOK || text != "A pot holds six cups. See [milk](milk.md).\n" {
		t.Errorf("bytes: %d %q", status, text)
	}
	node := ask[api.Evidence](c, "/v1/resolve", `{"address": "tea.pot", "mode": "exact"}`)
	if node.NodeID != "tea.pot" {
		t.Errorf("a node: %+v", node)
	}
}
