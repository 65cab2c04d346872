package media

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/media/speech"
	"github.com/citekit/citekit/modality/internal/subtitle"
)

// ReadText implements [citekit.TextReader] with the subtitles in src. It yields
// a run for each, with the time it is shown. A source without subtitles has no
// text.
func (e *Engine) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		m, err := e.openAt(ctx, src, loc)
		if err != nil {
			yield(citekit.TextRun{}, err)
			return
		}
		s, err := e.script(ctx, src, m)
		if err != nil {
			yield(citekit.TextRun{}, err)
			return
		}
		w, err := e.embedded(ctx, src, s)
		if err != nil {
			yield(citekit.TextRun{}, err)
			return
		}
		e.runs(w.cues, loc.Time, m.extent().Duration, yield)
	}
}

// ReadTranscript implements [citekit.TranscriptReader]. If a transcript cannot
// be read, the error matches [citekit.ErrFormat].
func (e *Engine) ReadTranscript(ctx context.Context, src, transcript *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		m, err := e.openAt(ctx, src, loc)
		if err != nil {
			yield(citekit.TextRun{}, err)
			return
		}
		text, err := readText(ctx, transcript)
		if errors.Is(err, citekit.ErrTooLarge) {
			err = fmt.Errorf("a transcript of %d bytes; at most %d are read: %w", transcript.Size(), maxCompanion, err)
		}
		if cues, ok := speech.Read(text); ok && err == nil {
			e.wordRuns(cues, loc.Time, m.extent().Duration, yield)
			return
		}
		var cues []subtitle.Cue
		if err == nil {
			cues, err = subtitle.Parse(transcript.Name(), text)
		}
		if err != nil {
			yield(citekit.TextRun{}, err)
			return
		}
		e.runs(subtitle.ByTime(cues), loc.Time, m.extent().Duration, yield)
	}
}

// openAt opens a source and checks that a location lies in it.
func (e *Engine) openAt(ctx context.Context, src *citekit.Source, loc citekit.Location) (medium, error) {
	if _, err := e.check(ctx, citekit.Request{Location: loc}); err != nil {
		return nil, err
	}
	m, err := e.survey(ctx, src)
	if err != nil {
		return nil, err
	}
	if err := m.extent().Check(loc); err != nil || loc.IsWhole() {
		return m, err
	}
	if w, ok := m.(waveform); ok {
		end := loc.Time.End
		if end == 0 {
			end = m.extent().Duration
		}
		return m, w.holds(citekit.Span{Start: loc.Time.Start, End: end})
	}
	return m, nil
}

// runs yields the cues shown within a span of a source. cues is in time order.
func (e *Engine) runs(cues []subtitle.Cue, span citekit.Span, duration float64, yield func(citekit.TextRun, error) bool) {
	if span.End == 0 {
		span.End = duration
	}
	for _, c := range cues {
		shown := rounded(citekit.Span{Start: c.Start, End: min(max(c.End, c.Start+1e-6), duration)})
		if shown.Start >= span.End {
			return
		}
		if shown.End <= span.Start || shown.Start >= shown.End {
			continue
		}
		if !yield(citekit.TextRun{Text: c.Text + "\n", Location: citekit.Location{Modality: e.Modality, Time: shown}}, nil) {
			return
		}
	}
}

// shortestWord is how many seconds a word has at least.
const shortestWord = .001

// wordRuns yields what a machine heard within a span: a run for each word whose time is
// known, else for each cue. A cue is a line.
func (e *Engine) wordRuns(cues []speech.Cue, span citekit.Span, duration float64, yield func(citekit.TextRun, error) bool) {
	if span.End == 0 {
		span.End = duration
	}
	for _, c := range cues {
		words := c.Words
		if len(words) == 0 {
			words = []speech.Word{{Start: c.Start, End: c.End, Text: c.Text}}
		}
		for i, w := range words {
			text := w.Text
			if i > 0 {
				text = " " + text
			}
			if i == len(words)-1 {
				text += "\n"
			}
			start := max(min(w.Start, duration-shortestWord), 0)
			shown := rounded(citekit.Span{Start: start, End: min(max(w.End, start+shortestWord), duration)})
			if shown.Start >= span.End || shown.End <= span.Start || shown.Start >= shown.End {
				continue
			}
			if !yield(citekit.TextRun{Text: text, Location: citekit.Location{Modality: e.Modality, Time: shown}}, nil) {
				return
			}
		}
	}
}
