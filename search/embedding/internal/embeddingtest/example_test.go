package embeddingtest_test

import (
	"testing"

	"github.com/citekit/citekit/search/embedding"
	"github.com/citekit/citekit/search/embedding/internal/embeddingtest"
)

// The body of a test of an embedder.
func ExampleTest() {
	var t *testing.T // of TestConformance
	embedder, err := embedding.NewOllama(&embedding.Options{Model: "nomic-embed-text"})
	if err != nil {
		t.Fatal(err)
	}
	embeddingtest.Test(t, embedder)
}
