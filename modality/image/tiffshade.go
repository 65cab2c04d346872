package image

import "encoding/binary"

// shade returns what turns a row of samples into grey.
func (t *tiffPage) shade() (func(grey, row []byte), error) {
	switch {
	case t.why != nil:
		return nil, t.why
	case t.float:
		return nil, unreadTIFF("floating-point samples; text is not looked for, and it")
	case t.samples == 1 && t.bits <= 8:
		return t.shadeTable()
	case t.bits != 8 && t.bits != 16:
		return nil, unreadTIFF("samples of this size; text is not looked for, and it")
	}
	step, sample := t.pixelBits()/8, t.bits/8
	high := 0 // the byte of a sample that counts
	if t.bits == 16 && t.order == binary.LittleEndian {
		high = 1
	}
	at := func(row []byte, x, i int) byte { return row[x*step+i*sample+high] }
	pixel := t.shadePixel()
	return func(grey, row []byte) {
		for x := range grey {
			grey[x] = pixel(row, x, at)
		}
	}, nil
}

// shadePixel returns what turns the samples of a pixel into grey. The first
// sample of YCbCr and Lab is it.
func (t *tiffPage) shadePixel() func(row []byte, x int, at func([]byte, int, int) byte) byte {
	colour := t.photometric
	if t.compression == compressionJPEG && t.samples == 3 {
		colour = photometricRGB
	}
	alpha := t.alpha()
	switch {
	case colour == photometricRGB && t.samples >= 3:
		return func(row []byte, x int, at func([]byte, int, int) byte) byte {
			covers := byte(0xff)
			if alpha > 0 {
				covers = at(row, x, alpha)
			}
			return onWhite(at(row, x, 0), at(row, x, 1), at(row, x, 2), covers)
		}
	case colour == photometricCMYK && t.samples >= 4:
		return func(row []byte, x int, at func([]byte, int, int) byte) byte {
			light := 0xff - int(at(row, x, 3))
			ink := func(i int) byte { return byte((0xff - int(at(row, x, i))) * light / 0xff) }
			return onWhite(ink(0), ink(1), ink(2), 0xff)
		}
	case colour == photometricWhiteIsZero:
		return func(row []byte, x int, at func([]byte, int, int) byte) byte { return 0xff - at(row, x, 0) }
	}
	return func(row []byte, x int, at func([]byte, int, int) byte) byte { return at(row, x, 0) }
}

// alpha returns which sample says how much a pixel covers, or 0.
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

// shadeTable is for one sample of up to 8 bits.
func (t *tiffPage) shadeTable() (func(grey, row []byte), error) {
	if t.bits > 4 && t.bits != 8 || t.bits == 3 {
		return nil, unreadTIFF("samples of this size; text is not looked for, and it")
	}
	var table [256]byte
	most := 1<<t.bits - 1
	for v := range most + 1 {
		table[v] = byte(v * 0xff / most)
		if t.photometric == photometricWhiteIsZero {
			table[v] = 0xff - table[v]
		}
	}
	if t.photometric == photometricPalette {
		t.mapColours(&table)
	}
	return func(grey, row []byte) {
		for x := range grey {
			grey[x] = table[bitsAt(row, x*t.bits, t.bits)]
		}
	}, nil
}

// mapColours sets the grey of the colours of a palette.
func (t *tiffPage) mapColours(table *[256]byte) {
	for _, tag := range t.tags {
		n := 1 << t.bits
		if tag.tag != tagColorMap || tag.kind != 3 || len(tag.value) < 6*n {
			continue
		}
		level := func(i int) byte { return byte(t.order.Uint16(tag.value[2*i:]) >> 8) }
		for v := range n {
			table[v] = onWhite(level(v), level(n+v), level(2*n+v), 0xff)
		}
	}
}
