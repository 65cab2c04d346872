package parquet

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxText bounds the bytes shown of one value.
const maxText = 1 << 20

// An assembler turns the values of a column in one row into text.
type assembler struct {
	first  int // index of the column's first leaf
	leaves []triplets
	at     []int
	out    strings.Builder
	word   bytes.Buffer
}

func (a *assembler) reset(first, n int) {
	a.first = first
	for len(a.leaves) < n {
		a.leaves, a.at = append(a.leaves, triplets{}), append(a.at, 0)
	}
	for i := range a.leaves {
		a.leaves[i].reset()
		a.at[i] = 0
	}
}

// text returns the value of a column, as JSON if it has fields or is a list. A null is
// empty.
func (a *assembler) text(n *node) (string, error) {
	if n.kind != kindGroup && n.repetition != repeated {
		v := a.leaves[0].values[0]
		if v == nil {
			return "", nil
		}
		text, _ := n.show(v)
		return clip(text), nil
	}
	if a.leaves[0].defs[0] < n.def && n.repetition == optional {
		return "", nil
	}
	a.out.Reset()
	if err := a.value(n); err != nil {
		return "", err
	}
	return clip(a.out.String()), nil
}

// Plain returns the indexes of the columns that hold single values or a list of them,
// and whose name no other column has.
func (f *Footer) Plain() (columns []int) {
	named := make(map[string]int)
	for _, c := range f.Columns {
		named[c.Name]++
	}
	for i, c := range f.Columns {
		if named[c.Name] == 1 && c.leaves.last-c.leaves.first == 1 && f.leaves[c.leaves.first].rep <= 1 {
			columns = append(columns, i)
		}
	}
	return columns
}

// plain returns the value of a column of Plain, and its bytes.
func (a *assembler) plain(n *node) (v any, size int, err error) {
	for n.kind == kindGroup {
		n = n.children[0]
	}
	values := a.leaves[0].values
	if n.rep == 0 {
		return n.plain(values[0]), len(values[0]), nil
	}
	var list []any
	for _, v := range values {
		if v != nil {
			list = append(list, n.plain(v))
		}
		size += perRow + len(v)
	}
	return list, size, nil
}

// plain returns a value as it is stored: without the meaning of a date or a decimal.
func (n *node) plain(v []byte) any {
	switch {
	case v == nil, n.kind == kindInt96:
		return nil
	case n.kind == kindBoolean:
		return v[0] != 0
	case n.kind == kindInt32:
		return int64(int32(binary.LittleEndian.Uint32(v)))
	case n.kind == kindInt64:
		return int64(binary.LittleEndian.Uint64(v))
	case n.kind == kindFloat:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(v)))
	case n.kind == kindDouble:
		return math.Float64frombits(binary.LittleEndian.Uint64(v))
	}
	return string(v)
}

func clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	text = text[:maxText]
	for !utf8.RuneStart(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text[:len(text)-1] + "…"
}

// level returns the definition level of the next value of a leaf.
func (a *assembler) level(leaf int) (byte, error) {
	i := leaf - a.first
	if a.at[i] >= len(a.leaves[i].defs) {
		return 0, errNesting
	}
	return a.leaves[i].defs[a.at[i]], nil
}

var errNesting = fmt.Errorf("the values of a row do not fit together: %w", ErrDamaged)

// pass skips one value in every leaf of n; a missing item has one too.
func (a *assembler) pass(n *node) {
	for leaf := n.leaf; leaf < n.leaf+n.leaves; leaf++ {
		a.at[leaf-a.first]++
	}
}

// value writes the value of a node.
func (a *assembler) value(n *node) error {
	if a.isFull() {
		a.rest(n)
		return nil
	}
	if n.repetition == repeated {
		return a.list(n, func() error { return a.item(n) })
	}
	def, err := a.level(n.leaf)
	if err != nil {
		return err
	}
	if n.repetition == optional && def < n.def {
		a.out.WriteString("null")
		a.pass(n)
		return nil
	}
	return a.item(n)
}

// isFull reports whether further text would not be shown.
func (a *assembler) isFull() bool { return a.out.Len() > maxText }

// rest skips the remaining values of a node in the row.
func (a *assembler) rest(n *node) {
	for leaf := n.leaf; leaf < n.leaf+n.leaves; leaf++ {
		a.at[leaf-a.first] = len(a.leaves[leaf-a.first].defs)
	}
}

// list writes the items of a repeated node.
func (a *assembler) list(n *node, item func() error) error {
	a.out.WriteByte('[')
	err := a.each(n, func(i int) error {
		if i > 0 {
			a.out.WriteByte(',')
		}
		return item()
	})
	a.out.WriteByte(']')
	return err
}

// each calls f for each item of a repeated node.
func (a *assembler) each(n *node, f func(i int) error) error {
	def, err := a.level(n.leaf)
	if err != nil {
		return err
	}
	if def < n.def {
		a.pass(n)
		return nil
	}
	k := n.leaf - a.first
	for i := 0; ; i++ {
		if a.isFull() {
			a.rest(n)
			return nil
		}
		before := a.at[k]
		if err := f(i); err != nil {
			return err
		}
		if a.at[k] == before {
			return errNesting
		}
		if a.at[k] >= len(a.leaves[k].reps) || a.leaves[k].reps[a.at[k]] != n.rep {
			return nil
		}
	}
}

// item writes a node that is present.
func (a *assembler) item(n *node) error {
	if n.kind != kindGroup {
		return a.scalar(n)
	}
	if item, inner, ok := elementOf(n); ok {
		return a.list(item, func() error {
			if inner == nil {
				return a.item(item)
			}
			return a.value(inner)
		})
	}
	a.out.WriteByte('{')
	if pair, ok := pairOf(n); ok {
		err := a.each(pair, func(i int) error { return a.pair(i, pair) })
		a.out.WriteByte('}')
		return err
	}
	for i, child := range n.children {
		if i > 0 {
			a.out.WriteByte(',')
		}
		a.quote(child.name)
		a.out.WriteByte(':')
		if err := a.value(child); err != nil {
			return err
		}
	}
	a.out.WriteByte('}')
	return nil
}

// pair writes a key-value pair of a map.
func (a *assembler) pair(i int, pair *node) error {
	if i > 0 {
		a.out.WriteByte(',')
	}
	key := pair.children[0]
	k := key.leaf - a.first
	if a.at[k] >= len(a.leaves[k].values) {
		return errNesting
	}
	text := "null"
	if v := a.leaves[k].values[a.at[k]]; v != nil {
		text, _ = key.show(v)
	}
	a.at[k]++
	a.quote(text)
	a.out.WriteByte(':')
	return a.value(pair.children[1])
}

func (a *assembler) scalar(n *node) error {
	k := n.leaf - a.first
	if a.at[k] >= len(a.leaves[k].values) {
		return errNesting
	}
	v := a.leaves[k].values[a.at[k]]
	if v == nil {
		return errNesting
	}
	a.at[k]++
	text, isNumber := n.show(v)
	if isNumber {
		a.out.WriteString(text)
	} else {
		a.quote(text)
	}
	return nil
}

func (a *assembler) quote(text string) {
	a.word.Reset()
	e := json.NewEncoder(&a.word)
	e.SetEscapeHTML(false)
	if e.Encode(clip(text)) == nil {
		a.out.Write(bytes.TrimSuffix(a.word.Bytes(), []byte("\n")))
	}
}

// show returns a value as text, and whether JSON has it without quotes.
func (n *node) show(v []byte) (text string, isNumber bool) {
	switch n.kind {
	case kindBoolean:
		return strconv.FormatBool(v[0] != 0), true
	case kindInt32:
		return n.whole(int64(int32(binary.LittleEndian.Uint32(v))), uint64(binary.LittleEndian.Uint32(v)))
	case kindInt64:
		return n.whole(int64(binary.LittleEndian.Uint64(v)), binary.LittleEndian.Uint64(v))
	case kindInt96: // as Impala writes it: nanoseconds of the day, then the Julian day number
		const epoch = 2440588
		day := int64(int32(binary.LittleEndian.Uint32(v[8:])))
		return time.Unix((day-epoch)*24*60*60, 0).Add(time.Duration(binary.LittleEndian.Uint64(v))).UTC().Format("2006-01-02T15:04:05.999999999"), false
	case kindFloat:
		return real(float64(math.Float32frombits(binary.LittleEndian.Uint32(v))), 32)
	case kindDouble:
		return real(math.Float64frombits(binary.LittleEndian.Uint64(v)), 64)
	}
	return n.bytes(v)
}

func (n *node) whole(v int64, unsigned uint64) (string, bool) {
	switch n.use {
	case useUnsigned:
		return strconv.FormatUint(unsigned, 10), true
	case useDecimal:
		return decimal(big.NewInt(v), n.scale), true
	case useDate:
		return time.Unix(v*24*60*60, 0).UTC().Format(time.DateOnly), false
	case useTime:
		return n.instant(v).Format("15:04:05.999999999") + n.zone(), false
	case useTimestamp:
		return n.instant(v).Format("2006-01-02T15:04:05.999999999") + n.zone(), false
	}
	return strconv.FormatInt(v, 10), true
}

// instant returns a time counted in milliseconds, microseconds or nanoseconds.
func (n *node) instant(v int64) time.Time {
	switch n.scale {
	case 3:
		return time.UnixMilli(v).UTC()
	case 6:
		return time.UnixMicro(v).UTC()
	}
	return time.Unix(v/1e9, v%1e9).UTC()
}

func (n *node) zone() string {
	if n.utc {
		return "Z"
	}
	return ""
}

func (n *node) bytes(v []byte) (string, bool) {
	switch {
	case n.use == useDecimal && len(v) > 0 && len(v) <= 64:
		whole := new(big.Int).SetBytes(v)
		if v[0] >= 0x80 {
			whole.Sub(whole, new(big.Int).Lsh(big.NewInt(1), uint(8*len(v))))
		}
		return decimal(whole, n.scale), true
	case n.use == useUUID && len(v) == 16:
		return fmt.Sprintf("%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:]), false
	case n.use == useFloat16 && len(v) == 2:
		return real(float16(binary.LittleEndian.Uint16(v)), 32)
	case n.use == useInterval && len(v) == 12:
		le := binary.LittleEndian
		return fmt.Sprintf("%d months %d days %d ms", le.Uint32(v), le.Uint32(v[4:]), le.Uint32(v[8:])), false
	case n.use == useText, n.use == useNone && isText(v):
		return strings.ToValidUTF8(string(v), "\ufffd"), false
	}
	return fmt.Sprintf("blob of %d bytes", len(v)), false
}

// isText reports whether bytes without a declared type look like text; older programs
// do not declare text.
func isText(v []byte) bool {
	if !utf8.Valid(v) {
		return false
	}
	for _, c := range v {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}

// decimal formats a number that is counted in units of 10 to the power of -scale.
func decimal(whole *big.Int, scale int64) string {
	const maxScale = 100
	if scale <= 0 || scale > maxScale {
		return whole.String()
	}
	digits := new(big.Int).Abs(whole).String()
	if missing := int(scale) + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	sign := ""
	if whole.Sign() < 0 {
		sign = "-"
	}
	point := len(digits) - int(scale)
	return sign + digits[:point] + "." + digits[point:]
}

// real formats a number with a decimal point or an exponent.
func real(f float64, bits int) (string, bool) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return fmt.Sprint(f), false
	}
	if size := math.Abs(f); size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, bits), true
	}
	text := strconv.FormatFloat(f, 'f', -1, bits)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text, true
}

// float16 returns a half-precision number (IEEE 754).
func float16(b uint16) float64 {
	exponent, fraction := int(b>>10&0x1f), float64(b&0x3ff)
	sign := 1 - 2*float64(b>>15)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(fraction+1024, exponent-25)
}
