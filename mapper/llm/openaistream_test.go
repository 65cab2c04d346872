package llm_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/citekit/citekit/mapper/llm"
)

// openAIStreaming returns a model of a server that streams lines.
func openAIStreaming(t *testing.T, status int, lines ...string) *llm.OpenAI {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(status)
		for _, line := range lines {
			fmt.Fprintf(w, "%s\n\n", line)
			w.(http.Flusher).Flush()
		}
	}))
	t.Cleanup(server.Close)
	m, err := llm.NewOpenAI(&llm.OpenAIOptions{BaseURL: server.URL, Model: "m", Retries: -1, Client: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestOpenAIStream(t *testing.T) {
	m := openAIStreaming(t, 200, `: ping`, `data: {"model":"m-2","choices":[{"delta":{"role":"assistant"}}]}`, `data: {"choices":[{"delta":{"content":"Gr"}}]}`,
		`data: {"choices":[{"delta":{"content":"een"}}]}`, `data: {"choices":[{"delta":{},"finish_reason":"length"}]}`, `data: {"choices":[]}`, `data: [DONE]`)
	var pieces []string
	got, err := m.Stream(t.Context(), &llm.Request{}, func(piece string) error {
		pieces = append(pieces, piece)
		return nil
	})
	if err != nil || got.Text != "Green" || got.Model != "m-2" || !got.Truncated || strings.Join(pieces, "|") != "Gr|een" {
		t.Errorf("%+v, %q, %v", got, pieces, err)
	}
	enough := errors.New("enough")
	if _, err := m.Stream(t.Context(), &llm.Request{}, func(string) error { return enough }); !errors.Is(err, enough) {
		t.Error(err)
	}
	nothing := func(string) error { return nil }
	if _, err := openAIStreaming(t, 200, `data: {"choices":[{"delta":{"refusal":"no"}}]}`).Stream(t.Context(), &llm.Request{}, nothing); !errors.Is(err, llm.ErrRefused) {
		t.Error(err)
	}
	if _, err := openAIStreaming(t, 200, `data: {`).Stream(t.Context(), &llm.Request{}, nothing); err == nil {
		t.Error("broken JSON is no error")
	}
	var failed *llm.Error
	if _, err := openAIStreaming(t, 500, `oops`).Stream(t.Context(), &llm.Request{}, nothing); !errors.As(err, &failed) || failed.Status != 500 {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	if _, err := m.Stream(ended, &llm.Request{}, func(string) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
