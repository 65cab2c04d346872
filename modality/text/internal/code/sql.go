package code

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/plain"
)

// mapSQL finds the SQL statements that create tables, views (of type table too),
// functions, procedures, aggregates, triggers, rules and events (functions), types
// and domains (types), indexes (keys), sequences (variables), schemas (namespaces)
// and packages (modules), in the dialects of PostgreSQL, MySQL, SQLite, Oracle and
// SQL Server.
func mapSQL(ctx context.Context, src []byte) (outline, error) {
	s := &sqlScanner{
		sqlLexer: sqlLexer{src: src, lineStart: true, escapes: escapesInStrings(src)},
		batches:  hasBatches(src),
	}
	poll := pollBytes
	for {
		t := s.next()
		if t.start >= poll {
			poll = t.start + pollBytes
			if err := ctx.Err(); err != nil {
				return outline{}, err
			}
		}
		s.take(t)
		if t.kind == sqlEnd {
			return outline{symbols: s.symbols}, nil
		}
	}
}

// escapesInStrings reports whether the source seems to be for MySQL, where a
// backslash in a string is an escape.
func escapesInStrings(src []byte) bool {
	const enough = 1 << 16 // bytes
	head := bytes.ToLower(src[:min(len(src), enough)])
	signs := []string{"engine=", "\ndelimiter ", "create table `", "insert into `", "drop table if exists `"}
	return slices.ContainsFunc(signs, func(sign string) bool { return bytes.Contains(head, []byte(sign)) })
}

// hasBatches reports whether some line consists of "GO", which ends statements of
// SQL Server.
func hasBatches(src []byte) bool {
	for line := range bytes.Lines(src) {
		if len(line) < 8 && bytes.EqualFold(bytes.TrimSpace(line), []byte("go")) {
			return true
		}
	}
	return false
}

// A sqlScanner finds statements that create something.
type sqlScanner struct {
	sqlLexer
	batches bool
	symbols []symbol

	head        []token // the first words and signs of the statement
	doc         byteSpan
	last        int    // end of the latest token
	kind        string // of the symbol that the statement creates; "" if unknown
	parentheses int
	blocks      int    // BEGIN and CASE without a matching END
	waiting     bool   // for the BEGIN of a body
	previous    string // previous word, in lower case, or ""
}

// maxSQLHead is how many tokens of a statement are kept: enough to tell what it
// creates.
const maxSQLHead = 40

func (s *sqlScanner) take(t token) {
	switch t.kind {
	case sqlEnd, sqlBatch:
		s.finish(s.last)
		return
	case sqlDelimiter:
		s.delimit(t)
		return
	case '(':
		s.parentheses++
	case ')':
		s.parentheses = max(s.parentheses-1, 0)
	}
	if len(s.head) == 0 {
		s.doc = s.comment
	}
	if len(s.head) < maxSQLHead {
		s.head = append(s.head, t)
	}
	s.last = t.end
	word := ""
	if t.kind == sqlWord {
		word = s.lower(t)
		if s.previous == "as" && s.declares(word) {
			s.waiting = true
		}
		s.word(word)
	}
	s.previous = word
}

// lower returns the token in lower case, or "-" if it is too long for a keyword.
func (s *sqlScanner) lower(t token) string {
	const longest = 16 // bytes of a keyword
	if t.end-t.start > longest {
		return "-"
	}
	return strings.ToLower(string(s.src[t.start:t.end]))
}

// delimit ends the statement, unless the delimiter is inside a body.
func (s *sqlScanner) delimit(t token) {
	if s.delimiter == nil && len(s.head) > 0 {
		if s.previous == "begin" && s.blocks > 0 {
			s.blocks-- // that BEGIN started a transaction
		}
		routine := s.routine()
		if routine && (s.blocks > 0 || s.waiting || s.batches) {
			s.last, s.previous = t.end, ";"
			return
		}
	}
	end := t.end
	if s.delimiter != nil {
		end = s.last
	}
	rows := s.startsRows()
	s.finish(end)
	if rows {
		s.at = s.copyEnd()
	}
}

// startsRows reports whether rows follow the statement.
func (s *sqlScanner) startsRows() bool {
	if len(s.head) < 3 || s.lower(s.head[0]) != "copy" {
		return false
	}
	return slices.ContainsFunc(s.head, func(t token) bool { return s.lower(t) == "stdin" })
}

// word tracks the words that begin and end the bodies of routines.
func (s *sqlScanner) word(word string) {
	if !s.routine() {
		return
	}
	switch word {
	case "begin":
		s.blocks++
		s.waiting = false
	case "case":
		if s.previous != "end" {
			s.blocks++
		}
	case "if", "loop", "while", "repeat", "for":
		if s.previous == "end" {
			s.blocks++ // the previous END did not end a block
		}
	case "end":
		s.blocks = max(s.blocks-1, 0)
	case "is":
		s.waiting = s.waiting || s.blocks == 0 && s.parentheses == 0 && s.kind == "function"
	case "as":
		if s.kind == "module" && s.blocks == 0 {
			s.blocks++
		}
	}
	if word == "is" && s.kind == "module" && s.blocks == 0 {
		s.blocks, s.waiting = 1, false
	}
}

// declares reports whether the word after AS begins the declarations before the
// BEGIN of an Oracle routine.
func (s *sqlScanner) declares(word string) bool {
	if s.blocks > 0 || s.parentheses > 0 || !s.routine() || s.kind != "function" {
		return false
	}
	switch word {
	case "begin", "select", "insert", "update", "delete", "set", "declare", "if", "while", "with", "return", "exec", "execute", "print", "merge", "truncate", "raiserror", "throw", "try", "external", "language", "-":
		return false
	}
	for _, t := range s.head[:min(len(s.head), 6)] {
		if kind := s.lower(t); kind == "function" || kind == "procedure" {
			return true
		}
	}
	return false
}

// routine reports whether the statement creates something that may have a body of
// statements.
func (s *sqlScanner) routine() bool {
	if s.kind == "" {
		s.kind, _ = s.created()
	}
	return s.kind == "function" || s.kind == "module"
}

// finish ends the statement.
func (s *sqlScanner) finish(end int) {
	if kind, name := s.created(); kind != "" && len(name) > 0 && end > s.head[0].start {
		sym := symbol{kind: kind, start: s.head[0].start, end: end}
		sym.name = unquoted(s.src[name[len(name)-1].start:name[len(name)-1].end])
		sym.title = unquoted(s.src[name[0].start:name[len(name)-1].end])
		if s.doc.end > 0 {
			sym.doc = commentText(s.src[s.doc.start:s.doc.end])
		}
		if plain.Words(sym.name, maxTitle) != "" {
			s.symbols = append(s.symbols, sym)
		}
	}
	s.head, s.doc, s.kind, s.previous = s.head[:0], byteSpan{}, "", ""
	s.parentheses, s.blocks, s.waiting = 0, 0, false
}

// unquoted returns a name without its quotes and brackets.
func unquoted(name []byte) string {
	return strings.Map(func(r rune) rune {
		if r == '"' || r == '`' || r == '[' || r == ']' {
			return -1
		}
		return r
	}, string(name))
}

// created returns the kind of symbol that the statement creates and the tokens of
// its name, if they are known.
func (s *sqlScanner) created() (kind string, name []token) {
	if len(s.head) == 0 || s.lower(s.head[0]) != "create" {
		return "", nil
	}
	definer := false
	for i := 1; i < len(s.head); i++ {
		word := s.lower(s.head[i])
		if s.head[i].kind != sqlWord {
			if !definer {
				return "", nil
			}
			continue
		}
		if word == "event" && i+1 < len(s.head) && s.lower(s.head[i+1]) == "trigger" {
			continue
		}
		if kind := sqlKinds[word]; kind != "" {
			return kind, s.named(s.head[i+1:])
		}
		definer = definer || word == "definer" || word == "algorithm"
		if !definer && !sqlModifiers[word] {
			return "", nil
		}
	}
	return "", nil
}

// sqlModifiers are the words that may stand between CREATE and the kind of object.
var sqlModifiers = wordSet(`or replace alter temp temporary global local unlogged unique clustered nonclustered columnstore bitmap
	fulltext spatial materialized recursive sql security foreign virtual external constraint editionable
	noneditionable force no private transient hybrid secure`)

// sqlKinds are the kinds of symbols for words after CREATE.
var sqlKinds = map[string]string{
	"table": "table", "view": "table",
	"function": "function", "procedure": "function", "proc": "function", "trigger": "function", "aggregate": "function",
	"rule": "function", "event": "function",
	"type": "type", "domain": "type", "index": "key", "schema": "namespace", "database": "namespace", "sequence": "variable",
	"package": "module",
}

// named returns the tokens of the name that follows the kind: parts joined by
// dots.
func (s *sqlScanner) named(head []token) []token {
	for len(head) > 0 && head[0].kind == sqlWord {
		switch s.lower(head[0]) {
		case "if", "not", "exists", "concurrently", "body", "authorization":
			head = head[1:]
			continue
		case "on", "as", "using":
			return nil
		}
		break
	}
	end := 0
	for end < len(head) {
		if head[end].kind != sqlWord {
			break
		}
		end++
		if end >= len(head) || head[end].kind != '.' {
			break
		}
		end++
	}
	return head[:end]
}
