package llm_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/mapper/llm"
	"github.com/citekit/citekit/modality"
)

func ExampleNewOpenAI() {
	// A server that stands for one of yours.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"model":"small","choices":[{"finish_reason":"stop","message":{"content":
			"{\"title\":\"Rain\",\"nodes\":[{\"level\":1,\"title\":\"First verse\",\"type\":\"passage\",\"lines\":[1,2],\"summary\":\"It rains.\"}]}"}}],
			"usage":{"prompt_tokens":300,"completion_tokens":40}}`)
	}))
	defer server.Close()

	model, err := llm.NewOpenAI(&llm.OpenAIOptions{BaseURL: server.URL + "/v1", Model: "small"})
	if err != nil {
		fmt.Println(err)
		return
	}
	poem := "Rain, rain,\ngo away.\n"
	src := citekit.NewSource(strings.NewReader(poem), citekit.SourceInfo{Name: "rain.txt", Size: int64(len(poem))})
	mapper := llm.New(model, modality.All(), nil)
	structure, err := mapper.Map(context.Background(), src, citekit.MapRequest{Modality: citekit.Text})
	if err != nil {
		fmt.Println(err)
		return
	}
	ingest.NameNodes(structure.Nodes)
	for _, n := range structure.Nodes {
		fmt.Println(n.ID, n.Location.Lines, n.Summary)
	}
	fmt.Println(mapper.Usage().InputTokens, "tokens in")
	// Output:
	// first-verse 1-2 It rains.
	// 300 tokens in
}
