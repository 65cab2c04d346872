package command

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// completions answers every request as a server of chat completions does whose
// model says answer.
func completions(t *testing.T, answer string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key := r.Header.Get("Authorization"); key != "" {
			t.Errorf("the server was given a key that is not for it: %s", key)
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{
			"id": "1", "object": "chat.completion", "model": "tiny",
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": answer}}},
			"usage":   map[string]any{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
		})
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// TestModelMapper maps a text by a model behind a local server.
func TestModelMapper(t *testing.T) {
	f := newFolder(t)
	f.write("poem.txt", "one\ntwo\nthree\n")
	t.Setenv("OPENAI_API_KEY", "a key of OpenAI")
	url := completions(t, `{"title": "Counting", "nodes": [
		{"level": 1, "title": "All of it", "type": "poem", "summary": "It counts.", "first_line": 1, "last_line": 3, "location": {"modality": "text", "lines": [1, 3]}}]}`)
	config := `{"base_url": "` + url + `", "model": "tiny", "prices": {"input": 1, "output": 10}}`
	out, errs, code := f.run("ingest", "poem.txt", "--mapper", "openai", "--mapper-config", config)
	if code != 0 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	if want := "mapped poem.txt as poem (1 node, model)\n1 mapped\n1 resource searchable\n1 request to the model, 100 input tokens, 20 output tokens, cost 0.0003\n"; out != want {
		t.Errorf("got %q", out)
	}
	if out, _, code := f.run("structure", "poem"); code != 0 || !strings.Contains(out, `"openai tiny"`) {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestModelFails checks that the map is kept when the model that was to enrich
// it fails, and that this is told.
func TestModelFails(t *testing.T) {
	f := newFolder(t)
	f.write("notes.md", "# Notes\n\nText.\n")
	url := completions(t, `I cannot do that.`)
	out, errs, code := f.run("ingest", "notes.md", "--mapper", "openai", "--enrich", "--retries", "0",
		"--mapper-config", `{"base_url": "`+url+`", "model": "tiny"}`)
	if code != 0 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	if !strings.Contains(out, "mapped notes.md as notes (1 node, headings)") || !strings.Contains(errs, "warning: notes.md: mapped, but not enriched: ") {
		t.Errorf("got %q, %q", out, errs)
	}
}
