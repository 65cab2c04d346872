// Package csvrow knows where fields and rows of comma-separated values end, as
// RFC 4180 has it, with any of four delimiters. Fields in quotes may have lines.
package csvrow

import (
	"bytes"
	"strings"
)

const (
	// Delimiters are the bytes that may divide fields.
	Delimiters = ",;\t|"

	// MaxQuoted is how many bytes a field in quotes has at most: what is longer
	// is taken for a quote that never ends.
	MaxQuoted = 1 << 20

	sampleRecords = 10
)

// A State is where in a field a byte of a row stands. The zero State is that at
// the start of a row.
type State byte

// The states.
const (
	FieldStart State = iota
	InField
	InQuotes
	AfterQuote // which ends the field, or stands for itself if another follows
)

// After returns the state behind a byte that ends no row: any but a line end
// outside of quotes.
func (s State) After(b, delimiter byte) State {
	switch {
	case s == InQuotes:
		if b == '"' {
			return AfterQuote
		}
		return InQuotes
	case b == delimiter:
		return FieldStart
	case b == '"' && s != InField:
		return InQuotes
	}
	return InField
}

// Fields returns the values of a row, without their quotes.
func Fields(row []byte, delimiter byte) []string {
	var all []string
	var field []byte
	state := FieldStart
	for _, b := range bytes.TrimRight(row, "\n") {
		before := state
		state = state.After(b, delimiter)
		switch {
		case state == FieldStart:
			all, field = append(all, string(field)), nil
		case state == AfterQuote, state == InQuotes && before == FieldStart:
		default:
			field = append(field, b)
		}
	}
	return append(all, string(field))
}

// Delimiter returns the delimiter that divides the rows a table begins with into
// the same number of fields, the most of them; else a comma. Lines end with LF.
func Delimiter(sample []byte) byte {
	best, most := byte(','), 1
	for _, delimiter := range []byte(Delimiters) {
		if n := evenFields(sample, delimiter); n > most {
			best, most = delimiter, n
		}
	}
	if most > 1 {
		return best
	}
	first, _, _ := bytes.Cut(sample, []byte("\n")) // none divides all alike
	for _, delimiter := range []byte(Delimiters) {
		if n := strings.Count(string(first), string(delimiter)) + 1; n > most {
			best, most = delimiter, n
		}
	}
	return best
}

// evenFields returns how many fields the first rows have each, or 1 if they
// differ.
func evenFields(sample []byte, delimiter byte) int {
	n, records := 0, 0
	for line := range bytes.Lines(sample) {
		if bytes.Count(line, []byte{'"'})%2 == 1 || records == sampleRecords {
			break // a field of several lines
		}
		if len(bytes.TrimSpace(line)) == 0 || line[len(line)-1] != '\n' && records > 0 {
			continue
		}
		count := len(Fields(line, delimiter))
		if records++; records > 1 && count != n {
			return 1
		}
		n = count
	}
	return n
}

// Value returns what a field says: without its quotes, and with one for two of
// those within.
func Value(field string) string {
	values := Fields([]byte(field), 0)
	return strings.Join(values, "\x00")
}
