package pdftest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

const (
	sharedFonts   = 8
	linesPerPage  = 48
	pagesPerGroup = 20 // pages below one node of the page tree
	linksPerPage  = 6
)

// Manual returns a file that is built as the manuals of programs are: object
// streams, a balanced page tree, compressed content of some kilobytes on each
// page, one dictionary of resources for all pages with embedded fonts of some
// tens of kilobytes, an outline, and links between the pages. The first line
// of page n reads "Page n".
func Manual(pages int) []byte {
	f := &File{Packed: true}
	random := rand.New(rand.NewPCG(1, 2))
	root, tree, resources := f.Reserve(), f.Reserve(), f.manualResources(random)
	numbers := make([]int, pages)
	for i := range numbers {
		numbers[i] = f.Reserve()
	}
	nodes := f.manualTree(tree, numbers, resources)
	for i, num := range numbers {
		content := f.Deflate("", manualContent(random, i+1))
		f.Set(num, "<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Annots [%s] >>",
			nodes[i/pagesPerGroup], content, f.manualLinks(random, numbers))
	}
	outline := f.manualOutline(numbers)
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R /Outlines %d 0 R /PageMode /UseOutlines >>", tree, outline)
	f.Root(root)
	return f.Bytes()
}

// manualResources adds fonts with embedded programs and returns the number of
// the dictionary of resources.
func (f *File) manualResources(random *rand.Rand) int {
	var fonts strings.Builder
	for i := range sharedFonts {
		program := make([]byte, 30<<10)
		for j := range program {
			program[j] = byte(random.IntN(64))
		}
		// The program is no font that works; the standard font is used
		// instead of it, as its descriptor is only referred to.
		file := f.Deflate("/Length1 30720", program)
		info := f.Add("<< /FontFile %d 0 R >>", file)
		font := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /Program %d 0 R >>", info)
		fmt.Fprintf(&fonts, "/F%d %d 0 R ", i+1, font)
	}
	return f.Add("<< /Font << %s>> /ProcSet [/PDF /Text] >>", fonts.String())
}

// manualTree adds the page tree and returns the nodes just above the pages.
func (f *File) manualTree(root int, pages []int, resources int) []int {
	var nodes []int
	var kids strings.Builder
	for start := 0; start < len(pages); start += pagesPerGroup {
		group := pages[start:min(start+pagesPerGroup, len(pages))]
		var refs strings.Builder
		for _, num := range group {
			fmt.Fprintf(&refs, "%d 0 R ", num)
		}
		node := f.Add("<< /Type /Pages /Parent %d 0 R /Count %d /Kids [%s] >>", root, len(group), refs.String())
		nodes = append(nodes, node)
		fmt.Fprintf(&kids, "%d 0 R ", node)
	}
	f.Set(root, "<< /Type /Pages /Count %d /Resources %d 0 R /Kids [%s] >>", len(pages), resources, kids.String())
	return nodes
}

func (f *File) manualLinks(random *rand.Rand, pages []int) string {
	var refs strings.Builder
	for i := range linksPerPage {
		y := 700 - 40*i
		link := f.Add("<< /Type /Annot /Subtype /Link /Border [0 0 0] /Rect [72 %d 200 %d] /A << /S /GoTo /D [%d 0 R /XYZ 72 720 null] >> >>",
			y, y+12, pages[random.IntN(len(pages))])
		fmt.Fprintf(&refs, "%d 0 R ", link)
	}
	return refs.String()
}

func (f *File) manualOutline(pages []int) int {
	outline := f.Reserve()
	const step = 10 // pages of a section
	first := f.Reserve()
	num := first
	for i := 0; i < len(pages); i += step {
		next, link := 0, ""
		if i+step < len(pages) {
			next = f.Reserve()
			link = fmt.Sprintf("/Next %d 0 R", next)
		}
		f.Set(num, "<< /Title (Section %d) /Parent %d 0 R /Dest [%d 0 R /Fit] %s >>", i/step+1, outline, pages[i], link)
		if next != 0 {
			num = next
		}
	}
	f.Set(outline, "<< /Type /Outlines /First %d 0 R /Last %d 0 R >>", first, num)
	return outline
}

const letters = "etaoinshrdlucmfwyp"

// manualContent returns the content of a page: its number and lines of words
// in two of the fonts.
func manualContent(random *rand.Rand, page int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "BT /F1 18 Tf 72 740 Td (Page %d) Tj ET\nBT /F%d 10 Tf 72 716 Td 14 TL\n", page, 2+page%(sharedFonts-1))
	for range linesPerPage {
		b.WriteByte('(')
		for range 11 {
			for range 2 + random.IntN(7) {
				b.WriteByte(letters[random.IntN(len(letters))])
			}
			b.WriteByte(' ')
		}
		b.WriteString(") Tj T*\n")
	}
	b.WriteString("ET\n")
	return []byte(b.String())
}
