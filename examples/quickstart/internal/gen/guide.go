package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/citekit/citekit/internal/test/pdftest"
)

// A page of the guide: its heading and its paragraph.
type page struct {
	heading, text string
}

var pages = []page{
	{"A Short Guide to Tides", "Twice on most days the sea climbs the harbour wall and twice it slides away. This guide tells in six pages why it does, how far, and how to read a tide table."},
	{"1. The Pull of the Moon", "The Moon draws the near side of the Earth a little harder than its middle, and the middle a little harder than the far side. Water follows: it heaps up under the Moon and opposite to it. As the Earth turns, a coast passes through both heaps."},
	{"2. Spring and Neap", "The Sun does the same with less than half the strength. At new and full moon both pull along one line and the range is widest: spring tide. At the quarters they pull across each other and the range is smallest: neap tide."},
	{"2.1 How Far", "In the open ocean the range is less than a metre. A bay that narrows can raise it tenfold; an almost closed sea may hide it in the waves."},
	{"3. Reading a Table", "A table gives for each day the times and heights of high and low water. In the second quarter of the time between them about a quarter of the range runs, in the middle half of that time about two thirds."},
	{"4. Leave in Time", "Know when the water turns before you walk out. The flood comes first through the channels behind you, and it does not wait."},
}

// heading of the outline: the page it leads to, and its children.
type bookmark struct {
	page     int
	children []int
}

var outline = []bookmark{{page: 1}, {page: 2, children: []int{3}}, {page: 4}, {page: 5}}

// guide returns a PDF of six pages with an outline.
func guide() ([]byte, error) {
	var f pdftest.File
	catalog, tree := f.Reserve(), f.Reserve()
	body := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>")
	bold := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>")
	var numbers []int
	for i, p := range pages {
		content := f.Stream("", pageContent(p, i+1))
		numbers = append(numbers, f.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 420 595] /Contents %d 0 R /Resources << /Font << /F1 %d 0 R /F2 %d 0 R >> >> >>",
			tree, content, body, bold))
	}
	f.Set(tree, "<< /Type /Pages /Count %d /Kids [%s] >>", len(numbers), references(numbers))
	f.Set(catalog, "<< /Type /Catalog /Pages %d 0 R /Outlines %d 0 R /Lang (en) >>", tree, addOutline(&f, numbers))
	f.Root(catalog)
	return f.Bytes(), nil
}

func references(numbers []int) string {
	var b strings.Builder
	for i, n := range numbers {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%d 0 R", n)
	}
	return b.String()
}

const lineLength = 62 // characters

func pageContent(p page, number int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "BT /F2 18 Tf 48 520 Td (%s) Tj ET\n", p.heading)
	b.WriteString("BT /F1 12 Tf 17 TL 48 484 Td\n")
	for _, line := range lines(p.text) {
		fmt.Fprintf(&b, "(%s) Tj T*\n", line)
	}
	fmt.Fprintf(&b, "ET\nBT /F1 10 Tf 206 40 Td (%d) Tj ET\n", number)
	return b.Bytes()
}

func lines(text string) []string {
	var all []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > lineLength {
			all = append(all, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(all, line)
}

// addOutline adds the outline and returns the number of its root.
func addOutline(f *pdftest.File, pageNumbers []int) int {
	root := f.Reserve()
	top := make([]int, len(outline))
	for i := range outline {
		top[i] = f.Reserve()
	}
	for i, mark := range outline {
		entries := siblings(top, i)
		if len(mark.children) > 0 {
			below := make([]int, len(mark.children))
			for k := range below {
				below[k] = f.Reserve()
			}
			for k, child := range mark.children {
				f.Set(below[k], "%s", item(child, top[i], pageNumbers, siblings(below, k)))
			}
			entries += fmt.Sprintf(" /First %d 0 R /Last %d 0 R /Count %d", below[0], below[len(below)-1], len(below))
		}
		f.Set(top[i], "%s", item(mark.page, root, pageNumbers, entries))
	}
	f.Set(root, "<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>", top[0], top[len(top)-1], len(pages)-1)
	return root
}

func item(page, parent int, pageNumbers []int, entries string) string {
	return fmt.Sprintf("<< /Title (%s) /Parent %d 0 R /Dest [%d 0 R /Fit]%s >>", pages[page].heading, parent, pageNumbers[page], entries)
}

func siblings(items []int, i int) string {
	var b strings.Builder
	if i > 0 {
		fmt.Fprintf(&b, " /Prev %d 0 R", items[i-1])
	}
	if i < len(items)-1 {
		fmt.Fprintf(&b, " /Next %d 0 R", items[i+1])
	}
	return b.String()
}
