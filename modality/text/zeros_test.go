package text_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text"
)

// torn returns a log of so many lines with zero bytes from at to end.
func torn(lines, at, end int) string {
	var b bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&b, "2024-05-06 07:08:09 host daemon[%d]: größer — entry %d of many\n", i, i)
	}
	log := b.Bytes()
	clear(log[min(at, len(log)):min(end, len(log))])
	return string(log)
}

// TestZeroBytes has text with zero bytes, whose lines end with LF as if the
// zeros were letters.
func TestZeroBytes(t *testing.T) {
	sharedtest.Once(t)
	for name, data := range map[string]string{
		"the sample":             "a\x00b\nsecond\x00\nthird\n",
		"one":                    "text\nwith one\x00\n",
		"five of a log":          torn(100, 2000, 2005),
		"within a character":     torn(3, 40, 41),
		"the first page":         torn(1000, 0, 4096),
		"a page":                 torn(1000, 4096, 8192),
		"the last block":         torn(1000, 60_000, 1<<20),
		"more than is looked at": torn(3000, 0, 70_000),
		"odd":                    torn(100, 0, 4097),
		"every other byte":       torn(2, 0, 1) + "a\x00b\x00\nplain\n",
		"ends of records":        "name\x00value\x00\nother\x00thing\x00\n",
		"ASCII then UTF-16":      strings.Repeat("plain line\n", 40) + string(utf16le("wide line\n")),
		"Latin-1":                strings.Repeat("caf\xe9 ol\xe9\n", 20) + "\x00\x00\x00\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := new(text.Resolver)
			want := bytes.SplitAfter([]byte(data), []byte("\n"))
			if len(want[len(want)-1]) == 0 {
				want = want[:len(want)-1]
			}
			extent, err := r.Measure(t.Context(), source("a.log", data))
			if err != nil || extent.Lines != len(want) {
				t.Fatalf("%d lines, %v; want %d", extent.Lines, err, len(want))
			}
			for _, n := range []int{1, 2, len(want)/2 + 1, len(want)} {
				got, _, err := resolve(t.Context(), r, source("a.log", data), lines(n, n))
				if err != nil || !bytes.Equal(got, want[n-1]) {
					t.Errorf("line %d: %q, %v; want %q", n, got, err, want[n-1])
				}
			}
			checkMapped(t, r, data, len(want))
		})
	}
}

// checkMapped maps a text and checks that the nodes lie within so many lines
// and that titles show no zero bytes.
func checkMapped(t *testing.T, r *text.Resolver, data string, lines int) {
	t.Helper()
	s, err := r.Map(t.Context(), source("a.log", data), citekit.MapRequest{Modality: citekit.Text})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range s.Nodes {
		if n.Location.Lines.Last > lines || strings.Contains(n.Title+n.Summary, "\x00") {
			t.Errorf("node %q of lines %v of %d", n.Title, n.Location.Lines, lines)
		}
	}
}

// TestDeclared reads what looks binary, but is said to be text.
func TestDeclared(t *testing.T) {
	data := "\x7fELF\x02\x01\n\x00\x01\x02\nend\n"
	open := func(declared citekit.Modality) *citekit.Source {
		return citekit.NewSource(strings.NewReader(data), citekit.SourceInfo{
			Name: "a", Size: int64(len(data)), Identity: "i", Declared: declared})
	}
	r := new(text.Resolver)
	got, _, err := resolve(t.Context(), r, open(citekit.Text), lines(2, 2))
	if err != nil || string(got) != "\x00\x01\x02\n" {
		t.Errorf("line 2: %q, %v", got, err)
	}
	if extent, err := r.Measure(t.Context(), open(citekit.Text)); err != nil || extent.Lines != 3 {
		t.Errorf("%d lines, %v", extent.Lines, err)
	}
	if _, err := r.Map(t.Context(), open(citekit.Text), citekit.MapRequest{Modality: citekit.Text}); err != nil {
		t.Error(err)
	}
	for _, declared := range []citekit.Modality{"", citekit.Image} {
		_, _, err := resolve(t.Context(), r, open(declared), lines(2, 2))
		if !errors.Is(err, citekit.ErrFormat) || !strings.Contains(err.Error(), "--type text") {
			t.Errorf("declared %q: %v", declared, err)
		}
	}
}

// TestWideWithoutMark has UTF-16 and UTF-32 that only its characters tell.
func TestWideWithoutMark(t *testing.T) {
	russian, greek := "Привет, мир!\nКак дела?\n", "Καλημέρα κόσμε\nΤι κάνεις;\n"
	hebrew, korean := "שלום עולם\nמה שלומך?\n", koreanText
	for name, tt := range map[string]struct {
		data  []byte
		want  string
		lines int
	}{
		"short":         {utf16le("Hi there\n2\n"), "utf-16le", 2},
		"big-endian":    {utf16be("Hi there\n2\n"), "utf-16be", 2},
		"Russian":       {utf16le(russian), "utf-16le", 2},
		"Greek":         {utf16be(greek), "utf-16be", 2},
		"Hebrew":        {utf16le(hebrew), "utf-16le", 2},
		"Korean":        {utf16be(korean), "utf-16be", 2},
		"Japanese":      {utf16le(japaneseText), "utf-16le", 2},
		"Chinese":       {utf16be(simplified), "utf-16be", 2},
		"odd":           {append(utf16le(german), 'x'), "utf-16le", 3},
		"Russian, 32":   {utf32(binary.LittleEndian, russian), "utf-32le", 2},
		"Hebrew, 32":    {utf32(binary.BigEndian, hebrew), "utf-32be", 2},
		"Japanese, 32":  {utf32(binary.LittleEndian, japaneseText), "utf-32le", 2},
		"Chinese, 32":   {utf32(binary.BigEndian, simplified[:60]), "utf-32be", 1},
		"mixed":         {utf16le(manyScripts), "utf-16le", 14},
		"mixed, CRLF":   {utf16be(strings.ReplaceAll(manyScripts, "\n", "\r\n")), "utf-16be", 14},
		"mixed, 32":     {utf32(binary.BigEndian, manyScripts), "utf-32be", 14},
		"begins ASCII":  {utf16le("id;name\n1;" + simplified), "utf-16le", 3},
		"with zeros":    {append(utf16le(german), append(make([]byte, 512), utf16le(german)...)...), "utf-16le", 4},
		"too short":     {[]byte("a\x00\n\x00"), "utf-8", 2},
		"ASCII in pair": {[]byte("ab\x00cd\nef\x00gh\n"), "utf-8", 2},
	} {
		extent, err := new(text.Resolver).Measure(t.Context(), source("a", tt.data))
		if err != nil || extent.Charset != tt.want || extent.Lines != tt.lines {
			t.Errorf("%s: %s, %d lines, %v; want %s, %d", name, extent.Charset, extent.Lines, err, tt.want, tt.lines)
		}
		if extent.CharsetGuessed != (tt.want != "utf-8") {
			t.Errorf("%s: guessed %v", name, extent.CharsetGuessed)
		}
	}
}

// manyScripts is text that changes its script from line to line.
var manyScripts = german + russian + greek + hebrew + japaneseText + koreanText + "Numbers: 1, 2, 3\n" + polish[:43] + "\n"

// TestZerosAreNotWide has texts of every kind of encoding with zero bytes in
// them, which must not be taken for UTF-16 or UTF-32: their lines stay what
// they are.
func TestZerosAreNotWide(t *testing.T) {
	sharedtest.NotShort(t)
	for name, tt := range map[string]struct {
		text string
		e    encoding.Encoding
	}{
		"UTF-8":        {manyScripts, unicode.UTF8},
		"ISO 8859-1":   {german, charmap.ISO8859_1},
		"windows-1251": {russian, charmap.Windows1251},
		"KOI8-R":       {russian, charmap.KOI8R},
		"IBM 866":      {russian, charmap.CodePage866},
		"ISO 8859-7":   {greek, charmap.ISO8859_7},
		"ISO 8859-8":   {hebrew, charmap.ISO8859_8},
		"Shift JIS":    {japaneseText, japanese.ShiftJIS},
		"EUC-JP":       {japaneseText, japanese.EUCJP},
		"EUC-KR":       {koreanText, korean.EUCKR},
		"GB 2312":      {simplified, simplifiedchinese.GBK},
		"Big5":         {traditional, traditionalchinese.Big5},
	} {
		t.Run(name, func(t *testing.T) {
			counts := []int{2, 40}
			if sharedtest.Long() {
				counts = []int{1, 2, 5, 40, 200}
			}
			for _, end := range []string{"\n", "\r\n", "\n\x00"} {
				data := encoded(t, tt.e, strings.Repeat(strings.ReplaceAll(tt.text, "\n", end), 20))
				random := rand.New(rand.NewPCG(7, 7))
				for _, zeros := range counts {
					checkZeros(t, fmt.Sprintf("%d zeros instead, lines end with %q", zeros, end), withZeros(data, zeros, random, false))
					checkZeros(t, fmt.Sprintf("%d zeros between, lines end with %q", zeros, end), withZeros(data, zeros, random, true))
				}
			}
		})
	}
}

// withZeros puts zero bytes into data or between its bytes.
func withZeros(data []byte, n int, random *rand.Rand, between bool) []byte {
	data = bytes.Clone(data)
	for range n {
		at := random.IntN(len(data))
		if between {
			data = append(data[:at], append([]byte{0}, data[at:]...)...)
		} else if data[at] != '\n' && data[at] != '\r' {
			data[at] = 0
		}
	}
	return data
}

// checkZeros checks that a text has as many lines as LFs.
func checkZeros(t *testing.T, name string, data []byte) {
	t.Helper()
	want := bytes.Count(data, []byte("\n"))
	if !bytes.HasSuffix(data, []byte("\n")) {
		want++
	}
	extent, err := new(text.Resolver).Measure(t.Context(), source("a", string(data)))
	if err != nil || extent.Lines != want || strings.HasPrefix(extent.Charset, "utf-16") || strings.HasPrefix(extent.Charset, "utf-32") {
		t.Errorf("%s: %s, %d lines, %v; want %d", name, extent.Charset, extent.Lines, err, want)
	}
}

// TestNumbersAreNotText has tables of numbers, whose zeros stand where those of
// UTF-16 and UTF-32 do.
func TestNumbersAreNotText(t *testing.T) {
	var random *rand.Rand
	for name, value := range map[string]func(i int) uint32{
		"counting":          func(i int) uint32 { return uint32(i) },
		"random":            func(int) uint32 { return random.Uint32N(1 << 16) },
		"below 0x3000":      func(int) uint32 { return random.Uint32N(0x3000) },
		"a walk":            func(i int) uint32 { return uint32(0x1800+i*7%0x600) * uint32(1-i%40/39) },
		"with line numbers": func(i int) uint32 { return []uint32{10, 32, random.Uint32N(1 << 16), random.Uint32N(1 << 16)}[i%4] },
	} {
		random = rand.New(rand.NewPCG(3, 3))
		for width := 2; width <= 4; width += 2 {
			var data []byte
			for i := range 4000 {
				if v := value(i); width == 2 {
					data = binary.LittleEndian.AppendUint16(data, uint16(v))
				} else {
					data = binary.BigEndian.AppendUint32(data, v)
				}
			}
			extent, err := new(text.Resolver).Measure(t.Context(), source("a", string(data)))
			if err == nil && strings.HasPrefix(extent.Charset, "utf-") {
				t.Errorf("%s, %d bytes each: %s, %d lines", name, width, extent.Charset, extent.Lines)
			}
		}
	}
}
