package citation

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/decimal"
	"github.com/citekit/citekit/internal/message"
)

// CharPositions are a part of a plain text in the positions of RFC 5147, which
// lie between characters and count from 0. A line end is one character, even
// CRLF. An End of [math.MaxInt64] means the end of the text.
type CharPositions struct{ Start, End int64 }

// String returns p as a fragment, such as "char=10,20".
func (p CharPositions) String() string {
	if p.End == math.MaxInt64 {
		return "char=" + strconv.FormatInt(p.Start, 10) + ","
	}
	return "char=" + strconv.FormatInt(p.Start, 10) + "," + strconv.FormatInt(p.End, 10)
}

// ParseCharFragment parses a fragment of RFC 5147 that counts characters:
// "char=10,20", "char=,20", "char=10,", or the single position "char=10", which
// is an empty part. The part after ";" is ignored; [ParseIntegrity] reads it.
// For any other fragment the error matches [citekit.ErrSyntax].
func ParseCharFragment(fragment string) (CharPositions, error) {
	scheme, _, _ := strings.Cut(fragment, ";")
	value, ok := strings.CutPrefix(scheme, "char=")
	start, end, isRange := strings.Cut(value, ",")
	if !isRange {
		end = start
	}
	p := CharPositions{0, math.MaxInt64}
	if start != "" {
		p.Start = int64(decimal.Whole(start))
	}
	if end != "" {
		p.End = int64(decimal.Whole(end))
	}
	if !ok || start+end == "" || p.Start < 0 || p.End < p.Start {
		return CharPositions{}, syntaxError("text fragment %s; write two positions, such as char=10,20", message.Quote(scheme))
	}
	return p, nil
}

// Bytes returns the part of a text in bytes. A position after the end means the
// end, as in the RFC.
func (p CharPositions) Bytes(text string) ByteRange {
	r := ByteRange{int64(len(text)), int64(len(text))}
	at := int64(0)
	for i := 0; i < len(text); at++ {
		if at == p.Start {
			r.Start = int64(i)
		}
		if at == p.End {
			r.End = int64(i)
			break
		}
		i += charLen(text[i:])
	}
	return r
}

// charLen returns the length of the first character of a text.
func charLen(text string) int {
	if strings.HasPrefix(text, "\r\n") {
		return 2
	}
	_, size := utf8.DecodeRuneInString(text)
	return size
}

// CharPositions returns r in the positions of RFC 5147. If r is outside the
// text, or cuts a character or a line end, the error matches
// [citekit.ErrRange].
func (r ByteRange) CharPositions(text string) (CharPositions, error) {
	p := CharPositions{-1, -1}
	at := int64(0)
	for i := 0; i <= len(text); at++ {
		if int64(i) == r.Start {
			p.Start = at
		}
		if int64(i) == r.End {
			p.End = at
			break
		}
		if i == len(text) {
			break
		}
		i += charLen(text[i:])
	}
	if p.Start < 0 || p.End < p.Start {
		return CharPositions{}, fmt.Errorf("bytes %d to %d are outside the text of %d bytes, or cut a character: %w", r.Start, r.End, len(text), citekit.ErrRange)
	}
	return p, nil
}

// An Integrity identifies the text for which a fragment of RFC 5147 was made.
type Integrity struct {
	Length int64  // in characters, a line end counts as one; negative if not known
	MD5    string // of the bytes, in hex; "" if not known
}

// IntegrityOf returns the Integrity of a text.
func IntegrityOf(text string) Integrity {
	sum := md5.Sum([]byte(text))
	return Integrity{chars(text), hex.EncodeToString(sum[:])}
}

func chars(text string) int64 {
	return int64(utf8.RuneCountInString(text) - strings.Count(text, "\r\n"))
}

// String returns i in the form it has after a fragment, such as
// ";length=9876,UTF-8;md5=…".
func (i Integrity) String() string {
	s := ""
	if i.Length >= 0 {
		s = ";length=" + strconv.FormatInt(i.Length, 10) + ",UTF-8"
	}
	if i.MD5 != "" {
		s += ";md5=" + i.MD5 + ",UTF-8"
	}
	return s
}

// ParseIntegrity returns the integrity checks of a fragment of RFC 5147 or
// 7111, which follow ";". A check other than length= and md5= is an error
// matching [citekit.ErrSyntax].
func ParseIntegrity(fragment string) (Integrity, error) {
	i := Integrity{Length: -1}
	_, checks, _ := strings.Cut(fragment, ";")
	for check := range strings.SplitSeq(checks, ";") {
		if check == "" {
			continue
		}
		check, _, _ = strings.Cut(check, ",")
		name, value, _ := strings.Cut(check, "=")
		switch {
		case name == "length" && decimal.Whole(value) >= 0:
			i.Length = int64(decimal.Whole(value))
		case name == "md5" && len(value) == 2*md5.Size && isHex(value):
			i.MD5 = strings.ToLower(value)
		default:
			return i, syntaxError("integrity check %s; it is length= with a number, or md5= with 32 hex digits", message.Quote(check))
		}
	}
	return i, nil
}

func isHex(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil
}

// Check returns an error matching [citekit.ErrStale] unless the text has the
// length and the sum.
func (i Integrity) Check(text string) error {
	if n := chars(text); i.Length >= 0 && i.Length != n {
		return fmt.Errorf("the text has %d characters, and had %d when it was cited: %w", n, i.Length, citekit.ErrStale)
	}
	if i.MD5 != "" && IntegrityOf(text).MD5 != i.MD5 {
		return fmt.Errorf("the text has changed since it was cited: %w", citekit.ErrStale)
	}
	return nil
}
