package llm_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/citekit/citekit/mapper/llm"
)

func ExampleNewGemini() {
	// A server that stands for that of Google.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"candidates":[{"content":{"parts":[{"text":"{\"nodes\":[]}"}]},"finishReason":"STOP"}],
			"usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":4}}`)
	}))
	defer server.Close()

	opts := &llm.GeminiOptions{Key: "the-key", BaseURL: server.URL}
	config := `{"model": "gemini-3.8-flash", "timeout": 60, "prices": {"input": 0.5, "output": 3}}`
	if err := llm.ParseConfig([]byte(config), opts); err != nil {
		fmt.Println(err)
		return
	}
	model, err := llm.NewGemini(opts)
	if err != nil {
		fmt.Println(err)
		return
	}
	response, err := model.Generate(context.Background(), &llm.Request{
		Instructions: "List the parts of the text.",
		Parts:        []llm.Part{{Text: "1\tA line."}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(response.Text, response.Usage.InputTokens, response.Usage.OutputTokens)
	// Output: {"nodes":[]} 12 4
}
