package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/png"
	"math"
	"slices"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/tesseract"
)

const (
	// maxReadPixels is the largest image that text is recognised in at its
	// own size; larger ones are made smaller. A page at 400 dots an inch has
	// as many.
	maxReadPixels = 16_000_000

	maxReadSide = 16_000

	// minReadPixels is the size up to which an image is made twice as large,
	// each way: on a page at 100 dots an inch the program misreads one word
	// in ten, and one in fifty if it is enlarged.
	minReadPixels = 1_600_000

	// minConfidence is how sure, of 100, the program must be of the words of
	// a block, on average.
	minConfidence = 60

	minLetters = 3 // letters and digits of a block

	maxTextCost = 16 << 20 // bytes of text kept between calls
)

// blocks returns the blocks of text in an image, as displayed: those the
// program is sure enough of.
func (r *Resolver) blocks(ctx context.Context, src *citekit.Source, p *picture) ([]tesseract.Block, error) {
	if r.NoText {
		return nil, fmt.Errorf("recognising the text of images is switched off: %w", errors.ErrUnsupported)
	}
	program, err := r.program()
	if err != nil {
		return nil, err
	}
	return r.texts.Get(ctx, src.Version(), func(ctx context.Context) ([]tesseract.Block, int64, error) {
		data, err := r.legible(ctx, src, p)
		if err != nil {
			return nil, 0, sourceError(p.format, err)
		}
		blocks, err := program.Recognise(ctx, data, r.Languages)
		if err != nil {
			return nil, 0, err
		}
		blocks = slices.DeleteFunc(blocks, func(b tesseract.Block) bool { return !isReadable(b) })
		return blocks, textCost(blocks), nil
	})
}

func textCost(blocks []tesseract.Block) int64 {
	const perLine = 100
	n := 0
	for _, b := range blocks {
		n += 2*len(b.Text) + perLine*(1+len(b.Lines))
	}
	return int64(n)
}

// isReadable reports whether a block is text, and not what the program made of
// a texture: it must be sure of it, and there must be some letters or digits.
func isReadable(b tesseract.Block) bool {
	return b.Confidence >= minConfidence && letters(b.Text) >= minLetters
}

// letters returns how many letters and digits a text has. Characters of
// writing in which one may be a word count as several.
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
	img, release, err := r.decodeFirst(ctx, src, p)
	if err != nil {
		return nil, err
	}
	defer release()
	width, height := legibleSize(p.width, p.height)
	const copies = 2 // one is turned; enlarged ones are small
	done, err := r.reserve(ctx, copies*max(int64(width)*int64(height), 4*minReadPixels))
	if err != nil {
		return nil, err
	}
	defer done()
	readable := upright(grey(img, width, height), p.orientation).(*image.Gray)
	if width*height <= minReadPixels {
		readable = doubled(readable)
	}
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := e.Encode(&b, readable); err != nil {
		return nil, fmt.Errorf("the image cannot be handed to tesseract: %w", err)
	}
	return b.Bytes(), nil
}

// decodeFirst is decodeWhole for any image: of a GIF it returns the first
// frame, on its screen.
func (r *Resolver) decodeFirst(ctx context.Context, src *citekit.Source, p *picture) (image.Image, func(), error) {
	if p.format.decode != nil {
		return r.decodeWhole(ctx, src, p)
	}
	release, err := r.reserve(ctx, 5*int64(p.width)*int64(p.height))
	if err != nil {
		return nil, nil, err
	}
	in := newInput(ctx, src)
	frame, err := gif.Decode(in.all())
	if err != nil {
		release()
		return nil, nil, in.blame(p.format, err)
	}
	screen := image.NewRGBA(image.Rect(0, 0, p.width, p.height))
	draw.Draw(screen, frame.Bounds(), frame, frame.Bounds().Min, draw.Src)
	return screen, release, nil
}

// legibleSize returns the size that text is recognised at.
func legibleSize(width, height int) (int, int) {
	scale := min(1, math.Sqrt(maxReadPixels/(float64(width)*float64(height))), maxReadSide/float64(max(width, height)))
	return max(1, int(float64(width)*scale)), max(1, int(float64(height)*scale))
}

// grey returns img in grey, on white where it is transparent, at another size.
func grey(img image.Image, width, height int) *image.Gray {
	bounds := img.Bounds()
	out := image.NewGray(image.Rect(0, 0, width, height))
	if bounds.Dx() != width || bounds.Dy() != height {
		shrink(out, img)
		return out
	}
	eachRow(img, func(y int, pixels []byte) {
		for x := range width {
			out.Pix[y*out.Stride+x] = luma(pixels[4*x:])
		}
	})
	return out
}

// luma returns how bright a pixel without transparency is, as JPEG has it
// (T.871, section 7).
func luma(rgba []byte) byte {
	return byte((19595*uint32(rgba[0]) + 38470*uint32(rgba[1]) + 7471*uint32(rgba[2]) + 1<<15) >> 16)
}

// eachRow calls visit for the rows of img on white, as RGBA. It must not keep
// them.
func eachRow(img image.Image, visit func(y int, pixels []byte)) {
	bounds := img.Bounds()
	row := image.NewRGBA(image.Rect(0, 0, bounds.Dx(), 1))
	for y := range bounds.Dy() {
		draw.Draw(row, row.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(row, row.Rect, img, bounds.Min.Add(image.Pt(0, y)), draw.Over)
		visit(y, row.Pix)
	}
}

// shrink fills out with the means of the pixels of img, which is larger: each
// counts where most of it falls.
func shrink(out *image.Gray, img image.Image) {
	bounds, size := img.Bounds(), out.Rect
	sums, counts := make([]uint32, size.Dx()), make([]uint32, size.Dx())
	row := 0
	flush := func() {
		for x, sum := range sums {
			if counts[x] > 0 {
				out.Pix[row*out.Stride+x] = byte(sum / counts[x])
			}
			sums[x], counts[x] = 0, 0
		}
	}
	eachRow(img, func(y int, pixels []byte) {
		if to := y * size.Dy() / bounds.Dy(); to != row {
			flush()
			row = to
		}
		for x := range bounds.Dx() {
			to := x * size.Dx() / bounds.Dx()
			sums[to] += uint32(luma(pixels[4*x:]))
			counts[to]++
		}
	})
	flush()
}

// doubled returns img twice as large each way, each pixel a mean of the four
// around it, weighted by how near they are.
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
