package jpeg

import (
	"image"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// chromaRows is how many rows of chroma are interpolated at a time.
const chromaRows = 64

// FullChroma returns the pixels of region with a chroma sample for each. A sample
// shared by two pixels across or down is interpolated, as viewers do; others are
// repeated. The luminance is shared with m. It uses all CPUs.
func FullChroma(m *image.YCbCr, region image.Rectangle) *image.YCbCr {
	width, height := region.Dx(), region.Dy()
	out := &image.YCbCr{
		Y:              m.Y[m.YOffset(region.Min.X, region.Min.Y):],
		YStride:        m.YStride,
		Cb:             make([]byte, width*height),
		Cr:             make([]byte, width*height),
		CStride:        width,
		SubsampleRatio: image.YCbCrSubsampleRatio444,
		Rect:           region,
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for first := 0; first < height; first += chromaRows {
		g.Go(func() error {
			scratch := chromaScratch(m)
			for y := range min(chromaRows, height-first) {
				y := first + y
				at := y * width
				fillChroma(out.Cb[at:at+width], m, m.Cb, region.Min.X, region.Min.Y+y, scratch)
				fillChroma(out.Cr[at:at+width], m, m.Cr, region.Min.X, region.Min.Y+y, scratch)
			}
			return nil
		})
	}
	_ = g.Wait() // the goroutines return no errors
	return out
}

// chromaScratch returns scratch space for fillChroma.
func chromaScratch(m *image.YCbCr) []int32 { return make([]int32, m.Rect.Dx()+4) }

// fillChroma sets dst to the chroma of the pixels of m from x, y on.
func fillChroma(dst []byte, m *image.YCbCr, plane []byte, x, y int, scratch []int32) {
	h, v := Sampling(m.SubsampleRatio)
	if h > 2 {
		for i := range dst {
			dst[i] = plane[m.COffset(x+i, y)]
		}
		return
	}
	sums := blendRows(m, plane, y, v, scratch)
	from := x/h - m.Rect.Min.X/h
	if h == 1 {
		for i, sum := range sums[1+from:][:len(dst)] {
			dst[i] = byte((4*sum + chromaBias(0, y, h, v)) >> 4)
		}
		return
	}
	even, odd := chromaBias(0, y, h, v), chromaBias(1, y, h, v)
	sums = sums[from:] // sums[0] is for the sample left of the first pixel's sample
	if x&1 == 1 {
		dst[0] = byte((3*sums[1] + sums[2] + odd) >> 4)
		dst, sums = dst[1:], sums[1:]
	}
	for len(dst) > 1 {
		dst[0] = byte((3*sums[1] + sums[0] + even) >> 4)
		dst[1] = byte((3*sums[1] + sums[2] + odd) >> 4)
		dst, sums = dst[2:], sums[1:]
	}
	if len(dst) == 1 {
		dst[0] = byte((3*sums[1] + sums[0] + even) >> 4)
	}
}

// blendRows returns four times the chroma samples at the height of pixel row y, with
// the outermost ones repeated on both sides.
func blendRows(m *image.YCbCr, plane []byte, y, v int, scratch []int32) []int32 {
	h, _ := Sampling(m.SubsampleRatio)
	first, end := m.Rect.Min.Y/v, (m.Rect.Max.Y-1)/v+1
	near, far := y/v, y/v
	if v == 2 {
		far = min(max(near-1+2*(y&1), first), end-1)
	}
	n := (m.Rect.Max.X-1)/h + 1 - m.Rect.Min.X/h
	a, b := plane[(near-first)*m.CStride:][:n], plane[(far-first)*m.CStride:][:n]
	sums := scratch[:n+2]
	for i, c := range a {
		sums[i+1] = 3*int32(c) + int32(b[i])
	}
	sums[0], sums[n+1] = sums[1], sums[n]
	return sums
}

// chromaBias returns the bias that rounds a sum of 16 parts as libjpeg does: it
// alternates.
func chromaBias(x, y, h, v int) int32 {
	switch {
	case h == 2 && v == 2:
		return int32(8 - x&1)
	case h == 2:
		return int32(4 + 4*(x&1))
	case v == 2:
		return int32(4 + 4*(y&1))
	}
	return 0
}
