package pdftest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// A Hostile file is small, and keeps a reader busy for long that reads a
// thing as often as it is referred to.
type Hostile struct {
	Name string
	Data []byte
}

// A value is large and stands in an object of its own.
type value struct {
	name string
	add  func(*File) int
}

// values are of so many entries.
func values(n int) []value {
	var entries strings.Builder
	for i := range n {
		fmt.Fprintf(&entries, "/A%d 1", i)
	}
	return []value{
		{"array", func(f *File) int { return f.Add("[%s]", strings.Repeat("1 ", n)) }},
		{"nested", func(f *File) int { return f.Add("[%s]", strings.Repeat("[[]]", n/2)) }},
		{"dict", func(f *File) int { return f.Add("<<%s>>", entries.String()) }},
		{"string", func(f *File) int { return f.Add("(%s)", strings.Repeat("a", 2*n)) }},
		{"stream", func(f *File) int { return f.Deflate("/X 1", bytes.Repeat([]byte("a "), 100*n)) }},
	}
}

// A place is where a reference to a value may stand, many times. It is put
// into a document of one page.
type place struct {
	name string
	put  func(d *onePage, big, n int)
}

// A onePage is a document of one page in the making: each part is spelled out
// as the entries of a dictionary.
type onePage struct {
	*File
	root, tree, page, content int
	catalog, node, entries    string
}

var places = []place{
	{"pages", func(d *onePage, big, n int) {
		d.entries += fmt.Sprintf("/X %d 0 R", big)
		d.node = "/Kids [" + strings.Repeat(fmt.Sprintf("%d 0 R ", d.page), n) + "]"
	}},
	{"kids", func(d *onePage, big, n int) {
		d.node = fmt.Sprintf("/Kids [%d 0 R %s]", d.page, strings.Repeat(fmt.Sprintf("%d 0 R ", big), n))
	}},
	{"shared kids", func(d *onePage, big, n int) {
		kids := d.many(n, func(int) string { return fmt.Sprintf("<< /Type /Pages /Kids %d 0 R >>", big) })
		d.node = fmt.Sprintf("/Kids [%d 0 R %s]", d.page, kids)
	}},
	{"inherited", func(d *onePage, big, n int) {
		kids := d.many(n, func(int) string { return "<< /Type /Page >>" })
		d.node = fmt.Sprintf("/MediaBox %d 0 R /Resources %d 0 R /Rotate %d 0 R /Kids [%d 0 R %s]", big, big, big, d.page, kids)
	}},
	{"contents", func(d *onePage, big, n int) {
		d.entries += "/Contents [" + strings.Repeat(fmt.Sprintf("%d 0 R ", big), n) + "]"
	}},
	{"resources", func(d *onePage, big, n int) {
		var fonts strings.Builder
		for i := range n {
			fmt.Fprintf(&fonts, "/F%d %d 0 R", i, big)
		}
		d.entries += fmt.Sprintf("/Resources << /Font <<%s>> /XObject <<%s>> /ColorSpace %d 0 R /Pattern %d 0 R >>", fonts.String(), fonts.String(), big, big)
	}},
	{"annotations", func(d *onePage, big, n int) {
		d.entries += "/Annots [" + strings.Repeat(fmt.Sprintf("%d 0 R ", big), n) + "]"
	}},
	{"parts of annotations", func(d *onePage, big, n int) {
		d.entries += "/Annots [" + d.many(n, func(i int) string {
			key := []string{"Rect", "A", "Dest", "Parent", "Popup", "Kids", "AP", "Contents", "FT", "V"}[i%10]
			return fmt.Sprintf("<< /Type /Annot /Subtype /Widget /%s %d 0 R >>", key, big)
		}) + "]"
	}},
	{"parents", func(d *onePage, big, n int) {
		first := len(d.objects) + 1
		fields := d.many(n, func(i int) string {
			return fmt.Sprintf("<< /Subtype /Widget /Parent %d 0 R /Kids %d 0 R /X %d 0 R >>", first+min(i+1, n-1), big, big)
		})
		d.entries += "/Annots [" + fields + "]"
		d.catalog += "/AcroForm << /Fields [" + fields + fmt.Sprintf("] /DR %d 0 R >>", big)
	}},
	{"named destinations", func(d *onePage, big, n int) {
		leaf := d.Add("<< /Names [%s] >>", strings.Repeat(fmt.Sprintf("(a) %d 0 R ", big), n))
		node := d.Add("<< /Limits %d 0 R /Kids [%s] >>", big, strings.Repeat(fmt.Sprintf("%d 0 R ", leaf), n))
		d.catalog += fmt.Sprintf("/Names << /Dests << /Kids [%s] >> >> /Dests %d 0 R", strings.Repeat(fmt.Sprintf("%d 0 R ", node), n), big)
		d.entries += "/Annots [" + d.many(n, func(i int) string {
			return fmt.Sprintf("<< /Subtype /Link /A << /S /GoTo /D (z%d) >> >>", i)
		}) + "]"
		d.outline(n, func(i int) string { return fmt.Sprintf("/Dest (z%d)", i) })
	}},
	{"labels", func(d *onePage, big, n int) {
		leaf := d.Add("<< /Nums [%s] >>", strings.Repeat(fmt.Sprintf("0 %d 0 R ", big), n))
		d.catalog += fmt.Sprintf("/PageLabels << /Nums %d 0 R /Kids [%s] >>", big, strings.Repeat(fmt.Sprintf("%d 0 R ", leaf), n))
	}},
	{"outline", func(d *onePage, big, n int) {
		d.outline(n, func(i int) string {
			return fmt.Sprintf("/%s %d 0 R", []string{"Dest", "A", "C", "SE", "First", "Title"}[i%6], big)
		})
	}},
	{"outline below itself", func(d *onePage, big, n int) {
		first := len(d.objects) + 1
		d.outline(n, func(int) string { return fmt.Sprintf("/First %d 0 R /X %d 0 R", first, big) })
	}},
	{"filters", func(d *onePage, big, n int) {
		d.entries += "/Contents [" + d.manyStreams(n, fmt.Sprintf("/Filter %d 0 R", big)) + "]"
	}},
	{"parameters", func(d *onePage, big, n int) {
		d.entries += "/Contents [" + d.manyStreams(n, fmt.Sprintf("/Filter /ASCIIHexDecode /DecodeParms %d 0 R", big)) + "]"
	}},
	{"information", func(d *onePage, big, n int) {
		d.catalog += fmt.Sprintf("/Metadata %d 0 R /Lang %d 0 R /Version %d 0 R", big, big, big)
	}},
	{"layers", func(d *onePage, big, n int) {
		list := strings.Repeat(fmt.Sprintf("%d 0 R ", big), n)
		d.catalog += fmt.Sprintf("/OCProperties << /OCGs [%s] /D << /ON [%s] /Order %d 0 R >> >>", list, list, big)
		d.entries += fmt.Sprintf("/Y %d 0 R", big)
	}},
	{"structure", func(d *onePage, big, n int) {
		d.catalog += fmt.Sprintf("/StructTreeRoot << /K [%s] >>", strings.Repeat(fmt.Sprintf("%d 0 R ", big), n))
		d.entries += "/Z [" + strings.Repeat(fmt.Sprintf("%d 0 R ", big), n) + "]"
	}},
}

// many adds n objects and returns references to them.
func (d *onePage) many(n int, text func(i int) string) string {
	var refs strings.Builder
	for i := range n {
		fmt.Fprintf(&refs, "%d 0 R ", d.Add("%s", text(i)))
	}
	return refs.String()
}

func (d *onePage) manyStreams(n int, entries string) string {
	var refs strings.Builder
	for range n {
		fmt.Fprintf(&refs, "%d 0 R ", d.Stream(entries, []byte("00>")))
	}
	return refs.String()
}

// outline adds an outline of n items.
func (d *onePage) outline(n int, entries func(i int) string) {
	first := len(d.objects) + 1
	d.many(n, func(i int) string {
		return fmt.Sprintf("<< /Title (a) %s /Next %d 0 R >>", entries(i), first+i+1)
	})
	d.catalog += fmt.Sprintf("/Outlines << /First %d 0 R >>", first)
}

func newOnePage(packed bool) *onePage {
	d := &onePage{File: &File{Packed: packed}}
	d.root, d.tree, d.page = d.Reserve(), d.Reserve(), d.Reserve()
	d.content = d.Stream("", []byte("BT /F 12 Tf 72 700 Td (Hello world) Tj ET"))
	d.node = fmt.Sprintf("/Kids [%d 0 R]", d.page)
	return d
}

func (d *onePage) bytes() []byte {
	d.Set(d.root, "<< /Type /Catalog /Pages %d 0 R %s >>", d.tree, d.catalog)
	d.Set(d.tree, "<< /Type /Pages %s >>", d.node)
	content := fmt.Sprintf("/Contents %d 0 R", d.content)
	if strings.Contains(d.entries, "/Contents [") {
		content = ""
	}
	d.Set(d.page, "<< /Type /Page /MediaBox [0 0 612 792] %s %s >>", content, d.entries)
	d.Root(d.root)
	return d.Bytes()
}

// HostileFiles returns files in which large values, of n entries, are reached
// n times: from each place alone, and from several at random.
func HostileFiles(n int) []Hostile {
	var files []Hostile
	random := rand.New(rand.NewPCG(3, 4))
	for i, p := range places {
		for j, v := range values(n) {
			d := newOnePage((i+j)%2 == 0)
			p.put(d, v.add(d.File), n)
			files = append(files, Hostile{Name: p.name + " of " + v.name, Data: d.bytes()})
		}
	}
	for i := range 8 {
		d := newOnePage(i%2 == 0)
		name := "random"
		for _, at := range random.Perm(len(places))[:3] {
			v := values(n)[random.IntN(5)]
			places[at].put(d, v.add(d.File), n/3)
			name += ", " + places[at].name + " of " + v.name
		}
		files = append(files, Hostile{Name: name, Data: d.bytes()})
	}
	return append(files, floods(n)...)
}

// floods are files without cross-reference data in which something is said
// very often.
func floods(n int) []Hostile {
	var files []Hostile
	for _, word := range []string{
		"1 0 obj<<", "1 0 obj(", "1 0 obj[", "1 0 obj<</Type/Catalog(", "1 0 obj<</Type/Catalog/Pages 1 0 R>>",
		"endobj ", "obj ", "1 0 obj ", "trailer<<", "trailer<</Root(", "trailer<</Root 1 0 R>>", "xref 0 9 ", "startxref 9 ",
		"1 0 obj<</Type/ObjStm/N 9/First 9/Length 9 0 R>>stream\n", "1 0 obj<</Type/XRef/Length 9 9 R>>stream\n",
		"stream\n", "endstream ", "%PDF-1.7\n", "<<", "((((", "#", "Catalog ", "XRef ObjStm ",
	} {
		flood := strings.Repeat(word, 20*n)
		files = append(files,
			Hostile{Name: "flood of " + word, Data: []byte("%PDF-1.7\n" + flood)},
			Hostile{Name: "catalog and flood of " + word, Data: []byte("%PDF-1.7\n7 0 obj<</Type/Catalog/Pages 8 0 R>>endobj 8 0 obj<</Kids[9 0 R]>>endobj 9 0 obj<</Type/Page>>endobj\n" + flood)},
		)
	}
	for _, format := range []string{"%d 0 obj 1 endobj ", "%d 0 obj<</Type/Catalog>>endobj ", "%d 0 obj<</Type/ObjStm/N 1/First 9/Length 9>>stream\n"} {
		var b bytes.Buffer
		b.WriteString("%PDF-1.7\n")
		for i := range 20 * n {
			fmt.Fprintf(&b, format, 8388607-i)
		}
		files = append(files, Hostile{Name: "numbers of " + format, Data: b.Bytes()})
	}
	return append(files, Hostile{Name: "sections", Data: sections(n)}, Hostile{Name: "strings in strings", Data: Within(n)})
}

// Wasted returns files in which decoding much fails, or gives too much, as often
// as something refers to it: object streams, their chains, and content.
func Wasted() []Hostile {
	const size, times = 16 << 20, 500
	bomb := deflate(make([]byte, size))
	damaged := deflate(bomb[:len(bomb)-8])

	streams := newOnePage(false)
	for i := range times {
		streams.Stream(fmt.Sprintf("/Type /ObjStm /N 1 /First 4 /Extends %d 0 R /Filter [/FlateDecode /FlateDecode]", i+3), damaged)
	}
	data := streams.bytes()
	lost := append(bytes.Clone(data[:bytes.LastIndex(data, []byte("\nxref"))]), "\ntrailer<</Root 1 0 R>>"...)

	content := newOnePage(true)
	long := content.Deflate("", bytes.Repeat([]byte(" "), 8<<20))
	content.node = "/Kids [" + content.many(20*times, func(int) string {
		return fmt.Sprintf("<< /Type /Page /MediaBox [0 0 612 792] /Contents %d 0 R >>", long)
	}) + "]"

	labels := newOnePage(true)
	prefix := labels.Add("(%s)", strings.Repeat("a", 1<<19))
	labels.node = "/Kids [" + strings.Repeat(fmt.Sprintf("%d 0 R ", labels.page), 100*times) + "]"
	labels.Set(labels.content, "null")
	var ranges strings.Builder
	for i := range 100 * times {
		fmt.Fprintf(&ranges, "%d << /S /r /St %d /P %d 0 R >>", i, 1+i%9000, prefix)
	}
	labels.catalog = "/PageLabels << /Nums [" + ranges.String() + "] >>"

	return []Hostile{
		{Name: "damaged object streams", Data: lost},
		{Name: "content that is too long", Data: content.bytes()},
		{Name: "labels with a long prefix", Data: labels.bytes()},
	}
}

// sections returns a file with n sections of cross-reference data that share
// one table.
func sections(n int) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	first := b.Len()
	b.WriteString(strings.Repeat("xref %", n) + "\n")
	fmt.Fprintf(&b, "0 %d\n%s", n, strings.Repeat("0000000009 00000 n \n", n))
	fmt.Fprintf(&b, "trailer<</Root 1 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n", first+6, first)
	return b.Bytes()
}

// Within returns a file of n objects. Each holds all later ones.
func Within(n int) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n")
	offsets := []int{9}
	var kids strings.Builder
	for i := range n {
		fmt.Fprintf(&kids, "%d 0 R ", i+3)
	}
	offsets = append(offsets, b.Len())
	fmt.Fprintf(&b, "2 0 obj<</Kids[%s]>>endobj\n", kids.String())
	for i := range n {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj(", i+3)
	}
	b.WriteString(strings.Repeat(")", n))
	start := b.Len()
	fmt.Fprintf(&b, "\nxref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start+1)
	return b.Bytes()
}

// Dense returns a file of many pages that share one content with very many
// characters, each placed alone.
func Dense(pages, lines int) []byte {
	var content bytes.Buffer
	content.WriteString("BT /F 1 Tf ")
	for i := range lines {
		fmt.Fprintf(&content, "1 0 0 1 %d %d Tm (Figure 1: abc abc)Tj ", i%500, i%780)
	}
	content.WriteString("ET")
	f := &File{}
	root, tree := f.Reserve(), f.Reserve()
	stream := f.Deflate("", content.Bytes())
	font := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	var kids strings.Builder
	for range pages {
		fmt.Fprintf(&kids, "%d 0 R ", f.Add("<< /Type /Page /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F %d 0 R >> >> >>", stream, font))
	}
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R >>", tree)
	f.Set(tree, "<< /Type /Pages /Count %d /Kids [%s] >>", pages, kids.String())
	f.Root(root)
	return f.Bytes()
}
