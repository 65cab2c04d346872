package embedding_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/embedding"
)

// A table is a tensor that a test writes.
type table struct {
	name  string
	kind  string
	shape []int
	data  []byte
}

func float32s(numbers ...float32) (data []byte) {
	for _, x := range numbers {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return data
}

func safetensors(tables ...table) []byte {
	header := map[string]any{"__metadata__": map[string]string{"made": "by a test"}}
	var data []byte
	for _, t := range tables {
		header[t.name] = map[string]any{"dtype": t.kind, "shape": t.shape, "data_offsets": []int{len(data), len(data) + len(t.data)}}
		data = append(data, t.data...)
	}
	head, err := json.Marshal(header)
	if err != nil {
		panic(err)
	}
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...), data...)
}

// unit is a table in which the n-th token points along the n-th axis.
func unit(tokens int) table {
	numbers := make([]float32, tokens*tokens)
	for i := range tokens {
		numbers[i*tokens+i] = 1
	}
	return table{"embeddings", "F32", []int{tokens, tokens}, float32s(numbers...)}
}

func folder(tokenizer string, tables ...table) fstest.MapFS {
	return fstest.MapFS{
		"model.safetensors": {Data: safetensors(tables...)},
		"tokenizer.json":    {Data: []byte(tokenizer)},
	}
}

const wordPiece = `{"normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
	"pre_tokenizer": {"type": "BertPreTokenizer"},
	"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 20,
	"vocab": {"[UNK]": 0, "cafe": 1, "##s": 2, "un": 3, "##able": 4, "!": 5, "水": 6, "unable": 7}}}`

const unigram = `{"normalizer": {"type": "Sequence", "normalizers": [{"type": "Precompiled", "precompiled_charsmap": "AAAA"},
		{"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "}, {"type": "Strip", "strip_left": true, "strip_right": true}]},
	"pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
	"model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["▁", -3], ["▁new", -2], ["▁ne", -1.5], ["w", -4], ["s", -3], ["ws", -1], ["▁news", -2.4]]}}`

// tokensOf returns which tokens of a unit table a vector is the sum of.
func tokensOf(t *testing.T, e search.Embedder, text string) string {
	t.Helper()
	vectors, err := e.Embed(ctx, search.PassageText, []string{text})
	if err != nil {
		t.Fatal(err)
	}
	least := math.Inf(1)
	for _, x := range vectors[0] {
		if x > 0 {
			least = min(least, float64(x))
		}
	}
	var list []string
	for i, x := range vectors[0] {
		for range int(math.Round(float64(x) / least)) {
			list = append(list, fmt.Sprint(i))
		}
	}
	return strings.Join(list, " ")
}

func TestStatic(t *testing.T) {
	for name, c := range map[string]struct {
		tokenizer string
		tokens    int
		want      map[string]string
	}{
		"WordPiece": {wordPiece, 8, map[string]string{
			"Cafés":             "1 2",
			"CAFE\u0301 cafe":   "1",
			"unable, uncafe!":   "5 7",
			"unables":           "2 7",
			"水水!!":              "5 6",
			"cafe\x00\u200bs":   "1 2",
			"zither":            "",
			"":                  "",
			"unununununununun!": "5",
			"un\xff cafe":       "1 3",
		}},
		"Unigram": {unigram, 8, map[string]string{
			"news":           "7",
			"  new \n\t  s ": "1 2 5",
			"ｎｅｗ":            "2",
			"newzzz":         "0 2",
			"zz s":           "0 1 1 5",
			"\xff":           "1",
		}},
	} {
		e, err := embedding.NewStatic(folder(c.tokenizer, unit(c.tokens)))
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range c.want {
			if got := tokensOf(t, e, text); got != want {
				t.Errorf("%s: %q has the tokens %s, want %s", name, text, got, want)
			}
		}
	}
}

// The most likely cut counts, not the longest tokens.
func TestUnigramCuts(t *testing.T) {
	e, err := embedding.NewStatic(folder(strings.Replace(unigram, `["▁news", -2.4]`, `["▁news", -9]`, 1), unit(8)))
	if err != nil {
		t.Fatal(err)
	}
	if got := tokensOf(t, e, "news"); got != "3 6" {
		t.Errorf("tokens %s, want 3 6", got)
	}
}

func TestByteFallback(t *testing.T) {
	vocab := `["<unk>", 0], ["▁", -1]`
	for b := range 256 {
		vocab += fmt.Sprintf(`, ["<0x%02X>", -5]`, b)
	}
	e, err := embedding.NewStatic(folder(`{"pre_tokenizer": {"type": "Metaspace"}, "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": true, "vocab": [`+vocab+`]}}`, unit(258)))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tokensOf(t, e, "é"), fmt.Sprint(1, 2+0xA9, 2+0xC3); got != want {
		t.Errorf("tokens %s, want %s", got, want)
	}
}

// Each kind of numbers is read, with weights and rows of tokens.
func TestTables(t *testing.T) {
	half := []byte{0x00, 0x3c, 0x00, 0x40, 0x00, 0xc2, 0x00, 0x80} // 1, 2, -3, -0
	brain := []byte{0x80, 0x3f, 0x00, 0x40, 0x40, 0xc0, 0x00, 0x00}
	var double []byte
	for _, x := range []float64{1, 2, -3, 0} {
		double = binary.LittleEndian.AppendUint64(double, math.Float64bits(x))
	}
	rules := `{"pre_tokenizer": {"type": "Whitespace"}, "model": {"type": "WordPiece", "vocab": {"a": 0, "b": 1}}}`
	for kind, data := range map[string][]byte{"F16": half, "BF16": brain, "F64": double, "I8": {1, 2, 0xfd, 0}, "F32": float32s(1, 2, -3, 0)} {
		e, err := embedding.NewStatic(folder(rules, table{"any", kind, []int{2, 2}, data}))
		if err != nil {
			t.Fatal(kind, err)
		}
		v, err := e.Embed(ctx, search.QueryText, []string{"a", "b", "a b"})
		if want := "[[0.4472136 0.8944272] [-1 0] [-0.70710677 0.70710677]]"; err != nil || fmt.Sprint(v) != want {
			t.Errorf("%s: %v, %v, want %s", kind, v, err, want)
		}
	}
	mapping := table{"mapping", "I32", []int{2}, []byte{1, 0, 0, 0, 1, 0, 0, 0}}
	weights := table{"weights", "F32", []int{2}, float32s(0, 2)}
	e, err := embedding.NewStatic(folder(rules, table{"embeddings", "F32", []int{2, 2}, float32s(1, 2, -3, 0)}, mapping, weights))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := e.Embed(ctx, search.QueryText, []string{"a", "b"}); err != nil || fmt.Sprint(v) != "[[0 0] [-1 0]]" {
		t.Errorf("mapped %v, %v", v, err)
	}
}

// Files that are not what they should be are errors.
func TestBadFiles(t *testing.T) {
	good := folder(wordPiece, unit(8))
	for name, c := range map[string]struct {
		folder fs.FS
		want   error
	}{
		"empty":        {fstest.MapFS{}, fs.ErrNotExist},
		"no tokenizer": {fstest.MapFS{"model.safetensors": good["model.safetensors"]}, fs.ErrNotExist},
		"no table":     {folder(wordPiece), citekit.ErrSyntax},
		"two tables":   {folder(wordPiece, table{"a", "F32", []int{1, 1}, float32s(1)}, table{"b", "F32", []int{1, 1}, float32s(1)}), citekit.ErrSyntax},
		"few rows":     {folder(wordPiece, unit(7)), citekit.ErrSyntax},
		"size":         {folder(wordPiece, table{"embeddings", "F32", []int{8, 9}, float32s(1, 2)}), citekit.ErrSyntax},
		"negative":     {folder(wordPiece, table{"embeddings", "F32", []int{-2, -1}, float32s(1, 2)}), citekit.ErrSyntax},
		"overflow":     {folder(wordPiece, table{"embeddings", "F32", []int{1 << 62, 1 << 62}, float32s(1)}), citekit.ErrSyntax},
		"mapping":      {folder(wordPiece, unit(8), table{"mapping", "I64", []int{8}, make([]byte, 63)}), citekit.ErrSyntax},
		"mapping to":   {folder(wordPiece, unit(8), table{"mapping", "I8", []int{8}, []byte{0, 1, 2, 3, 4, 5, 6, 8}}), citekit.ErrSyntax},
		"weights":      {folder(wordPiece, unit(8), table{"weights", "I8", []int{7}, make([]byte, 7)}), citekit.ErrSyntax},
		"no JSON":      {folder(`{`, unit(8)), citekit.ErrSyntax},
		"no model":     {folder(`{}`, unit(8)), citekit.ErrSyntax},
		"other model":  {folder(`{"model": {"type": "BPE", "vocab": {"a": 1}}}`, unit(8)), errors.ErrUnsupported},
		"normalizer":   {folder(`{"normalizer": {"type": "Nmt"}, "model": {"type": "WordPiece", "vocab": {"a": 1}}}`, unit(8)), errors.ErrUnsupported},
		"splitter":     {folder(`{"pre_tokenizer": {"type": "Split"}, "model": {"type": "WordPiece", "vocab": {"a": 1}}}`, unit(8)), errors.ErrUnsupported},
		"expression":   {folder(`{"normalizer": {"type": "Replace", "pattern": {"Regex": "(?=a)"}, "content": ""}, "model": {"type": "WordPiece", "vocab": {"a": 1}}}`, unit(8)), errors.ErrUnsupported},
		"insertion":    {folder(`{"normalizer": {"type": "Prepend", "prepend": "`+strings.Repeat("a", 65)+`"}, "model": {"type": "WordPiece", "vocab": {"a": 1}}}`, unit(8)), citekit.ErrSyntax},
		"stages":       {folder(`{"normalizer": {"type": "Sequence", "normalizers": [`+strings.Repeat(`{"type": "NFC"},`, 64)+`{"type": "NFC"}]}, "model": {"type": "WordPiece", "vocab": {"a": 1}}}`, unit(8)), citekit.ErrSyntax},
		"token":        {folder(`{"model": {"type": "WordPiece", "vocab": {"a": -1}}}`, unit(8)), citekit.ErrSyntax},
		"scores":       {folder(`{"model": {"type": "Unigram", "vocab": [["a", "b"]]}}`, unit(8)), citekit.ErrSyntax},
	} {
		if _, err := embedding.NewStatic(c.folder); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	infinite := float32(math.Inf(1))
	e, err := embedding.NewStatic(folder(`{"model": {"type": "WordPiece", "vocab": {"a": 0}}}`, table{"e", "F32", []int{1, 1}, float32s(infinite)}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(ctx, search.QueryText, []string{"a"}); !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("numbers that are not finite: %v", err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := e.Embed(canceled, search.QueryText, []string{"b"}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// Whatever stands in the files, reading them ends, and so does embedding.
func FuzzStatic(f *testing.F) {
	table := safetensors(unit(8))
	f.Add(table, []byte(wordPiece), "Cafés unable")
	f.Add(table, []byte(unigram), "news \xff")
	f.Add(safetensors(unit(1)), []byte(`{"model": {"type": "WordPiece", "vocab": {"": 0}, "max_input_chars_per_word": -1}}`), "a")
	f.Add(table, []byte(`{"normalizer": {"type": "Replace", "pattern": {"Regex": "x*"}, "content": "xx"}, "model": {"type": "Unigram", "unk_id": 9, "vocab": [["x", 1]]}}`), "axb")
	f.Fuzz(func(t *testing.T, table, rules []byte, text string) {
		e, err := embedding.NewStatic(fstest.MapFS{"model.safetensors": {Data: table}, "tokenizer.json": {Data: rules}})
		if err != nil {
			return
		}
		v, err := e.Embed(ctx, search.PassageText, []string{text})
		if err == nil && len(v[0]) != e.Dimensions() {
			t.Errorf("%d numbers, want %d", len(v[0]), e.Dimensions())
		}
	})
}

// BenchmarkStatic embeds passages of 2,000 bytes by a table of 30,000 × 256.
func BenchmarkStatic(b *testing.B) {
	const tokens, dimensions = 30_000, 256
	vocab := make(map[string]int, tokens)
	for i := range tokens {
		vocab[fmt.Sprint("w", i)] = i
	}
	rules, err := json.Marshal(map[string]any{
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"model":         map[string]any{"type": "WordPiece", "vocab": vocab},
	})
	if err != nil {
		b.Fatal(err)
	}
	e, err := embedding.NewStatic(folder(string(rules), table{"embeddings", "F32", []int{tokens, dimensions}, make([]byte, 4*tokens*dimensions)}))
	if err != nil {
		b.Fatal(err)
	}
	var text strings.Builder
	for i := 0; text.Len() < 2000; i++ {
		fmt.Fprintf(&text, "W%d ", i*7919%tokens)
	}
	for b.Loop() {
		if _, err := e.Embed(ctx, search.PassageText, []string{text.String()}); err != nil {
			b.Fatal(err)
		}
	}
}
