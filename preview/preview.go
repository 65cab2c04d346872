// Package preview makes pictures of pages, crops, video frames and waveforms at
// addresses. They are for a person or a model to look at, not to cite.
// Resolvers that are a [Previewer] draw them; the pictures are stored with the
// evidence.
package preview

import (
	"cmp"
	"context"
	"fmt"

	"github.com/citekit/citekit"
)

// A Previewer is a [citekit.Resolver] that can make a picture of a location,
// for a person or a model to look at.
type Previewer interface {
	// Preview returns a picture of the part of src that loc selects, at most
	// opts.Side pixels wide and high and at most 32 MiB large. The same request
	// gives the same bytes. Preview does not retain opts.
	//
	// Errors are as for [citekit.Resolver]. If the part has no picture, or none
	// that can be made here, the error matches [errors.ErrUnsupported].
	Preview(ctx context.Context, src *citekit.Source, loc citekit.Location, opts Options) (*Preview, error)
}

// Options are the options of one preview. The zero value is ready to
// use.
type Options struct {
	// Side is the largest width and height of the picture in pixels, from 128
	// to 2,048; zero means 1,000. A smaller original is not enlarged, unless it
	// has no pixels of its own, such as a page.
	Side int

	// Boxes are drawn on the picture as highlights. There may be at most 1,000.
	// They are in fractions of the whole page, image or frame, even if the
	// location is a part of it. They need a location on one page, in an image
	// or in a video; in a video every frame has them. [Boxer] finds the boxes
	// of text.
	Boxes []citekit.Box
}

const (
	defaultSide = 1000 // pixels
	minSide     = 128
	maxSide     = 2048
	maxBoxes    = 1000
)

// WithDefaults returns a copy of o with the defaults in place of zeros, or an
// error matching [citekit.ErrSyntax] if a value is invalid. A nil o means the
// zero value.
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

// A Preview is a picture of a location.
type Preview struct {
	MediaType string `json:"media_type"` // "image/png" or "image/jpeg"
	Width     int    `json:"width"`      // pixels
	Height    int    `json:"height"`     // pixels

	// Shown lists the contents of the picture in reading order: a location for
	// each page or frame, or one for the whole picture. At most the first 12
	// pages are shown. A frame's location is the time from that frame to the
	// next one in the picture.
	Shown []citekit.Location `json:"shown"`

	// Data is the image file. It is shared: do not modify it.
	Data []byte `json:"-"`

	Cached bool `json:"-"` // it was made before this call
}

func syntaxError(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, citekit.ErrSyntax)...)
}
