package llm_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mapper/llm"
)

// A fake is a model that answers as it is told.
type fake struct {
	answer func(req *llm.Request) (*llm.Response, error)
	media  string // prefix of the media types it takes; "" for none
	limit  int64  // of their size, if not 0

	mu       sync.Mutex
	requests []*llm.Request
	uploads  int
	released int
	release  error
}

func answers(texts ...string) *fake {
	i := 0
	f := &fake{}
	f.answer = func(*llm.Request) (*llm.Response, error) {
		text := texts[min(i, len(texts)-1)]
		i++
		return &llm.Response{Text: text, Model: "fake-1", Usage: llm.Usage{Requests: 1, InputTokens: 100, OutputTokens: 10}}, nil
	}
	return f
}

func (f *fake) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, req)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f.answer(req)
}

func (f *fake) AcceptsMedia(mediaType string, size int64) bool {
	return (f.limit == 0 || size <= f.limit) && f.media != "" && strings.HasPrefix(mediaType, f.media)
}

func (f *fake) Upload(_ context.Context, _ *citekit.Source, mediaType string) (*llm.Media, error) {
	f.uploads++
	return &llm.Media{MediaType: mediaType, URI: "file:1", Release: func(ctx context.Context) error {
		if ctx.Err() != nil {
			return errors.New("released with a context that is done")
		}
		f.released++
		return f.release
	}}, nil
}

// text returns the words of the request with the number, from 0.
func (f *fake) text(i int) string {
	var b strings.Builder
	for _, p := range f.requests[i].Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// lined resolves lines, twenty to a run.
type lined struct{ citekit.Resolver }

func (lined) Measure(_ context.Context, src *citekit.Source) (citekit.Extent, error) {
	return citekit.Extent{Modality: citekit.Text, Lines: len(linesOf(src)), MediaType: "text/plain"}, nil
}

func (lined) ReadText(_ context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		all := linesOf(src)
		if loc.Lines.IsZero() {
			loc.Lines = citekit.Range{First: 1, Last: len(all)}
		}
		for i := loc.Lines.First; i <= loc.Lines.Last; i += 20 {
			last := min(i+19, loc.Lines.Last)
			run := citekit.TextRun{Text: strings.Join(all[i-1:last], ""), Location: atLines(i, last)}
			if !yield(run, nil) {
				return
			}
		}
	}
}

func linesOf(src *citekit.Source) []string {
	buf := make([]byte, src.Size())
	_, _ = src.ReadAt(buf, 0)
	return strings.SplitAfter(strings.TrimSuffix(string(buf), "\n"), "\n")
}

func atLines(first, last int) citekit.Location {
	return citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: first, Last: last}}
}

// filmed resolves two minutes of film, whose words are in a companion.
type filmed struct{ citekit.Resolver }

func (filmed) Measure(context.Context, *citekit.Source) (citekit.Extent, error) {
	return citekit.Extent{Modality: citekit.Video, Duration: 120, MediaType: "video/mp4"}, nil
}

func (filmed) ReadTranscript(_ context.Context, _, words *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		for i, line := range linesOf(words) {
			span := citekit.Span{Start: float64(i * 10), End: float64(i*10 + 10)}
			if !loc.Time.IsZero() && (span.End <= loc.Time.Start || span.Start >= loc.Time.End) {
				continue
			}
			if !yield(citekit.TextRun{Text: line, Location: citekit.Location{Modality: citekit.Video, Time: span}}, nil) {
				return
			}
		}
	}
}

// paged resolves a document of pages parted by form feeds; one without text is
// a scan.
type paged struct{ citekit.Resolver }

func (paged) Measure(_ context.Context, src *citekit.Source) (citekit.Extent, error) {
	return citekit.Extent{Modality: citekit.Document, Pages: len(pagesIn(src)), MediaType: "application/pdf"}, nil
}

func pagesIn(src *citekit.Source) []string {
	return strings.Split(strings.Join(linesOf(src), ""), "\f")
}

func (paged) ReadText(_ context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		all := pagesIn(src)
		if len(loc.Pages) == 0 {
			loc.Pages = []citekit.Range{{First: 1, Last: len(all)}}
		}
		for _, run := range loc.Pages {
			for p := run.First; p <= run.Last; p++ {
				at := citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: p, Last: p}}}
				if !yield(citekit.TextRun{Text: all[p-1], Location: at}, nil) {
					return
				}
			}
		}
	}
}

var fakes = citekit.Resolvers{citekit.Text: lined{}, citekit.Video: filmed{}, citekit.Document: paged{}}

func source(content string) *citekit.Source {
	return citekit.NewSource(strings.NewReader(content), citekit.SourceInfo{Name: "source", Size: int64(len(content))})
}

// numbered returns n lines.
func numbered(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "this is line %d\n", i)
	}
	return b.String()
}

func mapText(t *testing.T, model llm.Model, content string, opts *llm.Options) (*citekit.Draft, error) {
	t.Helper()
	return llm.New(model, fakes, opts).Map(t.Context(), source(content), citekit.MapRequest{Modality: citekit.Text})
}
