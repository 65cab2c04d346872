package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/mapper/llm"
)

// says is what the model of the test says: one sentence that its source bears, and
// one that it made up.
const says = `{"sentences": [
	{"source": 1, "quote": "Green tea is brewed with water of eighty degrees.", "text": "Water for green tea has eighty degrees."},
	{"source": 1, "quote": "Green tea is brewed with water of eighty degrees.", "text": "Green tea was first brewed in 1191."}]}`

func TestRun(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, word := range strings.SplitAfter(says, " ") {
			piece, _ := json.Marshal(word)
			fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%s}}]}\n\n", piece)
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	defer server.Close()
	model, err := llm.NewOpenAI(&llm.OpenAIOptions{BaseURL: server.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tea.md"), []byte("# Tea\n\nGreen tea is brewed with water of eighty degrees.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]string{
		"How hot is the water for green tea?": "Water for green tea has eighty degrees. [text://tea#lines=3-3]\nGreen tea was first brewed in 1191. [unsupported: do not rely on it]\n",
		"Who painted the chapel?":             "not found in these resources\n",
	} {
		var out strings.Builder
		if err := run(t.Context(), &out, dir, model, question); err != nil || out.String() != want {
			t.Errorf("%s: %q, %v", question, out.String(), err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "damaged.pdf"), []byte("%PDF-1.4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), &out, dir, model, "Who painted the chapel?"); err != nil || !strings.HasPrefix(out.String(), `the answer is from the other files: "damaged.pdf" cannot be mapped: `) {
		t.Errorf("%q, %v", out.String(), err)
	}
}
