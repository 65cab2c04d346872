package contents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/preview"
	"github.com/citekit/citekit/textlayer"
)

// bytesPerToken is the largest number of bytes in a token: four characters of
// four bytes.
const bytesPerToken = 16

// A text is the text read for a part, at most as much as an answer can have.
type text struct {
	string
	runs []bytesRun
	more bool   // there is more text after it
	hash string // of the source
}

// A bytesRun is a run with its bytes in the text.
type bytesRun struct {
	location   citekit.Location
	start, end int

	layer *textlayer.Layer // that it is of; nil if it was read from the source
	from  int64            // of its bytes in the layer

	ocr        bool // as in [Run]
	confidence float64
}

// upTo returns the location of the bytes of a run before the offset end of the
// text.
func (r bytesRun) upTo(end int) citekit.Location {
	if end >= r.end || r.layer == nil {
		return r.location
	}
	return locationOf(r.layer, r.from, r.from+int64(end-r.start), r.location)
}

// locationOf returns the location of some bytes of a layer, or instead, which
// contains it, if it cannot be found.
func locationOf(layer *textlayer.Layer, from, to int64, instead citekit.Location) citekit.Location {
	if tight, err := layer.Location(from, to); err == nil {
		return tight
	}
	return instead
}

// A call is one call of [Reader.Read]. It holds an open layer for each
// resource of the call.
type call struct {
	*Reader
	req    Request
	layers map[string]openText
	parts  int // number of parts
}

type openText struct {
	layer     *textlayer.Layer
	mediaType string // of the source
	hash      string // of the source
	err       error
}

// hashOf returns the hash of the source of a resource, after checking that it
// is unchanged.
func (in *call) hashOf(ctx context.Context, resource string) (string, error) {
	opened, err := in.lib.Open(ctx, citekit.Address{Resource: resource})
	if err != nil {
		return "", err
	}
	defer opened.Source.Close()
	return opened.Source.Hash(ctx)
}

func (in *call) close() {
	for _, o := range in.layers {
		if o.layer != nil {
			o.layer.Close()
		}
	}
}

// open opens the text of a resource, once.
func (in *call) open(ctx context.Context, resource string) openText {
	if o, ok := in.layers[resource]; ok {
		return o
	}
	var o openText
	if extent, err := in.lib.Measure(ctx, resource); err == nil {
		o.mediaType = extent.MediaType
	}
	if in.req.NoText {
		if o.hash, o.err = in.hashOf(ctx, resource); errors.Is(o.err, ctxio.ErrHashLimit) {
			o.hash, o.err = "", nil // the addresses are known without it
		}
	} else if o.layer, o.err = in.Reader.layers.Open(ctx, resource); o.err == nil {
		o.hash = o.layer.SourceHash()
	}
	in.layers[resource] = o
	return o
}

// readAll reads the text of parts, at most as much as an answer can have. It
// returns the parts that it had time for.
func (in *call) readAll(ctx context.Context, all []*part) []*part {
	in.parts = len(all)
	all = in.findAll(ctx, all)
	if len(all) == 0 {
		return nil
	}
	lengths := make([]int, len(all))
	for i, p := range all {
		lengths[i] = p.length()
	}
	level := waterLevel(lengths, in.req.MaxTokens*bytesPerToken)
	for i, p := range all {
		if p.item.Err == nil && len(p.ranges) > 0 {
			p.item.Err = in.read(ctx, p, level)
		}
		if ctx.Err() != nil {
			p.item.Err = nil
			return all[:i]
		}
	}
	return all
}

// reserve is the divisor of the time of a call that gives the share kept for
// reading the parts that were found.
const reserve = 5

// findAll finds the text of parts, which may require reading the source. It
// returns the parts that it had time for.
func (in *call) findAll(ctx context.Context, all []*part) []*part {
	limited := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		limited, cancel = context.WithDeadline(ctx, deadline.Add(-time.Until(deadline)/reserve))
		defer cancel()
	}
	for i, p := range all {
		if p.item.Err == nil {
			opening, opened := ctxio.Until(ctx, limited) // what is found is read later
			p.item.Err = in.find(opening, p)
			opened()
		}
		if limited.Err() != nil {
			p.item.Err = nil
			return all[:i]
		}
	}
	return all
}

// find finds the text of a part, unless the request wants none.
func (in *call) find(ctx context.Context, p *part) error {
	o := in.open(ctx, p.item.ResourceID)
	p.item.MediaType = o.mediaType
	if textlayer.HasNoText(o.err) {
		p.note("it has no text that can be read here; resolve it instead")
		return nil
	}
	if o.err != nil {
		return o.err
	}
	p.text.hash = o.hash
	if in.req.NoText && o.hash == "" {
		return nil
	}
	if err := in.checkSource(ctx, p, o.hash); err != nil || in.req.NoText {
		return err
	}
	if err := lookup.CheckTime(ctx, in.lib, p.item.Address); err != nil {
		return &citekit.ResolveError{Op: "read", Address: p.item.Address, Err: err}
	}
	done, err := in.locate(ctx, p, o.layer)
	if in.req.Cells && err == nil {
		in.findCells(ctx, p)
	}
	if !done {
		in.noteGaps(p, o, err)
	}
	return err
}

// mostTableBlocks is how many blocks a part has that is a table with its caption.
const mostTableBlocks = 2

// findCells sets the table of a part that is one, if it takes no more than half of the room
// that the part has.
func (in *call) findCells(ctx context.Context, p *part) {
	if p.loc.Table == "" && p.loc.Cells.IsZero() && p.loc.Blocks.IsZero() || p.loc.Blocks.Len() > mostTableBlocks || p.offset > 0 {
		return
	}
	tables, err := in.previews.Tables(ctx, p.item.Address)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		p.note("its cells are only in its text")
		return
	case err != nil || len(tables) != 1:
		return
	}
	if in.req.Visible {
		tables[0] = visible(tables[0])
	}
	data, err := tables[0].MarshalJSON()
	if room := in.req.MaxTokens / max(in.parts, 1) / 2; err != nil || plain.CountTokens(string(data)) > room {
		p.note("its cells take more room than there is; ask for fewer of them, such as cells=" + tables[0].FirstRows().String())
		return
	}
	p.item.Table = &tables[0]
}

// visible returns a table in whose texts characters that cannot be seen are written as codes.
func visible(t preview.Table) preview.Table {
	t.Caption, _ = plain.ShowHidden(t.Caption)
	t.Cells = slices.Clone(t.Cells)
	for i := range t.Cells {
		t.Cells[i].Text, _ = plain.ShowHidden(t.Cells[i].Text)
	}
	return t
}

// checkSource returns an error if the source of a part, whose hash is known, is not as
// the address has it.
func (in *call) checkSource(ctx context.Context, p *part, hash string) error {
	if !strings.HasPrefix(hash, p.item.Address.Version) {
		opened, err := in.lib.Open(ctx, p.item.Address)
		if err != nil {
			return err // it says which address would be right
		}
		opened.Source.Close()
	}
	return p.checkVersion(hash)
}

// locate sets the ranges of a part in the layer. Text that the layer cannot separate
// from the rest, such as that of a box on a page or of rows, is read at once. So is a part
// without text in the layer: the source says whether there is such a part. If it has
// text, or there is none such, the part is done.
func (in *call) locate(ctx context.Context, p *part, layer *textlayer.Layer) (done bool, err error) {
	p.ranges, err = layer.Ranges(p.loc)
	switch {
	case err == nil && layer.Cuts(p.loc):
		switch err = in.readPart(ctx, p); {
		case err == nil:
			p.ranges = nil
		case errors.Is(err, errors.ErrUnsupported):
			err = nil // the runs around the box then
			p.note("these are the blocks of text that the box cuts, as the words in it are not known")
		}
	case errors.Is(err, errors.ErrUnsupported) || errors.Is(err, citekit.ErrRange) || err == nil && len(p.ranges) == 0 && !p.loc.IsWhole():
		if err := lookup.Check(ctx, in.lib, p.item.Address); err != nil {
			return true, &citekit.ResolveError{Op: "read", Address: p.item.Address, Err: lookup.Reason(err)}
		}
		p.ranges, err = nil, in.readPart(ctx, p)
		return err != nil || p.text.string != "", err
	case err == nil && !layer.Reaches(p.loc):
		err = in.checkEnd(ctx, p)
	}
	return false, err
}

// noteGaps notes what a part has no text of.
func (in *call) noteGaps(p *part, o openText, err error) {
	p.item.Transcribed = o.layer.Transcribed()
	isPDF := o.mediaType == pdfType
	if err == nil {
		p.item.TextStates = o.layer.TextStates(p.loc)
	}
	if missing := o.layer.Missing(p.loc); missing != "" && err == nil {
		p.item.Missing = true
		p.note(in.orScanned(missing, isPDF && p.item.TextStates != nil))
	}
	switch {
	case o.layer.Empty() && p.item.Missing:
	case o.layer.Empty() || o.layer.Incomplete():
		p.note(in.orScanned(o.layer.Reason(), o.layer.Empty() && isPDF))
	case err == nil && p.offset == 0 && p.isEmpty():
		p.note(in.orScanned(lookup.NoText(p.loc), isPDF))
	}
}

// pdfType is the media type of sources whose pages may be scans.
const pdfType = "application/pdf"

// orScanned adds to a note what to do with a scan.
func (in *call) orScanned(note string, scan bool) string {
	if !scan || in.scans == "" {
		return note
	}
	return note + "; " + in.scans
}

// isEmpty reports whether a part has no text, not even white space.
func (p *part) isEmpty() bool {
	return p.text.string == "" && !slices.ContainsFunc(p.ranges, func(r textlayer.Bytes) bool { return r.From < r.To })
}

// checkEnd returns an error if a part ends outside its source.
func (in *call) checkEnd(ctx context.Context, p *part) error {
	if err := lookup.CheckEnd(ctx, in.lib, p.item.Address); err != nil {
		p.ranges = nil
		return &citekit.ResolveError{Op: "read", Address: p.item.Address, Err: err}
	}
	return nil
}

// length returns how many bytes of a part's text were not given before.
func (p *part) length() int {
	n := -p.offset
	for i, r := range p.ranges {
		n += r.To - r.From + separator(i, len(p.ranges))
	}
	return int(min(max(n, 0), MaxTokens*bytesPerToken))
}

// checkVersion returns an error matching [citekit.ErrStale] if the source does
// not have the version that the address pins, or the version of the text given
// before.
func (p *part) checkVersion(hash string) error {
	if pinned := p.item.Address.Version; !strings.HasPrefix(hash, pinned) {
		return fmt.Errorf("the source is version %s, but the address pins %s: %w", hash[:min(len(hash), 8)], pinned, citekit.ErrStale)
	}
	if p.hash != "" && !strings.HasPrefix(hash, p.hash) {
		return fmt.Errorf("the source changed since the cursor was given; read it again from its start: %w", citekit.ErrStale)
	}
	return nil
}

// Limits on the text of a part that is read from its source, in bytes.
const (
	maxBoxText = 1 << 20
	leastBox   = 4 << 10
)

// readPart reads the text of a part from its source.
func (in *call) readPart(ctx context.Context, p *part) error {
	var b strings.Builder
	for run, err := range in.lib.ReadText(ctx, p.item.ResourceID, p.loc) {
		if err != nil {
			return err
		}
		p.text.runs = append(p.text.runs, bytesRun{
			location: run.Location, start: b.Len(), end: b.Len() + len(run.Text), ocr: run.OCR, confidence: run.Confidence,
		})
		p.item.OCR = p.item.OCR || run.OCR
		b.WriteString(run.Text)
		if b.Len() > maxBoxText {
			if err := in.checkEnd(ctx, p); err != nil {
				p.text.runs = nil
				return err
			}
			p.note("the rest of its text is left out")
			break
		}
	}
	p.text.string = b.String()
	p.text.skip(p.offset)
	p.text.keep(in.req.MaxTokens * bytesPerToken / max(1, in.parts))
	return nil
}

// read reads at most room bytes of a part.
func (in *call) read(ctx context.Context, p *part, room int) error {
	layer := in.open(ctx, p.item.ResourceID).layer
	skip := p.offset
	var b strings.Builder
	for i, r := range p.ranges {
		parted := separator(i, len(p.ranges))
		if length := r.To - r.From + parted; skip >= length {
			skip -= length
			continue
		}
		from := min(r.From+skip, r.To)
		to := min(r.To, from+int64(max(0, room-b.Len())))
		skip = 0
		piece, err := layer.Text(ctx, from, to)
		if err != nil {
			return err
		}
		if to < r.To {
			piece, p.text.more = wholeCharacters(piece), true
		}
		if _, ocr := layer.OCR(from, to); ocr {
			p.item.OCR = true
		}
		if in.req.Runs {
			p.addRuns(layer, from, b.Len(), piece)
		}
		if b.WriteString(piece); p.text.more {
			break
		}
		if parted > 0 {
			b.WriteByte('\n')
		}
	}
	p.text.string = b.String()
	return nil
}

// separator returns how many bytes separate range i of several from the next.
func separator(i, of int) int64 {
	if i+1 < of {
		return 1
	}
	return 0
}

// wholeCharacters removes a partial character at the end of a text.
func wholeCharacters(text string) string {
	for n := range min(utf8.UTFMax, len(text)) {
		if end := len(text) - n; utf8.RuneStart(text[end-1]) {
			if !utf8.FullRuneInString(text[end-1:]) {
				return text[:end-1]
			}
			break
		}
	}
	return text
}

// addRuns adds the runs of a piece of a layer. The piece begins in the text at the
// offset at.
func (p *part) addRuns(layer *textlayer.Layer, from int64, at int, piece string) {
	n := int64(len(piece))
	for run := range layer.RunsIn(from, from+n) {
		if start, end := max(run.From, from), min(run.To, from+n); start < end {
			r := bytesRun{
				location: locationOf(layer, start, end, run.Location),
				start:    at + int(start-from), end: at + int(end-from),
				layer: layer, from: start, ocr: run.OCR, confidence: run.Confidence,
			}
			if p.isTable() && !r.location.Lines.IsZero() {
				p.addLines(r, piece[start-from:end-from])
			} else {
				p.text.runs = append(p.text.runs, r)
			}
		}
	}
}

// isTable reports whether a line of the source is a row.
func (p *part) isTable() bool {
	return p.item.MediaType == "text/csv" || p.item.MediaType == "text/tab-separated-values"
}

// addLines adds each line of a run of a table, whose rows are lines.
func (p *part) addLines(r bytesRun, text string) {
	number := r.location.Lines.First
	for line := range strings.Lines(text) {
		one := r
		one.location.Lines = citekit.Range{First: number, Last: number}
		one.end = r.start + len(line)
		p.text.runs = append(p.text.runs, one)
		r.start, r.from = one.end, r.from+int64(len(line))
		number++
	}
}

// skip removes the first n bytes.
func (t *text) skip(n int64) {
	k := int(min(n, int64(len(t.string))))
	t.string = t.string[k:]
	behind := t.runs[:0]
	for _, r := range t.runs {
		if r.end > k {
			behind = append(behind, bytesRun{location: r.location, start: max(0, r.start-k), end: r.end - k, ocr: r.ocr, confidence: r.confidence})
		}
	}
	t.runs = behind
}

// keep removes everything after the first n bytes, but keeps at least leastBox.
func (t *text) keep(n int) {
	if n = max(n, leastBox); n < len(t.string) {
		t.string, t.more = wholeCharacters(t.string[:n]), true
	}
}
