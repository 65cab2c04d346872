package handover

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// A face is a font of a file with the glyphs that are used of it. The fonts of Go have the
// letters of Latin, Greek and Cyrillic, that of Droid those of Chinese, Japanese and Korean.
type face struct {
	name  string // in the file, such as "F1"
	base  string // such as "GoRegular"
	data  []byte
	font  *sfnt.Font
	buf   sfnt.Buffer
	used  map[sfnt.GlyphIndex]rune
	other func() *face // has further letters
}

var (
	parseRegular = sync.OnceValues(func() (*sfnt.Font, error) { return sfnt.Parse(goregular.TTF) })
	parseBold    = sync.OnceValues(func() (*sfnt.Font, error) { return sfnt.Parse(gobold.TTF) })
	parseMono    = sync.OnceValues(func() (*sfnt.Font, error) { return sfnt.Parse(gomono.TTF) })
	parseDroid   = sync.OnceValues(func() (*sfnt.Font, error) {
		data, err := unzipDroid()
		if err != nil {
			return nil, err
		}
		return sfnt.Parse(data)
	})
)

//go:embed droid/DroidSansFallback.ttf.gz
var droidFallback []byte

// unzipDroid returns the font of Droid, which few texts need.
var unzipDroid = sync.OnceValues(func() ([]byte, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(droidFallback))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unzipped)
})

func newFace(name, base string, data []byte, parse func() (*sfnt.Font, error)) (*face, error) {
	parsed, err := parse()
	return &face{name: name, base: base, data: data, font: parsed, used: make(map[sfnt.GlyphIndex]rune)}, err
}

// unitsPerEm is what the widths of fonts in PDF are counted in.
const unitsPerEm = 1000

// glyph returns the glyph of a character; 0 if the font has none.
func (f *face) glyph(r rune) sfnt.GlyphIndex {
	g, err := f.font.GlyphIndex(&f.buf, r)
	if err != nil {
		return 0
	}
	return g
}

// advance returns the width of a glyph in thousandths of the size of the font.
func (f *face) advance(g sfnt.GlyphIndex) int {
	w, err := f.font.GlyphAdvance(&f.buf, g, fixed.I(unitsPerEm), font.HintingNone)
	if err != nil {
		return 0
	}
	return w.Round()
}

// A cluster is a character of a text as it is shown.
type cluster struct {
	r      rune
	shown  string // r, or its code if no font has it
	face   *face
	width  float64
	marked bool // as words of a quote
}

// isShown reports whether a character is drawn by its glyph. Combining marks, and what
// turns or hides text, are shown as their codes.
func (f *face) isShown(r rune) bool {
	return r == ' ' || unicode.IsPrint(r) && !unicode.Is(unicode.M, r) && f.glyph(r) != 0
}

// clusters returns the characters of a line of text of a size.
func (f *face) clusters(text string, size float64, marked bool) []cluster {
	var all []cluster
	for _, r := range text {
		c := cluster{r: r, shown: string(r), face: f, marked: marked}
		switch {
		case r == '\t':
			c.shown = "    "
		case unicode.IsSpace(r) && r != '\n':
			c.shown = " "
		case r == '\n':
			c.shown = ""
		case f.isShown(r):
		case unicode.IsPrint(r) && f.other().isShown(r):
			c.face = f.other()
		case r > 0xFFFF:
			c.shown = fmt.Sprintf(`\U%08X`, r)
		default:
			c.shown = fmt.Sprintf(`\u%04X`, r)
		}
		for _, s := range c.shown {
			c.width += float64(c.face.advance(c.face.glyph(s))) * size / unitsPerEm
		}
		all = append(all, c)
	}
	return all
}

// coded reports whether a line has characters that are shown as codes.
func coded(line []cluster) bool {
	return slices.ContainsFunc(line, func(c cluster) bool { return strings.HasPrefix(c.shown, `\`) && c.r != '\\' })
}

// writeLine returns the operators that show a line of a size at the current place. Where
// characters are shown as codes, the line says what it stands for, so that copying and
// searching find the characters.
func writeLine(line []cluster, size float64) string {
	var b, actual strings.Builder
	for i, c := range line {
		if i == 0 || c.face != line[i-1].face {
			fmt.Fprintf(&b, "/%s %v Tf <", c.face.name, size)
		}
		actual.WriteRune(c.r)
		for _, r := range c.shown {
			g := c.face.glyph(r)
			c.face.used[g] = r
			fmt.Fprintf(&b, "%04X", g)
		}
		if i+1 == len(line) || c.face != line[i+1].face {
			b.WriteString("> Tj ")
		}
	}
	if coded(line) {
		return fmt.Sprintf("/Span <</ActualText %s>> BDC %sEMC ", text(strings.TrimSuffix(actual.String(), "\n")).PDFString(), b.String())
	}
	return b.String()
}

// object adds the font with its used glyphs to a file.
func (f *face) object(file *pdfFile) (types.IndirectRef, error) {
	subset, err := subsetTrueType(f.data, f.used)
	if err != nil {
		return types.IndirectRef{}, err
	}
	glyphs := slices.Sorted(maps.Keys(f.used))
	var widths types.Array
	var names strings.Builder
	for _, g := range glyphs {
		widths = append(widths, types.Integer(g), types.Array{types.Integer(f.advance(g))})
	}
	names.WriteString("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def /CMapName /Adobe-Identity-UCS def /CMapType 2 def 1 begincodespacerange <0000> <FFFF> endcodespacerange\n")
	for some := range slices.Chunk(glyphs, 100) {
		fmt.Fprintf(&names, "%d beginbfchar\n", len(some))
		for _, g := range some {
			fmt.Fprintf(&names, "<%04X> <", g)
			for _, u := range utf16.Encode([]rune{f.used[g]}) {
				fmt.Fprintf(&names, "%04X", u)
			}
			names.WriteString(">\n")
		}
		names.WriteString("endbfchar\n")
	}
	names.WriteString("endcmap CMapName currentdict /CMap defineresource pop end end\n")
	bounds, err := f.font.Bounds(&f.buf, fixed.I(unitsPerEm), font.HintingNone)
	if err != nil {
		return types.IndirectRef{}, err
	}
	base := types.Name("CITEKT+" + f.base)
	descriptor := file.add(types.Dict{
		"Type": types.Name("FontDescriptor"), "FontName": base, "Flags": types.Integer(4), "ItalicAngle": types.Integer(0), "StemV": types.Integer(80),
		"FontBBox": types.Array{types.Integer(bounds.Min.X.Floor()), types.Integer(-bounds.Max.Y.Ceil()), types.Integer(bounds.Max.X.Ceil()), types.Integer(-bounds.Min.Y.Floor())},
		"Ascent":   types.Integer(-bounds.Min.Y.Floor()), "Descent": types.Integer(-bounds.Max.Y.Ceil()), "CapHeight": types.Integer(700),
		"FontFile2": file.deflated(types.Dict{"Length1": types.Integer(len(subset))}, subset),
	})
	descendant := file.add(types.Dict{
		"Type": types.Name("Font"), "Subtype": types.Name("CIDFontType2"), "BaseFont": base, "FontDescriptor": descriptor, "W": widths, "DW": types.Integer(unitsPerEm),
		"CIDSystemInfo": types.Dict{"Registry": types.StringLiteral("Adobe"), "Ordering": types.StringLiteral("Identity"), "Supplement": types.Integer(0)},
		"CIDToGIDMap":   types.Name("Identity"),
	})
	return file.add(types.Dict{
		"Type": types.Name("Font"), "Subtype": types.Name("Type0"), "BaseFont": base, "Encoding": types.Name("Identity-H"),
		"DescendantFonts": types.Array{descendant}, "ToUnicode": file.deflated(types.Dict{}, []byte(names.String())),
	}), nil
}

// kept are the tables of a TrueType font that a font in PDF has (9.9).
var kept = []string{"cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "prep"}

var errFont = errors.New("a font of the program cannot be read")

// subsetTrueType returns a font that has the outlines of some glyphs and of those that
// they are composed of, by the same numbers.
func subsetTrueType(data []byte, used map[sfnt.GlyphIndex]rune) ([]byte, error) {
	tables := make(map[string][]byte)
	if len(data) < 12 {
		return nil, errFont
	}
	for i := range int(binary.BigEndian.Uint16(data[4:])) {
		record := data[12+16*i:]
		from, n := int(binary.BigEndian.Uint32(record[8:])), int(binary.BigEndian.Uint32(record[12:]))
		tables[string(record[:4])] = data[from : from+n]
	}
	head := slices.Clone(tables["head"])
	if len(head) < 54 || len(tables["maxp"]) < 6 {
		return nil, errFont
	}
	count, long := int(binary.BigEndian.Uint16(tables["maxp"][4:])), binary.BigEndian.Uint16(head[50:]) == 1
	outline := func(g int) []byte {
		at := func(i int) int {
			if long {
				return int(binary.BigEndian.Uint32(tables["loca"][4*i:]))
			}
			return 2 * int(binary.BigEndian.Uint16(tables["loca"][2*i:]))
		}
		return tables["glyf"][at(g):at(g+1)]
	}
	wanted := map[int]bool{0: true}
	var add func(g int)
	add = func(g int) {
		if g >= count || wanted[g] && g != 0 {
			return
		}
		wanted[g] = true
		for _, part := range components(outline(g)) {
			add(part)
		}
	}
	for g := range used {
		add(int(g))
	}
	var glyphs []byte
	places := make([]byte, 0, 4*(count+1))
	for g := range count {
		places = binary.BigEndian.AppendUint32(places, uint32(len(glyphs)))
		if wanted[g] {
			glyphs = append(glyphs, outline(g)...)
			for len(glyphs)%4 != 0 {
				glyphs = append(glyphs, 0)
			}
		}
	}
	tables["loca"], tables["glyf"] = binary.BigEndian.AppendUint32(places, uint32(len(glyphs))), glyphs
	binary.BigEndian.PutUint16(head[50:], 1)
	binary.BigEndian.PutUint32(head[8:], 0)
	tables["head"] = head
	return writeTrueType(tables), nil
}

// components returns the glyphs that an outline is composed of.
func components(outline []byte) (parts []int) {
	if len(outline) < 10 || int16(binary.BigEndian.Uint16(outline)) >= 0 {
		return nil
	}
	for rest := outline[10:]; len(rest) >= 4; {
		flags := binary.BigEndian.Uint16(rest)
		parts = append(parts, int(binary.BigEndian.Uint16(rest[2:])))
		size := 6
		if flags&1 != 0 {
			size += 2
		}
		switch {
		case flags&8 != 0:
			size += 2
		case flags&0x40 != 0:
			size += 4
		case flags&0x80 != 0:
			size += 8
		}
		if flags&0x20 == 0 || len(rest) < size {
			break
		}
		rest = rest[size:]
	}
	return parts
}

// writeTrueType returns a font file of tables.
func writeTrueType(tables map[string][]byte) []byte {
	var names []string
	for _, name := range kept {
		if tables[name] != nil {
			names = append(names, name)
		}
	}
	power, log := 1, 0
	for power*2 <= len(names) {
		power, log = power*2, log+1
	}
	out := []byte{0, 1, 0, 0}
	for _, v := range []int{len(names), 16 * power, log, 16 * (len(names) - power)} {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	var body bytes.Buffer
	start := len(out) + 16*len(names)
	for _, name := range names {
		data := tables[name]
		padded := slices.Concat(data, make([]byte, (4-len(data)%4)%4))
		var sum uint32
		for i := 0; i < len(padded); i += 4 {
			sum += binary.BigEndian.Uint32(padded[i:])
		}
		out = append(out, name...)
		for _, v := range []uint32{sum, uint32(start + body.Len()), uint32(len(data))} {
			out = binary.BigEndian.AppendUint32(out, v)
		}
		body.Write(padded)
	}
	return append(out, body.Bytes()...)
}
