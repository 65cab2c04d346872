package term

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand"
	"regexp"
	"strings"
	"testing"
)

// noise is a picture that does not compress.
func noise() image.Image {
	m, r := image.NewGray(image.Rect(0, 0, 90, 70)), rand.New(rand.NewSource(1))
	for y := range 70 {
		for x := range 90 {
			m.SetGray(x, y, color.Gray{Y: uint8(r.Intn(256))})
		}
	}
	return m
}

func TestPicturesOfKitty(t *testing.T) {
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"png":  func(b *bytes.Buffer) error { return png.Encode(b, noise()) },
		"jpeg": func(b *bytes.Buffer) error { return jpeg.Encode(b, noise(), nil) },
	} {
		var file, shown bytes.Buffer
		if err := encode(&file); err != nil {
			t.Fatal(err)
		}
		if err := KittyPictures.Show(&shown, file.Bytes()); err != nil {
			t.Fatal(err)
		}
		var encoded strings.Builder
		parts := regexp.MustCompile(`\x1b_G([^;]*);([^\x1b]*)\x1b\\`).FindAllStringSubmatch(shown.String(), -1)
		for i, part := range parts {
			first, last := i == 0, i == len(parts)-1
			if len(part[2]) > kittyChunk || strings.Contains(part[1], "f=100") != first || strings.HasSuffix(part[1], "m=0") != last {
				t.Errorf("%s: part %d of %d is %q with %d bytes", name, i, len(parts), part[1], len(part[2]))
			}
			encoded.WriteString(part[2])
		}
		data, err := base64.StdEncoding.DecodeString(encoded.String())
		if err != nil || len(parts) < 2 {
			t.Fatalf("%s: %d parts, %v", name, len(parts), err)
		}
		if c, err := png.DecodeConfig(bytes.NewReader(data)); err != nil || c.Width != 90 || c.Height != 70 {
			t.Errorf("%s: shown as %+v, %v", name, c, err)
		}
	}
}

func TestPicturesOfITerm(t *testing.T) {
	var shown bytes.Buffer
	if err := ITermPictures.Show(&shown, []byte("a file")); err != nil {
		t.Fatal(err)
	}
	if want := "\x1b]1337;File=inline=1;size=6:YSBmaWxl\a\n"; shown.String() != want {
		t.Errorf("%q, want %q", shown.String(), want)
	}
	if err := NoPictures.Show(&shown, nil); err == nil {
		t.Error("a terminal without pictures shows one")
	}
	if err := KittyPictures.Show(&shown, []byte("no picture")); err == nil {
		t.Error("a file that has no picture is shown")
	}
}

func TestPicturesIn(t *testing.T) {
	for env, want := range map[string]Pictures{
		"TERM=xterm-kitty":                         KittyPictures,
		"TERM=xterm-256color KITTY_WINDOW_ID=1":    KittyPictures,
		"TERM=xterm-ghostty":                       KittyPictures,
		"TERM=xterm-256color TERM_PROGRAM=WezTerm": ITermPictures,
		"LC_TERMINAL=iTerm2":                       ITermPictures,
		"TERM=xterm-256color":                      NoPictures,
		"TERM=tmux-256color TERM_PROGRAM=WezTerm":  NoPictures,
		"TMUX=/tmp/x KITTY_WINDOW_ID=1":            NoPictures,
		"":                                         NoPictures,
	} {
		get := func(name string) string {
			for _, pair := range strings.Fields(env) {
				if value, ok := strings.CutPrefix(pair, name+"="); ok {
					return value
				}
			}
			return ""
		}
		if got := picturesIn(get); got != want {
			t.Errorf("%s: %q, want %q", env, got, want)
		}
	}
	if PicturesOf(new(bytes.Buffer)) != NoPictures {
		t.Error("a buffer shows pictures")
	}
	for attributes, want := range map[string]bool{
		"\x1b[?62;4;22c": true, "typed\x1b[?64;1;4c": true, "\x1b[?4c": false, "\x1b[?62;14;44c": false, "\x1b[?62;4": false, "": false,
	} {
		if hasSixels(attributes) != want {
			t.Errorf("sixels of %q: %t", attributes, !want)
		}
	}
}
