package text

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/citekit/citekit"
)

// sampleBytes is how much of a source its coding is judged by.
const sampleBytes = 64 << 10

// A wide coding is one of units of more than one byte, with the byte order
// mark it may begin with. Those of UTF-32 come first, for the mark of UTF-16LE
// is the beginning of that of UTF-32LE.
var wideCodings = []struct {
	coding coding
	mark   string
}{
	{coding{charset: "utf-32le", width: 4, order: binary.LittleEndian}, "\xff\xfe\x00\x00"},
	{coding{charset: "utf-32be", width: 4, order: binary.BigEndian}, "\x00\x00\xfe\xff"},
	{coding{charset: "utf-16le", width: 2, order: binary.LittleEndian}, "\xff\xfe"},
	{coding{charset: "utf-16be", width: 2, order: binary.BigEndian}, "\xfe\xff"},
}

const utf8Mark = "\xef\xbb\xbf"

// detect returns the coding of the source that begins with sample, or an
// error matching [citekit.ErrFormat] if it is binary. All says that the
// sample is the whole source.
func detect(sample []byte, all bool) (coding, error) {
	c, ok := detectWide(sample, all)
	if !ok {
		if i := bytes.IndexByte(sample, 0); i >= 0 {
			return coding{}, fmt.Errorf("binary, not text: a zero byte at offset %d: %w", i, citekit.ErrFormat)
		}
		c = coding{charset: "utf-8", width: 1}
		switch {
		case bytes.HasPrefix(sample, []byte(utf8Mark)):
			c.mark = len(utf8Mark)
		case !isUTF8(sample, all):
			c.charset = legacyCharset(sample, all)
		}
	}
	c.cr = c.usesCR(sample, all)
	return c, nil
}

// usesCR reports whether a CR alone ends lines; see the package comment.
func (c coding) usesCR(sample []byte, all bool) bool {
	c.cr = true
	if !all && len(sample) > c.width {
		sample = sample[:len(sample)-len(sample)%c.width]
	}
	alone, pairs := 0, 0
	for i := 0; i+c.width <= len(sample); i += c.width {
		switch c.unit(sample[i:]) {
		case '\n':
			if i < c.width || c.unit(sample[i-c.width:]) != '\r' {
				return false
			}
			pairs++
		case '\r':
			if c.isEnd(sample[i:]) && (all || i+2*c.width <= len(sample)) {
				alone++
			}
		}
	}
	return alone > pairs
}

// detectWide recognizes UTF-16 and UTF-32.
func detectWide(sample []byte, all bool) (coding, bool) {
	for _, w := range wideCodings {
		if bytes.HasPrefix(sample, []byte(w.mark)) {
			if c := w.coding; c.fits(sample[len(w.mark):], all, true) {
				c.mark = len(w.mark)
				return c, true
			}
		}
	}
	if bytes.IndexByte(sample, 0) < 0 {
		return coding{}, false
	}
	var best coding
	most := 0
	for _, w := range wideCodings {
		if all && len(sample)%w.coding.width != 0 || !w.coding.fits(sample, all, false) {
			continue
		}
		if n := w.coding.countASCII(sample) * w.coding.width; n > most {
			best, most = w.coding, n
		}
	}
	return best, most > 0
}

// fits reports whether sample is text in c: characters that exist, and no
// control characters but those of plain text. With a byte order mark before
// it a little damage does not count, nor does ever what the end of the sample
// cuts.
func (c coding) fits(sample []byte, all, marked bool) bool {
	bad, n := 0, 0
	for len(sample) >= c.width {
		r, size := c.character(sample)
		if size == 0 && !all {
			break
		}
		if n++; !isText(r) {
			bad++
		}
		sample = sample[max(size, c.width):]
	}
	return bad == 0 || marked && damageRatio*bad < n
}

// character decodes the first character of text in UTF-16 or UTF-32. The size
// is 0 if text ends within it.
func (c coding) character(text []byte) (r rune, size int) {
	u := c.unit(text)
	if u > unicode.MaxRune {
		return utf8.RuneError, c.width
	}
	r = rune(u)
	if c.width == 4 || !utf16.IsSurrogate(r) {
		return r, c.width
	}
	if len(text) < 4 {
		return utf8.RuneError, 0
	}
	if r = utf16.DecodeRune(r, rune(c.unit(text[2:]))); r == utf8.RuneError {
		return r, c.width
	}
	return r, 4
}

// isText reports whether r belongs in plain text.
func isText(r rune) bool {
	switch {
	case r == utf8.RuneError || !utf8.ValidRune(r):
		return false
	case r == '\x1b' || '\a' <= r && r <= '\r':
		return true
	}
	return r > 0xffff || r == '\ufeff' || unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) ||
		unicode.IsSpace(r)
}

// countASCII returns how many units are ASCII.
func (c coding) countASCII(sample []byte) int {
	n := 0
	for i := 0; i+c.width <= len(sample); i += c.width {
		if c.unit(sample[i:]) < utf8.RuneSelf {
			n++
		}
	}
	return n
}

// damageRatio is how many good characters make up for a bad one, where their
// being good says something: text in Unicode with some damage is still that.
const damageRatio = 10

// isUTF8 reports whether text is UTF-8, if with a little damage. If it is not
// all, its end may cut a character.
func isUTF8(text []byte, all bool) bool {
	if utf8.Valid(text) {
		return true
	}
	if !all {
		text = text[:len(text)-cutRune(text)]
	}
	long, invalid := 0, 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			invalid++
		} else {
			long++
		}
		i += size
	}
	return invalid == 0 || long >= damageRatio*invalid
}

// cutRune returns the length of the incomplete character that text ends with.
func cutRune(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return n
			}
			break
		}
	}
	return 0
}
