package command

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// library makes a folder with two mapped texts.
func library(t *testing.T) testFolder {
	t.Helper()
	f := newFolder(t)
	t.Setenv(openAIKey, "a key of OpenAI")
	f.write("cars.md", "# Cars\n\nAn automobile has wheels.\n")
	f.write("bread.md", "# Bread\n\nBread is baked.\n")
	if out, errs, code := f.run("ingest", "."); code != 0 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	return f
}

// staticModel writes static embeddings in which two words mean the same.
func staticModel(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	rules := `{"normalizer": {"type": "BertNormalizer", "lowercase": true}, "pre_tokenizer": {"type": "BertPreTokenizer"},
		"model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "automobile": 1, "vehicle": 2, "bread": 3}}}`
	head := `{"embeddings":{"dtype":"F32","shape":[4,2],"data_offsets":[0,32]}}`
	table := append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...)
	for _, x := range []float32{0, 0, 1, 0, 1, 0, 0, 1} {
		table = binary.LittleEndian.AppendUint32(table, math.Float32bits(x))
	}
	for name, data := range map[string][]byte{"tokenizer.json": []byte(rules), "model.safetensors": table} {
		must(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	return dir
}

// TestSearchByMeaning finds what has no word of the query, by a model from files
// and by one behind a server.
func TestSearchByMeaning(t *testing.T) {
	f := library(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "" {
			t.Errorf("the server was given a key that is not for it: %s", got)
		}
		var request struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Error(err)
		}
		var data []any
		for i, text := range request.Input {
			v := []float64{0, 1}
			if strings.Contains(text, "vehicle") || strings.Contains(text, "automobile") {
				v = []float64{1, 0}
			}
			data = append(data, map[string]any{"index": i, "embedding": v})
		}
		json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	defer server.Close()
	for _, model := range []string{"static:" + staticModel(t), "openai:tiny@" + server.URL + "/v1"} {
		out, errs, code := f.run("search", "--embedder", model, "vehicle")
		if code != 0 || !strings.HasPrefix(out, "text://cars#") || strings.Count(out, "\n") != 1 || errs != "" {
			t.Errorf("%s: exit %d, %q, %q", model, code, out, errs)
		}
	}
	if out, _, code := f.run("search", "vehicle"); code != 0 || out != "" {
		t.Errorf("by words: exit %d, %q", code, out)
	}
}

// TestSearchWithoutModel answers by words, and says what is lacking.
func TestSearchWithoutModel(t *testing.T) {
	f := library(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "secret", http.StatusBadRequest)
	}))
	defer server.Close()
	out, errs, code := f.run("search", "--embedder", "ollama:a@"+server.URL, "--reranker", "b@"+server.URL, "automobile")
	if code != 0 || !strings.HasPrefix(out, "text://cars#") || !strings.Contains(errs, "the vectors could not all be made: ") ||
		!strings.Contains(errs, "the ranking is not complete: the embedder failed") || strings.Contains(errs, "secret") {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
}

func TestUnknownModel(t *testing.T) {
	for _, c := range [][]string{
		{"search", "--embedder", "gpt", "a"}, {"serve", "--embedder", "gpt"}, {"search", "--embedder", "ollama:", "a"},
		{"search", "--embedder", "static:" + t.TempDir(), "a"}, {"search", "--reranker", "b", "a"}, {"serve", "--reranker", "b"},
	} {
		if _, errs, code := runCommand(t, append(c, "--dir", t.TempDir())...); code == 0 || !strings.Contains(errs, c[1]) {
			t.Errorf("%q: exit %d, %q", c, code, errs)
		}
	}
}
