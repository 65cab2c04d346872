package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
)

// A piece is a part of the text of a source that fits one request.
type piece struct {
	text string
	part citekit.Location // where the text stands: the smallest run that holds it
}

const (
	maxUnit  = 4000 // bytes shown of one line, or of the speech in one run of words
	maxPages = 1000 // of a document that a model gets itself
)

// A cutter gathers text into pieces.
type cutter struct {
	modality citekit.Modality
	room     int // bytes of a piece
	limit    int // pieces

	text   strings.Builder
	part   citekit.Location
	pieces []piece
	last   citekit.Location // of the unit before
	words  bool             // some text was found
}

// cutText returns the text of runs, with the number before each line or page,
// in pieces of at most room bytes.
func cutText(runs iter.Seq2[citekit.TextRun, error], modality citekit.Modality, room, limit int) ([]piece, error) {
	c := cutter{modality: modality, room: room, limit: limit}
	for run, err := range runs {
		if err != nil {
			return nil, err
		}
		if err := c.run(run); err != nil {
			return nil, err
		}
	}
	if err := c.flush(); err != nil {
		return nil, err
	}
	if !c.words {
		return nil, errNoText
	}
	return c.pieces, nil
}

// errNoText reports a source without any words, such as a scan.
var errNoText = fmt.Errorf("no text that could be read: %w", errors.ErrUnsupported)

func (c *cutter) run(run citekit.TextRun) error {
	c.words = c.words || strings.TrimSpace(run.Text) != ""
	loc := run.Location
	switch {
	case !loc.Lines.IsZero():
		return c.lines(run.Text, loc)
	case len(loc.Pages) > 0:
		return c.unit(fmt.Sprintf("[page %v]\n%s\n", loc.Pages[0], unmarked(plain.Cut(strings.TrimSpace(run.Text), c.room))), loc)
	case !loc.Time.IsZero():
		return c.unit(fmt.Sprintf("[%v] %s\n", loc.Time, plain.Words(run.Text, maxUnit)), loc)
	case !loc.Box.IsZero():
		return c.unit(fmt.Sprintf("[%v] %s\n", loc.Box, plain.Words(run.Text, maxUnit)), loc)
	}
	return c.unit(plain.Cut(run.Text, c.room)+"\n", loc)
}

// lines adds the lines of a run. If the number of lines differs from that of
// the run, the lines have an unknown terminator, and the run is added as one
// unit.
func (c *cutter) lines(text string, loc citekit.Location) error {
	lines := splitLines(text, loc.Lines.Len())
	if lines == nil {
		return c.unit(fmt.Sprintf("[lines %v]\n%s\n", loc.Lines, unmarked(plain.Cut(text, c.room))), loc)
	}
	for i, line := range lines {
		at := loc
		at.Lines = citekit.Range{First: loc.Lines.First + i, Last: loc.Lines.First + i}
		if at.Lines == c.last.Lines {
			continue // the rest of a long line, which is not shown
		}
		shown := plain.Cut(line, maxUnit)
		if len(shown) < len(line) {
			shown += "…"
		}
		if err := c.unit(fmt.Sprintf("%d\t%s\n", at.Lines.First, shown), at); err != nil {
			return err
		}
	}
	return nil
}

// unmarked returns text in which no line begins like our marks, so that a line
// cannot pass for a mark.
func unmarked(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "[") {
			lines[i] = "| " + line
		}
	}
	return strings.Join(lines, "\n")
}

// splitLines returns the n lines of text, or nil if it has another number of
// lines.
func splitLines(text string, n int) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for _, end := range []string{"\n", "\r"} {
		lines := strings.Split(strings.TrimSuffix(text, end), end)
		if len(lines) == n {
			return lines
		}
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r", "\n"), "\n"), "\n")
	if len(lines) == n {
		return lines
	}
	return nil
}

func (c *cutter) unit(text string, loc citekit.Location) error {
	if c.text.Len() > 0 && c.text.Len()+len(text) > c.room {
		if err := c.flush(); err != nil {
			return err
		}
	}
	c.text.WriteString(text)
	c.part = join(c.part, loc)
	c.last = loc
	return nil
}

func (c *cutter) flush() error {
	if c.text.Len() == 0 {
		return nil
	}
	if len(c.pieces) >= c.limit {
		return fmt.Errorf("text that takes more than %d requests of %d bytes: %w", c.limit, c.room, citekit.ErrTooLarge)
	}
	c.part.Modality = c.modality
	c.pieces = append(c.pieces, piece{c.text.String(), c.part})
	c.text.Reset()
	c.part = citekit.Location{}
	return nil
}

// join returns the run from the start of a to the end of b, which follows it. A
// zero a counts as empty.
func join(a, b citekit.Location) citekit.Location {
	if a.IsWhole() {
		return b
	}
	a.Box = citekit.Box{}
	if len(a.Pages) > 0 && len(b.Pages) > 0 {
		a.Pages = []citekit.Range{{First: min(a.Pages[0].First, b.Pages[0].First), Last: max(a.Pages[len(a.Pages)-1].Last, b.Pages[len(b.Pages)-1].Last)}}
	}
	if !a.Lines.IsZero() {
		a.Lines = citekit.Range{First: min(a.Lines.First, b.Lines.First), Last: max(a.Lines.Last, b.Lines.Last)}
	}
	if !a.Time.IsZero() {
		a.Time = citekit.Span{Start: min(a.Time.Start, b.Time.Start), End: max(a.Time.End, b.Time.End)}
	}
	return a
}

// A transcript is a file beside a recording that holds its words.
type transcript struct {
	name   string
	source *citekit.Source
}

// transcriptOf opens the first companion that holds the words of src, or
// returns nil. The caller closes its source.
func transcriptOf(ctx context.Context, resolver citekit.Resolver, src *citekit.Source, req citekit.MapRequest) *transcript {
	reader, ok := resolver.(citekit.TranscriptReader)
	if !ok {
		return nil
	}
	for _, companion := range req.Companions {
		switch strings.ToLower(path.Ext(companion.Name)) {
		case ".srt", ".vtt", ".ass", ".ssa", ".json", ".lrc", ".sbv", ".ttml":
		default:
			continue
		}
		file, err := companion.Open(ctx)
		if err != nil {
			continue
		}
		for _, err := range reader.ReadTranscript(ctx, src, file, citekit.Location{Modality: req.Modality}) {
			if err == nil {
				return &transcript{companion.Name, file}
			}
			break
		}
		file.Close()
	}
	return nil
}

// textRuns returns the text of src, or of its transcript if it has one, and
// whether text is possible at all.
func textRuns(ctx context.Context, resolver citekit.Resolver, src *citekit.Source, words *transcript, loc citekit.Location) (iter.Seq2[citekit.TextRun, error], bool) {
	if words != nil {
		return resolver.(citekit.TranscriptReader).ReadTranscript(ctx, src, words.source, loc), true
	}
	reader, ok := resolver.(citekit.TextReader)
	if !ok {
		return nil, false
	}
	return reader.ReadText(ctx, src, loc), true
}
