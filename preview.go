package citekit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/citekit/citekit/internal/fserror"
)

// A Previewer is a [Resolver] that can make a picture of what is at a location,
// for a person or a model to look at.
type Previewer interface {
	// Preview returns a picture of what loc selects in src, at most
	// opts.Side pixels wide and high and of at most 32 MiB. The same request
	// gives the same bytes. It does not keep opts.
	//
	// Errors are as for [Resolver]; what has no picture, or none that can be
	// made here, is one matching [errors.ErrUnsupported].
	Preview(ctx context.Context, src *Source, loc Location, opts PreviewOptions) (*Preview, error)
}

// PreviewOptions are the options of one preview. The zero value is ready to
// use.
type PreviewOptions struct {
	// Side is how many pixels wide and high the picture is at most, from 128
	// to 2,048; zero means 1,000. What is smaller is not enlarged, but for
	// what has no pixels of its own, such as a page.
	Side int

	// Boxes are drawn on the picture as highlights: at most 1,000, in
	// fractions of the whole page, image or frame also where the location is
	// a part of it. They need a location on one page, or in an image or a
	// video; there every frame has them.
	Boxes []Box
}

const (
	defaultSide = 1000 // pixels
	minSide     = 128
	maxSide     = 2048
	maxBoxes    = 1000
)

// WithDefaults returns a copy of o with the values that zeros stand for, or an
// error matching [ErrSyntax] if a value means nothing. A nil o is the zero one.
func (o *PreviewOptions) WithDefaults() (PreviewOptions, error) {
	var opts PreviewOptions
	if o != nil {
		opts = *o
	}
	opts.Side = cmp.Or(opts.Side, defaultSide)
	if opts.Side < minSide || opts.Side > maxSide {
		return opts, syntaxError("a side of %d pixels; it has %d to %d", opts.Side, minSide, maxSide)
	}
	if len(opts.Boxes) > maxBoxes {
		return opts, syntaxError("%d boxes; at most %d are drawn", len(opts.Boxes), maxBoxes)
	}
	for _, b := range opts.Boxes {
		if b.IsZero() {
			return opts, syntaxError("a box to draw is empty; it is [x1, y1, x2, y2]")
		}
		if err := (Location{Modality: Image, Box: b}).Validate(); err != nil {
			return opts, err
		}
	}
	return opts, nil
}

// A Preview is a picture of what is at a location.
type Preview struct {
	MediaType string `json:"media_type"` // "image/png" or "image/jpeg"
	Width     int    `json:"width"`      // pixels
	Height    int    `json:"height"`     // pixels

	// Shown says what is seen, in reading order: a location for each page or
	// frame, or one for the whole picture. The first 12 pages are shown. A
	// frame stands for the time from when it is shown to when the next one of
	// the picture is.
	Shown []Location `json:"shown"`

	// Data is the image file. It is shared: do not modify it.
	Data []byte `json:"-"`

	Cached bool `json:"-"` // it was made before this call
}

// previewFormat is part of every key of a preview.
const previewFormat = "preview/1"

const maxPreviewBytes = 32 << 20

// Preview returns a picture of what an address stands for: its pages, frames or
// sound. An empty modality is that of the resource. A nil opts means the
// defaults. Previews are kept with the evidence, so that the same is made once.
//
// The error is a [*ResolveError] wrapping those of [Library.ResolveAddress], or
// one that [Previewer] or [PreviewOptions.WithDefaults] names.
func (l *Library) Preview(ctx context.Context, a Address, opts *PreviewOptions) (*Preview, error) {
	p, err := l.preview(ctx, a, opts)
	if err != nil {
		return nil, &ResolveError{Op: "preview", Address: a, Err: err}
	}
	return p, nil
}

func (l *Library) preview(ctx context.Context, a Address, options *PreviewOptions) (*Preview, error) {
	opts, err := options.WithDefaults()
	if err != nil {
		return nil, err
	}
	t, resolver, src, err := l.openAddress(ctx, a)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	previewer, ok := resolver.(Previewer)
	if !ok {
		return nil, fmt.Errorf("a picture of a %s source: %w", t.address.Location.Modality, errors.ErrUnsupported)
	}
	j := previewJob{previewer, t, src, opts, previewKey(t, src, versionOf(resolver), opts)}
	if p, err := l.keptPreview(ctx, j.key); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return p, fserror.WithoutPath(err)
	}
	p, err := l.previews.Do(ctx, j.key, func(ctx context.Context) (*Preview, error) {
		return l.makePreview(ctx, j)
	})
	if err != nil {
		return nil, fserror.WithoutPath(err)
	}
	shared := *p
	return &shared, nil
}

// A previewJob is what one preview is made from.
type previewJob struct {
	previewer Previewer
	target    target
	src       *Source
	opts      PreviewOptions
	key       string
}

// previewKey returns the key of a preview: a SHA-256 of all that decides its
// bytes and its name.
func previewKey(t target, src *Source, resolverVersion string, opts PreviewOptions) string {
	loc := t.address.Location
	parts := []string{
		previewFormat, string(loc.Modality), resolverVersion, src.Version(), src.Name(),
		Address{Location: loc}.Fragment(), t.address.Resource, string(t.declared), fmt.Sprint(opts.Side),
	}
	for _, b := range opts.Boxes {
		parts = append(parts, fmt.Sprintf("%x", [...]float64{b.X1, b.Y1, b.X2, b.Y2}))
	}
	return keyOf(parts...)
}

// keptPreview returns a preview that was made before, or an error matching
// [fs.ErrNotExist]. Nothing is kept where evidence cannot be read back.
func (l *Library) keptPreview(ctx context.Context, key string) (*Preview, error) {
	opener, ok := l.workspace.(EvidenceOpener)
	if !ok {
		return nil, fs.ErrNotExist
	}
	content, stored, err := opener.OpenEvidence(ctx, key)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	if stored.Preview == nil {
		return nil, fs.ErrNotExist
	}
	kept := *stored.Preview
	kept.Cached = true
	kept.Data, err = io.ReadAll(io.LimitReader(content, maxPreviewBytes))
	return &kept, err
}

// makePreview makes a preview within the limits of the Library, and keeps it.
func (l *Library) makePreview(ctx context.Context, j previewJob) (p *Preview, err error) {
	loc := j.target.address.Location
	err = l.WithSlot(ctx, loc.Modality, func(ctx context.Context) error {
		if p, err = j.previewer.Preview(ctx, j.src, loc, j.opts); err != nil {
			return err
		}
		return j.src.CheckUnchanged()
	})
	if err != nil {
		return nil, err
	}
	if len(p.Data) == 0 || len(p.Data) > maxPreviewBytes {
		return nil, fmt.Errorf("a preview of %d bytes; at most %d: %w", len(p.Data), maxPreviewBytes, ErrTooLarge)
	}
	return p, l.keepPreview(ctx, j, p)
}

func (l *Library) keepPreview(ctx context.Context, j previewJob, p *Preview) error {
	if _, ok := l.workspace.(EvidenceOpener); !ok {
		return nil
	}
	described := *p
	described.Data = nil
	named := j.target
	named.label = strings.TrimSuffix("preview_"+named.label, "_")
	_, err := l.workspace.StoreEvidence(ctx, j.key, EvidenceMeta{
		Name:       evidenceName(named, j.key, strings.Replace(p.MediaType, "image/", ".", 1)),
		Size:       int64(len(p.Data)),
		Resource:   j.target.address.Resource,
		MediaType:  p.MediaType,
		SourceHash: j.src.KnownHash(),
		Preview:    &described,
	}, bytes.NewReader(p.Data))
	return err
}
