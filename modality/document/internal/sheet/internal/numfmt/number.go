package numfmt

import (
	"math"
	"strconv"
	"strings"
)

// precision is how many digits spreadsheets compute and show.
const precision = 15

// General formats a number without a format code: with up to 15 digits, and with an
// exponent only to avoid many zeros.
func General(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "#NUM!"
	}
	if v == 0 {
		return "0"
	}
	d := decimalOf(math.Abs(v))
	plain := d.String()
	if d.exp > precision || d.exp < -3 && len(plain) > 11 {
		mantissa, exp, _ := strings.Cut(strconv.FormatFloat(math.Abs(v), 'E', precision-1, 64), "E")
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		}
		plain = mantissa + "E" + exp
	}
	if v < 0 {
		return "-" + plain
	}
	return plain
}

// A decimal is 0.digits times ten to the power of exp. Digits has no trailing zeros.
type decimal struct {
	digits string
	exp    int
}

// decimalOf returns a nonnegative number rounded to 15 digits.
func decimalOf(v float64) decimal {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return decimal{}
	}
	text := strconv.FormatFloat(v, 'e', precision-1, 64)
	mantissa, power, _ := strings.Cut(text, "e")
	exp, err := strconv.Atoi(power)
	if err != nil {
		return decimal{}
	}
	return decimal{strings.Replace(mantissa, ".", "", 1), exp + 1}.trim()
}

func (d decimal) trim() decimal {
	d.digits = strings.TrimRight(d.digits, "0")
	if d.digits == "" {
		d.exp = 0
	}
	return d
}

// shift multiplies by a power of ten.
func (d decimal) shift(n int) decimal {
	if d.digits != "" {
		d.exp += n
	}
	return d
}

// round rounds to n digits after the point, halves up.
func (d decimal) round(n int) decimal {
	keep := d.exp + n
	switch {
	case keep >= len(d.digits):
		return d
	case keep < 0:
		return decimal{}
	}
	up := d.digits[keep] >= '5'
	digits := []byte(d.digits[:keep])
	if !up {
		return decimal{string(digits), d.exp}.trim()
	}
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] < '9' {
			digits[i]++
			return decimal{string(digits[:i+1]), d.exp}
		}
	}
	return decimal{"1", d.exp + 1}
}

// parts returns the digits before the point, "" if none, and n digits after it.
func (d decimal) parts(n int) (whole, decimals string) {
	switch {
	case d.exp <= 0:
		decimals = strings.Repeat("0", min(-d.exp, n)) + d.digits
	case d.exp >= len(d.digits):
		whole = d.digits + strings.Repeat("0", d.exp-len(d.digits))
	default:
		whole, decimals = d.digits[:d.exp], d.digits[d.exp:]
	}
	if len(decimals) > n {
		decimals = decimals[:n]
	}
	return whole, decimals + strings.Repeat("0", n-len(decimals))
}

func (d decimal) String() string {
	n := max(len(d.digits)-d.exp, 0)
	whole, decimals := d.parts(n)
	if whole == "" {
		whole = "0"
	}
	if decimals == "" {
		return whole
	}
	return whole + "." + decimals
}

// number formats a nonnegative number.
func (s *section) number(v float64) string {
	d := decimalOf(v).shift(s.scale)
	switch s.kind {
	case scientific:
		return s.scientific(d)
	case fraction:
		return s.fraction(v)
	}
	d = d.round(s.decimals)
	whole, decimals := d.parts(s.decimals)
	return s.place(whole, decimals, "")
}

// place replaces the placeholders of the section by digits.
func (s *section) place(whole, decimals, exponent string) string {
	heads := s.heads(whole)
	var b strings.Builder
	seen, after := 0, 0
	point, inExponent, shownExponent := false, false, false
	for _, t := range s.tokens {
		switch {
		case t.kind == tokenLiteral:
			b.WriteString(t.text)
		case t.kind == tokenExponent:
			inExponent = true
			b.WriteString(t.text[:1])
		case t.kind == tokenDigit && inExponent:
			if !shownExponent {
				b.WriteString(exponent)
				shownExponent = true
			}
		case t.kind == tokenDigit && !point:
			b.WriteString(heads[seen])
			seen++
		case t.kind == tokenDigit:
			if keep := s.keptDecimals(decimals); after < keep {
				b.WriteByte(decimals[after])
			} else if t.text == "?" {
				b.WriteByte(' ')
			}
			after++
		case t.kind == tokenPoint && !point:
			point = true
			b.WriteByte('.')
			if s.whole == 0 && whole != "" {
				shown := b.String()
				b.Reset()
				b.WriteString(shown[:len(shown)-1] + whole + ".")
			}
		}
	}
	return b.String()
}

// keptDecimals returns how many decimals are shown: up to the last that is not zero or
// has a 0 as placeholder.
func (s *section) keptDecimals(decimals string) int {
	keep := len(strings.TrimRight(decimals, "0"))
	n, point := 0, false
	for _, t := range s.tokens {
		switch {
		case t.kind == tokenExponent:
			return keep
		case t.kind == tokenPoint:
			point = true
		case t.kind == tokenDigit && point:
			n++
			if t.text == "0" {
				keep = max(keep, n)
			}
		}
	}
	return keep
}

// heads returns the text for each placeholder before the point: one digit each from the
// right, and all remaining digits for the first.
func (s *section) heads(whole string) []string {
	heads := make([]string, s.whole)
	n := s.whole
	left := whole
	placed := 0
	var kinds []string
	for _, t := range s.tokens {
		if t.kind == tokenPoint || t.kind == tokenExponent {
			break
		}
		if t.kind == tokenDigit {
			kinds = append(kinds, t.text)
		}
	}
	padded := 0 // first placeholder from which zeros are shown
	for padded = 0; padded < len(kinds) && kinds[padded] != "0"; padded++ {
	}
	for i := n - 1; i >= 0; i-- {
		digit := ""
		switch {
		case left != "" && i == 0:
			digit, left = left, ""
		case left != "":
			digit, left = left[len(left)-1:], left[:len(left)-1]
		case i >= padded:
			digit = "0"
		case kinds[i] == "?":
			digit = " "
		}
		heads[i], placed = s.group(digit, placed)
	}
	return heads
}

// group inserts a comma after each third digit from the right.
func (s *section) group(digits string, placed int) (string, int) {
	if !s.grouped || digits == " " {
		return digits, placed
	}
	var b []byte
	for i := len(digits) - 1; i >= 0; i-- {
		if placed > 0 && placed%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, digits[i])
		placed++
	}
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b), placed
}

// scientific formats a number with an exponent.
func (s *section) scientific(d decimal) string {
	step := max(s.whole, 1)
	exp := 0
	if d.digits != "" {
		exp = d.exp - 1
		if step > 1 {
			exp = floorDiv(exp, step) * step
		}
		d = d.shift(-exp).round(s.decimals)
		if d.exp > step {
			d, exp = d.shift(-step), exp+step
		}
	}
	whole, decimals := d.parts(s.decimals)
	sign, width, plus := "", 0, false
	for i, t := range s.tokens {
		if t.kind == tokenExponent {
			plus = t.text == "E+"
			for _, after := range s.tokens[i+1:] {
				if after.kind == tokenDigit {
					width++
				}
			}
			break
		}
	}
	if exp < 0 {
		sign, exp = "-", -exp
	} else if plus {
		sign = "+"
	}
	shown := strconv.Itoa(exp)
	return s.place(whole, decimals, sign+strings.Repeat("0", max(width-len(shown), 0))+shown)
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && a < 0 {
		q--
	}
	return q
}
