package embedding_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/embedding"
)

var ctx = context.Background()

// serve starts a server that answers each request with what answer makes of its
// body.
func serve(t *testing.T, path string, answer func(request map[string]any) (status int, body any)) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request map[string]any
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil || r.URL.Path != path || r.Method != http.MethodPost {
			t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		}
		if got := r.Header.Get("Authorization"); got != "" && got != "Bearer key-123" {
			t.Errorf("authorization %q", got)
		}
		status, body := answer(request)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		if text, ok := body.(string); ok {
			fmt.Fprint(w, text)
			return
		}
		json.NewEncoder(w).Encode(body)
	}))
	t.Cleanup(s.Close)
	return s
}

// lengths is a vector for each text: its length, and 1.
func lengths(input any) (vectors [][]float64) {
	for _, text := range input.([]any) {
		vectors = append(vectors, []float64{float64(len(text.(string))), 1})
	}
	return vectors
}

func TestOpenAI(t *testing.T) {
	s := serve(t, "/v1/embeddings", func(request map[string]any) (int, any) {
		if request["model"] != "small" || request["dimensions"] != 2. || request["encoding_format"] != "float" {
			t.Errorf("request %v", request)
		}
		var data []map[string]any
		for i, v := range slices.Backward(lengths(request["input"])) {
			data = append(data, map[string]any{"index": i, "embedding": v})
		}
		return http.StatusOK, map[string]any{"data": data}
	})
	e, err := embedding.NewOpenAI(&embedding.Options{BaseURL: s.URL + "/v1/", Model: "small", Key: "key-123", Dimensions: 2, QueryPrefix: "q: "})
	if err != nil {
		t.Fatal(err)
	}
	checkLengths(t, e)
	if e.Dimensions() != 2 || strings.Contains(e.Name(), "key") || !strings.Contains(e.Name(), "small") {
		t.Errorf("name %q, %d dimensions", e.Name(), e.Dimensions())
	}
}

func TestOllama(t *testing.T) {
	s := serve(t, "/api/embed", func(request map[string]any) (int, any) {
		return http.StatusOK, map[string]any{"embeddings": lengths(request["input"])}
	})
	e, err := embedding.NewOllama(&embedding.Options{BaseURL: s.URL, Model: "nomic", QueryPrefix: "q: "})
	if err != nil {
		t.Fatal(err)
	}
	checkLengths(t, e)
}

// checkLengths checks an embedder whose server answers with the lengths of texts.
func checkLengths(t *testing.T, e search.Embedder) {
	t.Helper()
	got, err := e.Embed(ctx, search.PassageText, []string{"one", "three"})
	if want := "[[3 1] [5 1]]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("passages %v, %v, want %s", got, err, want)
	}
	got, err = e.Embed(ctx, search.QueryText, []string{"one"})
	if want := "[[6 1]]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("query %v, %v, want %s", got, err, want)
	}
}

func TestReranker(t *testing.T) {
	for name, answer := range map[string]string{
		"documents": `{"results":[{"index":1,"relevance_score":0.9,"document":{"text":"b"}},{"index":0,"relevance_score":-2}]}`,
		"texts":     `[{"index":1,"score":0.9},{"index":0,"score":-2}]`,
	} {
		s := serve(t, "/rerank", func(request map[string]any) (int, any) {
			if list, ok := request[name].([]any); !ok || len(list) != 2 || request["query"] != "what" || request["model"] != "m" {
				t.Errorf("request %v", request)
			}
			return http.StatusOK, answer
		})
		r, err := embedding.NewReranker(&embedding.Options{BaseURL: s.URL, Model: "m", Texts: name == "texts"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Rerank(ctx, "what", []string{"a", "b"}); err != nil || !slices.Equal(got, []float64{-2, .9}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// Answers that are not what was asked for are errors, which tell no key and no
// text.
func TestBadAnswers(t *testing.T) {
	sharedtest.NotShort(t)
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"nothing":       {200, `{}`},
		"no JSON":       {200, `<html>`},
		"null":          {200, `null`},
		"few":           {200, `{"data":[{"index":0,"embedding":[1]}],"embeddings":[[1]],"results":[{"index":0,"relevance_score":1}]}`},
		"twice":         {200, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}],"embeddings":[[1],[]],"results":[{"index":0,"relevance_score":1},{"index":0,"relevance_score":1}]}`},
		"outside":       {200, `{"data":[{"index":7,"embedding":[1]},{"index":-1,"embedding":[1]}],"embeddings":[[],[]],"results":[{"index":7,"relevance_score":1},{"index":-1,"relevance_score":1}]}`},
		"without score": {200, `{"data":[{"index":0},{"index":1}],"embeddings":[null,null],"results":[{"index":0},{"index":1}]}`},
		"no numbers":    {200, `{"data":[{"index":0,"embedding":["a"]}],"embeddings":[["a"]],"results":[{"index":"a"}]}`},
		"too large":     {200, `{"data":[{"index":0,"embedding":[1e99]}],"embeddings":[[1e99],[1]],"results":[{"index":0,"relevance_score":1e999}]}`},
		"long":          {200, `"` + strings.Repeat("a", 65<<20) + `"`},
		"refused":       {400, `{"error":{"message":"the text secret passage is too long, key-123"}}`},
		"unauthorized":  {401, `{"error":"key-123 is wrong for secret passage"}`},
		"moved":         {302, `secret passage`},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			}))
			defer s.Close()
			o := &embedding.Options{BaseURL: s.URL, Model: "m", Key: "key-123", Retries: -1}
			texts := []string{"secret passage", "another"}
			openAI, err1 := embedding.NewOpenAI(o)
			ollama, err2 := embedding.NewOllama(o)
			reranker, err3 := embedding.NewReranker(o)
			if err := errors.Join(err1, err2, err3); err != nil {
				t.Fatal(err)
			}
			_, err1 = openAI.Embed(ctx, search.PassageText, texts)
			_, err2 = ollama.Embed(ctx, search.PassageText, texts)
			_, err3 = reranker.Rerank(ctx, "secret query", texts)
			for _, err := range []error{err1, err2, err3} {
				if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "key-123") {
					t.Errorf("error %v", err)
				}
			}
		})
	}
}

// A call ends with its context.
func TestCancel(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-release }))
	defer s.Close()
	defer close(release)
	e, err := embedding.NewOllama(&embedding.Options{BaseURL: s.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := e.Embed(canceled, search.QueryText, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []*embedding.Options{
		nil, {BaseURL: "http://localhost"}, {Model: "m", BaseURL: "localhost"}, {Model: "m", BaseURL: "http://a?b"},
		{Model: "m", Dimensions: -1, BaseURL: "http://a"}, {Model: "m", Key: "a b", BaseURL: "http://a"},
	} {
		_, err1 := embedding.NewOpenAI(o)
		_, err2 := embedding.NewOllama(o)
		if !errors.Is(err1, citekit.ErrSyntax) || !errors.Is(err2, citekit.ErrSyntax) {
			t.Errorf("%+v: %v, %v", o, err1, err2)
		}
	}
	if _, err := embedding.NewReranker(&embedding.Options{Model: "m"}); !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("no base URL: %v", err)
	}
	e, err := embedding.NewOpenAI(&embedding.Options{Model: "m", BaseURL: "https://user:secret@example.com/v1"})
	if err != nil || strings.Contains(e.Name(), "secret") {
		t.Errorf("name %q, %v", e.Name(), err)
	}
}
