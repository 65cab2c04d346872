package modalitytest

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/preview"
)

// A linePreviewer also previews: a pixel for each byte of its lines, and
// one more. What change does to a preview or error may break it.
type linePreviewer struct {
	lineResolver
	change func(loc citekit.Location, opts preview.Options, p *preview.Preview, err error) (*preview.Preview, error)
}

func (d linePreviewer) Preview(ctx context.Context, src *citekit.Source, loc citekit.Location, opts preview.Options) (*preview.Preview, error) {
	p, err := d.draw(ctx, src, loc, opts)
	if d.change != nil {
		return d.change(loc, opts, p, err)
	}
	return p, err
}

func (d linePreviewer) draw(ctx context.Context, src *citekit.Source, loc citekit.Location, opts preview.Options) (*preview.Preview, error) {
	opts, err := opts.WithDefaults()
	if err != nil {
		return nil, err
	}
	lines, at, err := d.cut(ctx, src, loc)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text := strings.Join(lines, "")
	img := image.NewGray(image.Rect(0, 0, min(len(text)+1, opts.Side), 1))
	copy(img.Pix, text)
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		return nil, err
	}
	p := &preview.Preview{MediaType: "image/png", Width: img.Rect.Dx(), Height: 1, Data: out.Bytes(), Shown: []citekit.Location{loc}}
	if len(lines) > 0 {
		p.Shown = []citekit.Location{linesAt(at.First, at.Last)}
	}
	return p, nil
}

// TestBrokenPreviewers breaks a previewer in many ways; the suite must see
// each, and nothing in one that is right.
func TestBrokenPreviewers(t *testing.T) {
	sharedtest.NotShort(t)
	impatient(t)
	var calls atomic.Int64
	altered := func(change func(p *preview.Preview)) linePreviewer {
		return linePreviewer{change: func(_ citekit.Location, _ preview.Options, p *preview.Preview, err error) (*preview.Preview, error) {
			if err == nil {
				change(p)
			}
			return p, err
		}}
	}
	failing := func(change func(loc citekit.Location, err error) error) linePreviewer {
		return linePreviewer{change: func(loc citekit.Location, _ preview.Options, p *preview.Preview, err error) (*preview.Preview, error) {
			if err != nil {
				err = change(loc, err)
			}
			return p, err
		}}
	}
	for _, tt := range []struct {
		name string
		want string // in what is reported, or "" for nothing
		r    linePreviewer
	}{
		{"right", "", linePreviewer{}},
		{"another width", "says 7x1", altered(func(p *preview.Preview) { p.Width = 7 })},
		{"another type", "says it is image/jpeg", altered(func(p *preview.Preview) { p.MediaType = "image/jpeg" })},
		{"half a picture", "cannot be decoded", altered(func(p *preview.Preview) { p.Data = p.Data[:len(p.Data)/2] })},
		{"shows nothing", "does not say what", altered(func(p *preview.Preview) { p.Shown = nil })},
		{"shows what was not asked for", "the preview shows text [lines=1-9]", altered(func(p *preview.Preview) {
			p.Shown = []citekit.Location{linesAt(1, 9)}
		})},
		{"no picture", "neither a picture", linePreviewer{change: func(_ citekit.Location, _ preview.Options, _ *preview.Preview, err error) (*preview.Preview, error) {
			return nil, err
		}}},
		{"other bytes each time", "gives other bytes", altered(func(p *preview.Preview) {
			p.Data = append(bytes.Clone(p.Data), byte(calls.Add(1)))
		})},
		{"larger than wanted", "pixels were wanted", altered(func(p *preview.Preview) {
			var out bytes.Buffer
			png.Encode(&out, image.NewGray(image.Rect(0, 0, 500, 1)))
			p.Data, p.Width = out.Bytes(), 500
		})},
		{"an error of no kind", "want one that matches", failing(func(citekit.Location, error) error { return errors.New("no") })},
		{"does not hear of the end", "context canceled", failing(func(_ citekit.Location, err error) error {
			if errors.Is(err, context.Canceled) {
				return citekit.ErrFormat
			}
			return err
		})},
		{"panics", "panic: no lines", failing(func(_ citekit.Location, err error) error {
			if errors.Is(err, citekit.ErrFormat) {
				panic("no lines")
			}
			return err
		})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			failures := run(t, tt.r, fixture())
			if tt.want == "" && len(failures) > 0 {
				t.Errorf("reported:\n%s", strings.Join(failures, "\n"))
			}
			if all := strings.Join(failures, "\n"); !strings.Contains(all, tt.want) {
				t.Errorf("%q is not among what is reported:\n%s", tt.want, all)
			}
		})
	}
}
