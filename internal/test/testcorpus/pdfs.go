package testcorpus

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/citekit/citekit/internal/test/pdftest"
)

// An entry is an outline entry: its level from 1, its title as spelled in the file, and
// its page.
type entry struct {
	level int
	title string
	page  int
}

// A report is a PDF with pages of prose. Page n has its number, and lines that no other
// page has.
type report struct {
	pages   int
	outline []entry
	labels  string                // the number tree of page labels, or ""
	named   bool                  // destinations have names
	catalog string                // further entries of the catalog
	page    func(n int) string    // further entries of page n
	content func(n int) string    // replaces the prose, or nil
	fonts   string                // further fonts
	extra   func(f *pdftest.File) // adds objects first
	pack    bool
}

const letter = "/MediaBox [0 0 612 792]"

var subjects = strings.Fields("harbour ledger orchard engine lantern archive meadow signal turbine charter voyage pattern quarry margin bridge census")

func prose(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "BT /F1 18 Tf 72 700 Td (Part %d of the report) Tj ET\n", n)
	for line := range 12 {
		a, c := subjects[(n*7+line*3)%len(subjects)], subjects[(n*5+line*11+3)%len(subjects)]
		fmt.Fprintf(&b, "BT /F1 11 Tf 72 %d Td (Line %d of page %d tells how the %s came to the %s in the year %d.) Tj ET\n", 660-16*line, line+1, n, a, c, 1500+n*12+line)
	}
	return b.String()
}

func (r report) bytes() []byte {
	f := &pdftest.File{Packed: r.pack}
	if r.extra != nil {
		r.extra(f)
	}
	root, tree := f.Reserve(), f.Reserve()
	font := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	pages := make([]int, r.pages)
	for i := range pages {
		pages[i] = f.Reserve()
	}
	for i, num := range pages {
		text := prose(i + 1)
		if r.content != nil {
			text = r.content(i + 1)
		}
		content, more := "", ""
		if text != "" {
			content = fmt.Sprintf("/Contents %d 0 R", f.Deflate("", []byte(text)))
		}
		if r.page != nil {
			more = r.page(i + 1)
		}
		if !strings.Contains(more, "/MediaBox") {
			more += " " + letter
		}
		f.Set(num, "<< /Type /Page /Parent %d 0 R %s /Resources << /Font << /F1 %d 0 R %s >> >> %s >>", tree, content, font, r.fonts, more)
	}
	f.Set(tree, "<< /Type /Pages /Kids [%s] /Count %d >>", refs(pages), len(pages))
	catalog := r.catalog
	if len(r.outline) > 0 {
		catalog += fmt.Sprintf(" /Outlines %d 0 R", r.entries(f, pages))
	}
	if r.named {
		var names strings.Builder
		for i, page := range pages {
			fmt.Fprintf(&names, "(p%03d) [%d 0 R /XYZ 0 792 0] ", i+1, page)
		}
		catalog += fmt.Sprintf(" /Names << /Dests << /Names [%s] >> >>", names.String())
	}
	if r.labels != "" {
		catalog += " /PageLabels << /Nums [" + r.labels + "] >>"
	}
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R %s >>", tree, catalog)
	f.Root(root)
	return f.Bytes()
}

func refs(nums []int) string {
	var b strings.Builder
	for _, n := range nums {
		fmt.Fprintf(&b, "%d 0 R ", n)
	}
	return b.String()
}

// entries adds the outline and returns the number of its root.
func (r report) entries(f *pdftest.File, pages []int) int {
	root := f.Reserve()
	nums := make([]int, len(r.outline))
	for i := range nums {
		nums[i] = f.Reserve()
	}
	links := make(map[int]*struct{ parent, prev, next, first, last int })
	get := func(n int) *struct{ parent, prev, next, first, last int } {
		if links[n] == nil {
			links[n] = &struct{ parent, prev, next, first, last int }{}
		}
		return links[n]
	}
	open := []int{root}
	for i, e := range r.outline {
		open = open[:e.level]
		parent := open[e.level-1]
		l := get(nums[i])
		l.parent, l.prev = parent, get(parent).last
		if l.prev != 0 {
			get(l.prev).next = nums[i]
		} else {
			get(parent).first = nums[i]
		}
		get(parent).last = nums[i]
		open = append(open, nums[i])
	}
	link := func(key string, num int) string {
		if num == 0 {
			return ""
		}
		return fmt.Sprintf(" /%s %d 0 R", key, num)
	}
	for i, e := range r.outline {
		l := get(nums[i])
		dest := fmt.Sprintf("/Dest [%d 0 R /XYZ 0 792 0]", pages[e.page-1])
		switch {
		case r.named:
			dest = fmt.Sprintf("/Dest (p%03d)", e.page)
		case i%3 == 2:
			dest = fmt.Sprintf("/A << /S /GoTo /D [%d 0 R /Fit] >>", pages[e.page-1])
		}
		title := e.title
		if title == "" || title[0] != '<' {
			title = "(" + title + ")"
		}
		count := ""
		if l.first != 0 {
			count = " /Count -1"
		}
		f.Set(nums[i], "<< /Title %s %s%s%s%s%s%s%s >>", title, dest, link("Parent", l.parent), link("Prev", l.prev), link("Next", l.next), link("First", l.first), link("Last", l.last), count)
	}
	l := get(root)
	f.Set(root, "<< /Type /Outlines%s%s /Count %d >>", link("First", l.first), link("Last", l.last), len(r.outline))
	return root
}

// steps returns an outline of chapters with sections below them.
func steps(pages, chapters, sections int) []entry {
	var list []entry
	each := pages / chapters
	for c := range chapters {
		list = append(list, entry{1, fmt.Sprintf("%d. On the %s", c+1, subjects[c%len(subjects)]), c*each + 1})
		for s := range sections {
			list = append(list, entry{2, fmt.Sprintf("%d.%d The %s again", c+1, s+1, subjects[(c+s+5)%len(subjects)]), c*each + min(s, each-1) + 1})
		}
	}
	return list
}

// bookLabels has all styles of page labels, ranges without a style, and prefixes.
const bookLabels = "0 << /P () >> 2 << /S /r >> 7 << /S /D >> 11 << /S /D /St 5 /P (A-) >> 15 << /S /R /St 3 >> 20 << /S /a >> 24 << /S /A /St 27 >> 28 << /P (Index) >>"

func (m *maker) pdfs() {
	book := report{pages: 30, outline: steps(30, 6, 3), labels: bookLabels}
	m.write("pdf/outline-and-page-labels.pdf", book.bytes())
	m.structuredPDFs(book)
	m.outlinedPDFs()
	m.pagePDFs()
	m.damagedPDFs()
	m.foreignPDFs()
	m.write("pdf/manual-bzip2.pdf", pdftest.Manual(38))
}

func (m *maker) qpdf(name, from string, args ...string) {
	m.run("qpdf", append(append([]string{"--deterministic-id"}, args...), "pdf/"+from, "pdf/"+name)...)
}

// encrypt encrypts with qpdf, whose output differs each time.
func (m *maker) encrypt(name, user, bits string, more ...string) {
	args := append([]string{"--allow-weak-crypto", "--encrypt", user, "master", bits}, more...)
	m.run("qpdf", append(args, "--", "pdf/outline-and-page-labels.pdf", "pdf/"+name)...)
}

// structuredPDFs writes the same book in each structure that a file may have.
func (m *maker) structuredPDFs(book report) {
	m.encrypt("encrypted-owner-only-rc4.pdf", "", "128", "--use-aes=n")
	m.encrypt("encrypted-owner-only-aes256.pdf", "", "256")
	m.encrypt("encrypted-user-pw.pdf", "view", "128", "--use-aes=n")
	m.encrypt("encrypted-user-pw-aes256.pdf", "view", "256")
	m.qpdf("linearized-objstm-30p.pdf", "outline-and-page-labels.pdf", "--linearize", "--object-streams=generate")
	m.write("pdf/three.pdf", report{pages: 3}.bytes())
	m.qpdf("linearized-3p.pdf", "three.pdf", "--linearize")
	m.write("pdf/one.pdf", report{pages: 1}.bytes())
	m.qpdf("objstm-xrefstm.pdf", "one.pdf", "--object-streams=generate")
	m.write("pdf/hybrid-xref.pdf", hybrid(book.bytes()))
	m.write("pdf/incremental-updates.pdf", updated(updated(report{pages: 30, labels: bookLabels}.bytes(), 4), 9))
	m.write("pdf/leading-junk.pdf", append([]byte("\r\n%junk that a mail program left\r\n"), m.read("pdf/encrypted-owner-only-rc4.pdf")...))
	m.write("pdf/pdf20-offset-start.pdf", append([]byte("MIME-Version: 1.0\n\n"), bytes.Replace(m.read("pdf/one.pdf"), []byte("%PDF-1.7"), []byte("%PDF-2.0"), 1)...))
	m.remove("pdf/one.pdf", "pdf/three.pdf")
}

func (m *maker) outlinedPDFs() {
	m.write("pdf/outline-nested.pdf", report{pages: 9, outline: steps(9, 3, 2)}.bytes())
	deep := []entry{{1, "One", 1}, {2, "One and a half", 1}, {3, "A detail", 1}, {3, "Another detail", 2}, {2, "The rest of one", 2}, {1, "Two", 3}, {2, "Before", 3},
		{2, "After", 3}, {3, "Long after", 4}, {1, "Three", 4}, {2, "Last things", 5}, {1, "Four", 5}}
	five := report{pages: 5, outline: deep}.bytes()
	m.write("pdf/outline-5pages-damaged-xref.pdf", bytes.Replace(five, []byte("xref\n0 "), []byte("xref\n7 "), 1))
	m.write("pdf/outline-named-dests.pdf", report{pages: 30, outline: steps(30, 10, 2), named: true, labels: "0 << /P (0) >> 1 << /S /R >>"}.bytes())
	looped := report{pages: 30, outline: steps(30, 5, 0)}.bytes()
	m.write("pdf/outline-with-loop.pdf", sameSize(looped, " /Prev ", " /Next ", 4)) // the last entry leads back to the previous one
	m.write("pdf/outline-circular.pdf", report{pages: 2, catalog: "/Outlines 1 0 R", extra: func(f *pdftest.File) {
		f.Add("<< /Type /Outlines /First 2 0 R /Last 2 0 R /Count 1 >>")
		f.Add("<< /Title (Round) /Parent 1 0 R /Dest [6 0 R /Fit] /First 3 0 R /Last 3 0 R >>")
		f.Add("<< /Title (and round) /Parent 2 0 R /Dest [6 0 R /Fit] /First 2 0 R /Last 2 0 R >>")
	}}.bytes())
	titles := []entry{{1, "<EFBBBF4765736368696368746520C3BC62657220C384706665>", 1}, {1, "<FEFF041304340435>", 1}}
	two := report{pages: 1, outline: titles, labels: "0 << /S /r /P (Prefix) >>"}.bytes()
	m.write("pdf/pdf20-utf8-titles.pdf", bytes.Replace(two, []byte("%PDF-1.7"), []byte("%PDF-2.0"), 1))
	m.write("pdf/name with #hash and space.pdf", report{pages: 1, outline: []entry{{1, "Only one", 1}}}.bytes())
	m.write("pdf/verapdf-a006.pdf", report{pages: 1, outline: []entry{{1, "Archived", 1}}}.bytes())
	m.write("pdf/page-labels-11.pdf", report{pages: 11, labels: "0 << /P (pre-) >> 4 << /S /r /St 4 >> 8 << /S /a /St 16 >>"}.bytes())
}

// sameSize replaces the nth occurrence of a word by one of the same length.
func sameSize(data []byte, old, new string, nth int) []byte {
	out := bytes.Clone(data)
	at := 0
	for i := 0; ; i++ {
		next := bytes.Index(out[at:], []byte(old))
		if next < 0 {
			return out
		}
		at += next
		if i+1 == nth {
			copy(out[at:], new)
			return out
		}
		at += len(old)
	}
}

func (m *maker) pagePDFs() {
	turns := []int{0, 90, 180, 270, 0, 90}
	m.write("pdf/rotated-6p.pdf", report{pages: 6, page: func(n int) string { return fmt.Sprintf("/Rotate %d", turns[n-1]) }}.bytes())
	inherited := report{pages: 1}.bytes()
	inherited = bytes.Replace(inherited, []byte("/Type /Pages "), []byte("/Type /Pages /Rotate 90 /CropBox [10 10 600 780] "), 1)
	m.write("rotate.pdf", inherited)
	m.run("qpdf", "--deterministic-id", "--warning-exit-0", "rotate.pdf", "pdf/rotate-inherited.pdf")
	m.remove("rotate.pdf")
	sizes := []string{"[0 0 612 792]", "[0 0 842 595]", "[0 0 297.5 420.9]"}
	m.write("pdf/page-sizes-mixed.pdf", report{pages: 3, page: func(n int) string { return "/MediaBox " + sizes[n-1] }}.bytes())
	m.write("pdf/page-no-content.pdf", report{pages: 3, content: func(n int) string {
		if n == 2 {
			return ""
		}
		return prose(n)
	}}.bytes())
	m.write("pdf/form-two-pages.pdf", m.form("", 2))
	m.write("pdf/form-xfa.pdf", m.form("/XFA 4 0 R", 1))
	m.write("pdf/cjk-japanese-form.pdf", m.form("", 2))
	m.write("pdf/attachments.pdf", report{pages: 1, labels: "0 << /S /D >>", catalog: "/Names << /EmbeddedFiles << /Names [(note.txt) 2 0 R] >> >>", extra: func(f *pdftest.File) {
		file := f.Stream("/Type /EmbeddedFile /Params << /Size 5 >>", []byte("hello"))
		f.Add("<< /Type /Filespec /F (note.txt) /UF (note.txt) /EF << /F %d 0 R >> >>", file)
	}}.bytes())
	m.write("pdf/launch-action.pdf", report{pages: 1, catalog: "/OpenAction << /S /Launch /F (calc.exe) >>",
		page: func(int) string {
			return "/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 99 99] /A << /S /Launch /F (calc.exe) >> >>]"
		}}.bytes())
	m.write("pdf/tagged-multipage.pdf", report{pages: 2, catalog: "/MarkInfo << /Marked true >> /StructTreeRoot 1 0 R /Lang (en)",
		page:    func(n int) string { return fmt.Sprintf("/StructParents %d", n-1) },
		content: func(n int) string { return "/P << /MCID 0 >> BDC\n" + prose(n) + "EMC\n" },
		extra: func(f *pdftest.File) { // pages are the objects 9 and 10
			f.Add("<< /Type /StructTreeRoot /K [2 0 R] /ParentTree 5 0 R >>")
			f.Add("<< /Type /StructElem /S /Document /P 1 0 R /K [3 0 R 4 0 R] >>")
			f.Add("<< /Type /StructElem /S /P /P 2 0 R /Pg 9 0 R /K 0 >>")
			f.Add("<< /Type /StructElem /S /P /P 2 0 R /Pg 10 0 R /K 0 >>")
			f.Add("<< /Nums [0 [3 0 R] 1 [4 0 R]] >>")
		}}.bytes())
	m.scan()
}

// form is a document with text fields on every page.
func (m *maker) form(more string, pages int) []byte {
	r := report{pages: pages, catalog: "/AcroForm 1 0 R",
		page: func(n int) string { return fmt.Sprintf("/Annots [%d 0 R]", n+1) },
		extra: func(f *pdftest.File) {
			f.Add("<< /Fields [2 0 R 3 0 R] /DA (/Helv 0 Tf 0 g) %s >>", more)
			for n := range 2 {
				f.Add("<< /Type /Annot /Subtype /Widget /FT /Tx /T (field%d) /V (value %d) /Rect [72 72 300 90] /F 4 /DA (/Helv 10 Tf 0 g) >>", n+1, n+1)
			}
			f.Stream("", []byte("<xdp:xdp xmlns:xdp=\"http://ns.adobe.com/xdp/\"></xdp:xdp>"))
		}}
	if pages == 2 {
		r.outline = []entry{{1, "The form", 1}, {1, "Its back", 2}}
	}
	return r.bytes()
}

// scan writes a document of two pages that are pictures.
func (m *maker) scan() {
	var pictures [][]byte
	for n := range 2 {
		pictures = append(pictures, colourJPEG(page(fmt.Sprintf("Scanned page %d", n+1), "Nothing here is text.")))
	}
	m.write("pdf/scanned-2p-no-text.pdf", report{pages: 2,
		content: func(int) string { return "q 612 0 0 792 0 0 cm /Im Do Q" },
		page:    func(n int) string { return fmt.Sprintf("/Resources << /XObject << /Im %d 0 R >> >>", n) },
		extra: func(f *pdftest.File) {
			for _, picture := range pictures {
				f.Stream("/Type /XObject /Subtype /Image /Width 1224 /Height 1584 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode", picture)
			}
		}}.bytes())
}

func (m *maker) damagedPDFs() {
	one := report{pages: 1}.bytes()
	m.write("pdf/damaged-xref-recoverable.pdf", bytes.Replace(one, []byte("xref\n0 "), []byte("xref\n3 "), 1))
	start := bytes.LastIndex(one, []byte("startxref"))
	m.write("pdf/damaged-rebuild-xref.pdf", append(bytes.Clone(one[:start]), "startxref\n17\n%%EOF\n"...))
	m.write("pdf/corrupted.pdf", append([]byte("%PDF-1.4\n"), junk(3000)...))
	m.write("pdf/not-a-pdf-5-bytes.pdf", []byte("hello"))
	kids := func(data []byte, new string) []byte {
		return bytes.Replace(data, []byte("/Kids [4 0 R ]"), []byte(new), 1)
	}
	m.write("pdf/pages-tree-loop.pdf", moved(kids(one, "/Kids [4 0 R 2 0 R]")))
	m.write("pdf/pages-tree-deep.pdf", moved(kids(one, "/Kids [2 0 R]")))
	shared := report{pages: 1, extra: func(f *pdftest.File) { f.Add("<< /Type /Pages /Kids [5 0 R] >>") }}.bytes() // a node in two places of the tree
	shared = bytes.Replace(shared, []byte("/Kids [5 0 R ] /Count 1"), []byte("/Kids [1 0 R 1 0 R]"), 1)
	m.write("pdf/no-page-count.pdf", moved(shared))
	m.write("pdf/lying-page-count.pdf", moved(bytes.Replace(one, []byte("/Count 1"), []byte("/Count 9999999999"), 1)))
}

// moved rewrites the table of a file whose objects were edited.
func moved(data []byte) []byte {
	table := bytes.LastIndex(data, []byte("xref\n0 "))
	body, trailer := data[:table], data[bytes.LastIndex(data, []byte("trailer")):bytes.LastIndex(data, []byte("startxref"))]
	var b bytes.Buffer
	b.Write(body)
	n := 1
	var entries strings.Builder
	for {
		at := bytes.Index(body, fmt.Appendf(nil, "\n%d 0 obj\n", n))
		if at < 0 {
			break
		}
		fmt.Fprintf(&entries, "%010d 00000 n \n", at+1)
		n++
	}
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%s%sstartxref\n%d\n%%%%EOF\n", n, entries.String(), trailer, table)
	return b.Bytes()
}

// updated appends an incremental update that replaces a content stream.
func updated(data []byte, object int) []byte {
	previous := bytes.LastIndex(data, []byte("\nxref\n")) + 1
	trailer := data[bytes.LastIndex(data, []byte("trailer\n<<"))+len("trailer\n<<") : bytes.LastIndex(data, []byte(">>\nstartxref"))]
	if prev := bytes.Index(trailer, []byte("/Prev")); prev >= 0 {
		trailer = trailer[:prev]
	}
	content := bytes.Index(data, fmt.Appendf(nil, "\n%d 0 obj\n", object)) + 1
	end := bytes.Index(data[content:], []byte("endobj\n")) + content + len("endobj\n")
	out := bytes.Clone(data)
	at := len(out)
	out = append(out, data[content:end]...)
	table := len(out)
	return fmt.Appendf(out, "xref\n%d 1\n%010d 00000 n \ntrailer\n<<%s/Prev %d >>\nstartxref\n%d\n%%%%EOF\n", object, at, trailer, previous, table)
}

// hybrid moves the outline of a file into an object stream that only a cross-reference
// stream lists, beside the table.
func hybrid(data []byte) []byte {
	table := bytes.LastIndex(data, []byte("xref\n0 "))
	rows := bytes.Split(data[table:], []byte("\n"))
	var hidden []int
	var index, objects bytes.Buffer
	for n := 1; ; n++ {
		at := bytes.Index(data, fmt.Appendf(nil, "\n%d 0 obj\n", n))
		if at < 0 {
			break
		}
		text := data[at+len(fmt.Sprintf("\n%d 0 obj\n", n)):]
		text = text[:bytes.Index(text, []byte("endobj"))]
		if !bytes.HasPrefix(text, []byte("<< /Title")) {
			continue
		}
		hidden = append(hidden, n)
		fmt.Fprintf(&index, "%d %d ", n, objects.Len())
		objects.Write(text)
		rows[2+n] = []byte("0000000000 00000 f ")
	}
	var b bytes.Buffer
	b.Write(data[:table])
	count := 0
	fmt.Sscanf(string(rows[1]), "0 %d", &count)
	stream, cross := count, count+1
	streamAt := b.Len()
	body := append(index.Bytes(), objects.Bytes()...)
	fmt.Fprintf(&b, "%d 0 obj\n<< /Type /ObjStm /N %d /First %d /Length %d >>\nstream\n%s\nendstream\nendobj\n", stream, len(hidden), index.Len(), len(body), body)
	crossAt := b.Len()
	var pairs strings.Builder
	var entries []byte
	for i, n := range hidden {
		fmt.Fprintf(&pairs, "%d 1 ", n)
		entries = append(entries, 2, byte(stream>>8), byte(stream), byte(i>>8), byte(i))
	}
	fmt.Fprintf(&b, "%d 0 obj\n<< /Type /XRef /Size %d /W [1 2 2] /Index [%s] /Length %d >>\nstream\n%s\nendstream\nendobj\n", cross, count+2, pairs.String(), len(entries), entries)
	newTable := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n", count+2)
	for _, row := range rows[2 : 2+count] {
		b.Write(row)
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%010d 00000 n \n%010d 00000 n \n", streamAt, crossAt)
	trailer := data[bytes.LastIndex(data, []byte("/Root")):bytes.LastIndex(data, []byte(">>\nstartxref"))]
	fmt.Fprintf(&b, "trailer\n<< /Size %d %s /XRefStm %d >>\nstartxref\n%d\n%%%%EOF\n", count+2, trailer, crossAt, newTable)
	return b.Bytes()
}

// foreignPDFs writes text in other scripts, in fonts that are not embedded.
func (m *maker) foreignPDFs() {
	hebrew := func(f *pdftest.File) {
		var ranges strings.Builder
		for i := range 26 {
			fmt.Fprintf(&ranges, "<%02X> <%04X>\n", 'a'+i, 0x5d0+i)
		}
		unicode := f.Stream("", []byte("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n1 begincodespacerange <00> <FF> endcodespacerange\n26 beginbfchar\n"+ranges.String()+"endbfchar endcmap end end"))
		f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode %d 0 R >>", unicode)
	}
	m.write("pdf/rtl-hebrew.pdf", report{pages: 1, extra: hebrew, fonts: "/F2 2 0 R",
		content: func(int) string { return "BT /F2 18 Tf 72 700 Td (mely abcd) Tj ET" }}.bytes())
	m.write("pdf/cjk-noembed-sjis.pdf", report{pages: 1, fonts: "/F2 1 0 R",
		content: func(int) string {
			return "BT /F1 12 Tf 72 730 Td (In Japanese:) Tj /F2 18 Tf 0 -30 Td <93FA967B8CEA> Tj ET"
		},
		extra: func(f *pdftest.File) {
			f.Add("<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /90ms-RKSJ-H /DescendantFonts [2 0 R] >>")
			f.Add("<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /FontDescriptor 3 0 R >>")
			f.Add("<< /Type /FontDescriptor /FontName /Ryumin-Light /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>")
		}}.bytes())
}
