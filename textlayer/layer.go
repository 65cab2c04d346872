package textlayer

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/ctxio"
)

// A Layer is the text of one version of a source. It is safe for concurrent use
// until it is closed, even if that version is replaced or deleted: the text
// stays the same, or reading it returns an error matching [citekit.ErrStale].
type Layer struct {
	*index
	text    io.ReaderAt
	content io.Closer       // the storage of text, or nil
	src     *citekit.Source // the source, if text is read from it; else nil
	lines   lineStarts

	transcribed bool
	looked      atomic.Int64
}

// A Run is a part of the text with a place of its own, such as a page or a
// subtitle, or some lines that are read together.
type Run struct {
	From, To int64            // bytes, the end excluded
	Location citekit.Location // of the run in the source

	// TextState, OCR and Confidence are those of the [citekit.TextRun]; the state "full"
	// is "".
	TextState  string
	OCR        bool
	Confidence float64
}

func (r run) public() Run { return Run{r.from, r.to, r.loc, r.state, r.ocr, r.confidence} }

// Close releases the files that the layer reads from.
func (l *Layer) Close() error {
	if l.src != nil {
		return l.src.Close()
	}
	if l.content != nil {
		return l.content.Close()
	}
	return nil
}

// Modality returns the modality of the locations.
func (l *Layer) Modality() citekit.Modality { return l.modality }

// SourceHash returns the SHA-256 of the source version that the text comes
// from, in lower case hex.
func (l *Layer) SourceHash() string { return l.hash }

// Transcribed reports whether the text is what a machine heard in a recording. It may be
// wrong, and is not the words of whoever speaks there.
func (l *Layer) Transcribed() bool { return l.transcribed }

// Len returns the length of the text in bytes.
func (l *Layer) Len() int64 { return l.size }

// Looked returns how many runs [Layer.Ranges] has looked at so far: the work that it has
// done. Runs that are in a location as a whole count as one.
func (l *Layer) Looked() int64 { return l.looked.Load() }

// Empty reports whether the text has no visible characters, like that of a
// scan.
func (l *Layer) Empty() bool { return l.written == 0 }

// Incomplete reports whether the end of the text was left out, because of
// Options.MaxBytes, because the text is far longer than the source, because of too
// many runs, or because the resolver reads no
// more: it yielded some text and then an error matching [citekit.ErrTooLarge].
func (l *Layer) Incomplete() bool { return l.incomplete }

// Missing says which parts of the text at loc cannot be read although the source shows
// them, such as "page 3: 12 of the 80 characters drawn on it cannot be read"; "" if there
// are none. The zero Location means all of the text.
func (l *Layer) Missing(loc citekit.Location) string {
	return l.missingAt(loc, func(run) bool { return true })
}

// Damaged is like Missing for text whose letters are not known, without pictures.
func (l *Layer) Damaged(loc citekit.Location) string {
	return l.missingAt(loc, func(r run) bool { return !r.isPicture() })
}

// IsScan reports whether half of the runs are pictures with few words as text, or more.
func (l *Layer) IsScan() bool {
	n := 0
	for _, i := range l.stated {
		if l.runs[i].isPicture() {
			n++
		}
	}
	return n > 0 && 2*n >= len(l.runs)
}

func (r run) isPicture() bool { return r.state == about.TextNone || r.state == about.TextPartial }

func (l *Layer) missingAt(loc citekit.Location, counts func(run) bool) string {
	const most = 3
	var all []string
	var last run // the last run of those of which all says the same
	var first citekit.Location
	for _, i := range l.missing {
		r := l.runs[i]
		if !loc.IsWhole() && !overlap(r.loc, loc) || !counts(r) {
			continue
		}
		if n := len(all); n > 0 && r.missing == last.missing && r.loc.Member == last.loc.Member && isNextPage(last.loc, r.loc) {
			all[n-1] = placeOf(first, r.loc) + ": " + r.missing
		} else {
			all, first = append(all, placeOf(r.loc, r.loc)+": "+r.missing), r.loc
		}
		last = r
	}
	if n := len(all) - most; n > 0 {
		all = append(all[:most], fmt.Sprintf("and the same of %d more", n))
	}
	return strings.Join(all, "; ")
}

func isNextPage(loc, next citekit.Location) bool {
	return len(loc.Pages) > 0 && len(next.Pages) > 0 && next.Pages[0].First == lastPage(loc)+1
}

// OCR returns how sure the program is that recognised the text in the bytes [start, end),
// from 0 to 1: the least of its runs. It returns false if none of it was recognised.
func (l *Layer) OCR(start, end int64) (confidence float64, ok bool) {
	for r := range l.RunsIn(start, end) {
		if r.OCR && (!ok || r.Confidence < confidence) {
			confidence, ok = r.Confidence, true
		}
	}
	return confidence, ok
}

// TextStates returns the pages at loc whose text is not full in the source, by state, as
// in the metadata of maps: such as {"none": "1-3,7"}; nil if there are none. The zero
// Location means all of the text. Members of archives do not count.
func (l *Layer) TextStates(loc citekit.Location) map[string]any {
	states := make(about.TextStates)
	last := 0
	for _, i := range l.stated {
		r := l.runs[i]
		if n := lastPage(r.loc); n > last && r.loc.Member == "" && (loc.IsWhole() || overlap(r.loc, loc)) {
			states.Add(n, r.state)
			last = n
		}
	}
	all, _ := states.Metadata()
	return all
}

// placeOf names the place of runs, from the first to the last, for people.
func placeOf(loc, last citekit.Location) string {
	name := "its text"
	if n := lastPage(last); n > 0 {
		if name = fmt.Sprintf("page %d", n); n > loc.Pages[0].First {
			name = fmt.Sprintf("pages %d-%d", loc.Pages[0].First, n)
		}
	}
	if loc.Member != "" {
		name = loc.Member + ", " + name
	}
	return name
}

// Reason returns a short reason why the layer is empty or incomplete, or "".
func (l *Layer) Reason() string {
	switch {
	case l.incomplete:
		return fmt.Sprintf("only the first %d bytes of its text are kept and searched; read the rest by its addresses, or split the file", l.size)
	case l.written > 0:
		return ""
	case len(l.missing) > 0:
		return l.Missing(citekit.Location{})
	case l.lastPage > 1:
		return fmt.Sprintf("none of its %d pages has text, as in a scan", l.lastPage)
	case l.lastPage == 1:
		return "its page has no text, as in a scan"
	}
	return "it has no text"
}

// Runs yields the runs in text order. A run may be empty, such as a page
// without text.
func (l *Layer) Runs() iter.Seq[Run] {
	return func(yield func(Run) bool) {
		for _, r := range l.runs {
			if !yield(r.public()) {
				return
			}
		}
	}
}

// RunsIn yields the runs that overlap the bytes [start, end), in text order.
func (l *Layer) RunsIn(start, end int64) iter.Seq[Run] {
	return func(yield func(Run) bool) {
		for _, r := range l.runs[max(0, l.before(start, InBytes)):] {
			if r.from >= end || r.to > start && !yield(r.public()) {
				return
			}
		}
	}
}

// ReadAt implements [io.ReaderAt] over the text.
func (l *Layer) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, rangeError(off, l.size)
	}
	if off >= l.size {
		return 0, io.EOF
	}
	short := int64(len(p)) > l.size-off
	if short {
		p = p[:l.size-off]
	}
	n, err := l.text.ReadAt(p, l.start+off)
	if n < len(p) {
		return n, l.blame(err)
	}
	if l.src != nil {
		if err := l.src.CheckUnchanged(); err != nil {
			return 0, err
		}
	}
	if short {
		return n, io.EOF
	}
	return n, nil
}

// blame returns the error for text that cannot be read.
func (l *Layer) blame(err error) error {
	if err != nil && err != io.EOF {
		return err
	}
	if l.src != nil {
		return fmt.Errorf("the source became shorter: %w", citekit.ErrStale)
	}
	return errLayer
}

// Text returns the bytes [start, end). If these are outside the text, the error
// matches [citekit.ErrRange].
func (l *Layer) Text(ctx context.Context, start, end int64) (string, error) {
	if err := l.check(start, end); err != nil {
		return "", err
	}
	buf := make([]byte, end-start)
	n, err := io.ReadFull(ctxio.Reader(ctx, io.NewSectionReader(l, start, end-start)), buf)
	if err == io.EOF && n == len(buf) {
		err = nil
	}
	return string(buf), err
}

// WriteTo implements [io.WriterTo]: it writes the whole text.
func (l *Layer) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, io.NewSectionReader(l, 0, l.size))
}

func (l *Layer) check(from, to int64) error {
	for _, off := range []int64{from, to} {
		if off < 0 || off > l.size {
			return rangeError(off, l.size)
		}
	}
	if to < from {
		return fmt.Errorf("bytes %d-%d end before they begin: %w", from, to, citekit.ErrRange)
	}
	return nil
}

func rangeError(off, size int64) error {
	return fmt.Errorf("byte %d of %d: %w", off, size, citekit.ErrRange)
}

// textOf returns the text of a run; runs are short.
func (l *Layer) textOf(r run) (string, error) {
	buf := make([]byte, r.to-r.from)
	if n, err := l.ReadAt(buf, r.from); n < len(buf) {
		return "", err
	}
	return string(buf), nil
}

// readerAt returns a reader of content at any offset.
func readerAt(content io.ReadSeeker) io.ReaderAt {
	if r, ok := content.(io.ReaderAt); ok {
		return r
	}
	return &seekReaderAt{content: content}
}

// A seekReaderAt reads at any offset from a reader that can only seek and read.
type seekReaderAt struct {
	mu      sync.Mutex
	content io.ReadSeeker
}

func (s *seekReaderAt) ReadAt(p []byte, off int64) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.content.Seek(off, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(s.content, p)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}
