package embedding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/citekit/citekit"
)

// A wordPiece splits words into the longest tokens that it has, from the start.
// It skips words that it cannot split.
type wordPiece struct {
	numbers map[string]int
	prefix  string // of tokens that continue a word
	most    int    // characters of a word
}

func readWordPiece(data []byte) (*wordPiece, int, error) {
	var file struct {
		Vocab  map[string]int `json:"vocab"`
		Prefix *string        `json:"continuing_subword_prefix"`
		Unk    string         `json:"unk_token"`
		Most   int            `json:"max_input_chars_per_word"`
	}
	if json.Unmarshal(data, &file) != nil || len(file.Vocab) == 0 {
		return nil, 0, fmt.Errorf("tokenizer.json has no vocabulary of WordPiece: %w", citekit.ErrSyntax)
	}
	w := &wordPiece{numbers: file.Vocab, prefix: "##", most: min(cmp.Or(file.Most, 100), maxWord)}
	if file.Prefix != nil {
		w.prefix = *file.Prefix
	}
	if len(w.prefix) > maxInsertion {
		return nil, 0, fmt.Errorf("tokenizer.json has a continuing_subword_prefix of %d bytes: %w", len(w.prefix), citekit.ErrSyntax)
	}
	largest := 0
	for _, n := range file.Vocab {
		if n < 0 {
			return nil, 0, fmt.Errorf("tokenizer.json has token %d: %w", n, citekit.ErrSyntax)
		}
		largest = max(largest, n)
	}
	delete(w.numbers, file.Unk)
	return w, largest, nil
}

func (w *wordPiece) appendTokens(list []int, word string) []int {
	if utf8.RuneCountInString(word) > w.most {
		return list
	}
	found := list
	for at := 0; at < len(word); {
		token, length := w.longest(word[at:], at > 0)
		if length == 0 {
			return list
		}
		found, at = append(found, token), at+length
	}
	return found
}

// longest returns the longest token at the start of a text, and its length; the
// length is 0 if there is none.
func (w *wordPiece) longest(text string, goesOn bool) (token, length int) {
	prefix := ""
	if goesOn {
		prefix = w.prefix
	}
	for end := min(len(text), maxPiece); end > 0; end-- {
		if end < len(text) && !utf8.RuneStart(text[end]) {
			continue
		}
		if token, ok := w.numbers[prefix+text[:end]]; ok {
			return token, end
		}
	}
	return 0, 0
}
