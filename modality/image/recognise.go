package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"slices"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/tesseract"
)

const (
	// maxReadPixels is the largest image in which text is recognised at full
	// size; larger images are scaled down. A page at 400 dots an inch has this
	// size.
	maxReadPixels = 16_000_000

	maxReadSide = 16_000

	// maxSeenPixels is the largest image in which text is recognised at all.
	maxSeenPixels = 150_000_000

	// minReadPixels is the size up to which an image is doubled in width and
	// height: on a page at 100 dots an inch the program misreads one word in
	// ten, but only one in fifty if the page is enlarged.
	minReadPixels = 1_600_000

	// minConfidence is the least average confidence, from 0 to 100, of the
	// words of a block.
	minConfidence = 60

	minLetters = 3 // letters and digits of a block

	maxTextCost = 16 << 20 // bytes of text kept between calls
)

// blocks returns the blocks of text in an image, as displayed: those with
// enough confidence.
func (r *Resolver) blocks(ctx context.Context, src *citekit.Source, p *picture) ([]tesseract.Block, error) {
	if r.NoText {
		return nil, fmt.Errorf("recognising the text of images is switched off: %w", errors.ErrUnsupported)
	}
	if p.format.read == nil {
		return nil, noDecoder("recognising the text of " + p.format.name)
	}
	program, err := r.program()
	if err != nil {
		return nil, err
	}
	return r.texts.Get(ctx, src.Version(), func(ctx context.Context) ([]tesseract.Block, int64, error) {
		blocks, err := r.recognise(ctx, program, src, p)
		if err != nil {
			return nil, 0, sourceError(p.format, err)
		}
		blocks = slices.DeleteFunc(blocks, func(b tesseract.Block) bool { return !isReadable(b) })
		return blocks, textCost(blocks), nil
	})
}

// recognise runs the program. It waits for a slot first, and then reserves
// memory once, for the image and its picture: a job that holds memory never
// waits.
func (r *Resolver) recognise(ctx context.Context, program *tesseract.Command, src *citekit.Source, p *picture) ([]tesseract.Block, error) {
	var held *reservation
	defer func() {
		if held != nil {
			held.release()
		}
	}()
	return program.Recognise(ctx, r.Languages, func(ctx context.Context) ([]byte, error) {
		if limit := maxSeenPixels; p.width > limit/p.height {
			return nil, fmt.Errorf("the %s has %dx%d pixels; text is looked for in at most %d: %w", p.format.name, p.width, p.height, limit, citekit.ErrTooLarge)
		}
		width, height := legibleSize(p.width, p.height)
		picture := int64(width) * int64(height)
		const copies = 3 // one is turned, one encoded; enlarged images are small
		var err error
		held, err = r.reserve(ctx, p.format.readMemory(r, p, p.bounds())+copies*max(picture, 4*minReadPixels))
		if err != nil {
			return nil, fmt.Errorf("the %s has %dx%d pixels: %w", p.format.name, p.width, p.height, err)
		}
		out, err := r.legible(ctx, src, p)
		if err != nil {
			return nil, err
		}
		held.shrink(int64(len(out)))
		return out, nil
	})
}

func textCost(blocks []tesseract.Block) int64 {
	const perLine, perWord = 140, 60
	n := 0
	for _, b := range blocks {
		n += 3*len(b.Text) + perLine*(1+len(b.Lines))
		for _, line := range b.Lines {
			n += perWord * len(line.Words)
		}
	}
	return int64(n)
}

// isReadable reports whether a block is text, rather than a texture misread as
// text: its confidence must be high enough, and it must have some letters or
// digits.
func isReadable(b tesseract.Block) bool {
	return b.Confidence >= minConfidence && letters(b.Text) >= minLetters
}

// letters returns the number of letters and digits in a text. Characters of
// scripts in which a single one may be a word count as several.
func letters(text string) int {
	n := 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			n += minLetters
		case unicode.IsLetter(r), unicode.IsDigit(r):
			n++
		}
	}
	return n
}

// legible returns the image as displayed, in grey on white and not too large,
// as a PNG.
func (r *Resolver) legible(ctx context.Context, src *citekit.Source, p *picture) ([]byte, error) {
	s := newShrinker(p.width, p.height)
	if err := p.format.read(ctx, r, src, p, p.bounds(), s.row); err != nil {
		return nil, err
	}
	readable := upright(s.out, p.orientation).(*image.Gray)
	if len(readable.Pix) <= minReadPixels {
		readable = doubled(readable)
	}
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := e.Encode(&b, readable); err != nil {
		return nil, fmt.Errorf("the image cannot be handed to tesseract: %w", err)
	}
	return b.Bytes(), nil
}

// legibleSize returns the size at which text is recognised.
func legibleSize(width, height int) (int, int) {
	scale := min(1, math.Sqrt(maxReadPixels/(float64(width)*float64(height))), maxReadSide/float64(max(width, height)))
	return max(1, int(float64(width)*scale)), max(1, int(float64(height)*scale))
}

// A shrinker scales an image down if it is too large: each pixel of out is the
// mean of the pixels that lie mostly inside it.
type shrinker struct {
	out           *image.Gray
	width, height int // of the image
	y, to         int // rows read so far, and their row in out
	sums, counts  []uint32
	columns       []int32 // column of out for each column of the image
	grey          []byte  // the current row
}

func newShrinker(width, height int) *shrinker {
	w, h := legibleSize(width, height)
	s := &shrinker{out: image.NewGray(image.Rect(0, 0, w, h)), width: width, height: height, grey: make([]byte, width)}
	if w != width || h != height {
		s.sums, s.counts, s.columns = make([]uint32, w), make([]uint32, w), make([]int32, width)
		for x := range s.columns {
			s.columns[x] = int32(x * w / width)
		}
	}
	return s
}

// row adds the next row, with pixels like those of an [image.RGBA].
func (s *shrinker) row(rgba []byte) error {
	grey := s.grey
	for x := range grey {
		grey[x] = luma(rgba[4*x:])
	}
	if s.sums == nil {
		copy(s.out.Pix[s.y*s.out.Stride:], grey)
		s.y++
		return nil
	}
	s.to = s.y * s.out.Rect.Dy() / s.height
	for x, v := range grey {
		to := s.columns[x]
		s.sums[to] += uint32(v)
		s.counts[to]++
	}
	if s.y++; s.y == s.height || s.y*s.out.Rect.Dy()/s.height != s.to {
		s.flush()
	}
	return nil
}

// flush writes a row of out.
func (s *shrinker) flush() {
	for x, sum := range s.sums {
		if s.counts[x] > 0 {
			s.out.Pix[s.to*s.out.Stride+x] = byte(sum / s.counts[x])
		}
		s.sums[x], s.counts[x] = 0, 0
	}
}

// doubled returns img doubled in width and height. Each pixel is a mean of the
// four around it, weighted by their distance.
func doubled(img *image.Gray) *image.Gray {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewGray(image.Rect(0, 0, 2*width, 2*height))
	for y := range 2 * height {
		near := img.Pix[y/2*img.Stride:]
		far := img.Pix[neighbour(y, height)*img.Stride:]
		row := out.Pix[y*out.Stride:]
		for x := range 2 * width {
			x1, x2 := x/2, neighbour(x, width)
			row[x] = byte((9*int(near[x1]) + 3*int(near[x2]) + 3*int(far[x1]) + int(far[x2]) + 8) / 16)
		}
	}
	return out
}

// neighbour returns the second nearest of n pixels to pixel i of twice as
// many.
func neighbour(i, n int) int { return min(max(i/2+2*(i%2)-1, 0), n-1) }

// boxOf returns the smallest box around all.
func boxOf(boxes ...citekit.Box) citekit.Box {
	all := boxes[0]
	for _, b := range boxes[1:] {
		all = citekit.Box{X1: min(all.X1, b.X1), Y1: min(all.Y1, b.Y1), X2: max(all.X2, b.X2), Y2: max(all.Y2, b.Y2)}
	}
	return all
}
