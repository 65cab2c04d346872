package text_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
)

// naive splits data into lines, as the package comment defines them. Data has
// one byte for each unit; sampled of these are in the first 64 KB.
func naive(data []byte, sampled int) [][]byte {
	alone, pairs, lf := 0, 0, 0
	sample := data[:min(len(data), sampled)]
	for i, b := range sample {
		next := i+1 < len(sample) && sample[i+1] == '\n'
		switch {
		case b == '\r' && next:
			pairs++
		case b == '\r' && (i+1 < len(sample) || len(sample) == len(data)):
			alone++
		case b == '\n' && (i == 0 || sample[i-1] != '\r'):
			lf++
		}
	}
	cr := lf == 0 && alone > pairs
	var all [][]byte
	start := 0
	for i, b := range data {
		next := i+1 < len(data) && data[i+1] == '\n'
		if b == '\n' || cr && b == '\r' && !next {
			all = append(all, data[start:i+1])
			start = i + 1
		}
	}
	if start < len(data) {
		all = append(all, data[start:])
	}
	return all
}

// widen makes units of width bytes out of those of one.
func widen(data []byte, width int, order binary.AppendByteOrder) []byte {
	var wide []byte
	for _, b := range data {
		switch width {
		case 1:
			wide = append(wide, b)
		case 2:
			wide = order.AppendUint16(wide, uint16(b))
		default:
			wide = order.AppendUint32(wide, uint32(b))
		}
	}
	return wide
}

func FuzzLines(f *testing.F) {
	for _, seed := range []string{"", "a\nb\nc", "a\r\nb\r\n", "a\rb\rc\r\r\n", "\n\r\n\r\r", "\xe9\n\xff\r", "a\x00\n"} {
		f.Add([]byte(seed), 1, 2, uint16(0), uint8(0))
	}
	f.Add([]byte("a\r\nb\n"), 2, 2, uint16(65_530), uint8(1))
	f.Add([]byte("a\rb\r\r\n"), 1, 3, uint16(65_533), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, first, last int, padding uint16, kind uint8) {
		data = append(bytes.Repeat([]byte("\r\rx"), int(padding)/3), data...)
		width := 1
		if kind%5 > 0 {
			data = bytes.Map(func(r rune) rune { return r%0x5f + 0x20 }, bytes.ToValidUTF8(data, nil))
			data = append(bytes.ReplaceAll(data, []byte("!"), []byte("\r")), '"')
			data = bytes.ReplaceAll(data, []byte("\""), []byte("\n"))
			width = 1 << ((kind%5 + 1) / 2)
		}
		var order binary.AppendByteOrder = binary.LittleEndian
		if kind%2 == 0 {
			order = binary.BigEndian
		}
		checkSplit(t, data, width, order, lines(first, last))
	})
}

// checkSplit compares a request with the naive splitter.
func checkSplit(t *testing.T, data []byte, width int, order binary.AppendByteOrder, loc citekit.Location) {
	t.Helper()
	wide, sampled := data, 64<<10
	if width > 1 {
		sampled = sampled/width - 1 // without the mark
		wide = widen(data, width, order)
		mark := map[int]string{2: "\xff\xfe", 4: "\xff\xfe\x00\x00"}[width]
		if order.String() == "BigEndian" {
			mark = map[int]string{2: "\xfe\xff", 4: "\x00\x00\xfe\xff"}[width]
		}
		wide = append([]byte(mark), wide...)
	}
	if width == 1 && isWide(wide) {
		return // it is UTF-16, too
	}
	want := naive(data, sampled)
	got, _, err := resolve(t.Context(), new(text.Resolver), source("a", wide), loc)
	switch {
	case err == nil:
	case loc.Validate() != nil || errors.Is(err, citekit.ErrFormat) && bytes.IndexByte(wide, 0) >= 0 && width == 1:
		return
	case errors.Is(err, citekit.ErrRange) && (loc.Lines.Last > len(want)):
		return
	default:
		t.Fatalf("lines %v of %d: %v", loc.Lines, len(want), err)
	}
	if loc.Lines.IsZero() {
		if !bytes.Equal(got, wide) {
			t.Fatalf("the whole has %d bytes, want %d", len(got), len(wide))
		}
		return
	}
	part := widen(bytes.Join(want[loc.Lines.First-1:loc.Lines.Last], nil), width, order)
	if width > 1 && loc.Lines.First == 1 {
		part = append(bytes.Clone(wide[:width]), part...)
	}
	if !bytes.Equal(got, part) {
		t.Fatalf("lines %v: got %d bytes %.40q, want %d bytes %.40q", loc.Lines, len(got), got, len(part), part)
	}
}

// isWide reports whether data is declared to have units of more than a byte.
func isWide(data []byte) bool {
	extent, err := new(text.Resolver).Measure(context.Background(), source("a", data))
	return err == nil && len(extent.Charset) > 5 && (extent.Charset[:6] == "utf-16" || extent.Charset[:6] == "utf-32")
}

// checkEnds checks that the decoded text has the lines that the bytes have.
func checkEnds(t *testing.T, data []byte, extent citekit.Extent, decoded string) {
	t.Helper()
	if bytes.IndexByte(data, '\r') >= 0 {
		return // it may end lines or not
	}
	n := strings.Count(decoded, "\n")
	if len(decoded) > 0 && !strings.HasSuffix(decoded, "\n") {
		n++
	}
	if n != extent.Lines && len(decoded) > 0 {
		t.Fatalf("%d lines in %s are %d as text", extent.Lines, extent.Charset, n)
	}
}

// FuzzDetect checks that any bytes are text with a charset, lines that add up
// and text in UTF-8, or refused.
func FuzzDetect(f *testing.F) {
	for _, seed := range []string{
		"", "\xff\xfe", "\xff\xfe\x00\x00", "\xfe\xff\xd8\x00", "a\x00b\x00\n\x00", "\x00a\x00\n", "\xef\xbb\xbf", "\x93\xfa\x96\x7b\n",
		"\xb0\xa1\xb0\xa1", "\x1b$B\n\x1b$B$\n", "\x1b$)C\n\x0e0\n!\x0f", "charset=iso-2022-jp \xff\x1b$B \r", "a\x00b\x00c\x00d\x00\n\x00\x00\xd8\n\x00", "\xa4\xa4\xa4\xa4\n", "\xe9t\xe9", "charset=big5\n\xa4\xa4", "\xd8\x00\x00\x00\n\x00\x00\x00", "\xc3",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := new(text.Resolver)
		src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "a", Size: int64(len(data)), Identity: "i"})
		extent, err := r.Measure(t.Context(), src)
		if err != nil {
			if !errors.Is(err, citekit.ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		var joined []byte
		for n := 1; n <= extent.Lines; n++ {
			line, x, err := resolve(t.Context(), r, src, lines(n, n))
			if err != nil || len(line) == 0 || x.Charset == "" {
				t.Fatalf("line %d of %d: %q, %v", n, extent.Lines, line, err)
			}
			joined = append(joined, line...)
		}
		if !bytes.Equal(joined, data) {
			t.Fatalf("the lines are not the source")
		}
		var all strings.Builder
		last := 0
		for run, err := range r.ReadText(t.Context(), src, citekit.Location{Modality: citekit.Text}) {
			if err != nil || !utf8.ValidString(run.Text) {
				t.Fatalf("text %q, %v", run.Text, err)
			}
			last = run.Location.Lines.Last
			all.WriteString(run.Text)
		}
		if last != extent.Lines && all.Len() > 0 {
			t.Fatalf("the text ends with line %d of %d", last, extent.Lines)
		}
		checkEnds(t, data, extent, all.String())
	})
}
