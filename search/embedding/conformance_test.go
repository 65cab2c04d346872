package embedding_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/citekit/citekit/search/embedding"
	"github.com/citekit/citekit/search/embedding/internal/embeddingtest"
)

func TestConformance(t *testing.T) {
	t.Run("OpenAI", func(t *testing.T) {
		s := serve(t, "/embeddings", func(request map[string]any) (int, any) {
			var data []map[string]any
			for i, v := range lengths(request["input"]) {
				data = append(data, map[string]any{"index": i, "embedding": v})
			}
			return http.StatusOK, map[string]any{"data": data}
		})
		e, err := embedding.NewOpenAI(&embedding.Options{BaseURL: s.URL, Model: "small"})
		if err != nil {
			t.Fatal(err)
		}
		embeddingtest.Test(t, e)
	})
	t.Run("Ollama", func(t *testing.T) {
		s := serve(t, "/api/embed", func(request map[string]any) (int, any) {
			return http.StatusOK, map[string]any{"embeddings": lengths(request["input"])}
		})
		e, err := embedding.NewOllama(&embedding.Options{BaseURL: s.URL, Model: "nomic"})
		if err != nil {
			t.Fatal(err)
		}
		embeddingtest.Test(t, e)
	})
	for name, rules := range map[string]string{"WordPiece": strings.ReplaceAll(wordPiece, "cafe", "water"), "Unigram": unigram} {
		t.Run(name, func(t *testing.T) {
			rules = strings.Replace(rules, `"unable": 7`, `"bread": 7`, 1)
			e, err := embedding.NewStatic(folder(rules, unit(8)))
			if err != nil {
				t.Fatal(err)
			}
			embeddingtest.Test(t, e)
		})
	}
}
