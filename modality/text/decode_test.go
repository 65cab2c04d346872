package text

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

// FuzzDecoder checks that no charset takes a line end for part of a character,
// nor makes one of something else: lines count alike in bytes and in text.
func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{"", "\xe9\n", "\x81\n\x8f\xa1\n", "\x1b$B\n!\n", "\x0e\n0", "\xb0\n\xb0\xa1", "\x84\x31\n", "\x00\xd8\n\x00", "\x1b$B \x01", "\x1b"} {
		f.Add([]byte(seed))
	}
	names := []string{"utf-8", "iso-8859-1", "windows-1252", "windows-1251", "koi8-r", "ibm855", "x-mac-cyrillic", "windows-874",
		"shift_jis", "euc-jp", "euc-kr", "big5", "gb18030", "gbk", "iso-2022-jp", "iso-2022-kr"}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range names {
			checkDecoded(t, textEncoding{charset: name, width: 1}, data)
		}
		for _, w := range wideCodings {
			checkDecoded(t, w.coding, data[:len(data)-len(data)%w.coding.width])
		}
	})
}

func checkDecoded(t *testing.T, c textEncoding, data []byte) {
	t.Helper()
	decoded, err := decoder(c.charset).Bytes(data)
	if err != nil || !utf8.Valid(decoded) {
		t.Fatalf("%s: %q, %v", c.charset, decoded, err)
	}
	if ends := c.countEnds(data, len(data)); bytes.Count(decoded, []byte("\n")) != ends {
		t.Errorf("%s: %d line ends in %q are %q", c.charset, ends, data, decoded)
	}
}
