package text

import (
	"bytes"

	"github.com/citekit/citekit/internal/charset"
)

// marked returns the wide encoding whose mark s begins with, if the rest fits.
func (s sample) marked() (textEncoding, bool) {
	if !s.head {
		return textEncoding{}, false
	}
	for _, w := range wideCodings {
		if rest, ok := bytes.CutPrefix(s.text, []byte(w.mark)); ok {
			if c := w.coding; c.count(rest, s.all).fits() {
				c.mark = len(w.mark)
				return c, true
			}
		}
	}
	return textEncoding{}, false
}

// unmarked returns the wide encoding of a text without a byte order mark, if
// there is evidence for one: the encoding determines the lines.
func (s sample) unmarked() (textEncoding, bool) {
	if bytes.IndexByte(s.text, 0) < 0 || isKnownBinary(s.text) {
		return textEncoding{}, false
	}
	for _, w := range wideCodings {
		c := w.coding
		n := c.count(s.text, s.all)
		if s.all && len(s.text)%c.width != 0 && n.good < minBroken {
			continue
		}
		if n.evident() || n.plausible() && !readsAsBytes(s.text, s.all) {
			c.guessed = true
			return c, true
		}
	}
	return textEncoding{}, false
}

// The number of characters that are evidence of a wide encoding without a mark.
const (
	minEvident = 4
	minBroken  = 8 // in a source that ends within a unit
	minDamaged = 64
	minMixed   = 64 // in several scripts
)

// units counts the characters of a text in a wide encoding. Zero characters are
// neither good nor bad: pages that were never written have them.
type units struct {
	width     int
	good, bad int

	latin   int // below U+0100
	swapped int // would be below U+0100 in the other byte order

	ends     int // LF
	oddEnds  int // the high byte would be an LF
	common   int // in blocks that all scripts use
	byScript [3 + 256]int
	last     int // script of the last character that byScript counts
	turns    int // how often the script changed
}

// The scripts with several blocks, as indexes of units.byScript. Other scripts
// are identified by the high byte of their characters.
const (
	eastAsianScript = 256 + iota
	hangulScript
	otherScript
)

func (c textEncoding) count(text []byte, all bool) units {
	n := units{width: c.width}
	for len(text) >= c.width {
		r, size := c.character(text)
		if size == 0 && !all {
			break
		}
		n.add(r)
		text = text[max(size, c.width):]
	}
	return n
}

func (n *units) add(r rune) {
	switch {
	case r == 0:
		return
	case !isText(r):
		n.bad++
		return
	}
	n.good++
	high := r >> 8
	switch {
	case high == 0:
		n.latin++
		if r == '\n' {
			n.ends++
		}
		return
	case high == '\n':
		n.oddEnds++
	}
	if r&0xff == 0 && r != '\u3000' && r != '一' {
		n.swapped++
	}
	n.addScript(high)
}

// addScript counts a character by the high byte of its code.
func (n *units) addScript(high rune) {
	if high <= 0x02 || high == 0x1e || 0x20 <= high && high <= 0x27 {
		n.common++
		return
	}
	script := otherScript
	switch {
	case 0x30 <= high && high <= 0x33 || 0x4e <= high && high <= 0x9f || high == 0xff:
		script = eastAsianScript
	case high == 0x11 || 0xac <= high && high <= 0xd7:
		script = hangulScript
	case high < 0x20:
		script = int(high)
	}
	n.byScript[script]++
	if script != n.last {
		n.turns++
	}
	n.last = script
}

// fits reports whether the text after a mark is valid. A little damage is
// ignored.
func (n units) fits() bool { return n.bad == 0 || damageRatio*n.bad < n.good }

// evident reports whether nearly all characters have zero high bytes, and
// hardly any have zero low bytes.
func (n units) evident() bool {
	return n.sound() && 10*n.latin >= 7*n.good && 50*n.swapped <= n.good && n.oddEnds <= n.ends
}

// sound reports whether there are enough characters, and hardly any bad ones.
// With units of two bytes, some units must have a zero byte.
func (n units) sound() bool {
	const share = 100
	return n.good >= minEvident && (n.bad == 0 || n.good >= minDamaged && share*n.bad < n.good) && (n.latin > 0 || n.width == 4)
}

// plausible reports whether the characters are of one script, or of several
// that rarely alternate, with their zero bytes in the expected places.
func (n units) plausible() bool {
	return n.sound() && (n.oneScript() || n.mixed()) && n.swapped <= n.latin+n.good/50 && n.oddEnds <= n.ends+n.good/50
}

func (n units) oneScript() bool {
	most := 0
	for i, count := range n.byScript {
		if i != otherScript {
			most = max(most, count)
		}
	}
	if n.byScript[hangulScript] == most {
		most += n.byScript[eastAsianScript]
	}
	return 10*(n.scripted()-most) <= n.good
}

// scripted is the number of characters that byScript counts.
func (n units) scripted() int { return n.good - n.latin - n.common }

// mixed reports whether there are lines with runs of characters of one script
// each; binary numbers do not have these.
func (n units) mixed() bool {
	return n.good >= minMixed && n.ends > 1 && 20*n.latin >= n.good && 5*n.turns <= n.scripted() && 10*n.byScript[otherScript] <= n.good
}

// readsAsBytes reports whether text would be valid text with single bytes as
// units. It must have no control characters and, apart from its zeros, be
// UTF-8, nearly all ASCII letters, or in an East Asian encoding.
func readsAsBytes(text []byte, all bool) bool {
	n := countBytes(text)
	if maxControls*n.control > n.other {
		return false
	}
	return n.high == 0 || 10*n.letters >= 7*n.other || isUTF8(text, all) || charset.EastAsian(wholeText(text, all), all) != ""
}
