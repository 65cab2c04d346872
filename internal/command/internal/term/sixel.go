package term

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"slices"
)

// A sixel is six pixels, one below another, as the bits of a character.
const (
	sixelRows  = 6
	firstSixel = '?'
)

// writeSixel writes a picture in the format of DEC's terminals.
func writeSixel(out *bytes.Buffer, picture image.Image) {
	m := indexed(picture)
	bounds := m.Bounds()
	fmt.Fprintf(out, "\x1bPq\"1;1;%d;%d", bounds.Dx(), bounds.Dy())
	for i, c := range m.Palette {
		r, g, b, _ := c.RGBA()
		fmt.Fprintf(out, "#%d;2;%d;%d;%d", i, percent(r), percent(g), percent(b))
	}
	for top := bounds.Min.Y; top < bounds.Max.Y; top += sixelRows {
		writeBand(out, m, top)
	}
	out.WriteString("\x1b\\")
}

// writeBand writes six rows, once for each colour in them.
func writeBand(out *bytes.Buffer, m *image.Paletted, top int) {
	bounds := m.Bounds()
	bands := make(map[uint8][]byte)
	for y := top; y < min(top+sixelRows, bounds.Max.Y); y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := m.ColorIndexAt(x, y)
			if bands[c] == nil {
				bands[c] = bytes.Repeat([]byte{firstSixel}, bounds.Dx())
			}
			bands[c][x-bounds.Min.X] += 1 << (y - top)
		}
	}
	for c := range m.Palette {
		if band := bands[uint8(c)]; band != nil {
			fmt.Fprintf(out, "#%d", c)
			writeRuns(out, band)
			out.WriteByte('$') // back to the left
		}
	}
	out.WriteByte('-') // next band
}

// writeRuns writes sixels, those that repeat with their number.
func writeRuns(out *bytes.Buffer, band []byte) {
	for len(band) > 0 {
		n := 1
		for n < len(band) && band[n] == band[0] {
			n++
		}
		if n > 3 {
			fmt.Fprintf(out, "!%d%c", n, band[0])
		} else {
			out.Write(band[:n])
		}
		band = band[n:]
	}
}

// percent returns a part of a colour as sixels have it, from 0 to 100.
func percent(part uint32) uint32 { return (part*100 + 0x7fff) / 0xffff }

// indexed returns a picture in at most 256 colours on white: its own if it has no
// more, else mixed of the nearest ones.
func indexed(picture image.Image) *image.Paletted {
	bounds := picture.Bounds()
	flat := image.NewRGBA(bounds)
	draw.Draw(flat, bounds, image.White, image.Point{}, draw.Src)
	draw.Draw(flat, bounds, picture, bounds.Min, draw.Over)
	if own := coloursOf(flat); own != nil {
		m := image.NewPaletted(bounds, own)
		draw.Draw(m, bounds, flat, bounds.Min, draw.Src)
		return m
	}
	m := image.NewPaletted(bounds, palette.Plan9)
	draw.FloydSteinberg.Draw(m, bounds, flat, bounds.Min)
	return m
}

// coloursOf returns the colours of a picture as sixels have them, in order, or nil if
// there are more than 256.
func coloursOf(m *image.RGBA) color.Palette {
	seen := make(map[color.RGBA]bool)
	for i := 0; i+3 < len(m.Pix); i += 4 {
		c := color.RGBA{m.Pix[i], m.Pix[i+1], m.Pix[i+2], 0xff}
		if !seen[c] {
			if len(seen) == 256 {
				return nil
			}
			seen[c] = true
		}
	}
	own := make(color.Palette, 0, len(seen))
	for c := range seen {
		own = append(own, c)
	}
	slices.SortFunc(own, func(a, b color.Color) int {
		x, y := a.(color.RGBA), b.(color.RGBA)
		return bytes.Compare([]byte{x.R, x.G, x.B}, []byte{y.R, y.G, y.B})
	})
	return own
}
