package numfmt

import (
	"math"
	"strconv"
	"strings"
)

// fraction formats a nonnegative number as a fraction, such as "1 3/4".
func (s *section) fraction(v float64) string {
	slash := 0
	for i, t := range s.tokens {
		if t.kind == tokenSlash {
			slash = i
			break
		}
	}
	fixed, width, mixed := s.denominator(slash)
	if v > 1e15 {
		return General(v)
	}
	whole := math.Floor(v)
	if !mixed {
		whole = 0
	}
	top, bottom := approximate(v-whole, fixed, width)
	if mixed && bottom > 0 && top == bottom {
		whole, top = whole+1, 0
	}
	var b strings.Builder
	if whole > 0 || mixed && top == 0 {
		b.WriteString(strconv.FormatFloat(whole, 'f', 0, 64))
		if top > 0 {
			b.WriteByte(' ')
		}
	}
	if top > 0 || !mixed {
		b.WriteString(strconv.FormatInt(top, 10) + "/" + strconv.FormatInt(bottom, 10))
	}
	return b.String()
}

// denominator reads the text after the slash: a number, or placeholders. Mixed means
// that whole numbers precede the fraction.
func (s *section) denominator(slash int) (fixed int64, width int, mixed bool) {
	var digits strings.Builder
	for _, t := range s.tokens[slash+1:] {
		if t.kind == tokenDigit {
			width++
			digits.WriteString(t.text)
		} else if n, ok := leadingNumber(t.text); ok && t.kind == tokenLiteral && width == digits.Len() {
			digits.WriteString(n)
		}
	}
	if text := digits.String(); strings.Trim(text, "0123456789") == "" && strings.Trim(text, "0") != "" && len(text) <= 6 {
		fixed, _ = strconv.ParseInt(text, 10, 64)
	}
	groups, inDigits := 0, false
	for _, t := range s.tokens[:slash] {
		if t.kind == tokenDigit && !inDigits {
			groups++
		}
		inDigits = t.kind == tokenDigit || t.kind == tokenComma
	}
	return fixed, min(max(width, 1), 7), groups > 1
}

func leadingNumber(s string) (string, bool) {
	s = strings.TrimSpace(s)
	n := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	return n, n != ""
}

// approximate returns the fraction nearest to v, with the denominator fixed if that is
// positive, else with a denominator of at most width digits.
func approximate(v float64, fixed int64, width int) (top, bottom int64) {
	if fixed > 0 {
		return int64(math.Round(v * float64(fixed))), fixed
	}
	most := int64(math.Pow10(width)) - 1
	var h0, h1, k0, k1 int64 = 0, 1, 1, 0
	for x := v; ; {
		a := int64(math.Floor(x))
		if k := a*k1 + k0; k > most || k < 0 {
			break
		}
		h0, h1 = h1, a*h1+h0
		k0, k1 = k1, a*k1+k0
		rest := x - math.Floor(x)
		if rest < 1e-9 || math.Abs(v-float64(h1)/float64(k1)) < 1e-12 {
			break
		}
		if x = 1 / rest; x > 1e15 {
			break
		}
	}
	if k1 == 0 {
		return 0, 1
	}
	return h1, k1
}
