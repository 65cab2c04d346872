package pdf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
)

// A page is a page as PDFium reads it.
type page struct {
	pdfium.Layout
	number int // from 1
	read   bool

	// Properties of each line, kept so that they are computed only once.
	running   []bool   // it is a running head or foot
	letters   []string // of its text
	divisions []bool   // it is a line such as "Chapter 1"
	captions  []string // the node type of the caption that it may begin, or ""
	labels    []bool   // it stands within a drawing; nil until needed
}

// Limits on the data kept of the pages of a document: the rest is not read.
const (
	maxKeptLines = 100_000
	maxKeptText  = 32 << 20 // bytes
	maxSlow      = 3        // times that pages read together exceed the limits of PDFium
)

// layouts reads the layouts of pages, counted from 0. A page that PDFium cannot
// read is left unread. After a page that exceeds the limits of PDFium, or after
// the maximum number of kept lines, all further pages are left unread.
func (j *job) layouts(ctx context.Context, indexes []int, progress func(float64)) ([]page, error) {
	pages := make([]page, len(indexes))
	for i, index := range indexes {
		pages[i].number = index + 1
	}
	lines, text, slow := 0, 0, 0
	j.short = false
	for start := 0; start < len(pages); start += textPages {
		if j.short = j.short || lines >= maxKeptLines || text >= maxKeptText || slow >= maxSlow; j.short {
			break
		}
		batch := pages[start:min(start+textPages, len(pages))]
		j.pdfium.Grant(pdfium.Work(len(batch)) * pageWork)
		goOn, err := j.readLayouts(ctx, batch)
		if errors.Is(err, citekit.ErrTooLarge) {
			slow++
			err = nil
		}
		if err != nil {
			return nil, err
		}
		if progress != nil {
			progress(float64(start+len(batch)) / float64(len(pages)))
		}
		j.short = !goOn
		for i := range batch {
			lines += len(batch[i].Lines)
			for _, line := range batch[i].Lines {
				text += len(line.Text)
			}
		}
	}
	markLines(pages)
	return pages, nil
}

// readLayouts reads pages together, or each alone if that fails. It reports
// whether other pages may be tried. The error matches [citekit.ErrTooLarge] if
// the pages could be read, but not together; it is that of the context or the
// source if no page can be read.
func (j *job) readLayouts(ctx context.Context, pages []page) (goOn bool, err error) {
	layouts, err := j.layoutsOf(ctx, pages)
	if err == nil {
		for i := range pages {
			pages[i].Layout, pages[i].read = layouts[i], true
		}
		return true, nil
	}
	if ctx.Err() == nil && j.isExhausted() {
		return false, nil
	}
	err = known(ctx, err)
	tooLarge := errors.Is(err, citekit.ErrTooLarge)
	if !tooLarge && !errors.Is(err, citekit.ErrFormat) && !errors.Is(err, errors.ErrUnsupported) {
		return false, err
	}
	if len(pages) == 1 {
		return !tooLarge, nil
	}
	for i := range pages {
		if goOn, err := j.readLayouts(ctx, pages[i:i+1]); !goOn || err != nil {
			return goOn, err
		}
	}
	if tooLarge {
		return true, err
	}
	return true, nil
}

// layoutsOf returns the layouts of pages. PDFium gets only these.
func (j *job) layoutsOf(ctx context.Context, pages []page) ([]pdfium.Layout, error) {
	loc := citekit.Location{Modality: citekit.Document}
	for _, p := range pages {
		loc.Pages = append(loc.Pages, citekit.Range{First: p.number, Last: p.number})
	}
	loc = loc.WithPages(loc.Pages...)
	out, err := j.cut(ctx, loc)
	if err != nil {
		return nil, err
	}
	if out.Excessive() {
		return nil, fmt.Errorf("page content that is too long to read its text: %w", citekit.ErrTooLarge)
	}
	return j.pdfium.Layouts(ctx, out, out.Size(), firstIndexes(len(pages)), hasCaption)
}

// The places of running heads and feet, as fractions of the height of a page.
const (
	headZone = 0.12
	footZone = 0.88
)

// markLines computes the properties of lines that are needed more than once.
// Running heads and feet are lines near the edge that either have the same
// words, except for numbers, on three pages or more, or are only a number.
func markLines(pages []page) {
	on := map[string]int{} // number of pages with a text near the edge
	for i := range pages {
		seen := map[string]bool{}
		for _, line := range pages[i].Lines {
			if key := runningKey(line); key != "" && !seen[key] {
				seen[key] = true
				on[key]++
			}
		}
	}
	for i := range pages {
		p := &pages[i]
		n := len(p.Lines)
		p.running, p.letters, p.divisions, p.captions = make([]bool, n), make([]string, n), make([]bool, n), make([]string, n)
		for j, line := range p.Lines {
			p.running[j] = inMargin(line) && (on[runningKey(line)] >= 3 || isPageNumber(line.Text))
			p.letters[j] = letters(line.Text)
			p.divisions[j] = isDivision(line.Text)
			p.captions[j] = captionKind(line.Text)
		}
	}
}

func inMargin(line pdfium.Line) bool { return line.Box.Y2 < headZone || line.Box.Y1 > footZone }

// runningKey returns the common data of the lines of a running head: side, size
// and words; "" for lines elsewhere.
func runningKey(line pdfium.Line) string {
	if !inMargin(line) {
		return ""
	}
	words := strings.FieldsFunc(line.Text, func(c rune) bool { return !unicode.IsLetter(c) })
	words = slices.DeleteFunc(words, isRoman)
	return fmt.Sprintf("%v %.0f %s", line.Box.Y2 < headZone, line.Size, strings.ToLower(strings.Join(words, " ")))
}

func isRoman(word string) bool { return strings.Trim(word, "ivxlc") == "" }

// isPageNumber reports whether text is a number, with or without ornament.
func isPageNumber(text string) bool {
	text = strings.TrimFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	text = strings.TrimPrefix(strings.ToLower(text), "page ")
	return text == "" || isRoman(text) || strings.TrimFunc(text, unicode.IsDigit) == ""
}

// A measure describes how the running text of a document is set.
type measure struct {
	size   float64 // points
	weight int
	bold   bool
	gap    float64 // from line to line, in font sizes
}

// bodyOf returns the measure of most of the text.
func bodyOf(pages []page) measure {
	letters := map[measure]int{}
	for i := range pages {
		for j, line := range pages[i].Lines {
			if !pages[i].running[j] && line.Size > 0 {
				letters[measure{size: halves(line.Size), weight: line.Weight, bold: line.Bold}] += len(line.Text)
			}
		}
	}
	body := mostly(letters)
	gaps := map[measure]int{}
	for i := range pages {
		lines := pages[i].Lines
		for j := 1; j < len(lines); j++ {
			above, line := lines[j-1], lines[j]
			if gap := (line.Box.Y1 - above.Box.Y1) * pages[i].Height; gap > 0 && halves(line.Size) == body.size && halves(above.Size) == body.size {
				gaps[measure{gap: math.Round(gap/body.size*20) / 20}]++
			}
		}
	}
	body.gap = max(mostly(gaps).gap, 1)
	return body
}

func halves(size float64) float64 { return math.Round(size*2) / 2 }

// mostly returns the measure with the highest count, or the smallest of
// several.
func mostly(counts map[measure]int) measure {
	var best measure
	most := 0
	for m, n := range counts {
		if n > most || n == most && m.compare(best) < 0 {
			best, most = m, n
		}
	}
	return best
}

func (m measure) compare(n measure) int {
	return cmp.Or(cmp.Compare(m.size, n.size), cmp.Compare(m.weight, n.weight), cmp.Compare(m.gap, n.gap), compareBool(m.bold, n.bold))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// has reports whether a line is set like the body.
func (m measure) has(line pdfium.Line) bool {
	return math.Abs(line.Size-m.size) <= 0.12*m.size && !m.isBold(line)
}

// isBold reports whether a line is heavier than the body.
func (m measure) isBold(line pdfium.Line) bool {
	if m.bold {
		return false
	}
	return line.Bold || m.weight > 0 && float64(line.Weight) >= 1.4*float64(m.weight)
}

// letters returns the letters and digits of text in lower case.
func letters(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, text)
}
