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
	maxQuery   = 64 << 10 // bytes
	maxClauses = 1024
)

// parse returns the clauses of a query. Every text has some reading.
func parse(text string) []clause {
	text = cut(text, maxQuery)
	var clauses []clause
	for len(clauses) < maxClauses {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" {
			return clauses
		}
		var c clause
		c, text = parseClause(text)
		if c.text != "" {
			clauses = append(clauses, c)
		}
	}
	return clauses
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
