package pdf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/pdfium"
)

// A page is what PDFium sees on a page.
type page struct {
	pdfium.Layout
	number int // from 1
	read   bool

	// What is known of each line, so that it is found out only once.
	running   []bool   // it is a running head or foot
	letters   []string // of its text
	divisions []bool   // it is such as "Chapter 1"
	captions  []string // the type of node that it may be the caption of, or ""
	labels    []bool   // it stands within something drawn; nil until asked for
}

// Limits on what is kept of the pages of a document: the rest stays unread.
const (
	maxKeptLines = 100_000
	maxKeptText  = 32 << 20 // bytes
	maxSlow      = 3        // times that pages which are read together take PDFium too much
)

// layouts reads the layouts of pages, counted from 0. A page that PDFium
// cannot read is left unread; after one that takes it too much, all are, as
// after more lines than are kept.
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
		j.pdfium.Grant(j.paced(time.Duration(len(batch)) * pageTime))
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

// readLayouts reads pages together, each alone if that fails. It reports
// whether others may be tried. The error matches [citekit.ErrTooLarge] if
// they could be read, but not together; it is that of the context or the
// source if none can be read.
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

// layoutsOf returns the layouts of pages. PDFium only sees these.
func (j *job) layoutsOf(ctx context.Context, pages []page) ([]pdfium.Layout, error) {
	loc := citekit.Location{Modality: citekit.Document}
	for _, p := range pages {
		loc.Pages = append(loc.Pages, citekit.Range{First: p.number, Last: p.number})
	}
	loc.Pages = citekit.PageRuns(loc.Pages...)
	out, err := j.cut(ctx, loc)
	if err != nil {
		return nil, err
	}
	if out.Excessive() {
		return nil, fmt.Errorf("page content that is too long to read its text: %w", citekit.ErrTooLarge)
	}
	return j.pdfium.Layouts(ctx, out, out.Size(), firstIndexes(len(pages)), hasCaption)
}

// Where running heads and feet stand, as fractions of the height of a page.
const (
	headZone = 0.12
	footZone = 0.88
)

// markLines finds out what is asked of lines more than once. Running heads and
// feet are those that are repeated from page to page: near the edge, with the
// same words but for numbers, on three pages or more; or with nothing but a
// number.
func markLines(pages []page) {
	on := map[string]int{} // pages that have a text near the edge
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

// runningKey returns what the lines of a running head have in common: side,
// size and words; "" for lines elsewhere.
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

// A measure is how the running text of a document is set.
type measure struct {
	size   float64 // points
	weight int
	bold   bool
	gap    float64 // from line to line, in sizes
}

// bodyOf returns how most of the text is set.
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

// mostly returns what has the highest count, of several the smallest.
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

// has reports whether a line is set as the body is.
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
