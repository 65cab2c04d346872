package drawing

import (
	"image"
	"image/color"
	"strings"

	"golang.org/x/image/draw"
)

// A Wave is a picture of a sound: each column shows the range from the lowest to the
// highest sample in a stretch of time. A time axis is below.
type Wave struct {
	start, end float64 // seconds
	side       int
	low, high  []float64 // of each column
}

// NewWave returns a Wave of the time from start to end, in seconds. It is side pixels
// wide and a third as high.
func NewWave(start, end float64, side int) *Wave {
	return &Wave{start: start, end: end, side: side, low: make([]float64, side), high: make([]float64, side)}
}

// Columns returns the number of columns.
func (w *Wave) Columns() int { return w.side }

// Put adds frames of sound to a column. Extremes returns the lowest and highest sample
// in frames, from -1 to 1; 0 is silence.
func (w *Wave) Put(column int, frames []byte, extremes func([]byte) (low, high float64)) {
	low, high := extremes(frames)
	w.low[column] = min(w.low[column], max(low, -1))
	w.high[column] = max(w.high[column], min(high, 1))
}

var (
	waveInk = image.NewUniform(color.RGBA{R: 0x1f, G: 0x5a, B: 0xa8, A: 0xff})
	axisInk = image.NewUniform(color.RGBA{R: 0x60, G: 0x60, B: 0x60, A: 0xff})
)

const tick = 5 // length in pixels of a mark on the axis

// Draw returns the picture.
func (w *Wave) Draw() *image.RGBA {
	_, text := textSize("", 1)
	height := max(w.side/3-tick-text, 2*tick) // of the wave
	img := newWhite(image.Pt(w.side, height+tick+text))
	middle := height / 2
	for x := range w.side {
		top := middle - int(w.high[x]*float64(middle))
		bottom := middle - int(w.low[x]*float64(middle)) + 1
		draw.Draw(img, image.Rect(x, top, x+1, min(bottom, height)), waveInk, image.Point{}, draw.Src)
	}
	w.drawAxis(img, height)
	return img
}

// drawAxis marks round times below the wave.
func (w *Wave) drawAxis(img *image.RGBA, top int) {
	draw.Draw(img, image.Rect(0, top, w.side, top+1), axisInk, image.Point{}, draw.Src)
	step := w.step()
	first := int64(w.start/step + 0.999999)
	for i := first; float64(i)*step < w.end; i++ {
		x := int((float64(i)*step - w.start) / (w.end - w.start) * float64(w.side))
		draw.Draw(img, image.Rect(x, top, x+1, top+tick), axisInk, image.Point{}, draw.Src)
		label := Clock(float64(i) * step)
		if step >= 1 {
			label, _, _ = strings.Cut(label, ".")
		}
		if width, _ := textSize(label, 1); x+width+2 <= w.side {
			Text(img, image.Pt(x+2, top+tick), label, 1, color.Black)
		}
	}
}

// step returns the distance of the marks in seconds: a round number that leaves room
// for their labels.
func (w *Wave) step() float64 {
	const room = 90 // pixels
	wanted := (w.end - w.start) * room / float64(w.side)
	steps := []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600}
	for _, s := range steps {
		if s >= wanted {
			return s
		}
	}
	step := steps[len(steps)-1]
	for step < wanted {
		step *= 2
	}
	return step
}
