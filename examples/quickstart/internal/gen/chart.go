package main

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
)

const (
	chartWidth  = 640
	chartHeight = 400
	days        = 30
)

var (
	paper = color.RGBA{0xfa, 0xf8, 0xf2, 0xff}
	grid  = color.RGBA{0xd8, 0xd4, 0xc8, 0xff}
	axis  = color.RGBA{0x33, 0x33, 0x33, 0xff}
	blue  = color.RGBA{0x2b, 0x6c, 0xb0, 0xff}
	amber = color.RGBA{0xd6, 0x8a, 0x1c, 0xff}
)

// chart returns a PNG of the tidal range on the days of a month: two springs,
// in amber, and two neaps.
func chart() ([]byte, error) {
	img := image.NewRGBA(image.Rect(0, 0, chartWidth, chartHeight))
	fill(img, img.Bounds(), paper)
	plot := image.Rect(40, 20, chartWidth-20, chartHeight-40)
	for i := range 5 {
		y := plot.Min.Y + i*plot.Dy()/5
		fill(img, image.Rect(plot.Min.X, y, plot.Max.X, y+1), grid)
	}
	step := plot.Dx() / days
	for day := range days {
		tide := tidalRange(day)
		height := int(math.Round(tide * float64(plot.Dy()) / 5))
		left := plot.Min.X + day*step + 3
		bar := blue
		if tide > 4 {
			bar = amber
		}
		fill(img, image.Rect(left, plot.Max.Y-height, left+step-4, plot.Max.Y), bar)
	}
	fill(img, image.Rect(plot.Min.X, plot.Min.Y, plot.Min.X+2, plot.Max.Y), axis)
	fill(img, image.Rect(plot.Min.X, plot.Max.Y, plot.Max.X, plot.Max.Y+2), axis)
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err := encoder.Encode(&b, img)
	return b.Bytes(), err
}

// tidalRange returns metres. Half a synodic month, 14.77 days, lies between
// two springs.
func tidalRange(day int) float64 {
	return 3.2 + 1.4*math.Cos(2*math.Pi*float64(day-4)/14.77)
}

func fill(img draw.Image, r image.Rectangle, c color.Color) {
	draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
}
