package modalitytest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A lineResolver is a small correct resolver: lines that end in LF.
type lineResolver struct{}

func (lineResolver) lines(ctx context.Context, src *citekit.Source) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data := make([]byte, src.Size())
	if _, err := io.ReadFull(src.Reader(), data); err != nil && len(data) > 0 {
		return nil, fmt.Errorf("%w: %w", err, citekit.ErrFormat)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, fmt.Errorf("binary: %w", citekit.ErrFormat)
	}
	lines := strings.SplitAfter(string(data), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines, nil
}

func (r lineResolver) cut(ctx context.Context, src *citekit.Source, loc citekit.Location) ([]string, citekit.Range, error) {
	if err := loc.Validate(); err != nil {
		return nil, citekit.Range{}, err
	}
	if loc.Modality != citekit.Text {
		return nil, citekit.Range{}, fmt.Errorf("a location of modality %s: %w", loc.Modality, errors.ErrUnsupported)
	}
	lines, err := r.lines(ctx, src)
	if err != nil {
		return nil, citekit.Range{}, err
	}
	if err := (citekit.Extent{Modality: citekit.Text, Lines: len(lines)}).Check(loc); err != nil {
		return nil, citekit.Range{}, err
	}
	if loc.Lines.IsZero() {
		return lines, citekit.Range{First: 1, Last: len(lines)}, nil
	}
	return lines[loc.Lines.First-1 : loc.Lines.Last], loc.Lines, nil
}

func (r lineResolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if req.Location.Modality == citekit.Text && req.Location.IsWhole() {
		return extractOf(src.Reader(), src.Size()), nil
	}
	lines, _, err := r.cut(ctx, src, req.Location)
	if err != nil {
		return nil, err
	}
	text := strings.Join(lines, "")
	return extractOf(strings.NewReader(text), int64(len(text))), nil
}

func extractOf(r io.Reader, size int64) *citekit.Content {
	return &citekit.Content{Body: io.NopCloser(r), Size: size, MediaType: "text/plain", Ext: ".txt"}
}

func (r lineResolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	lines, err := r.lines(ctx, src)
	return citekit.Extent{Modality: citekit.Text, Lines: len(lines)}, err
}

func (r lineResolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		lines, at, err := r.cut(ctx, src, loc)
		if err != nil {
			yield(citekit.TextRun{}, err)
			return
		}
		for i, line := range lines {
			n := at.First + i
			run := citekit.TextRun{
				Text:     strings.ToValidUTF8(line, "\ufffd"),
				Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: n, Last: n}},
			}
			if !yield(run, nil) {
				return
			}
		}
	}
}

func (lineResolver) Version() string { return "lines/1" }

func linesAt(first, last int) citekit.Location {
	return citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: first, Last: last}}
}

func fixture() Fixture {
	return Fixture{
		Name:   "poem.txt",
		Source: []byte("a\nbb\nccc\ndddd"),
		Good: []Case{
			{Name: "middle", Location: linesAt(2, 3), Want: []byte("bb\nccc\n"), WantText: "bb\nccc\n"},
			{Name: "end", Location: linesAt(4, 4), Want: []byte("dddd")},
		},
		OutOfRange: []citekit.Location{linesAt(3, 5), linesAt(99, 99)},
		Foreign:    citekit.Location{Modality: citekit.Audio, Time: citekit.Span{Start: 1, End: 2}},
		Extent:     citekit.Extent{Modality: citekit.Text, Lines: 4},
		Garbage:    [][]byte{bytes.Repeat([]byte("\n"), 10000)},
	}
}

func TestCorrect(t *testing.T) { Test(t, lineResolver{}, fixture()) }

// A lineMapper also maps: each line is a node, and the text one above
// them. What change does to a call may break it.
type lineMapper struct {
	lineResolver
	change func(*mapCall)
}

// A mapCall is a call of Map with its correct outcome.
type mapCall struct {
	ctx   context.Context
	size  int64 // of the source
	draft *citekit.Draft
	err   error
}

func (m lineMapper) Map(ctx context.Context, src *citekit.Source, _ citekit.MapRequest) (*citekit.Draft, error) {
	lines, err := m.lines(ctx, src)
	draft := &citekit.Draft{Nodes: []*citekit.Node{{Location: citekit.Location{Modality: citekit.Text}}}}
	for i := range lines {
		draft.Nodes[0].Children = append(draft.Nodes[0].Children, &citekit.Node{Location: linesAt(i+1, i+1)})
	}
	c := mapCall{ctx, src.Size(), draft, err}
	if m.change != nil {
		m.change(&c)
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.draft, nil
}

func TestCorrectMapper(t *testing.T) { Test(t, lineMapper{}, fixture()) }

// TestBrokenMappers breaks a mapper in many ways; the check of nodes must see
// each.
func TestBrokenMappers(t *testing.T) {
	size := int64(len(fixture().Source))
	calls := 0
	for _, tt := range []struct {
		name   string
		want   string // in what is reported
		change func(*mapCall)
	}{
		{"promises a line too many", "the source promises text [lines=5-5]", func(c *mapCall) {
			top := c.draft.Nodes[0]
			n := len(top.Children)
			top.Children = append(top.Children, &citekit.Node{Location: linesAt(n+1, n+1)})
		}},
		{"goes by what a header says", "bytes promises text [lines=1-4]", func(c *mapCall) {
			c.draft.Nodes[0].Location = linesAt(1, 4)
		}},
		{"maps what is damaged", "promises text [lines=1-1]", func(c *mapCall) {
			c.draft.Nodes[0].Location, c.err = linesAt(1, 1), nil
		}},
		{"of another modality", "not of modality", func(c *mapCall) { c.draft.Nodes[0].Location.Modality = "" }},
		{"an error without a kind", "matches none", func(c *mapCall) {
			if c.size < size {
				c.err = errors.New("index out of range [3]")
			}
		}},
		{"panics", "panic: nil map", func(c *mapCall) {
			if c.size < size {
				panic("nil map")
			}
		}},
		{"no answer", "neither a structure", func(c *mapCall) { c.draft, c.err = nil, nil }},
		{"ignores ctx", "context canceled", func(c *mapCall) {
			if c.ctx.Err() != nil {
				c.err = nil
			}
		}},
		{"another map each time", "differ", func(c *mapCall) {
			calls++
			c.draft.Title = fmt.Sprint(calls)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rec := &recorder{TB: t}
			newSuite(t, lineMapper{change: tt.change}, fixture()).checkNodes(rec)
			if got := strings.Join(rec.failures, "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("%q was not reported, but:\n%s", tt.want, got)
			}
		})
	}
}

// A bodiless resolver answers with an address only.
type bodiless struct{ reads bool }

func (b bodiless) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := req.Location.Validate(); err != nil {
		return nil, err
	}
	if req.Location.Modality != citekit.Virtual {
		return nil, errors.ErrUnsupported
	}
	if b.reads && src != nil {
		src.ReadAt(make([]byte, 1), 0)
	}
	return &citekit.Content{}, nil
}

func virtualFixture() Fixture {
	return Fixture{
		Name:   "v",
		Source: []byte("xyz"),
		NoBody: true,
		Good:   []Case{{Name: "address", Location: citekit.Location{Modality: citekit.Virtual, VirtualAddress: "virtual://a"}}},
	}
}

func TestCorrectWithoutBody(t *testing.T) { Test(t, bodiless{}, virtualFixture()) }

// A recorder collects what the suite would report.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failures []string
}

func (r *recorder) Errorf(format string, args ...any) { r.add(fmt.Sprintf(format, args...)) }
func (r *recorder) Error(args ...any)                 { r.add(fmt.Sprint(args...)) }
func (r *recorder) Fatal(args ...any)                 { r.add(fmt.Sprint(args...)); runtime.Goexit() }
func (r *recorder) Helper()                           {}

func (r *recorder) add(failure string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, failure)
}

// run returns what the suite reports of r, each with the name of its check.
func run(t *testing.T, r citekit.Resolver, f Fixture) []string {
	var all []string
	s := newSuite(t, r, f)
	var failed []string
	var kinds sync.Map
	for _, c := range s.checks() {
		if slices.ContainsFunc(buildsOn(c.name), func(needed string) bool { return slices.Contains(failed, needed) }) {
			continue
		}
		rec := &recorder{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.run(&once{TB: rec, kinds: &kinds})
		}()
		<-done
		if len(rec.failures) > 0 {
			failed = append(failed, c.name)
		}
		for _, failure := range rec.failures {
			all = append(all, c.name+": "+failure)
		}
	}
	return all
}

// impatient makes a test look only for 200 ms whether something has ended, as it
// never does.
func impatient(t *testing.T) {
	usual := settleSteps
	settleSteps = 20
	t.Cleanup(func() { settleSteps = usual })
}

// broken is a lineResolver with other methods in the place of its own.
type broken struct {
	lineResolver
	resolve func(context.Context, *citekit.Source, citekit.Request) (*citekit.Content, error)
	measure func(context.Context, *citekit.Source) (citekit.Extent, error)
	text    func(context.Context, *citekit.Source, citekit.Location) iter.Seq2[citekit.TextRun, error]
}

// greedy claims every source.
type greedy struct{ lineResolver }

func (greedy) Detect(context.Context, *citekit.Source) (bool, error) { return true, nil }

// shy claims none, not even its own.
type shy struct{ lineResolver }

func (shy) Detect(context.Context, *citekit.Source) (bool, error) { return false, nil }

func (b broken) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	if b.resolve == nil {
		return b.lineResolver.Resolve(ctx, src, req)
	}
	return b.resolve(ctx, src, req)
}

func (b broken) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	if b.measure == nil {
		return b.lineResolver.Measure(ctx, src)
	}
	return b.measure(ctx, src)
}

func (b broken) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	if b.text == nil {
		return b.lineResolver.ReadText(ctx, src, loc)
	}
	return b.text(ctx, src, loc)
}

// altered makes a resolver that changes every correct extract.
func altered(change func(src *citekit.Source, loc citekit.Location, x *citekit.Content)) broken {
	return broken{resolve: func(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
		x, err := lineResolver{}.Resolve(ctx, src, req)
		if err == nil {
			change(src, req.Location, x)
		}
		return x, err
	}}
}

// failing makes a resolver that changes every error that matches kind; nil
// means every error.
func failing(kind error, change func(err error) (*citekit.Content, error)) broken {
	return broken{resolve: func(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
		x, err := lineResolver{}.Resolve(ctx, src, req)
		if err != nil && (kind == nil || errors.Is(err, kind)) {
			return change(err)
		}
		return x, err
	}}
}

// instead makes an outcome of an error.
func instead(err error) func(error) (*citekit.Content, error) {
	return func(error) (*citekit.Content, error) { return nil, err }
}

func empty(error) (*citekit.Content, error) { return extractOf(strings.NewReader(""), 0), nil }

// TestBroken breaks a resolver in many ways; the suite must see each, in the
// check that is for it.
func TestBroken(t *testing.T) {
	sharedtest.NotShort(t)
	impatient(t)
	var stale, held, sized sync.Map
	var calls atomic.Int64
	var block = make(chan struct{})
	t.Cleanup(func() { close(block) })
	for _, tt := range []struct {
		name  string
		r     citekit.Resolver
		check string
	}{
		{"off by one", broken{resolve: func(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
			req.Location.Lines.First = max(req.Location.Lines.First-1, min(req.Location.Lines.First, 1))
			return lineResolver{}.Resolve(ctx, src, req)
		}}, "good"},
		{"other bytes each time", altered(func(_ *citekit.Source, loc citekit.Location, x *citekit.Content) {
			if loc.Lines.First == 4 {
				x.Body = io.NopCloser(strings.NewReader(fmt.Sprint("call ", calls.Add(1))))
				x.Size = -1
			}
		}), "good"},
		{"wrong size", altered(func(_ *citekit.Source, _ citekit.Location, x *citekit.Content) { x.Size++ }), "good"},
		{"no media type", altered(func(_ *citekit.Source, _ citekit.Location, x *citekit.Content) { x.MediaType = "" }), "good"},
		{"extension without dot", altered(func(_ *citekit.Source, _ citekit.Location, x *citekit.Content) { x.Ext = "txt" }), "good"},
		{"path as extension", altered(func(_ *citekit.Source, _ citekit.Location, x *citekit.Content) { x.Ext = "./../x" }), "good"},
		{"upper case charset", altered(func(_ *citekit.Source, _ citekit.Location, x *citekit.Content) { x.Charset = "UTF-8" }), "good"},
		{"actual as requested", altered(func(_ *citekit.Source, loc citekit.Location, x *citekit.Content) { x.Actual = &loc }), "good"},
		{"no body", altered(func(_ *citekit.Source, _ citekit.Location, x *citekit.Content) { x.Body, x.Size = nil, 0 }), "good"},
		{"body that fails to close", altered(func(_ *citekit.Source, _ citekit.Location, x *citekit.Content) {
			x.Body = badCloser{x.Body}
		}), "good"},
		{"moves the file offset", altered(func(src *citekit.Source, _ citekit.Location, _ *citekit.Content) {
			if f := src.File(); f != nil {
				f.Seek(1, io.SeekStart)
			}
		}), "good"},
		{"closes the file", altered(func(src *citekit.Source, _ citekit.Location, _ *citekit.Content) {
			if src.File() != nil {
				src.File().Close()
			}
		}), "good"},
		{"nothing at all", broken{resolve: func(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
			return nil, nil
		}}, "good"},
		{"rewrites the whole", altered(func(_ *citekit.Source, loc citekit.Location, x *citekit.Content) {
			if loc.IsWhole() {
				x.Body = io.NopCloser(io.MultiReader(x.Body, strings.NewReader("\n")))
				x.Size++
			}
		}), "whole"},
		{"mode changes text", broken{resolve: func(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
			if req.Mode == citekit.ModeCopy {
				req.Location.Lines.First = min(req.Location.Lines.First, 1)
			}
			return lineResolver{}.Resolve(ctx, src, req)
		}}, "mode"},
		{"swallows range errors", failing(citekit.ErrRange, empty), "out of range"},
		{"cuts ranges short", broken{resolve: func(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
			if lines, err := (lineResolver{}).lines(ctx, src); err == nil && req.Location.Lines.First <= len(lines) {
				req.Location.Lines.Last = min(req.Location.Lines.Last, len(lines))
			}
			return lineResolver{}.Resolve(ctx, src, req)
		}}, "out of range"},
		{"range error of another kind", failing(citekit.ErrRange, instead(errors.New("bad lines"))), "out of range"},
		{"error with escape codes", failing(nil, func(err error) (*citekit.Content, error) {
			return nil, fmt.Errorf("\x1b[31m%w", err)
		}), "out of range"},
		{"body beside an error", failing(nil, func(err error) (*citekit.Content, error) {
			x, _ := empty(err)
			return x, err
		}), "out of range"},
		{"takes foreign selectors", broken{resolve: func(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
			loc := citekit.Location{Modality: citekit.Text, Lines: req.Location.Lines}
			return lineResolver{}.Resolve(ctx, src, citekit.Request{Location: loc})
		}}, "foreign"},
		{"ignores ctx", broken{resolve: func(_ context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
			return lineResolver{}.Resolve(context.Background(), src, req)
		}}, "cancelled"},
		{"ctx error as format error", failing(nil, instead(citekit.ErrFormat)), "out of range"},
		{"measure ignores ctx", broken{measure: func(_ context.Context, src *citekit.Source) (citekit.Extent, error) {
			return lineResolver{}.Measure(context.Background(), src)
		}}, "cancelled"},
		{"ctx error as another while reading", broken{resolve: func(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
			alive := ctx.Err() == nil
			x, err := lineResolver{}.Resolve(ctx, src, req)
			if alive && ctx.Err() != nil {
				return nil, citekit.ErrFormat
			}
			return x, err
		}}, "cancelled while reading"},
		{"wrong measure", broken{measure: func(context.Context, *citekit.Source) (citekit.Extent, error) {
			return citekit.Extent{Modality: citekit.Text, Lines: 3}, nil
		}}, "measure"},
		{"text in Latin-1", broken{text: textOf("\xe9", linesAt(2, 3))}, "text"},
		{"text from elsewhere", broken{text: textOf("bb\nccc\n", linesAt(1, 3))}, "text"},
		{"other text", broken{text: textOf("b", linesAt(2, 2))}, "text"},
		{"text outside the source", broken{text: func(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
			if loc.IsWhole() {
				return textOf("a", linesAt(1, 9999))(ctx, src, loc)
			}
			return lineResolver{}.ReadText(ctx, src, loc)
		}}, "text"},
		{"claims every source", greedy{}, "detect"},
		{"claims no source", shy{}, "detect"},
		{"text leaves goroutines", broken{text: func(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
			go func() { select {} }()
			return lineResolver{}.ReadText(ctx, src, loc)
		}}, "leaks"},
		{"text goes on after an error", broken{text: func(context.Context, *citekit.Source, citekit.Location) iter.Seq2[citekit.TextRun, error] {
			return func(yield func(citekit.TextRun, error) bool) {
				if yield(citekit.TextRun{}, citekit.ErrRange) {
					yield(citekit.TextRun{}, citekit.ErrFormat)
				}
			}
		}}, "text"},
		{"text up to the end of a range beyond it", broken{text: func(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
			if lines, err := (lineResolver{}).lines(ctx, src); err == nil && loc.Lines.First <= len(lines) {
				loc.Lines.Last = min(loc.Lines.Last, len(lines))
			}
			return lineResolver{}.ReadText(ctx, src, loc)
		}}, "text"},
		{"swallows read errors", broken{resolve: func(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
			x, err := lineResolver{}.Resolve(ctx, src, req)
			if errors.Is(err, errFlaky) {
				return extractOf(strings.NewReader("b"), 1), nil
			}
			return x, err
		}}, "read errors"},
		{"keeps what is of unknown version", broken{resolve: func(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
			x, err := lineResolver{}.Resolve(ctx, src, req)
			if err != nil {
				return x, err
			}
			data, _ := io.ReadAll(x.Body)
			kept, _ := stale.LoadOrStore(src.Version()+label(req.Location), data)
			return extractOf(bytes.NewReader(kept.([]byte)), int64(len(kept.([]byte)))), nil
		}}, "garbage"},
		{"read error as range error", broken{resolve: func(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
			x, err := lineResolver{}.Resolve(ctx, src, req)
			if errors.Is(err, errFlaky) {
				err = citekit.ErrRange
			}
			return x, err
		}}, "read errors"},
		{"keeps by size, not by version", broken{resolve: func(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
			x, err := lineResolver{}.Resolve(ctx, src, req)
			if err != nil || src.Version() == "" || req.Location.IsWhole() {
				return x, err
			}
			data, _ := io.ReadAll(x.Body)
			kept, _ := sized.LoadOrStore(fmt.Sprint(src.Size(), label(req.Location)), data)
			return extractOf(bytes.NewReader(kept.([]byte)), int64(len(kept.([]byte)))), nil
		}}, "garbage"},
		{"garbage called stale", failing(citekit.ErrFormat, instead(citekit.ErrStale)), "garbage"},
		{"racing", &racyResolver{}, "concurrent"},
		{"panics on garbage", broken{resolve: func(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
			x, err := lineResolver{}.Resolve(ctx, src, req)
			if err != nil && src.Size() > 0 && ctx.Err() == nil && !errors.Is(err, citekit.ErrRange) {
				panic("nil map")
			}
			return x, err
		}}, "foreign"},
		{"empty success on garbage", failing(citekit.ErrFormat, empty), "read errors"},
		{"unknown error on garbage", failing(citekit.ErrFormat, instead(errors.New("index out of range [3]"))), "garbage"},
		{"body that must be read to the end", altered(func(_ *citekit.Source, _ citekit.Location, x *citekit.Content) {
			x.Body = &wholeReader{Reader: x.Body}
		}), "closed early"},
		{"leaves goroutines", altered(func(*citekit.Source, citekit.Location, *citekit.Content) {
			go func() { <-block }()
		}), "leaks"},
		{"reads from a source after its call", broken{resolve: func(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
			if src.File() != nil {
				kept, _ := held.LoadOrStore(src.Version(), src)
				src = kept.(*citekit.Source)
			}
			return lineResolver{}.Resolve(ctx, src, req)
		}}, "good"},
		{"writes to the source", altered(func(src *citekit.Source, _ citekit.Location, x *citekit.Content) {
			if src.File() != nil {
				os.WriteFile(src.File().Name(), []byte("gone"), 0o600)
			}
		}), "source unmodified"},
		{"leaves temporary files", altered(func(*citekit.Source, citekit.Location, *citekit.Content) {
			if f, err := os.CreateTemp("", "left"); err == nil {
				f.Close()
			}
		}), "left over files"},
		{"writes beside the source", altered(func(src *citekit.Source, _ citekit.Location, _ *citekit.Content) {
			if src.File() != nil {
				os.WriteFile(src.File().Name()+".idx", nil, 0o600)
			}
		}), "left over files"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			failures := run(t, tt.r, fixture())
			if !strings.Contains(strings.Join(failures, "\n"), tt.check+": ") {
				t.Errorf("the check %q did not see it; reported:\n%s", tt.check, strings.Join(failures, "\n"))
			}
			if most := map[string]int{"source unmodified": 2}[tt.check]; len(failures) > max(most, 1) { // a source that changed is not good
				t.Errorf("one fault is reported %d times:\n%s", len(failures), strings.Join(failures, "\n"))
			}
		})
	}
}

// TestLeftChildren starts a child process with each call and leaves it.
func TestLeftChildren(t *testing.T) {
	sharedtest.NotShort(t)
	if runtime.GOOS != "linux" {
		t.Skip("the system does not list child processes in /proc")
	}
	impatient(t)
	var started []*exec.Cmd
	var mu sync.Mutex
	t.Cleanup(func() {
		for _, c := range started {
			c.Process.Kill()
			c.Wait()
		}
	})
	leaving := altered(func(*citekit.Source, citekit.Location, *citekit.Content) {
		c := exec.Command(os.Args[0], "-test.run=^TestSleep$")
		c.Env = append(os.Environ(), "MODALITYTEST_SLEEP=1")
		mu.Lock()
		defer mu.Unlock()
		if len(started) < 40 && c.Start() == nil {
			started = append(started, c)
		}
	})
	rec := &recorder{TB: t}
	s := newSuite(t, leaving, fixture())
	s.checkLeaks(rec)
	if !strings.Contains(strings.Join(rec.failures, "\n"), "child processes") {
		t.Errorf("child processes were not seen; reported: %q", rec.failures)
	}
}

// TestSleep is a child process of TestLeftChildren.
func TestSleep(t *testing.T) {
	if os.Getenv("MODALITYTEST_SLEEP") == "" {
		t.Skip("only run as a child process")
	}
	time.Sleep(time.Minute)
}

func TestBrokenWithoutBody(t *testing.T) {
	if failures := run(t, bodiless{reads: true}, virtualFixture()); len(failures) == 0 {
		t.Error("reading the source was not seen")
	}
	if failures := run(t, lineResolver{}, virtualFixture()); len(failures) == 0 {
		t.Error("a resolver of another modality was not seen")
	}
}

// TestCrowd checks that callers who wait for ever are found, with resolvers that
// let one in at a time: one keeps the place of a caller who gave up, and one keeps
// it while it calls back.
func TestCrowd(t *testing.T) {
	sharedtest.NotShort(t)
	defer func(usual time.Duration) { crowdTime = usual }(crowdTime)
	crowdTime = time.Second
	over := make(chan struct{})
	defer close(over)
	take := func(place chan struct{}) {
		select {
		case place <- struct{}{}:
		case <-over:
		}
	}
	givenUp, reading := make(chan struct{}, 1), make(chan struct{}, 1)
	for name, r := range map[string]broken{
		"keeps the place of who gave up": {resolve: func(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
			take(givenUp)
			time.Sleep(2 * crowdPatience)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			<-givenUp
			return lineResolver{}.Resolve(ctx, src, req)
		}},
		"keeps the place while it calls back": {
			resolve: func(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
				take(reading)
				defer func() { <-reading }()
				return lineResolver{}.Resolve(ctx, src, req)
			},
			text: func(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
				return func(yield func(citekit.TextRun, error) bool) {
					take(reading)
					defer func() { <-reading }()
					lineResolver{}.ReadText(ctx, src, loc)(yield)
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			rec := &recorder{TB: t}
			newSuite(t, r, fixture()).checkCrowd(rec)
			rec.mu.Lock()
			defer rec.mu.Unlock()
			if len(rec.failures) != 1 || !strings.Contains(rec.failures[0], "wait for each other") {
				t.Errorf("the suite reports %q", rec.failures)
			}
		})
	}
}

func TestRecorderSeesNothingInCorrect(t *testing.T) {
	if failures := run(t, lineResolver{}, fixture()); len(failures) > 0 {
		t.Errorf("reported of a correct resolver:\n%s", strings.Join(failures, "\n"))
	}
}

func textOf(text string, at citekit.Location) func(context.Context, *citekit.Source, citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(context.Context, *citekit.Source, citekit.Location) iter.Seq2[citekit.TextRun, error] {
		return func(yield func(citekit.TextRun, error) bool) {
			yield(citekit.TextRun{Text: text, Location: at}, nil)
		}
	}
}

type badCloser struct{ io.ReadCloser }

func (badCloser) Close() error { return errors.New("close failed") }

// A wholeReader cannot be closed before its end.
type wholeReader struct {
	io.Reader
	ended bool
}

func (r *wholeReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.ended = r.ended || err == io.EOF
	return n, err
}

func (r *wholeReader) Close() error {
	if !r.ended {
		return errors.New("not at the end")
	}
	return nil
}

// A racyResolver mixes up callers that come at the same time.
type racyResolver struct {
	mu   sync.Mutex
	busy int
}

func (r *racyResolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	r.mu.Lock()
	r.busy++
	crowded := r.busy > 1
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		r.busy--
		r.mu.Unlock()
	}()
	for range 100 {
		runtime.Gosched()
	}
	if crowded {
		return extractOf(strings.NewReader("?"), 1), nil
	}
	return lineResolver{}.Resolve(ctx, src, req)
}

// TestLabel checks that a message tells all locations apart.
func TestLabel(t *testing.T) {
	for want, loc := range map[string]citekit.Location{
		"chat [message=3]":          {Modality: "chat", Message: 3},
		"chat [whole]":              {Modality: "chat"},
		"document [sheet=S&rows=2]": {Modality: citekit.Document, Sheet: "S", Rows: citekit.Range{First: 2, Last: 2}},
		"virtual [x:y]":             {Modality: citekit.Virtual, VirtualAddress: "x:y"},
	} {
		if got := label(loc); got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
}
