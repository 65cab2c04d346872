package tesseract

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// drawText returns a picture with text drawn at places in pixels.
func drawText(t *testing.T, width, height int, lines map[image.Point]string) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: 28, DPI: 72})
	if err != nil {
		t.Fatal(err)
	}
	for at, line := range lines {
		d := font.Drawer{Dst: img, Src: image.NewUniform(color.Black), Face: face, Dot: fixed.P(at.X, at.Y)}
		d.DrawString(line)
	}
	return encode(t, img)
}

func encode(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func given(picture []byte) func(context.Context) ([]byte, error) {
	return func(context.Context) ([]byte, error) { return picture, nil }
}

func installed(t *testing.T) *Command {
	t.Helper()
	sharedtest.Tool(t, "tesseract")
	c, err := Find("")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRecognise(t *testing.T) {
	c := installed(t)
	picture := drawText(t, 800, 600, map[image.Point]string{
		{X: 60, Y: 80}:   "Annual report of the weather station",
		{X: 60, Y: 400}:  "Rain fell in May and in June.",
		{X: 60, Y: 440}:  "The harvest was good this year.",
		{X: 500, Y: 580}: "Page seven",
	})
	blocks, err := c.Recognise(t.Context(), "eng", given(picture))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Annual report of the weather station", "Rain fell in May and in June.\nThe harvest was good this year.", "Page seven"}
	if len(blocks) != len(want) {
		t.Fatalf("blocks %+v, want %d", blocks, len(want))
	}
	for i, block := range blocks {
		if block.Text != want[i] || block.Confidence < 80 {
			t.Errorf("block %d: %q with confidence %v, want %q", i, block.Text, block.Confidence, want[i])
		}
	}
	// The drawn lines reach from 22 pixels above their base to 7 below.
	if box := blocks[1].Box; box.Y1 < 375./600 || box.Y1 > 385./600 || box.Y2 < 440./600 || box.Y2 > 450./600 || box.X1 < 55./800 || box.X1 > 65./800 {
		t.Errorf("the second block is at %v", box)
	}
}

func TestRecogniseNothing(t *testing.T) {
	blocks, err := installed(t).Recognise(t.Context(), "", given(drawText(t, 200, 100, nil)))
	if err != nil || len(blocks) > 0 {
		t.Errorf("an empty picture: %v, error %v", blocks, err)
	}
}

func TestRecogniseErrors(t *testing.T) {
	c := installed(t)
	good := drawText(t, 20, 20, nil)
	huge := bytes.Clone(good)
	copy(huge[16:], "\x00\x00\x7f\x00\x00\x00\x7f\x00")
	for _, test := range []struct {
		name      string
		picture   []byte
		languages string
		want      error
	}{
		{"a list of files", []byte("/etc/hostname\n"), "", citekit.ErrFormat},
		{"nothing", nil, "", citekit.ErrFormat},
		{"only a header", good[:40], "", citekit.ErrFormat},
		{"too large", huge, "", citekit.ErrTooLarge},
		{"no language", good, "eng --psm", citekit.ErrSyntax},
		{"missing language", good, "xyz", errors.ErrUnsupported},
	} {
		_, err := c.Recognise(t.Context(), test.languages, given(test.picture))
		if !errors.Is(err, test.want) || strings.ContainsAny(err.Error(), `\`) || strings.Contains(err.Error(), "/usr") {
			t.Errorf("%s: error %v, want one matching %v", test.name, err, test.want)
		}
	}
}

func TestFind(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, path := range []string{"", filepath.Join(t.TempDir(), "absent")} {
		_, err := Find(path)
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "apt-get install tesseract-ocr") {
			t.Errorf("Find(%q): error %v", path, err)
		}
	}
}

// script returns a Command that runs a shell script.
func script(t *testing.T, body string) *Command {
	t.Helper()
	c, err := Find(sharedtest.Script(t, body))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPrograms(t *testing.T) {
	path := script(t, "echo tesseract 5.3.0\n").path
	if found, missing := Programs(t.Context(), path); found["tesseract"] != "5.3.0" || missing != nil {
		t.Errorf("%v, missing %v", found, missing)
	}
	if found, missing := Programs(t.Context(), path+"-none"); found != nil || len(missing) != 1 {
		t.Errorf("%v, missing %v", found, missing)
	}
}

func TestHostileProgram(t *testing.T) {
	sharedtest.NotShort(t)
	picture := encode(t, image.NewGray(image.Rect(0, 0, 4, 4)))
	endless := script(t, "while :; do echo 0123456789012345678901234567890123456789; done\n")
	if _, err := endless.Recognise(t.Context(), "", given(picture)); !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("endless output: error %v", err)
	}
	slow := script(t, "sleep 600 &\nwait\n")
	slow.Timeout = 50 * time.Millisecond
	if _, err := slow.Recognise(t.Context(), "", given(picture)); citekit.CodeOf(err) != message.CodeTimeout {
		t.Errorf("a slow program: error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := slow.Recognise(ctx, "", given(picture)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
	if _, err := script(t, "echo prose\n").Recognise(t.Context(), "", given(picture)); !errors.Is(err, citekit.ErrFormat) {
		t.Errorf("another program: error %v", err)
	}
	secret := script(t, "test -z \"$CITEKIT_SECRET\" && printf '1\\t1\\t0\\t0\\t0\\t0\\t0\\t0\\t9\\t9\\t-1\\t\\n'\n")
	t.Setenv("CITEKIT_SECRET", "x")
	if _, err := secret.Recognise(t.Context(), "", given(picture)); err != nil {
		t.Errorf("the program sees the environment: %v", err)
	}
}
