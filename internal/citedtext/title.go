package citedtext

import (
	"slices"
	"strings"
)

// withTitle adds a statement for the title of a link: the words behind its
// address, up to an offset of the text, in quotation marks or round brackets.
// They are quoted, as package citation writes them.
func (d *document) withTitle(c Citation, end int) Citation {
	from, to, ok := titleIn(d.text, c.To, end)
	if !ok {
		return c
	}
	p := Passage{From: from, To: to, Quoted: true}
	written := []byte(withoutQuotationMarks(d.text[from:to]))
	if p.Text = onOneLine(withoutMarks(written)); !strings.ContainsFunc(p.Text, isWord) {
		return c
	}
	if all := onOneLine(written); all != p.Text {
		p.Written = all
	}
	d.found.add([]Passage{p}, Passage{}, []Citation{c})
	c.titled = true
	return c
}

// titleIn returns the place of a title without its marks, in the part of a text
// that begins with the end of a target.
func titleIn(text string, from, to int) (start, end int, ok bool) {
	if from < to && text[from] == '>' {
		from++
	}
	rest := strings.TrimRight(text[from:to], " \t\r\n")
	title := strings.TrimLeft(rest, " \t\r\n>") // the target may end a line of a quotation
	if title == rest || len(title) < 2 {
		return 0, 0, false
	}
	marks := title[:1] + title[len(title)-1:]
	start = from + len(rest) - len(title) + 1
	return start, start + len(title) - 2, slices.Contains([]string{`""`, "''", "()"}, marks)
}

// withoutQuotationMarks returns a text without the marks of a block quotation
// before its lines.
func withoutQuotationMarks(text string) string {
	if !strings.Contains(text, "\n") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines[1:] {
		lines[i+1], _ = cutQuotationMarks(line)
	}
	return strings.Join(lines, "\n")
}

// untitled returns the citations without those whose quote is the title of their
// link.
func untitled(all []Citation) []Citation {
	return slices.DeleteFunc(slices.Clone(all), func(c Citation) bool { return c.titled })
}
