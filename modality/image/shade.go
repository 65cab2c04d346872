package image

import "encoding/binary"

// onWhite returns how bright a colour is that covers white in part: alpha
// of 255.
func onWhite(red, green, blue, alpha byte) byte {
	v := uint32(luma([]byte{red, green, blue}))
	if alpha == 0xff {
		return byte(v)
	}
	a := uint32(alpha)
	return byte((v*a + 0xff*(0xff-a) + 0x7f) / 0xff)
}

// shade returns what turns a row into grey.
func (p *pngPixels) shade() func(grey, row []byte) {
	size := p.bits() / 8
	sample := int(p.depth) / 8 // only the high byte of two counts
	switch p.colour {
	case pngRGB:
		return p.shadeRGB(size, sample)
	case pngGreyAlpha:
		return func(grey, row []byte) {
			for x := range grey {
				v := row[x*size]
				grey[x] = onWhite(v, v, v, row[x*size+sample])
			}
		}
	case pngRGBA:
		return func(grey, row []byte) {
			for x := range grey {
				q := row[x*size : x*size+size]
				grey[x] = onWhite(q[0], q[sample], q[2*sample], q[3*sample])
			}
		}
	}
	if p.depth == 16 {
		return p.shadeDeep
	}
	table := p.shades()
	if p.depth == 8 {
		return func(grey, row []byte) {
			for x := range grey {
				grey[x] = table[row[x]]
			}
		}
	}
	depth := int(p.depth)
	return func(grey, row []byte) {
		for x := range grey {
			grey[x] = table[bitsAt(row, x*depth, depth)]
		}
	}
}

func (p *pngPixels) shadeRGB(size, sample int) func(grey, row []byte) {
	var key []byte // the colour that is transparent
	if len(p.transparent) == 6 {
		for i := range 3 {
			key = append(key, p.transparent[2*i+2-sample:2*i+2]...)
		}
	}
	return func(grey, row []byte) {
		for x := range grey {
			q := row[x*size : x*size+size]
			grey[x] = luma([]byte{q[0], q[sample], q[2*sample]})
			if key != nil && string(q) == string(key) {
				grey[x] = 0xff
			}
		}
	}
}

// shadeDeep is for grey of 16 bits.
func (p *pngPixels) shadeDeep(grey, row []byte) {
	for x := range grey {
		grey[x] = row[2*x]
		if len(p.transparent) == 2 && binary.BigEndian.Uint16(row[2*x:]) == binary.BigEndian.Uint16(p.transparent) {
			grey[x] = 0xff
		}
	}
}

// shades returns the grey of each value of up to 8 bits.
func (p *pngPixels) shades() (table [256]byte) {
	if p.colour == pngPalette {
		for i := range len(p.palette) / 3 {
			alpha := byte(0xff)
			if i < len(p.transparent) {
				alpha = p.transparent[i]
			}
			q := p.palette[3*i:]
			table[i] = onWhite(q[0], q[1], q[2], alpha)
		}
		return table
	}
	most := 1<<p.depth - 1
	for v := range most + 1 {
		table[v] = byte(v * 0xff / most)
	}
	if len(p.transparent) == 2 {
		table[p.transparent[1]] = 0xff
	}
	return table
}
