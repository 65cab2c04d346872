package pdf

import (
	"errors"
	"fmt"
	"strconv"
)

const (
	// maxDepth is how deep arrays and dictionaries may nest.
	maxDepth = 128

	maxNameLength = 4 << 10

	// maxValues is how many objects one object may contain. Each takes some tens of
	// bytes of memory.
	maxValues = 2 << 20
)

// errShort reports that the data ends before the object does.
var errShort = errors.New("object is cut off")

// A parser reads objects from data. If more is true, data is only the beginning, and
// a token at its end gives errShort.
type parser struct {
	data  []byte
	pos   int
	more  bool
	depth int

	values int // objects read so far, including nested ones
}

func (p *parser) damaged(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrDamaged)...)
}

// Character classes (7.2.2).
const (
	regular = iota
	space
	delimiter
)

var class = func() (table [256]byte) {
	for _, c := range "\x00\t\n\f\r " {
		table[c] = space
	}
	for _, c := range "()<>[]{}/%" {
		table[c] = delimiter
	}
	return table
}()

// skip skips white space and comments.
func (p *parser) skip() {
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case class[c] == space:
			p.pos++
		case c == '%':
			for p.pos < len(p.data) && p.data[p.pos] != '\n' && p.data[p.pos] != '\r' {
				p.pos++
			}
		default:
			return
		}
	}
}

// end returns the error for data that ends within an object.
func (p *parser) end() error {
	if p.more {
		return errShort
	}
	return p.damaged("an object is cut off")
}

// word reads a run of regular characters.
func (p *parser) word() ([]byte, error) {
	start := p.pos
	for p.pos < len(p.data) && class[p.data[p.pos]] == regular {
		p.pos++
	}
	if p.pos == len(p.data) && p.more {
		return nil, errShort
	}
	return p.data[start:p.pos], nil
}

// object reads one object. Keywords other than true, false and null are errors.
func (p *parser) object() (Object, error) {
	p.skip()
	if p.pos >= len(p.data) {
		return nil, p.end()
	}
	if p.values++; p.values > maxValues {
		return nil, fmt.Errorf("an object of more than %d others: %w", maxValues, ErrLimit)
	}
	switch c := p.data[p.pos]; {
	case c >= '0' && c <= '9':
		if n, ok := p.digits(); ok {
			return p.reference(n)
		}
	case c == '/':
		return p.name()
	case c == '(':
		return p.literal()
	case c == '<':
		if p.pos+1 >= len(p.data) {
			return nil, p.end()
		}
		if p.data[p.pos+1] == '<' {
			return p.dict()
		}
		return p.hex()
	case c == '[':
		return p.array()
	case class[c] != regular:
		return nil, p.damaged("unexpected %q", c)
	}
	word, err := p.word()
	if err != nil {
		return nil, err
	}
	return p.atom(word)
}

// digits reads a number of at most 18 digits that is not followed by a regular
// character. Otherwise it reads nothing.
func (p *parser) digits() (int64, bool) {
	n, end := int64(0), p.pos
	for end < len(p.data) && end-p.pos < 18 && p.data[end] >= '0' && p.data[end] <= '9' {
		n = n*10 + int64(p.data[end]-'0')
		end++
	}
	if end == len(p.data) || class[p.data[end]] == regular {
		return 0, false
	}
	p.pos = end
	return n, true
}

// atom converts a run of regular characters to an object. An integer may be the start
// of a reference.
func (p *parser) atom(word []byte) (Object, error) {
	switch string(word) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "null":
		return nil, nil
	}
	n, kind := number(word)
	switch kind {
	case integer:
		if n >= 0 {
			return p.reference(n)
		}
		return n, nil
	case fraction:
		return Real(word), nil
	}
	return nil, p.damaged("unexpected %q", clip(word))
}

const (
	noNumber = iota
	integer
	fraction
)

// number returns the kind of number that word is, and the value of an integer.
// Spellings that other readers accept, such as "--5" or "1.2.3", are fractions, kept
// as written.
func number(word []byte) (int64, int) {
	kind := noNumber
	for i, c := range word {
		switch {
		case c >= '0' && c <= '9':
			if kind == noNumber {
				kind = integer
			}
		case c == '.' || c == '-' && i > 0:
			kind = fraction
		case c == '-', c == '+' && i == 0:
		default:
			return 0, noNumber
		}
	}
	if kind != integer {
		return 0, kind
	}
	n, err := strconv.ParseInt(string(word), 10, 64)
	if err != nil {
		return 0, fraction
	}
	return n, integer
}

// reference returns a Ref if n is followed by a generation and "R", else n.
func (p *parser) reference(n int64) (Object, error) {
	back := p.pos
	p.skip()
	if p.pos < len(p.data) && (p.data[p.pos] < '0' || p.data[p.pos] > '9') {
		p.pos = back
		return n, nil
	}
	start := p.pos
	for p.pos < len(p.data) && p.pos-start < 5 && p.data[p.pos] >= '0' && p.data[p.pos] <= '9' {
		p.pos++
	}
	gen := p.data[start:p.pos]
	p.skip()
	if p.pos >= len(p.data) && p.more {
		return nil, errShort
	}
	isRef := len(gen) > 0 && p.pos < len(p.data) && p.data[p.pos] == 'R' && p.pos > start+len(gen)
	if isRef && p.pos+1 < len(p.data) && class[p.data[p.pos+1]] == regular {
		isRef = false
	}
	if !isRef {
		p.pos = back
		return n, nil
	}
	p.pos++
	g, _ := strconv.Atoi(string(gen))
	if n > maxObjectNumber {
		return nil, nil // a reference to nothing (7.3.10)
	}
	return Ref{int(n), g}, nil
}

func (p *parser) name() (Object, error) {
	p.pos++
	word, err := p.word()
	if err != nil {
		return nil, err
	}
	if len(word) > maxNameLength {
		return nil, p.damaged("a name of %d bytes", len(word))
	}
	return DecodeName(word), nil
}

// DecodeName decodes a name, given without its slash (7.3.5).
func DecodeName(word []byte) Name {
	for i := 0; i+2 < len(word); i++ {
		if word[i] == '#' {
			return Name(unescapeName(word))
		}
	}
	return Name(word)
}

func unescapeName(word []byte) []byte {
	out := make([]byte, 0, len(word))
	for i := 0; i < len(word); i++ {
		if word[i] == '#' && i+2 < len(word) {
			if high, low := hexDigit(word[i+1]), hexDigit(word[i+2]); high >= 0 && low >= 0 {
				out = append(out, byte(high<<4|low))
				i += 2
				continue
			}
		}
		out = append(out, word[i])
	}
	return out
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c - 'a' + 10)
	case c >= 'A' && c <= 'F':
		return int(c - 'A' + 10)
	}
	return -1
}

// literal reads a string in parentheses (7.3.4.2).
func (p *parser) literal() (Object, error) {
	var out []byte
	level := 0
	for ; p.pos < len(p.data); p.pos++ {
		c := p.data[p.pos]
		switch c {
		case '(':
			level++
			if level == 1 {
				continue
			}
		case ')':
			level--
			if level == 0 {
				p.pos++
				return String(out), nil
			}
		case '\\':
			out = p.escape(out)
			continue
		case '\r':
			if p.pos+1 < len(p.data) && p.data[p.pos+1] == '\n' {
				p.pos++
			}
			c = '\n'
		}
		out = append(out, c)
	}
	return nil, p.end()
}

// escape reads the escape sequence after a backslash, and stays on its last byte.
func (p *parser) escape(out []byte) []byte {
	if p.pos+1 >= len(p.data) {
		return out
	}
	p.pos++
	switch c := p.data[p.pos]; c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\n':
		return out
	case '\r':
		if p.pos+1 < len(p.data) && p.data[p.pos+1] == '\n' {
			p.pos++
		}
		return out
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return append(out, p.octal())
	default:
		return append(out, c)
	}
}

func (p *parser) octal() byte {
	n := 0
	for i := range 3 {
		if p.pos+i >= len(p.data) || p.data[p.pos+i] < '0' || p.data[p.pos+i] > '7' {
			p.pos += i - 1
			return byte(n)
		}
		n = n<<3 | int(p.data[p.pos+i]-'0')
	}
	p.pos += 2
	return byte(n)
}

// hex reads a string in angle brackets (7.3.4.3).
func (p *parser) hex() (Object, error) {
	var out []byte
	high := -1
	for p.pos++; p.pos < len(p.data); p.pos++ {
		c := p.data[p.pos]
		if c == '>' {
			p.pos++
			if high >= 0 {
				out = append(out, byte(high<<4))
			}
			return String(out), nil
		}
		digit := hexDigit(c)
		switch {
		case class[c] == space:
		case digit < 0:
			return nil, p.damaged("%q in a hexadecimal string", c)
		case high < 0:
			high = digit
		default:
			out = append(out, byte(high<<4|digit))
			high = -1
		}
	}
	return nil, p.end()
}

func (p *parser) descend() error {
	p.depth++
	if p.depth > maxDepth {
		return fmt.Errorf("objects nested more than %d deep: %w", maxDepth, ErrLimit)
	}
	return nil
}

func (p *parser) array() (Object, error) {
	if err := p.descend(); err != nil {
		return nil, err
	}
	p.pos++
	out := Array{}
	for {
		p.skip()
		if p.pos >= len(p.data) {
			return nil, p.end()
		}
		if p.data[p.pos] == ']' {
			p.pos++
			p.depth--
			return out, nil
		}
		o, err := p.object()
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
}

func (p *parser) dict() (Object, error) {
	if err := p.descend(); err != nil {
		return nil, err
	}
	p.pos += 2
	out := Dict{}
	for {
		p.skip()
		if p.pos+1 >= len(p.data) {
			return nil, p.end()
		}
		if p.data[p.pos] == '>' && p.data[p.pos+1] == '>' {
			p.pos += 2
			p.depth--
			return out, nil
		}
		if p.data[p.pos] != '/' {
			return nil, p.damaged("%q where a dictionary needs a key", p.data[p.pos])
		}
		if err := p.entry(out); err != nil {
			return nil, err
		}
	}
}

// entry reads a key and its value into d. A key without a value at the end of the
// dictionary counts as null.
func (p *parser) entry(d Dict) error {
	p.values++
	key, err := p.name()
	if err != nil {
		return err
	}
	p.skip()
	if p.pos+1 < len(p.data) && p.data[p.pos] == '>' && p.data[p.pos+1] == '>' {
		return nil
	}
	value, err := p.object()
	if err != nil {
		return err
	}
	if value != nil {
		d[key.(Name)] = value
	}
	return nil
}

// keyword reports whether the next token is word, and skips it if so.
func (p *parser) keyword(word string) bool {
	p.skip()
	end := p.pos + len(word)
	if end > len(p.data) || string(p.data[p.pos:end]) != word {
		return false
	}
	p.pos = end
	return true
}

// integer reads digits.
func (p *parser) integer() (int64, bool) {
	p.skip()
	start := p.pos
	for p.pos < len(p.data) && p.pos-start < 18 && p.data[p.pos] >= '0' && p.data[p.pos] <= '9' {
		p.pos++
	}
	n, err := strconv.ParseInt(string(p.data[start:p.pos]), 10, 64)
	return n, err == nil
}

func clip(word []byte) []byte { return word[:min(len(word), 20)] }
