package embedding

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
)

// Limits of tokenizers, so that a hostile one cannot use unlimited time or
// memory.
const (
	maxText      = 64 << 10  // bytes of a text that are used
	maxNormal    = 256 << 10 // of a text after normalization
	maxStages    = 64        // normalizers, or pre-tokenizers
	maxInsertion = 64        // bytes that a normalizer may insert
	maxPiece     = 128       // bytes of a token; longer ones never match
	maxWord      = 1000      // characters of a word
)

// A tokenizer turns texts into token numbers.
type tokenizer struct {
	normalizers []func(string) string
	splitters   []func([]string) []string
	model       pieces
	largest     int // largest token number
}

// pieces splits a word into tokens.
type pieces interface {
	appendTokens(list []int, word string) []int
}

// readTokenizer parses a tokenizer.json. The error matches [citekit.ErrSyntax]
// or [errors.ErrUnsupported].
func readTokenizer(data []byte) (*tokenizer, error) {
	var file struct {
		Normalizer   *normalizerRule `json:"normalizer"`
		PreTokenizer *splitterRule   `json:"pre_tokenizer"`
		Model        json.RawMessage `json:"model"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("tokenizer.json is not JSON of a tokenizer: %w", citekit.ErrSyntax)
	}
	t := new(tokenizer)
	if err := t.addNormalizer(file.Normalizer); err != nil {
		return nil, err
	}
	if err := t.addSplitter(file.PreTokenizer); err != nil {
		return nil, err
	}
	return t, t.readModel(file.Model)
}

func (t *tokenizer) readModel(data json.RawMessage) (err error) {
	var kind struct {
		Type  string          `json:"type"`
		Vocab json.RawMessage `json:"vocab"`
	}
	if json.Unmarshal(data, &kind) != nil || len(kind.Vocab) == 0 {
		return fmt.Errorf("tokenizer.json has no model with a vocabulary: %w", citekit.ErrSyntax)
	}
	if kind.Type == "" && kind.Vocab[0] == '[' {
		kind.Type = "Unigram"
	}
	switch kind.Type {
	case "WordPiece":
		t.model, t.largest, err = readWordPiece(data)
	case "Unigram":
		t.model, t.largest, err = readUnigram(data)
	default:
		err = unknown("a model", kind.Type, "WordPiece and Unigram")
	}
	return err
}

func unknown(what, kind, known string) error {
	return fmt.Errorf("tokenizer.json has %s %q; supported: %s: %w", what, plain.Cut(kind, 40), known, errors.ErrUnsupported)
}

// tokens returns the tokens of a text.
func (t *tokenizer) tokens(text string) []int {
	text = plain.Cut(text, maxText)
	for _, normalize := range t.normalizers {
		text = plain.Cut(normalize(text), maxNormal)
	}
	words := []string{text}
	for _, split := range t.splitters {
		words = split(words)
	}
	var list []int
	for _, word := range words {
		if word != "" {
			list = t.model.appendTokens(list, word)
		}
	}
	return list
}
