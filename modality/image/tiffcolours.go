package image

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image/color"
)

// painter returns the function that converts a row of samples to colours.
func (t *tiffPage) painter() (painter, error) {
	switch {
	case t.why != nil:
		return nil, t.why
	case t.float:
		return nil, unseenTIFF("floating-point samples")
	case t.samples == 1 && t.bits <= 8:
		return t.tablePainter()
	case t.bits != 8 && t.bits != 16:
		return nil, unseenTIFF("samples of this size")
	}
	size, sample := t.pixelBits()/8, t.bits/8
	high := 0 // the byte of a sample that is used
	if t.bits == 16 && t.order == binary.LittleEndian {
		high = 1
	}
	paint := t.pixelPainter()
	levels := make([]byte, t.samples)
	return func(rgba, row []byte) {
		for x := range len(rgba) / 4 {
			for i := range levels {
				levels[i] = row[x*size+i*sample+high]
			}
			paint(rgba[4*x:], levels)
		}
	}, nil
}

// pixelPainter returns the function that converts the samples of a pixel to a
// colour. In an unsupported colour space, such as Lab, the first sample gives
// the brightness.
func (t *tiffPage) pixelPainter() func(rgba, levels []byte) {
	colour := t.photometric
	if t.compression == compressionJPEG && t.samples == 3 {
		colour = photometricRGB
	}
	alpha := t.alpha()
	switch {
	case colour == photometricRGB && t.samples >= 3:
		return func(rgba, v []byte) {
			covers := byte(0xff)
			if alpha > 0 && alpha < len(v) {
				covers = v[alpha]
			}
			put(rgba, v[0], v[1], v[2], covers)
		}
	case colour == photometricCMYK && t.samples >= 4:
		return func(rgba, v []byte) {
			red, green, blue := color.CMYKToRGB(v[0], v[1], v[2], v[3])
			put(rgba, red, green, blue, 0xff)
		}
	case colour == photometricYCbCr && t.samples >= 3:
		return func(rgba, v []byte) {
			red, green, blue := color.YCbCrToRGB(v[0], v[1], v[2])
			put(rgba, red, green, blue, 0xff)
		}
	case colour == photometricWhiteIsZero:
		return func(rgba, v []byte) { put(rgba, 0xff-v[0], 0xff-v[0], 0xff-v[0], 0xff) }
	}
	return func(rgba, v []byte) { put(rgba, v[0], v[0], v[0], 0xff) }
}

// alpha returns the index of the sample with the opacity of a pixel, or 0.
func (t *tiffPage) alpha() int {
	const associated, unassociated = 1, 2
	for _, tag := range t.tags {
		if tag.tag != tagExtraSamples || tag.kind != 3 || len(tag.value) < 2 {
			continue
		}
		if v := t.order.Uint16(tag.value); v == associated || v == unassociated {
			return 3
		}
	}
	return 0
}

// tablePainter returns the painter for one sample of up to 8 bits.
func (t *tiffPage) tablePainter() (painter, error) {
	if t.bits > 4 && t.bits != 8 || t.bits == 3 {
		return nil, unseenTIFF("samples of this size")
	}
	table := new(colourTable)
	table.setGreys(t.bits)
	switch t.photometric {
	case photometricWhiteIsZero:
		for v := range 1 << t.bits {
			level := 0xff - table[v][0]
			put(table[v][:], level, level, level, 0xff)
		}
	case photometricPalette:
		t.mapColours(table)
	}
	return table.painter(t.bits), nil
}

// mapColours sets the colours of a palette.
func (t *tiffPage) mapColours(table *colourTable) {
	for _, tag := range t.tags {
		n := 1 << t.bits
		if tag.tag != tagColorMap || tag.kind != 3 || len(tag.value) < 6*n {
			continue
		}
		level := func(i int) byte { return byte(t.order.Uint16(tag.value[2*i:]) >> 8) }
		for v := range n {
			put(table[v][:], level(v), level(n+v), level(2*n+v), 0xff)
		}
	}
}

func unseenTIFF(what string) error {
	return fmt.Errorf("a TIFF with %s is not looked at; cite it, or convert it to PNG or JPEG first: %w", what, errors.ErrUnsupported)
}
