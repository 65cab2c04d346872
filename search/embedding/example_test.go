package embedding_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/embedding"
)

func ExampleNewOllama() {
	// A server in place of your own.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"embeddings": [][]float32{{.6, .8}}})
	}))
	defer server.Close()

	embedder, err := embedding.NewOllama(&embedding.Options{Model: "nomic-embed-text", BaseURL: server.URL, QueryPrefix: "search_query: "})
	if err != nil {
		fmt.Println(err)
		return
	}
	vectors, err := embedder.Embed(context.Background(), search.QueryText, []string{"heating water"})
	fmt.Println(vectors, err)

	// Pass it to search.New.
	_ = search.Options{Semantics: &search.Semantics{Embedder: embedder}}
	// Output: [[0.6 0.8]] <nil>
}
