package text_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/modalitytest"
	"github.com/citekit/citekit/modality/text"
)

func lines(first, last int) citekit.Location {
	return citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: first, Last: last}}
}

func TestConformance(t *testing.T) {
	modalitytest.Test(t, new(text.Resolver), modalitytest.Fixture{
		Name:   "poem.txt",
		Source: []byte("a\r\nbé\n\nlast"),
		Good: []modalitytest.Case{
			{Name: "second", Location: lines(2, 2), Want: []byte("bé\n"), WantText: "bé\n"},
			{Name: "CRLF", Location: lines(1, 1), Want: []byte("a\r\n"), WantText: "a\r\n"},
			{Name: "end", Location: lines(3, 4), Want: []byte("\nlast"), WantText: "\nlast"},
		},
		OutOfRange: []citekit.Location{lines(4, 5), lines(5, 5), lines(1, 1<<62)},
		Foreign:    citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: 1, Last: 1}}},
		Extent:     citekit.Extent{Modality: citekit.Text, Lines: 4, MediaType: "text/plain", Charset: "utf-8"},
		Garbage:    [][]byte{[]byte("\xff\xfe\x00"), []byte("\xfe\xff\xd8\x00"), []byte("\x0d\x0d\x0d\x0a"), []byte("\x80\x81\xe0\xff\n\xc3")},
	})
}

func TestConformanceUTF16(t *testing.T) {
	modalitytest.Test(t, &text.Resolver{CacheBytes: -1}, modalitytest.Fixture{
		Name:   "poem.md",
		Source: utf16le("\ufeffone\r\ntwo\r\n𝄞"),
		Good: []modalitytest.Case{
			{Name: "with mark", Location: lines(1, 1), Want: utf16le("\ufeffone\r\n"), WantText: "one\r\n"},
			{Name: "pair", Location: lines(3, 3), Want: utf16le("𝄞"), WantText: "𝄞"},
		},
		OutOfRange: []citekit.Location{lines(4, 4)},
		Extent:     citekit.Extent{Modality: citekit.Text, Lines: 3, MediaType: "text/markdown", Charset: "utf-16le"},
	})
}

// TestConformanceManyBlocks has a source of more blocks than one.
func TestConformanceManyBlocks(t *testing.T) {
	sharedtest.NotShort(t)
	source := strings.Repeat("0123456789\n", 20_000)
	modalitytest.Test(t, new(text.Resolver), modalitytest.Fixture{
		Name:       "numbers.unusual extension",
		Source:     []byte(source),
		Good:       []modalitytest.Case{{Name: "most", Location: lines(5, 19_999), Want: []byte(source[44 : len(source)-11])}},
		OutOfRange: []citekit.Location{lines(19_999, 20_001)},
		Extent:     citekit.Extent{Modality: citekit.Text, Lines: 20_000, MediaType: "text/plain", Charset: "utf-8"},
	})
}
