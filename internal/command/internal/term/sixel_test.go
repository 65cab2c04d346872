package term

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// fromSixel reads a picture as a terminal does.
func fromSixel(t *testing.T, s string) *image.RGBA {
	t.Helper()
	head := regexp.MustCompile(`^\x1bPq"1;1;(\d+);(\d+)`).FindStringSubmatch(s)
	body, closed := strings.CutSuffix(s, "\x1b\\")
	if head == nil || !closed {
		t.Fatalf("no sixels: %.40q", s)
	}
	width, _ := strconv.Atoi(head[1])
	height, _ := strconv.Atoi(head[2])
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	colours := map[string]color.RGBA{}
	var c color.RGBA
	x, top := 0, 0
	for _, part := range regexp.MustCompile(`#\d+;2;\d+;\d+;\d+|#\d+|!\d+[?-~]|[?-~$-]`).FindAllString(body[len(head[0]):], -1) {
		n, sixel := 1, part[len(part)-1]
		switch part[0] {
		case '#':
			fields := strings.Split(part[1:], ";")
			if len(fields) == 5 {
				var r, g, b int
				fmt.Sscan(strings.Join(fields[2:], " "), &r, &g, &b)
				colours[fields[0]] = color.RGBA{uint8(r * 255 / 100), uint8(g * 255 / 100), uint8(b * 255 / 100), 255}
			} else {
				c = colours[fields[0]]
			}
			continue
		case '$':
			x = 0
			continue
		case '-':
			x, top = 0, top+6
			continue
		case '!':
			n, _ = strconv.Atoi(part[1 : len(part)-1])
		}
		for range n {
			for bit := range 6 {
				if (sixel-'?')>>bit&1 == 1 {
					m.SetRGBA(x, top+bit, c)
				}
			}
			x++
		}
	}
	return m
}

func TestSixel(t *testing.T) {
	few, many := image.NewNRGBA(image.Rect(0, 0, 50, 23)), image.NewRGBA(image.Rect(0, 0, 64, 64))
	for y := range 23 {
		for x := range 50 {
			few.SetNRGBA(x, y, color.NRGBA{uint8(x / 10 * 50), uint8(y * 10), 7, 255})
		}
	}
	few.SetNRGBA(3, 3, color.NRGBA{}) // nothing, on white
	for y := range 64 {
		for x := range 64 {
			many.Set(x, y, color.RGBA{uint8(x * 4), uint8(y * 4), 128, 255})
		}
	}
	for name, test := range map[string]struct {
		picture image.Image
		off     int // by so much a part of a colour may differ, in the mean of a square of 8 pixels
		square  int
	}{
		"own colours":  {few, 3, 1},
		"noise":        {noise(), 3, 1},
		"many colours": {many, 16, 8},
	} {
		var file, shown bytes.Buffer
		if err := png.Encode(&file, test.picture); err != nil {
			t.Fatal(err)
		}
		if err := SixelPictures.Show(&shown, file.Bytes()); err != nil {
			t.Fatal(err)
		}
		got, want := fromSixel(t, strings.TrimSuffix(shown.String(), "\n")), test.picture
		if got.Bounds() != want.Bounds() {
			t.Fatalf("%s: %v, want %v", name, got.Bounds(), want.Bounds())
		}
		for y := 0; y+test.square <= want.Bounds().Dy(); y += test.square {
			for x := 0; x+test.square <= want.Bounds().Dx(); x += test.square {
				a, b := meanOf(got, x, y, test.square), meanOf(want, x, y, test.square)
				for i := range a {
					if d := a[i] - b[i]; d > test.off || d < -test.off {
						t.Fatalf("%s: %v at %d,%d, want %v", name, a, x, y, b)
					}
				}
			}
		}
	}
}

// TestSixelReadByOthers has ImageMagick read what is written.
func TestSixelReadByOthers(t *testing.T) {
	var shown, read bytes.Buffer
	writeSixel(&shown, noise())
	c := exec.Command(sharedtest.Convert(t), "sixel:-", "png:-")
	c.Stdin, c.Stdout = &shown, &read
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(&read)
	if err != nil {
		t.Fatal(err)
	}
	want := noise()
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			a, b := meanOf(got, x, y, 1), meanOf(want, x, y, 1)
			if d := a[0] - b[0]; d > 3 || d < -3 {
				t.Fatalf("%v at %d,%d, want %v", a, x, y, b)
			}
		}
	}
}

// meanOf returns the mean colour of a square of a picture on white.
func meanOf(m image.Image, left, top, side int) (mean [3]int) {
	for y := range side {
		for x := range side {
			r, g, b, a := m.At(left+x, top+y).RGBA()
			for i, part := range []uint32{r, g, b} {
				mean[i] += int((part + 0xffff - a) >> 8)
			}
		}
	}
	for i := range mean {
		mean[i] /= side * side
	}
	return mean
}
