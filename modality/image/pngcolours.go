package image

// painter returns the function that converts a row to colours.
func (p *pngPixels) painter() painter {
	if p.depth <= 8 && (p.colour == pngGrey || p.colour == pngPalette) {
		return p.colours().painter(int(p.depth))
	}
	size, sample := p.bits()/8, int(p.depth)/8 // only the high byte of two is used
	green, blue, alpha := sample, 2*sample, 0
	switch p.colour {
	case pngGrey:
		green, blue = 0, 0
	case pngGreyAlpha:
		green, blue, alpha = 0, 0, sample
	case pngRGBA:
		alpha = 3 * sample
	}
	key := p.key(size, sample)
	return func(rgba, row []byte) {
		for x := range len(rgba) / 4 {
			q := row[x*size : x*size+size]
			covers := byte(0xff)
			switch {
			case alpha > 0:
				covers = q[alpha]
			case key != nil && string(q) == string(key):
				covers = 0
			}
			put(rgba[4*x:], q[0], q[green], q[blue], covers)
		}
	}
}

// key returns the pixel that is transparent, or nil.
func (p *pngPixels) key(size, sample int) []byte {
	if len(p.transparent) != 2*size/sample || p.colour == pngGreyAlpha || p.colour == pngRGBA {
		return nil
	}
	var key []byte
	for i := 2; i <= len(p.transparent); i += 2 {
		key = append(key, p.transparent[i-sample:i]...)
	}
	return key
}

// colours returns the colour of each value of up to 8 bits.
func (p *pngPixels) colours() *colourTable {
	t := new(colourTable)
	if p.colour == pngPalette {
		for i := range len(p.palette) / 3 {
			alpha := byte(0xff)
			if i < len(p.transparent) {
				alpha = p.transparent[i]
			}
			q := p.palette[3*i:]
			put(t[i][:], q[0], q[1], q[2], alpha)
		}
		return t
	}
	t.setGreys(int(p.depth))
	if len(p.transparent) == 2 {
		put(t[p.transparent[1]][:], 0, 0, 0, 0)
	}
	return t
}
