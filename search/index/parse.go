package index

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A clause is a word of a query, or words in quotes.
type clause struct {
	text     string
	phrase   bool
	prefix   bool
	excluded bool
	title    bool
}

const (
	maxQuery   = 128 << 10 // bytes
	maxText    = 64 << 10  // of a text that others are compared with
	maxClauses = 1024      // words, and as many of what must or must not be there
)

// parse returns the clauses of a query. Every text has some reading.
func parse(text string) []clause {
	clauses, _ := parseAll(text)
	return clauses
}

// parseAll returns the clauses of a query, and whether these are all. Of a query
// that is too long the first words count.
func parseAll(text string) (clauses []clause, whole bool) {
	whole, text = len(text) <= maxQuery, cut(text, maxQuery)
	words, demands := 0, 0
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" {
			return clauses, whole
		}
		var c clause
		if c, text = parseClause(text); c.text == "" {
			continue
		}
		n := &words
		if c.excluded || c.phrase || c.title {
			n = &demands
		}
		if *n++; *n > maxClauses {
			whole = false
			continue
		}
		clauses = append(clauses, c)
	}
}

// IsRead reports whether all of a query counts: it does up to 128 KiB and 1,024
// words, beside as many phrases and what must not be there.
func IsRead(query string) bool {
	_, whole := parseAll(query)
	return whole
}

// Phrases returns the texts in quotes that a query demands anywhere, as they are
// written. An index finds them by stems, and does not see words such as "not" and
// "the" in them.
func Phrases(query string) (phrases []string) {
	for _, c := range parse(query) {
		if c.phrase && !c.excluded && !c.title {
			phrases = append(phrases, c.text)
		}
	}
	return phrases
}

// parseClause reads the clause that text begins with, and returns what comes
// after it.
func parseClause(text string) (c clause, rest string) {
	body, excluded := strings.CutPrefix(text, "-")
	if excluded && startsWord(body) {
		c.excluded, text = true, body
	}
	if body, ok := strings.CutPrefix(text, "title:"); ok && startsWord(body) {
		c.title, text = true, body
	}
	if body, ok := strings.CutPrefix(text, `"`); ok {
		if quoted, rest, closed := strings.Cut(body, `"`); closed {
			c.text, c.phrase = quoted, true
			return c, rest
		}
		text = body
	}
	end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
	if end < 0 {
		end = len(text)
	}
	c.text, rest = text[:end], text[end:]
	if end == 0 {
		_, size := utf8.DecodeRuneInString(text)
		rest = text[size:]
	}
	if head, ok := strings.CutSuffix(c.text, "*"); ok {
		c.text, c.prefix = head, true
	}
	return c, rest
}

// startsWord reports whether a sign before text belongs to what follows.
func startsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return r == '"' || unicode.IsLetter(r) || unicode.IsNumber(r) || strings.HasPrefix(text, "title:")
}

// cut returns the first n bytes of a text.
func cut(text string, n int) string { return text[:min(len(text), n)] }
