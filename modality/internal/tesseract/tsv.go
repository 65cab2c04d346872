package tesseract

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
)

// The levels of rows. A row precedes the rows of what it contains.
const (
	levelPage  = 1
	levelBlock = 2
	levelPara  = 3
	levelLine  = 4
	levelWord  = 5
)

const columns = 12

// A row is one line of output.
type row struct {
	level                    int
	left, top, width, height float64
	confidence               float64
	text                     string
}

// parse reads output in the form of tab-separated values, with the columns level,
// page_num, block_num, par_num, line_num, word_num, left, top, width, height, conf and
// text. Lengths are in pixels.
func parse(out []byte) ([]Block, error) {
	var b builder
	for number := 1; len(out) > 0; number++ {
		line, rest, _ := bytes.Cut(out, []byte("\n"))
		out = rest
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 || bytes.HasPrefix(line, []byte("level\t")) {
			continue
		}
		r, ok := parseRow(string(line))
		if !ok || !b.add(r) {
			return nil, fmt.Errorf("line %d of the answer of the program that recognises text is not as that of tesseract 4 or later: %w", number, citekit.ErrFormat)
		}
	}
	b.endBlock()
	return b.blocks, nil
}

// parseRow returns false for a line that is not a row.
func parseRow(line string) (row, bool) {
	fields := strings.SplitN(line, "\t", columns)
	if len(fields) < columns-1 {
		return row{}, false
	}
	var r row
	level, err := strconv.Atoi(fields[0])
	if err != nil || level < levelPage || level > levelWord {
		return row{}, false
	}
	r.level = level
	for i, value := range []*float64{&r.left, &r.top, &r.width, &r.height, &r.confidence} {
		n, err := strconv.ParseFloat(fields[6+i], 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return row{}, false
		}
		*value = n
	}
	if len(fields) == columns {
		r.text = plain.Line(fields[columns-1])
	}
	return r, true
}

// A builder makes blocks from rows.
type builder struct {
	width, height float64 // of the page

	blocks []Block
	block  Block
	line   Line

	paragraph int // number in the block, from 1
	inBlock   mean
	inLine    mean
}

// A mean is the mean confidence of words, weighted by their letters.
type mean struct{ sum, letters float64 }

func (m *mean) add(n mean) {
	m.sum += n.sum
	m.letters += n.letters
}

func (m mean) value() float64 { return m.sum / m.letters }

// add returns false for a row in an impossible place.
func (b *builder) add(r row) bool {
	if r.level == levelPage {
		b.endBlock()
		b.width, b.height = r.width, r.height
		return r.width > 0 && r.height > 0
	}
	if b.width == 0 {
		return false
	}
	switch r.level {
	case levelBlock:
		b.endBlock()
		b.block.Box = b.box(r)
	case levelPara:
		b.endLine()
		b.paragraph++
	case levelLine:
		b.endLine()
		b.line.Box = b.box(r)
	case levelWord:
		b.addWord(r)
	}
	return true
}

func (b *builder) box(r row) citekit.Box {
	return citekit.Box{
		X1: fraction(r.left, b.width), Y1: fraction(r.top, b.height),
		X2: fraction(r.left+r.width, b.width), Y2: fraction(r.top+r.height, b.height),
	}
}

func fraction(pixels, size float64) float64 { return min(max(pixels/size, 0), 1) }

func (b *builder) addWord(r row) {
	if r.text == "" {
		return
	}
	letters := float64(utf8.RuneCountInString(r.text))
	b.inLine.add(mean{min(max(r.confidence, 0), 100) * letters, letters})
	b.line.Words = append(b.line.Words, Word{b.box(r), r.text})
}

func (b *builder) endLine() {
	if len(b.line.Words) > 0 && !flat(b.line.Box) {
		b.line.Text = Join(b.line.Words)
		b.line.Confidence = b.inLine.value()
		b.line.Paragraph = max(b.paragraph-1, 0)
		b.block.Lines = append(b.block.Lines, b.line)
		b.inBlock.add(b.inLine)
	}
	b.line, b.inLine = Line{}, mean{}
}

func (b *builder) endBlock() {
	b.endLine()
	if len(b.block.Lines) > 0 && !flat(b.block.Box) {
		b.block.Confidence = b.inBlock.value()
		b.block.Text = text(b.block.Lines)
		b.blocks = append(b.blocks, b.block)
	}
	b.block, b.paragraph, b.inBlock = Block{}, 0, mean{}
}

// Join returns words separated by single spaces.
func Join(words []Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// flat reports whether a box has no area.
func flat(b citekit.Box) bool { return b.X1 >= b.X2 || b.Y1 >= b.Y2 }

func text(lines []Line) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
			if line.Paragraph != lines[i-1].Paragraph {
				b.WriteByte('\n')
			}
		}
		b.WriteString(line.Text)
	}
	return b.String()
}
