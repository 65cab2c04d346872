package text

import (
	"bytes"
	"context"
	"unicode/utf8"

	"github.com/citekit/citekit"
)

// maxJudged is the number of bytes of a cut that are read to find its charset.
const maxJudged = 16 << 20

// charset returns the charset of the bytes of c, and whether it is guessed. It
// is that of the source, unless the source begins as UTF-8 and c is not UTF-8.
func (c cut) charset(ctx context.Context, src *citekit.Source) (name string, guessed bool, err error) {
	if c.coding.charset != "utf-8" {
		return c.coding.charset, c.coding.guessed, nil
	}
	at, err := c.firstInvalid(ctx, src)
	if err != nil || at < 0 {
		return "utf-8", false, err
	}
	return c.judge(ctx, src, at)
}

// firstInvalid returns the offset of the first bytes in c that are not UTF-8,
// or -1.
func (c cut) firstInvalid(ctx context.Context, src *citekit.Source) (int64, error) {
	stop := min(c.end, c.start+maxJudged)
	buf := make([]byte, min(readBytes, stop-c.start))
	for pos := c.start; pos < stop; {
		part := buf[:min(int64(len(buf)), stop-pos)]
		if err := readFull(ctx, src, part, pos); err != nil {
			return 0, err
		}
		if pos+int64(len(part)) < c.end {
			if n := cutRune(part); n < len(part) {
				part = part[:len(part)-n]
			}
		}
		if !utf8.Valid(part) {
			return pos + int64(invalidAt(part)), nil
		}
		pos += int64(len(part))
		if pos >= stop-utf8.UTFMax && stop < c.end {
			break
		}
	}
	return -1, nil
}

func invalidAt(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(text)
}

// judge infers the charset from the bytes around the invalid ones at offset at.
func (c cut) judge(ctx context.Context, src *citekit.Source, at int64) (name string, guessed bool, err error) {
	start := max(c.start, at-sampleBytes/2)
	around := make([]byte, min(sampleBytes, c.end-start))
	if err := readFull(ctx, src, around, start); err != nil {
		return "", false, err
	}
	if start > c.start { // begin with a line, because start may cut a character
		if i := bytes.LastIndexByte(around[:at-start], '\n'); i >= 0 {
			around = around[i+1:]
		}
		for len(around) > 0 && !utf8.RuneStart(around[0]) {
			around = around[1:]
		}
	}
	all := start+sampleBytes >= c.end
	if isUTF8(around, all) {
		return "utf-8", true, nil
	}
	name, guessed = legacyCharset(around, all)
	return name, guessed, nil
}
