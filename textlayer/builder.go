package textlayer

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
)

const (
	// maxPiece is the longest run in bytes: longer ones are cut, so that
	// looking for a line or counting characters reads no more than that.
	maxPiece = 256 << 10

	// maxRuns is how many runs a layer has: each takes some memory.
	maxRuns = 1 << 18

	maxMark = 4 // bytes before the text of a source that is its text
)

// A builder writes the text of runs and gathers where they stand. As long as
// the text is the very bytes of a source that is not to be copied, it writes
// nothing, and if that turns out otherwise what it left out.
type builder struct {
	w io.Writer
	o *origin

	index index
	last  citekit.Location // of the run before
	open  bool             // that run does not end its line
	full  bool

	isLarge bool  // so that text is not copied which is that of the source
	isSmall bool  // so that nothing is kept if the text is all of the source
	start   int64 // in the source, of the text that it mirrors; -1 before there is any
	buf     []byte
}

func newBuilder(w io.Writer, o *origin, opts *Options) *builder {
	b := &builder{w: w, o: o, start: -1}
	b.index.modality, b.index.hash = o.modality, o.hash
	if o.transcript == nil {
		b.isLarge, b.isSmall = o.src.Size() > opts.CopyBytes, o.src.Size() <= opts.SmallBytes
	}
	b.index.mirrors = b.isLarge || b.isSmall
	return b
}

// isFull reports whether no more is to be added.
func (b *builder) isFull() bool { return b.full }

// add adds a run.
func (b *builder) add(r citekit.TextRun) error {
	r.Text = strings.ToValidUTF8(r.Text, "\ufffd")
	if r.Location.Modality == "" {
		r.Location.Modality = b.o.modality
	}
	if err := r.Location.Validate(); err != nil || r.Location.Modality != b.o.modality {
		return fmt.Errorf("the %s resolver gave a text at a place that cannot be: %w", b.o.modality, citekit.ErrFormat)
	}
	gap := ""
	if b.open && r.Text != "" && !goesOn(b.last, r.Location) {
		gap = "\n" // ends the line of the run before
	}
	for first := true; first || r.Text != ""; first = false {
		var piece citekit.TextRun
		piece, r = cutPiece(r)
		if err := b.put(gap, piece); err != nil || b.full {
			return err
		}
		gap = ""
	}
	return nil
}

// goesOn reports whether a run begins on the page or the line that the run
// before it ends on.
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

// put adds a run that is not too long, if there is room for it, after what
// parts it from the run before.
func (b *builder) put(gap string, r citekit.TextRun) error {
	from := b.index.size + int64(len(gap))
	to := from + int64(len(r.Text))
	if len(b.index.runs) >= maxRuns || to > b.o.maxBytes {
		b.full, b.index.incomplete = true, true
		return nil
	}
	if err := b.write(gap + r.Text); err != nil {
		return err
	}
	points := utf8.RuneCountInString(r.Text)
	b.index.add(run{
		from: from, to: to, loc: r.Location, ends: endsOf(r),
		ink: strings.ContainsFunc(r.Text, isInk),
	}, int64(points), int64(points+beyondBMP(r.Text)))
	b.index.size = to
	if r.Text != "" {
		b.last, b.open = r.Location, !strings.HasSuffix(r.Text, "\n") && !strings.HasSuffix(r.Text, "\r")
	}
	return nil
}

func isInk(c rune) bool { return !unicode.IsSpace(c) && unicode.IsPrint(c) }

// beyondBMP returns how many characters of a text take two units of UTF-16.
func beyondBMP(text string) int {
	n := 0
	for i := range len(text) {
		if text[i] >= 0xF0 {
			n++
		}
	}
	return n
}

// write adds to the text.
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

// isMirrored reports whether the source goes on with text.
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

// findStart looks for the beginning of the text in the source.
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

// small returns the places of the runs of a text of which nothing is kept, or
// nil.
func (b *builder) small() *index {
	if !b.isSmall || !b.index.mirrors || max(b.start, 0)+b.index.size != b.o.src.Size() {
		return nil
	}
	x := b.index
	x.start = max(b.start, 0)
	return &x
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
