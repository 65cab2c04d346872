package jpeg

import (
	"bytes"
	"context"
	"fmt"
	"image"
	stdjpeg "image/jpeg"
	"io"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
)

// stripPixels is roughly how many pixels are decoded at a time.
const stripPixels = 128 << 10

// DecodeRegion returns the pixels of region, which must be nonempty and lie within the
// image; the bounds of the result are region. As from image/jpeg, it is an
// [image.Gray], [image.YCbCr], [image.RGBA] or [image.CMYK]. [Image.CanCut] must hold.
//
// It uses all CPUs, and about as much memory as the result.
func (im *Image) DecodeRegion(ctx context.Context, r io.ReaderAt, region image.Rectangle) (image.Image, error) {
	tile := im.dec.tile(region)
	if p := im.newRaster(tile); p != nil {
		return im.decodeRaster(ctx, r, p, region)
	}
	canvas := &canvas{bounds: im.dec.pixels(tile)}
	inOrder := !im.known((tile.Max.Y-1)*im.dec.across + tile.Min.X)
	c := im.dec.cursor(r, im.points[0])

	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for _, strip := range strips(tile, im.dec.h.mcu()) {
		if gctx.Err() != nil {
			break
		}
		if !inOrder {
			g.Go(func() error {
				data, err := im.cut(gctx, im.dec.cursor(r, im.points[0]), strip, im.dec.pixels(strip).Size(), nil)
				if err != nil {
					return err
				}
				return canvas.draw(data, im.dec.pixels(strip))
			})
			continue
		}
		data, err := im.cut(gctx, c, strip, im.dec.pixels(strip).Size(), nil)
		if err != nil {
			g.Go(func() error { return err })
			break
		}
		g.Go(func() error { return canvas.draw(data, im.dec.pixels(strip)) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return canvas.img.(subImager).SubImage(region), nil
}

// decodeRaster decodes the tile of p. One goroutine skips over the codes and remembers
// where the rows begin; the others decode the rows from there.
func (im *Image) decodeRaster(ctx context.Context, r io.ReaderAt, p *raster, region image.Rectangle) (image.Image, error) {
	inOrder := !im.known((p.tile.Max.Y-1)*im.dec.across + p.tile.Min.X)
	start := im.nearest(0)
	scout := im.dec.cursor(r, start)
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for _, strip := range strips(p.tile, im.dec.h.mcu()) {
		if gctx.Err() != nil {
			break
		}
		if inOrder {
			if err := im.advance(gctx, scout, (strip.Max.Y-1)*im.dec.across+strip.Max.X); err != nil {
				g.Go(func() error { return err })
				break
			}
		}
		g.Go(func() error { return im.decode(gctx, im.dec.cursor(r, start), p, strip) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return p.img.SubImage(region), nil
}

type subImager interface {
	SubImage(r image.Rectangle) image.Image
}

// strips divides MCUs into runs of rows.
func strips(tile image.Rectangle, mcu image.Point) []image.Rectangle {
	rows := max(1, stripPixels/(tile.Dx()*mcu.X*mcu.Y))
	var list []image.Rectangle
	for y := tile.Min.Y; y < tile.Max.Y; y += rows {
		list = append(list, image.Rect(tile.Min.X, y, tile.Max.X, min(y+rows, tile.Max.Y)))
	}
	return list
}

// A canvas assembles decoded strips.
type canvas struct {
	bounds image.Rectangle
	once   sync.Once
	img    image.Image
}

// draw decodes a JPEG and draws it at r.
func (c *canvas) draw(data []byte, r image.Rectangle) error {
	part, err := stdjpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%v: %w", err, ErrFormat)
	}
	c.once.Do(func() { c.img = newLike(part, c.bounds) })
	switch dst := c.img.(type) {
	case *image.Gray:
		src := part.(*image.Gray)
		copyRows(dst.Pix[dst.PixOffset(r.Min.X, r.Min.Y):], dst.Stride, src.Pix, src.Stride, r.Dx(), r.Dy())
	case *image.RGBA:
		src := part.(*image.RGBA)
		copyRows(dst.Pix[dst.PixOffset(r.Min.X, r.Min.Y):], dst.Stride, src.Pix, src.Stride, 4*r.Dx(), r.Dy())
	case *image.CMYK:
		src := part.(*image.CMYK)
		copyRows(dst.Pix[dst.PixOffset(r.Min.X, r.Min.Y):], dst.Stride, src.Pix, src.Stride, 4*r.Dx(), r.Dy())
	case *image.YCbCr:
		src := part.(*image.YCbCr)
		copyRows(dst.Y[dst.YOffset(r.Min.X, r.Min.Y):], dst.YStride, src.Y, src.YStride, r.Dx(), r.Dy())
		at := dst.COffset(r.Min.X, r.Min.Y)
		width, height := chromaSize(r.Dx(), r.Dy(), dst.SubsampleRatio)
		copyRows(dst.Cb[at:], dst.CStride, src.Cb, src.CStride, width, height)
		copyRows(dst.Cr[at:], dst.CStride, src.Cr, src.CStride, width, height)
	}
	return nil
}

func copyRows(dst []byte, dstStride int, src []byte, srcStride, width, height int) {
	for y := range height {
		copy(dst[y*dstStride:y*dstStride+width], src[y*srcStride:y*srcStride+width])
	}
}

// newLike returns an image of the type of img.
func newLike(img image.Image, bounds image.Rectangle) image.Image {
	switch img := img.(type) {
	case *image.Gray:
		return image.NewGray(bounds)
	case *image.RGBA:
		return image.NewRGBA(bounds)
	case *image.CMYK:
		return image.NewCMYK(bounds)
	case *image.YCbCr:
		return image.NewYCbCr(bounds, img.SubsampleRatio)
	}
	return nil
}

// chromaSize returns the size of the chroma planes of an image whose corner is at the
// corner of a chroma sample.
func chromaSize(width, height int, ratio image.YCbCrSubsampleRatio) (int, int) {
	h, v := Sampling(ratio)
	return (width + h - 1) / h, (height + v - 1) / v
}

// Sampling returns the width and height in pixels of a chroma sample.
func Sampling(ratio image.YCbCrSubsampleRatio) (h, v int) {
	switch ratio {
	case image.YCbCrSubsampleRatio422:
		return 2, 1
	case image.YCbCrSubsampleRatio420:
		return 2, 2
	case image.YCbCrSubsampleRatio440:
		return 1, 2
	case image.YCbCrSubsampleRatio411:
		return 4, 1
	case image.YCbCrSubsampleRatio410:
		return 4, 2
	}
	return 1, 1
}
