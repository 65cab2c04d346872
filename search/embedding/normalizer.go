package embedding

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/citekit/citekit"
)

// A normalizerRule is a normalizer in tokenizer.json.
type normalizerRule struct {
	Type        string           `json:"type"`
	Normalizers []normalizerRule `json:"normalizers"`

	CleanText    bool  `json:"clean_text"`
	ChineseChars bool  `json:"handle_chinese_chars"`
	StripAccents *bool `json:"strip_accents"`
	Lowercase    bool  `json:"lowercase"`

	Pattern    json.RawMessage `json:"pattern"`
	Content    string          `json:"content"`
	Prepend    string          `json:"prepend"`
	StripLeft  bool            `json:"strip_left"`
	StripRight bool            `json:"strip_right"`
}

// addNormalizer adds the step of a rule; a nil rule adds nothing.
func (t *tokenizer) addNormalizer(r *normalizerRule) error {
	if r == nil {
		return nil
	}
	if r.Type == "Sequence" {
		for i := range r.Normalizers {
			if err := t.addNormalizer(&r.Normalizers[i]); err != nil {
				return err
			}
		}
		return nil
	}
	f, err := r.function()
	if err == nil && len(t.normalizers) == maxStages {
		err = fmt.Errorf("tokenizer.json has more than %d normalizers: %w", maxStages, citekit.ErrSyntax)
	}
	t.normalizers = append(t.normalizers, f)
	return err
}

func (r *normalizerRule) function() (func(string) string, error) {
	switch r.Type {
	case "BertNormalizer":
		return r.bert, nil
	case "Lowercase":
		return strings.ToLower, nil
	case "NFC":
		return norm.NFC.String, nil
	case "NFD":
		return norm.NFD.String, nil
	case "NFKC":
		return norm.NFKC.String, nil
	case "NFKD":
		return norm.NFKD.String, nil
	case "Precompiled":
		return func(s string) string { return cleaned(norm.NFKC.String(s)) }, nil
	case "StripAccents":
		return dropMarks, nil
	case "Strip":
		return r.strip, nil
	case "Prepend":
		return r.prepend, insertion(r.Prepend)
	case "Replace":
		return r.replace()
	}
	return nil, unknown("a normalizer", r.Type, "BertNormalizer, Lowercase, NFC, NFD, NFKC, NFKD, Precompiled, StripAccents, Strip, Prepend, Replace and Sequence")
}

// insertion returns an error if a normalizer would insert too much text.
func insertion(text string) error {
	if len(text) > maxInsertion {
		return fmt.Errorf("tokenizer.json has a normalizer that inserts %d bytes; at most %d are allowed: %w", len(text), maxInsertion, citekit.ErrSyntax)
	}
	return nil
}

// bert normalizes a text as BERT does.
func (r *normalizerRule) bert(text string) string {
	if r.CleanText {
		text = cleaned(text)
	}
	if r.ChineseChars {
		text = apart(text, isCJK)
	}
	if r.StripAccents != nil && *r.StripAccents || r.StripAccents == nil && r.Lowercase {
		text = dropMarks(norm.NFD.String(text))
	}
	if r.Lowercase {
		text = strings.ToLower(text)
	}
	return text
}

// cleaned returns a text without control characters, with plain spaces.
func cleaned(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == 0 || r == unicode.ReplacementChar || unicode.Is(unicode.C, r):
			return -1
		}
		return r
	}, text)
}

// apart puts spaces around some characters.
func apart(text string, is func(rune) bool) string {
	if strings.IndexFunc(text, is) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if is(r) {
			b.WriteString(" " + string(r) + " ")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isCJK reports whether BERT treats a character as a word.
func isCJK(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2CEAF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}

func dropMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, text)
}

func (r *normalizerRule) strip(text string) string {
	if r.StripLeft {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	if r.StripRight {
		text = strings.TrimRightFunc(text, unicode.IsSpace)
	}
	return text
}

func (r *normalizerRule) prepend(text string) string {
	if text == "" {
		return text
	}
	return r.Prepend + text
}

// replace returns a function that replaces a string, or all matches of an
// expression.
func (r *normalizerRule) replace() (func(string) string, error) {
	if err := insertion(r.Content); err != nil {
		return nil, err
	}
	var pattern struct {
		String string
		Regex  string
	}
	if json.Unmarshal(r.Pattern, &pattern) != nil || pattern.String == "" && pattern.Regex == "" || len(pattern.String)+len(pattern.Regex) > 1000 {
		return nil, fmt.Errorf("tokenizer.json has a normalizer Replace without a pattern, or with one that is too long: %w", citekit.ErrSyntax)
	}
	if pattern.String != "" {
		return func(text string) string { return strings.ReplaceAll(text, pattern.String, r.Content) }, nil
	}
	if pattern.Regex == `\s+` {
		pattern.Regex = `[\s\p{Z}]+` // Unicode white space
	}
	re, err := regexp.Compile(pattern.Regex)
	if err != nil {
		return nil, unknown("an expression", pattern.Regex, "those of RE2")
	}
	return func(text string) string { return re.ReplaceAllLiteralString(text, r.Content) }, nil
}
