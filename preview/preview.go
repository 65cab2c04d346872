// Package preview makes pictures of what addresses stand for: pages, crops,
// frames of a video, the waveform of a sound. They are for a person or a model
// to look at, and not to cite. What draws them are resolvers that are a
// [Previewer]; the pictures are kept with the evidence.
package preview

import (
	"cmp"
	"context"
	"fmt"

	"github.com/citekit/citekit"
)

// A Previewer is a [citekit.Resolver] that can make a picture of what is at a location,
// for a person or a model to look at.
type Previewer interface {
	// Preview returns a picture of what loc selects in src, at most
	// opts.Side pixels wide and high and of at most 32 MiB. The same request
	// gives the same bytes. It does not keep opts.
	//
	// Errors are as for [citekit.Resolver]; what has no picture, or none that can be
	// made here, is one matching [errors.ErrUnsupported].
	Preview(ctx context.Context, src *citekit.Source, loc citekit.Location, opts Options) (*Preview, error)
}

// Options are the options of one preview. The zero value is ready to
// use.
type Options struct {
	// Side is how many pixels wide and high the picture is at most, from 128
	// to 2,048; zero means 1,000. What is smaller is not enlarged, but for
	// what has no pixels of its own, such as a page.
	Side int

	// Boxes are drawn on the picture as highlights: at most 1,000, in
	// fractions of the whole page, image or frame also where the location is
	// a part of it. They need a location on one page, or in an image or a
	// video; there every frame has them. [Boxer] says where text stands.
	Boxes []citekit.Box
}

const (
	defaultSide = 1000 // pixels
	minSide     = 128
	maxSide     = 2048
	maxBoxes    = 1000
)

// WithDefaults returns a copy of o with the values that zeros stand for, or an
// error matching [citekit.ErrSyntax] if a value means nothing. A nil o is the zero one.
func (o *Options) WithDefaults() (Options, error) {
	var opts Options
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
		if err := (citekit.Location{Modality: citekit.Image, Box: b}).Validate(); err != nil {
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
	Shown []citekit.Location `json:"shown"`

	// Data is the image file. It is shared: do not modify it.
	Data []byte `json:"-"`

	Cached bool `json:"-"` // it was made before this call
}

func syntaxError(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, citekit.ErrSyntax)...)
}
