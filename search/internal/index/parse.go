package index

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/terms"
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

// A Syntax says how a query is read.
type Syntax string

// The syntaxes, as package search documents them.
const (
	Auto       Syntax = ""
	Expression Syntax = "expression" // quotes, "-", "*" and "title:" are orders
	Question   Syntax = "question"   // all words are just words, and signs are ignored; a quoted phrase counts more
)

// Valid reports whether s is one of the syntaxes.
func (s Syntax) Valid() bool { return s == Auto || s == Expression || s == Question }

// Of returns the syntax of a query: s, or, if that is [Auto], the one that the query reads
// as.
func (s Syntax) Of(query string) Syntax {
	if s != Auto {
		return s
	}
	if readsAsExpression(cut(query, maxQuery)) {
		return Expression
	}
	return Question
}

// mostLoose is how many words an expression has beside its orders.
const mostLoose = 8

func readsAsExpression(query string) bool {
	if !strings.ContainsAny(query, `"-*:`) {
		return false
	}
	orders, loose := 0, ""
	clauses, _ := parseAll(query, Expression)
	for _, c := range clauses {
		first, size := utf8.DecodeRuneInString(c.text)
		switch {
		case c.excluded && !c.phrase && !c.title && (unicode.IsNumber(first) || size == len(c.text)):
			return false
		case c.isOrder():
			orders++
		case endsClause(c.text):
			return false
		default:
			loose += c.text + " "
		}
	}
	if orders == 0 {
		return false
	}
	reader, words := terms.NewReader(loose), 0
	for t := range terms.New(terms.None).Terms(loose) {
		if t.Role != terms.Word {
			continue
		}
		if words++; words > mostLoose || reader.IsFunction(loose[t.Start:t.End]) {
			return false
		}
	}
	return true
}

// endsClause reports whether a word ends in the punctuation of a sentence.
func endsClause(word string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(word, `)]}'`))
	return strings.ContainsRune(".,;:?!…。、，；：？！", last)
}

// parse returns the clauses of a query. Every text is a valid query.
func parse(text string, s Syntax) []clause {
	clauses, _ := parseAll(text, s)
	return clauses
}

// parseAll returns the clauses of a query, and reports whether these are all.
// If a query is too long, only its first words are used.
func parseAll(text string, s Syntax) (clauses []clause, whole bool) {
	whole, text = len(text) <= maxQuery, cut(text, maxQuery)
	isQuestion := s.Of(text) == Question
	words, demands := 0, 0
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" {
			return clauses, whole
		}
		var c clause
		if isQuestion {
			c, text = parseWord(text)
		} else {
			c, text = parseClause(text)
		}
		if c.text == "" {
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

// parseWord parses the word of a question at the start of text, and returns the rest.
func parseWord(text string) (c clause, rest string) {
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		end = len(text)
	}
	return clause{text: text[:end]}, text[end:]
}

// UsesAll reports whether an index uses all of a query. It does if the query
// has at most 128 KiB, at most 1,024 words, and at most 1,024 other items:
// phrases, excluded items and words of titles.
func UsesAll(query string, s Syntax) bool {
	_, whole := parseAll(query, s)
	return whole
}

// Wants reports whether a query names anything that is to be found, beside what it
// excludes.
func Wants(query string, s Syntax) bool {
	return slices.ContainsFunc(parse(query, s), func(c clause) bool {
		return !c.excluded && strings.IndexFunc(c.text, isWordRune) >= 0
	})
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// HasOrders reports whether a query has a quoted phrase, "-", "*" or "title:" that is an
// order.
func HasOrders(query string, s Syntax) bool {
	return slices.ContainsFunc(parse(query, s), clause.isOrder)
}

func (c clause) isOrder() bool { return c.phrase || c.excluded || c.title || c.prefix }

// Excluded returns the words and phrases that a query excludes, as written.
func Excluded(query string, s Syntax) (excluded []string) {
	for _, c := range parse(query, s) {
		if c.excluded {
			excluded = append(excluded, c.text)
		}
	}
	return excluded
}

// InTitle returns the words and phrases that must be in the title, as written.
func InTitle(query string, s Syntax) (wanted []string) {
	for _, c := range parse(query, s) {
		if c.title && !c.excluded {
			wanted = append(wanted, c.text)
		}
	}
	return wanted
}

// Phrases returns the quoted phrases of an expression that may stand anywhere in an
// entry, as written: not those after "title:" or "-". An index finds them by stems.
func Phrases(query string, s Syntax) (phrases []string) {
	for _, c := range parse(query, s) {
		if c.phrase && !c.excluded && !c.title {
			phrases = append(phrases, c.text)
		}
	}
	return phrases
}

// mostQuoted is how many quoted phrases of a question count more than other words.
const mostQuoted = 8

// quoted returns the quoted phrases of a question.
func quoted(query string) (phrases []string) {
	if !strings.ContainsAny(query, `"“„«「`) {
		return nil
	}
	query = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "「", `"`, "」", `"`).Replace(cut(query, maxQuery))
	for len(phrases) < mostQuoted {
		_, rest, opened := strings.Cut(query, `"`)
		phrase, after, closed := strings.Cut(rest, `"`)
		if !opened || !closed {
			break
		}
		if strings.TrimSpace(phrase) != "" {
			phrases = append(phrases, phrase)
		}
		query = after
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
