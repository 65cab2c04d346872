package textlayer_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// TestPages reads a document with one empty page.
func TestPages(t *testing.T) {
	d := newDesk(t, citekit.Document, page(1, "one"), page(2, ""), page(3, "three\n"), page(4, "four"))
	l := open(t, textlayer.New(d.Library, nil), "a")
	if got := text(t, l); got != "one\nthree\nfour" {
		t.Errorf("the text is %q", got)
	}
	for _, test := range []struct {
		from, to int64
		want     string
	}{
		{0, 3, "1"}, {0, 0, "1"}, {2, 5, "1,3"}, {4, 10, "3"}, {10, 14, "4"}, {14, 14, "4"}, {0, 14, "1,3-4"}, {3, 4, "1"},
	} {
		loc, err := l.Location(test.from, test.to)
		if got := strings.TrimPrefix(citekit.Address{Location: loc}.Fragment(), "pages="); err != nil || got != test.want {
			t.Errorf("bytes %d-%d are on pages %s, %v; want %s", test.from, test.to, got, err, test.want)
		}
	}
	for loc, want := range map[*citekit.Location]string{
		{Pages: []citekit.Range{{First: 3, Last: 4}}}:                      "[{4 14}]",
		{Pages: []citekit.Range{{First: 1, Last: 1}, {First: 4, Last: 4}}}: "[{0 3} {10 14}]",
		{Pages: []citekit.Range{{First: 2, Last: 2}}}:                      "[{3 3}]",
		{}: "[{0 14}]",
	} {
		if got, err := l.Ranges(*loc); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%v is at %v, %v; want %s", loc.Pages, got, err, want)
		}
	}
	if _, err := l.Ranges(citekit.Document.Pages(5, 5)); !errors.Is(err, citekit.ErrRange) {
		t.Errorf("page 5 of 4: %v", err)
	}
	if _, err := l.Ranges(citekit.Modality("").Seconds(1, 2)); !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("seconds of a document: %v", err)
	}
	boxed := citekit.Document.Pages(1, 1)
	boxed.Box = citekit.Box{X2: 1, Y2: .5}
	if _, err := l.Ranges(boxed); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a box on a page: %v", err)
	}
	for _, bad := range [][2]int64{{-1, 1}, {0, 15}, {3, 2}} {
		if _, err := l.Location(bad[0], bad[1]); !errors.Is(err, citekit.ErrRange) {
			t.Errorf("bytes %v: %v", bad, err)
		}
		if _, err := l.Text(t.Context(), bad[0], bad[1]); !errors.Is(err, citekit.ErrRange) {
			t.Errorf("the text of bytes %v: %v", bad, err)
		}
	}
}

// TestCues asks for times that hold parts of cues, which overlap.
func TestCues(t *testing.T) {
	d := newDesk(t, citekit.Audio, cue(1, 4, "Good evening.\n"), cue(3, 5, "Hello!\n"), cue(10, 14.5, "The end.\n"))
	l := open(t, textlayer.New(d.Library, nil), "a")
	for loc, want := range map[citekit.Span]string{
		{Start: 2, End: 2.5}: "[{0 14}]",
		{Start: 3.5, End: 6}: "[{0 21}]",
		{Start: 4, End: 10}:  "[{14 21}]",
		{Start: 14}:          "[{21 30}]",
		{Start: 6, End: 9}:   "[]",
	} {
		if got, err := l.Ranges(citekit.Audio.Seconds(loc.Start, loc.End)); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%v is at %v, %v; want %s", loc, got, err, want)
		}
	}
	if loc, err := l.Location(16, 22); err != nil || loc.Time != (citekit.Span{Start: 3, End: 14.5}) {
		t.Errorf("the last cues are at %v, %v", loc.Time, err)
	}
}

// TestScan tells why there is no text, and reads again with other settings.
func TestScan(t *testing.T) {
	d := newDesk(t, citekit.Document, page(1, ""), page(2, " \n"))
	s := textlayer.New(d.Library, nil)
	if l := open(t, s, "a"); !l.Empty() || l.Incomplete() || !strings.Contains(l.Reason(), "none of its 2 pages") {
		t.Errorf("a scan: %v, %q", l.Empty(), l.Reason())
	}
	d.teller.runs, d.teller.version = []citekit.TextRun{page(1, "recognised"), page(2, "")}, "1 ocr"
	if l := open(t, s, "a"); l.Empty() || l.Reason() != "" || text(t, l) != "recognised" {
		t.Errorf("recognised: %q", text(t, l))
	}
	open(t, s, "a")
	if n := d.teller.calls.Load(); n != 2 {
		t.Errorf("read %d times", n)
	}
}

// TestMissing tells which pages have text that cannot be read, also when the text was kept.
func TestMissing(t *testing.T) {
	const some = "2 of the 9 characters drawn on it cannot be read"
	part := page(2, "two")
	part.Missing = some
	d := newDesk(t, citekit.Document, page(1, "one"), part, page(3, "three"))
	s := textlayer.New(d.Library, nil)
	for range 2 {
		l := open(t, s, "a")
		if got := l.Missing(citekit.Location{}); got != "page 2: "+some {
			t.Errorf("missing in all: %q", got)
		}
		if in, out := l.Missing(citekit.Document.Pages(2, 3)), l.Missing(citekit.Document.Pages(3, 3)); in != "page 2: "+some || out != "" {
			t.Errorf("missing in pages 2-3: %q, in page 3: %q", in, out)
		}
	}
}

// TestIncomplete leaves out what is beyond a limit.
func TestIncomplete(t *testing.T) {
	d := newDesk(t, citekit.Document, page(1, "one"), page(2, "two"), page(3, "three"))
	l := open(t, textlayer.New(d.Library, &textlayer.Options{MaxBytes: 10}), "a")
	if text(t, l) != "one\ntwo\n" && text(t, l) != "one\ntwo" || !l.Incomplete() || l.Reason() == "" {
		t.Errorf("%q, %v, %q", text(t, l), l.Incomplete(), l.Reason())
	}
	if _, err := l.Ranges(citekit.Document.Pages(3, 3)); !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("a page that was left out: %v", err)
	}
}

// TestTooMuch has a resolver that reads no more at some place: what comes before
// is kept.
func TestTooMuch(t *testing.T) {
	for _, at := range []int{0, 2} {
		d := newDesk(t, citekit.Document, page(1, "one"), page(2, "two"), page(3, "three"))
		d.teller.before = func(_ context.Context, run int) error {
			if run == at {
				return fmt.Errorf("page %d is beyond a bound: %w", run+1, citekit.ErrTooLarge)
			}
			return nil
		}
		l, err := textlayer.New(d.Library, nil).Open(t.Context(), "a")
		if at == 0 {
			if !errors.Is(err, citekit.ErrTooLarge) {
				t.Errorf("nothing is read: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := text(t, l); !strings.HasPrefix(got, "one\ntwo") || !l.Incomplete() || l.Reason() == "" {
			t.Errorf("%q, %v, %q", got, l.Incomplete(), l.Reason())
		}
		l.Close()
	}
}

// TestStale opens a version that is kept when the source is another, until it
// is pruned.
func TestVersions(t *testing.T) {
	d := newDesk(t, citekit.Document, page(1, "the first edition"))
	s := textlayer.New(d.Library, nil)
	first := open(t, s, "a").SourceHash()
	m, err := d.Map(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	mapped := *m
	mapped.Metadata = map[string]any{"source_hash": first}
	if err := d.Save(t.Context(), &mapped); err != nil {
		t.Fatal(err)
	}
	d.ws.AddSource("a.bin", []byte("another source"))
	if _, err := s.Open(t.Context(), "a"); !errors.Is(err, citekit.ErrStale) {
		t.Errorf("a changed source: %v", err)
	}
	l, err := s.OpenVersion(t.Context(), "a", strings.ToUpper(first))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if text(t, l) != "the first edition" {
		t.Errorf("the version that is kept has %q", text(t, l))
	}
	if _, err := s.OpenVersion(t.Context(), "a", strings.Repeat("0", 64)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a version that is not kept: %v", err)
	}
	if _, err := s.OpenVersion(t.Context(), "a", first[:12]); !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("part of a version: %v", err)
	}
	if _, err := s.OpenVersion(t.Context(), "none", first); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a resource that is not there: %v", err)
	}
}

// TestChangesWhileRead stores nothing of a source that changes meanwhile.
func TestChangesWhileRead(t *testing.T) {
	d := newDesk(t, citekit.Text)
	changed := false
	src := func(context.Context, int) error { changed = true; return nil }
	d.teller.runs, d.teller.before = []citekit.TextRun{lines(1, 1, "one")}, src
	lib := citekit.New(&changingWorkspace{Memory: d.ws, changed: &changed}, citekit.Resolvers{citekit.Text: d.teller}, nil)
	s := textlayer.New(lib, nil)
	if _, err := s.Open(t.Context(), "a"); !errors.Is(err, citekit.ErrStale) {
		t.Errorf("got %v", err)
	}
	changed, d.teller.before = false, nil
	if l := open(t, s, "a"); text(t, l) != "one" || d.teller.calls.Load() != 2 {
		t.Errorf("afterwards: %q, read %d times", text(t, l), d.teller.calls.Load())
	}
}

// A changingWorkspace workspace has sources that change when it is said.
type changingWorkspace struct {
	*workspace.Memory
	changed *bool
}

func (c *changingWorkspace) OpenSource(ctx context.Context, name string) (*citekit.Source, error) {
	src, err := c.Memory.OpenSource(ctx, name)
	if err != nil {
		return nil, err
	}
	return citekit.NewSource(src, citekit.SourceInfo{
		Name: src.Name(), Size: src.Size(), Identity: "1",
		Stat: func() (string, error) {
			if *c.changed {
				return "2", nil
			}
			return "1", nil
		},
	}), nil
}

// TestOnce has many callers, who wait for one reading; who gives up leaves the
// others to it.
func TestOnce(t *testing.T) {
	d := newDesk(t, citekit.Document, page(1, "one"), page(2, "two"))
	started, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	d.teller.before = func(ctx context.Context, run int) error {
		once.Do(func() { close(started) })
		select {
		case <-goOn:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s := textlayer.New(d.Library, nil)
	ctx, cancel := context.WithCancel(t.Context())
	gaveUp := make(chan error)
	go func() {
		_, err := s.Open(ctx, "a")
		gaveUp <- err
	}()
	<-started
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			l, err := s.Open(t.Context(), "a")
			if err != nil {
				t.Error(err)
				return
			}
			defer l.Close()
			if got := text(t, l); got != "one\ntwo" {
				t.Errorf("got %q", got)
			}
		})
	}
	cancel()
	if err := <-gaveUp; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up has %v", err)
	}
	close(goOn)
	wait.Wait()
	if n := d.teller.calls.Load(); n != 2 {
		t.Errorf("read %d times, once for who gave up", n)
	}
}

// TestFailures checks that nothing is kept of a reading that fails.
func TestFailures(t *testing.T) {
	d := newDesk(t, citekit.Document, page(1, "one"), page(2, "two"))
	s := textlayer.New(d.Library, nil)
	broken := fmt.Errorf("page 2 is broken: %w", citekit.ErrFormat)
	for name, before := range map[string]func(context.Context, int) error{
		"an error": func(_ context.Context, run int) error { return map[int]error{1: broken}[run] },
		"a panic": func(_ context.Context, run int) error {
			if run == 1 {
				panic("a bug")
			}
			return nil
		},
	} {
		d.teller.before = before
		_, err := s.Open(t.Context(), "a")
		var failed *citekit.ResolveError
		if !errors.As(err, &failed) || strings.Contains(err.Error(), "store") {
			t.Errorf("%s: %v", name, err)
		}
		if name == "an error" && !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	d.teller.before = nil
	d.teller.runs[1].Location = citekit.Location{Modality: citekit.Text}
	if _, err := s.Open(t.Context(), "a"); !errors.Is(err, citekit.ErrFormat) {
		t.Errorf("a run of another modality: %v", err)
	}
	d.teller.runs = d.teller.runs[:1]
	if l := open(t, s, "a"); text(t, l) != "one" {
		t.Errorf("afterwards: %q", text(t, l))
	}
}

// TestDamaged reads again what is not as it was written.
func TestDamaged(t *testing.T) {
	d := newDesk(t, citekit.Document, page(1, "one"))
	open(t, textlayer.New(d.Library, nil), "a")
	lib := citekit.New(&spoilingWorkspace{Memory: d.ws}, d.Resolvers(), nil)
	if l := open(t, textlayer.New(lib, nil), "a"); text(t, l) != "one" {
		t.Errorf("got %q", text(t, l))
	}
	if n := d.teller.calls.Load(); n != 2 {
		t.Errorf("read %d times", n)
	}
}

// TestProgress hears how many pages are read.
func TestProgress(t *testing.T) {
	d := newDesk(t, citekit.Document, page(1, "one"), page(2, "two"))
	var heard []int
	s := textlayer.New(d.Library, &textlayer.Options{Progress: func(_ context.Context, p textlayer.Progress) {
		if p.Resource != "a" {
			t.Errorf("progress of %q", p.Resource)
		}
		heard = append(heard, p.Done)
	}})
	open(t, s, "a")
	open(t, s, "a")
	if fmt.Sprint(heard) != "[1 2]" {
		t.Errorf("heard %v", heard)
	}
}

// TestUnsupported asks for the text of what has none.
func TestUnsupported(t *testing.T) {
	d := newDesk(t, citekit.Document)
	lib := citekit.New(d.ws, citekit.Resolvers{citekit.Document: mute{}}, nil)
	if _, err := textlayer.New(lib, nil).Open(t.Context(), "a"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a resolver that reads no text: %v", err)
	}
	blind := citekit.New(struct{ citekit.Workspace }{d.ws}, d.Resolvers(), nil)
	if _, err := textlayer.New(blind, nil).Open(t.Context(), "a"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a workspace that opens no evidence: %v", err)
	}
	if _, err := textlayer.New(d.Library, nil).Open(t.Context(), "none"); citekit.CodeOf(err) != message.CodeNotFound {
		t.Errorf("a resource that is not there: %v", err)
	}
}

type mute struct{}

func (mute) Resolve(context.Context, *citekit.Source, citekit.Request) (*citekit.Content, error) {
	return nil, errors.ErrUnsupported
}

// TestExpansion has a resolver that gives far more text than the source has bytes, as a
// sheet whose cells share one long string does.
func TestExpansion(t *testing.T) {
	const fair = 10_000
	textlayer.SetFairText(t, fair)
	var runs []citekit.TextRun
	for n := range 100 {
		runs = append(runs, page(n+1, strings.Repeat("word ", 200)))
	}
	d := newDesk(t, citekit.Document, runs...)
	l := open(t, textlayer.New(d.Library, nil), "a")
	most := fair + textlayer.Expansion*int64(len("the source"))
	if !l.Incomplete() || l.Len() > most || l.Len() < most-2000 {
		t.Errorf("%d bytes of text, %v; at most %d", l.Len(), l.Incomplete(), most)
	}
	if why := l.Reason(); !strings.Contains(why, "split the file") {
		t.Error(why)
	}
}
