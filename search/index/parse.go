package index

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A clause is a word of a query, or a quoted phrase.
type clause struct {
	text     string
	phrase   bool
	prefix   bool
	excluded bool
	title    bool
}

const (
	maxQuery   = 128 << 10 // bytes
	maxText    = 64 << 10  // of a text that entries are compared with
	maxClauses = 1024      // words, and the same number of required or excluded items
)

// parse returns the clauses of a query. Every text is a valid query.
func parse(text string) []clause {
	clauses, _ := parseAll(text)
	return clauses
}

// parseAll returns the clauses of a query, and reports whether these are all.
// If a query is too long, only its first words are used.
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

// UsesAll reports whether an index uses all of a query. It does if the query
// has at most 128 KiB, at most 1,024 words, and at most 1,024 other items:
// phrases, excluded items and words of titles.
func UsesAll(query string) bool {
	_, whole := parseAll(query)
	return whole
}

// Wants reports whether a query names anything that is to be found, beside what it
// excludes.
func Wants(query string) bool {
	return slices.ContainsFunc(parse(query), func(c clause) bool { return !c.excluded })
}

// Excluded returns the words and phrases that a query excludes, as written.
func Excluded(query string) (excluded []string) {
	for _, c := range parse(query) {
		if c.excluded {
			excluded = append(excluded, c.text)
		}
	}
	return excluded
}

// Phrases returns the quoted phrases of a query that may stand anywhere in an
// entry, as written: not those after "title:" or "-". An index finds them by
// stems, and ignores words in them such as "not" and "the".
func Phrases(query string) (phrases []string) {
	for _, c := range parse(query) {
		if c.phrase && !c.excluded && !c.title {
			phrases = append(phrases, c.text)
		}
	}
	return phrases
}

// parseClause parses the clause at the start of text, and returns the rest.
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

// startsWord reports whether a sign before text belongs to the word that
// follows.
func startsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return r == '"' || unicode.IsLetter(r) || unicode.IsNumber(r) || strings.HasPrefix(text, "title:")
}

// cut returns the first n bytes of a text.
func cut(text string, n int) string { return text[:min(len(text), n)] }
