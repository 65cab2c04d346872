package textlayer

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
)

const (
	// maxPiece is the longest run in bytes: longer runs are cut, so that
	// finding a line or counting characters reads no more than that.
	maxPiece = 256 << 10

	// maxRuns is the largest number of runs in a layer, as each takes some
	// memory.
	maxRuns = 1 << 18

	maxMark = 4 // bytes before the text in a source that is text

	// The text of a source may be expansion times as long as the source, and
	// fairText bytes more: cells may repeat a string, and rows a default.
	expansion = 64
)

// fairText is how much text a source of any size may have, in bytes. Tests lower it.
var fairText int64 = 32 << 20

// A builder writes the text of runs and collects their places. As long as the
// text has the same bytes as a source that is not to be copied, it writes
// nothing; if a later run differs, it then writes the text that it left out.
type builder struct {
	w io.Writer
	o *origin

	index *index
	last  citekit.Location // of the previous run
	open  bool             // that run does not end its line
	full  bool

	most    int64 // bytes of text
	isLarge bool  // text that is the same as that of the source is not copied
	isSmall bool  // nothing is kept if the text is the whole source
	start   int64 // in the source, of the text that mirrors it; -1 until it is found
	buf     []byte
}

func newBuilder(w io.Writer, o *origin, opts *Options) *builder {
	size := o.src.Size()
	if o.transcript != nil {
		size += o.transcript.Size()
	}
	b := &builder{w: w, o: o, start: -1, index: new(index), most: min(o.maxBytes, fairText+expansion*size)}
	b.index.modality, b.index.hash = o.modality, o.hash
	if o.transcript == nil {
		b.isLarge, b.isSmall = o.src.Size() > opts.CopyBytes, o.src.Size() <= opts.SmallBytes
	}
	b.index.mirrors = b.isLarge || b.isSmall
	return b
}

// isFull reports whether no more text may be added.
func (b *builder) isFull() bool { return b.full }

// leaveRest makes the layer one whose end is left out. It reports false if there
// is no text before that.
func (b *builder) leaveRest() bool {
	if b.index.size == 0 {
		return false
	}
	b.full, b.index.incomplete = true, true
	return true
}

// add adds a run.
func (b *builder) add(r citekit.TextRun) error {
	r.Text, r.Missing = strings.ToValidUTF8(r.Text, "\ufffd"), strings.ToValidUTF8(r.Missing, "\ufffd")
	if r.TextState == about.TextFull {
		r.TextState = ""
	}
	if r.Confidence = min(max(r.Confidence, 0), 1); !r.OCR || math.IsNaN(r.Confidence) {
		r.Confidence = 0
	}
	if r.Location.Modality == "" {
		r.Location.Modality = b.o.modality
	}
	if err := r.Location.Validate(); err != nil || r.Location.Modality != b.o.modality && r.Location.Member == "" {
		return fmt.Errorf("the %s resolver gave a text at a place that cannot be: %w", b.o.modality, citekit.ErrFormat)
	}
	gap := ""
	if b.open && r.Text != "" && !goesOn(b.last, r.Location) && !isNextWord(b.last, r) {
		gap = "\n" // ends the line of the previous run
	}
	e := endsOf(r)
	for first := true; first || r.Text != ""; first = false {
		var piece citekit.TextRun
		piece, r = cutPiece(r, e)
		if err := b.put(gap, piece); err != nil || b.full {
			return err
		}
		gap = ""
	}
	return nil
}

// goesOn reports whether a run begins on the page or the line on which the
// previous run ends.
func goesOn(last, next citekit.Location) bool {
	switch {
	case !isWithin(last, next):
		return false
	case !last.Lines.IsZero() && !next.Lines.IsZero():
		return next.Lines.First == last.Lines.Last
	case len(last.Pages) > 0 && len(next.Pages) > 0:
		return next.Pages[0].First == last.Pages[len(last.Pages)-1].Last && last.Box == next.Box
	}
	return last.Equal(next)
}

// isNextWord reports whether a run is a further word of a subtitle, with a time of its own.
func isNextWord(last citekit.Location, r citekit.TextRun) bool {
	return !last.Time.IsZero() && !r.Location.Time.IsZero() && isWithin(last, r.Location) && r.Text[0] == ' '
}

// put adds a run, which must not be too long, if it fits. The gap is written
// before it.
func (b *builder) put(gap string, r citekit.TextRun) error {
	from := b.index.size + int64(len(gap))
	to := from + int64(len(r.Text))
	if len(b.index.runs) >= maxRuns || to > b.most {
		b.full, b.index.incomplete = true, true
		return nil
	}
	if err := b.write(gap + r.Text); err != nil {
		return err
	}
	points := utf8.RuneCountInString(r.Text)
	b.index.add(run{
		from: from, to: to, loc: r.Location, ends: endsOf(r),
		ink: strings.ContainsFunc(r.Text, isInk), missing: r.Missing,
		state: r.TextState, ocr: r.OCR, confidence: r.Confidence,
	}, int64(points), int64(points+beyondBMP(r.Text)))
	b.index.size = to
	if r.Text != "" {
		b.last, b.open = r.Location, !strings.HasSuffix(r.Text, "\n") && !strings.HasSuffix(r.Text, "\r")
	}
	return nil
}

func isInk(c rune) bool { return !unicode.IsSpace(c) && unicode.IsPrint(c) }

// beyondBMP returns how many characters of a text take two UTF-16 units.
func beyondBMP(text string) int {
	n := 0
	for i := range len(text) {
		if text[i] >= 0xF0 {
			n++
		}
	}
	return n
}

// write appends to the text.
func (b *builder) write(text string) error {
	if b.index.mirrors {
		same, err := b.isMirrored(text)
		if err != nil || same {
			return err
		}
		if err := b.unmirror(); err != nil {
			return err
		}
	}
	_, err := io.WriteString(b.w, text)
	return err
}

// isMirrored reports whether the source continues with text.
func (b *builder) isMirrored(text string) (bool, error) {
	if text == "" {
		return true, nil
	}
	if b.start < 0 {
		return b.findStart(text)
	}
	return b.isAt(b.start+b.index.size, text)
}

func (b *builder) isAt(off int64, text string) (bool, error) {
	b.buf = slices.Grow(b.buf[:0], len(text))[:len(text)]
	n, err := b.o.src.ReadAt(b.buf, off)
	if err == io.EOF {
		err = nil
	}
	return string(b.buf[:n]) == text, err
}

// findStart searches for the start of the text in the source.
func (b *builder) findStart(text string) (bool, error) {
	for start := range int64(maxMark) {
		if same, err := b.isAt(start, text); err != nil || same {
			b.start = start
			return same, err
		}
	}
	return false, nil
}

// unmirror writes the text that was left out so far.
func (b *builder) unmirror() error {
	b.index.mirrors = false
	_, err := io.Copy(b.w, io.NewSectionReader(b.o.src, max(b.start, 0), b.index.size))
	return err
}

// small returns the places of the runs of a text that is not kept, or nil if it
// is kept.
func (b *builder) small() *index {
	if !b.isSmall || !b.index.mirrors || max(b.start, 0)+b.index.size != b.o.src.Size() {
		return nil
	}
	b.index.start = max(b.start, 0)
	return b.index
}

// finish writes the places of the runs.
func (b *builder) finish() error {
	if b.index.mirrors && !b.isLarge {
		if err := b.unmirror(); err != nil {
			return err
		}
	}
	if b.index.mirrors {
		b.index.start = max(b.start, 0)
	}
	var out bytes.Buffer
	b.index.encode(&out)
	_, err := out.WriteTo(b.w)
	return err
}
