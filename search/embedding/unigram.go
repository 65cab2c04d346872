package embedding

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/citekit/citekit"
)

// A unigram splits a word into its most likely tokens.
type unigram struct {
	tokens  map[string]scoredToken
	longest int // bytes of a token
	unk     int // stands for characters without a token, or -1
	unlike  float64
	bytes   *[256]int // tokens of bytes, if they stand for characters without a token
}

type scoredToken struct {
	number int
	score  float64
}

// unkPenalty is how much less likely an unknown character is than any token.
const unkPenalty = 10

func readUnigram(data []byte) (*unigram, int, error) {
	var file struct {
		Vocab [][2]json.RawMessage `json:"vocab"`
		Unk   *int                 `json:"unk_id"`
		Bytes bool                 `json:"byte_fallback"`
	}
	if json.Unmarshal(data, &file) != nil || len(file.Vocab) == 0 {
		return nil, 0, fmt.Errorf("tokenizer.json has no vocabulary of Unigram: %w", citekit.ErrSyntax)
	}
	u := &unigram{tokens: make(map[string]scoredToken, len(file.Vocab)), unk: -1}
	for i, pair := range file.Vocab {
		var text string
		var score float64
		if json.Unmarshal(pair[0], &text) != nil || json.Unmarshal(pair[1], &score) != nil {
			return nil, 0, fmt.Errorf("tokenizer.json has token %d without a text or a score: %w", i, citekit.ErrSyntax)
		}
		u.unlike = min(u.unlike, score)
		if text != "" && len(text) <= maxPiece {
			u.tokens[text] = scoredToken{i, score}
			u.longest = max(u.longest, len(text))
		}
	}
	u.unlike -= unkPenalty
	if file.Unk != nil && *file.Unk >= 0 && *file.Unk < len(file.Vocab) {
		u.unk = *file.Unk
	}
	if file.Bytes {
		u.bytes = u.byteTokens()
	}
	return u, len(file.Vocab) - 1, nil
}

// byteTokens returns the tokens of all bytes, or nil if one is missing.
func (u *unigram) byteTokens() *[256]int {
	var all [256]int
	for b := range all {
		token, ok := u.tokens[fmt.Sprintf("<0x%02X>", b)]
		if !ok {
			return nil
		}
		all[b] = token.number
	}
	return &all
}

// A step is the last token on the most likely path to an offset.
type step struct {
	score float64
	from  int
	token int // -1 for a character without a token
}

func (u *unigram) appendTokens(list []int, word string) []int {
	steps := u.steps(word)
	start := len(list)
	unknown := false
	for at := len(word); at > 0; at = steps[at].from {
		token := steps[at].token
		switch {
		case token >= 0:
			list = append(list, token)
		case u.bytes != nil:
			for i := at - 1; i >= steps[at].from; i-- {
				list = append(list, u.bytes[word[i]])
			}
		case u.unk >= 0 && !unknown: // several unknown ones in a row are one token
			list = append(list, u.unk)
		}
		unknown = token < 0
	}
	slices.Reverse(list[start:])
	return list
}

// steps returns the best step to each offset of a word where a character
// begins.
func (u *unigram) steps(word string) []step {
	steps := make([]step, len(word)+1)
	for i := range steps[1:] {
		steps[i+1].score = math.Inf(-1)
	}
	for at := 0; at < len(word); {
		_, size := utf8.DecodeRuneInString(word[at:])
		base := steps[at].score
		single := false
		for end := at + size; end <= len(word) && end-at <= u.longest; end++ {
			if end < len(word) && !utf8.RuneStart(word[end]) {
				continue
			}
			token, ok := u.tokens[word[at:end]]
			if !ok {
				continue
			}
			single = single || end == at+size
			if score := base + token.score; score > steps[end].score {
				steps[end] = step{score, at, token.number}
			}
		}
		if score := base + u.unlike; !single && score > steps[at+size].score {
			steps[at+size] = step{score, at, -1}
		}
		at += size
	}
	return steps
}
