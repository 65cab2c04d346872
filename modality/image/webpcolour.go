package image

import (
	"fmt"
	"image"

	"github.com/citekit/citekit"
)

// webpPixels converts the output of the decoder to colours. The planes of a
// lossy WebP have the reduced range of ITU-R BT.601, not that of JPEG (RFC
// 6386, section 9.2), and chroma is interpolated between its samples, as
// browsers and libwebp do.
func webpPixels(img image.Image) (*image.NRGBA, error) {
	switch img := img.(type) {
	case *image.NRGBA:
		return img, nil
	case *image.YCbCr:
		return studioToNRGBA(img, nil, 0), nil
	case *image.NYCbCrA:
		return studioToNRGBA(&img.YCbCr, img.A, img.AStride), nil
	}
	return nil, fmt.Errorf("the WebP has pixels of an unknown kind: %w", citekit.ErrFormat)
}

// studioToNRGBA converts 4:2:0 planes of reduced range.
func studioToNRGBA(m *image.YCbCr, alpha []byte, alphaStride int) *image.NRGBA {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	cw, ch := (width+1)/2, (height+1)/2
	for y := range height {
		near := y / 2
		far := min(max(near-1+2*(y&1), 0), ch-1)
		luma := m.Y[y*m.YStride:][:width]
		cb, cbFar := m.Cb[near*m.CStride:][:cw], m.Cb[far*m.CStride:][:cw]
		cr, crFar := m.Cr[near*m.CStride:][:cw], m.Cr[far*m.CStride:][:cw]
		row := out.Pix[y*out.Stride:][:4*width]
		for x := range width {
			u := interpolate(cb, cbFar, x)
			v := interpolate(cr, crFar, x)
			pix := row[4*x : 4*x+4 : 4*x+4]
			pix[0], pix[1], pix[2] = studioToRGB(int(luma[x]), u, v)
			pix[3] = 0xff
			if alpha != nil {
				pix[3] = alpha[y*alphaStride+x]
			}
		}
	}
	return out
}

// interpolate returns the chroma at column x from the nearer and the farther
// row of samples: weights 9, 3, 3 and 1 of 16.
func interpolate(near, far []byte, x int) int {
	i := x / 2
	j := min(max(i-1+2*(x&1), 0), len(near)-1)
	a, b, c, d := int(near[i]), int(near[j]), int(far[i]), int(far[j])
	if x == 0 || i == j {
		return (3*a + c + 2) / 4
	}
	// The diagonal mean is rounded first, as all decoders do.
	sum := a + b + c + d
	diagonal := (sum + 2*(b+c) + 8) >> 3
	return (a + diagonal) >> 1
}

// studioToRGB converts with 14 bits of precision (ITU-R BT.601).
func studioToRGB(y, u, v int) (r, g, b byte) {
	scaled := y * 19077 >> 8
	return clip6(scaled + v*26149>>8 - 14234),
		clip6(scaled - u*6419>>8 - v*13320>>8 + 8708),
		clip6(scaled + u*33050>>8 - 17685)
}

// clip6 drops 6 bits of fraction.
func clip6(v int) byte {
	return byte(min(max(v>>6, 0), 255))
}
