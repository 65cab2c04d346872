package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
)

// Tune is a modality that citekit does not have: "tune" is the type of its maps
// and the scheme of its addresses, such as tune://song#t=1-2.
const Tune citekit.Modality = "tune"

// A tunes resolver reads tunes: a line with the beats in a minute, then a line
// for each note and how many beats it sounds, under headings if need be:
//
//	tune 120
//	# Verse
//	C 1
//	G 0.5
//
// A time selects the lines of the notes that sound in it.
type tunes struct{}

// It is found by its Detector, checked by its Measurer and mapped by its
// Mapper; each is an option.
var (
	_ citekit.Resolver = tunes{}
	_ citekit.Detector = tunes{}
	_ citekit.Measurer = tunes{}
	_ citekit.Mapper   = tunes{}
)

const (
	maxTune  = 1 << 20 // bytes
	maxTempo = 1000    // beats in a minute
	maxBeats = 1000    // of a note
	maxHead  = 16      // bytes of the first line
)

// Detect implements [citekit.Detector]: a text about a tune is none.
func (tunes) Detect(_ context.Context, src *citekit.Source) (bool, error) {
	head := make([]byte, maxHead)
	n, err := src.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return false, err
	}
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	return parseTempo(line) > 0, nil
}

// parseTempo returns the beats in a minute that a first line says, or 0.
func parseTempo(line string) float64 {
	word, ok := strings.CutPrefix(line, "tune ")
	if n, err := strconv.Atoi(word); ok && err == nil && n > 0 && n <= maxTempo {
		return float64(n)
	}
	return 0
}

// Resolve implements [citekit.Resolver]. Where a note sounds longer than what
// is asked for, the extract says what it holds.
func (tunes) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	t, err := readTune(ctx, src)
	if err != nil {
		return nil, err
	}
	if err := t.check(req.Location); err != nil {
		return nil, err
	}
	part, held := t.data, req.Location
	if !held.IsWhole() {
		part, held.Time = t.cut(held.Time)
	}
	extract := &citekit.Content{
		Body: io.NopCloser(bytes.NewReader(part)), Size: int64(len(part)),
		MediaType: "text/x-tune", Ext: ".tune",
	}
	if asked := req.Location.Time; held.Time.Start != asked.Start || asked.End != 0 && held.Time.End != asked.End {
		extract.Actual = &held
	}
	return extract, nil
}

// Measure implements [citekit.Measurer].
func (tunes) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	t, err := readTune(ctx, src)
	if err != nil {
		return citekit.Extent{}, err
	}
	return t.extent(), nil
}

// Map implements [citekit.Mapper]: each heading is a node.
func (tunes) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if req.Modality != Tune {
		return nil, fmt.Errorf("a map of a tune as %s: %w", req.Modality, errors.ErrUnsupported)
	}
	t, err := readTune(ctx, src)
	if err != nil {
		return nil, err
	}
	return &citekit.Draft{Nodes: t.parts, Method: "headings"}, nil
}

// A tune is what a source holds.
type tune struct {
	data  []byte
	notes []note // at least one
	parts []*citekit.Node
}

// A note is when it sounds, and the bytes of its line.
type note struct {
	citekit.Span
	from, to int
}

func readTune(ctx context.Context, src *citekit.Source) (*tune, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if src.Size() > maxTune {
		return nil, fmt.Errorf("a tune of %d bytes; at most %d: %w", src.Size(), maxTune, citekit.ErrTooLarge)
	}
	data := make([]byte, src.Size())
	if _, err := io.ReadFull(src.Reader(), data); err != nil {
		return nil, err
	}
	return parseTune(data)
}

// parseTune parses a tune. The error matches [citekit.ErrFormat] and names the
// line.
func parseTune(data []byte) (*tune, error) {
	t := &tune{data: data}
	tempo, from := 0.0, 0
	for number := 1; from < len(data); number++ {
		line, _, _ := bytes.Cut(data[from:], []byte("\n"))
		to := min(from+len(line)+1, len(data))
		if tempo == 0 {
			tempo = parseTempo(string(line))
		} else if heading, ok := strings.CutPrefix(string(line), "# "); ok {
			t.begin(heading)
		} else if beats := parseBeats(string(line)); beats > 0 {
			t.add(beats*60/tempo, from, to)
		} else {
			return nil, fmt.Errorf("line %d is neither a note nor a heading: %w", number, citekit.ErrFormat)
		}
		if tempo == 0 {
			break
		}
		from = to
	}
	t.end()
	if len(t.notes) == 0 {
		return nil, fmt.Errorf("no tune, or one without notes: %w", citekit.ErrFormat)
	}
	return t, nil
}

// parseBeats returns how many beats a note such as "C 0.5" sounds, or 0.
func parseBeats(line string) float64 {
	name, word, _ := strings.Cut(line, " ")
	beats, err := strconv.ParseFloat(word, 64)
	if err != nil || len(name) != 1 || !strings.Contains("CDEFGAB-", name) || !(beats > 0 && beats <= maxBeats) {
		return 0
	}
	return beats
}

// add notes that one more note sounds for some seconds.
func (t *tune) add(seconds float64, from, to int) {
	start := t.duration()
	t.notes = append(t.notes, note{citekit.Span{Start: start, End: start + seconds}, from, to})
}

// begin begins a part, and ends the one before.
func (t *tune) begin(title string) {
	t.end()
	location := citekit.Location{Modality: Tune, Time: citekit.Span{Start: t.duration()}}
	t.parts = append(t.parts, &citekit.Node{Title: title, Type: "part", Location: location})
}

// end ends the last part, and drops it if it has no notes.
func (t *tune) end() {
	n := len(t.parts)
	if n == 0 {
		return
	}
	span := &t.parts[n-1].Location.Time
	if span.End = t.duration(); span.End == span.Start {
		t.parts = t.parts[:n-1]
	}
}

func (t *tune) duration() float64 {
	if n := len(t.notes); n > 0 {
		return t.notes[n-1].End
	}
	return 0
}

func (t *tune) extent() citekit.Extent {
	return citekit.Extent{Modality: Tune, Duration: t.duration(), MediaType: "text/x-tune"}
}

// check refuses what a tune does not have: pages, and times after its end.
func (t *tune) check(loc citekit.Location) error {
	others := loc
	others.Time = citekit.Span{}
	if !others.IsWhole() {
		return fmt.Errorf("a tune is cited by time: %w", errors.ErrUnsupported)
	}
	return t.extent().Check(loc)
}

// cut returns the lines from the first note that sounds in span to the last,
// and when they sound.
func (t *tune) cut(span citekit.Span) ([]byte, citekit.Span) {
	if span.End == 0 {
		span.End = t.duration()
	}
	var first, last note
	for _, n := range t.notes {
		if n.Start < span.End && n.End > span.Start {
			if last.to == 0 {
				first = n
			}
			last = n
		}
	}
	return t.data[first.from:last.to], citekit.Span{Start: first.Start, End: last.End}
}
