// Fields and rows of comma-separated values end after RFC 4180, with any of four
// delimiters; quoted fields may contain line ends. All is byte by byte, so that a table of
// any size can be split into rows.

package lineform

import (
	"bytes"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/plain"
)

const (
	// Delimiters are the bytes that may separate fields.
	Delimiters = ",;\t|"

	// MaxQuoted is the largest size of a quoted field, in bytes; a longer one
	// is treated as a quote that was never closed.
	MaxQuoted = 1 << 20

	sampleRecords = 10
)

// A State is the position of a byte in a field of a row. The zero State is that
// at the start of a row.
type FieldState byte

// The states.
const (
	FieldStart FieldState = iota
	InField
	InQuotes
	AfterQuote // the quote ends the field, or is a literal quote if another follows
)

// After returns the state after a byte that does not end the row: any byte
// except a line end outside of quotes.
func (s FieldState) After(b, delimiter byte) FieldState {
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

// Fields returns the values of a row, without their quotes and the end of its line.
func Fields(row []byte, delimiter byte) []string {
	var all []string
	var field []byte
	state := FieldStart
	for _, b := range bytes.TrimRight(row, "\r\n") {
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

// Delimiter returns the delimiter that splits the first rows of a table into
// the same number of fields each, and into the most fields if there are several
// such delimiters. Without one it returns a comma. Lines must end with LF.
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
	first, _, _ := bytes.Cut(sample, []byte("\n")) // no delimiter splits all rows alike
	for _, delimiter := range []byte(Delimiters) {
		if n := strings.Count(string(first), string(delimiter)) + 1; n > most {
			best, most = delimiter, n
		}
	}
	return best
}

// evenFields returns how many fields each of the first rows has, or 1 if they
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

// FieldValue returns the value of a field: without the quotes around it, and with
// one quote for each doubled quote in it.
func FieldValue(field string) string {
	values := Fields([]byte(field), 0)
	return strings.Join(values, "\x00")
}

// Column returns the index of the column with exactly the given name, or else with that
// name ignoring case and surrounding space, or else with that number from 1; -1 if there is
// none. If several columns are so named, it is the first of them and not unique.
func Column(name string, header []string) (index int, isUnique bool) {
	folded := func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), strings.TrimSpace(name)) }
	for _, is := range []func(string) bool{func(h string) bool { return h == name }, folded} {
		if first := slices.IndexFunc(header, is); first >= 0 {
			return first, !slices.ContainsFunc(header[first+1:], is)
		}
	}
	if n := plain.WholeNumber(name); 1 <= n && n <= len(header) {
		return n - 1, true
	}
	return -1, false
}
