package sqlite

import "strings"

// A token is a token of SQL. The text of a quoted name or string is without the quotes.
type token struct {
	text   string
	quote  byte // `"`, "`", "[" or "'", else 0
	symbol bool // a character that is not part of a word

	start, end int // offsets in the statement
}

// is reports whether t is one of the keywords.
func (t token) is(keywords ...string) bool {
	if t.quote != 0 || t.symbol {
		return false
	}
	for _, k := range keywords {
		if strings.EqualFold(t.text, k) {
			return true
		}
	}
	return false
}

// sign reports whether t is the character s.
func (t token) sign(s string) bool { return t.symbol && t.text == s }

// tokens splits a statement, without its comments.
func tokens(sql string) []token {
	var all []token
	for i := 0; i < len(sql); {
		start := i
		switch c := sql[i]; {
		case strings.IndexByte(" \t\r\n\f", c) >= 0:
			i++
			continue
		case strings.HasPrefix(sql[i:], "--"):
			i = after(sql, i, "\n")
			continue
		case strings.HasPrefix(sql[i:], "/*"):
			i = after(sql, i+2, "*/")
			continue
		case c == '\'' || c == '"' || c == '`' || c == '[':
			var text string
			text, i = quoted(sql, i)
			all = append(all, token{text: text, quote: c, start: start, end: i})
			continue
		case isWord(c):
			for i < len(sql) && (isWord(sql[i]) || sql[i] == '.' && isDigit(sql[start])) {
				i++
			}
		default:
			i++
		}
		all = append(all, token{text: sql[start:i], symbol: !isWord(sql[start]), start: start, end: i})
	}
	return all
}

// after returns the offset after the next end, or the end of sql.
func after(sql string, from int, end string) int {
	if n := strings.Index(sql[min(from, len(sql)):], end); n >= 0 {
		return from + n + len(end)
	}
	return len(sql)
}

// quoted reads the quoted text at i, in which a quote is doubled.
func quoted(sql string, i int) (text string, end int) {
	closing := sql[i]
	if closing == '[' {
		closing = ']'
	}
	var b strings.Builder
	for i++; i < len(sql); i++ {
		if sql[i] == closing {
			if closing == ']' || i+1 == len(sql) || sql[i+1] != closing {
				return b.String(), i + 1
			}
			i++
		}
		b.WriteByte(sql[i])
	}
	return b.String(), len(sql)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return c >= 0x80 || c == '_' || c == '$' || isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// foldASCII folds case as SQLite does to compare names.
func foldASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
