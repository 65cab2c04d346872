package image_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	stdimage "image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/image"
	"github.com/citekit/citekit/modality/image/internal/exif"
)

var imageRequest = citekit.MapRequest{Modality: citekit.Image}

// written returns a picture of text at places in pixels.
func written(t testing.TB, width, height int, lines map[stdimage.Point]string) *stdimage.Gray {
	t.Helper()
	img := stdimage.NewGray(stdimage.Rect(0, 0, width, height))
	draw.Draw(img, img.Rect, stdimage.White, stdimage.Point{}, draw.Src)
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: 30, DPI: 72})
	if err != nil {
		t.Fatal(err)
	}
	for at, line := range lines {
		d := font.Drawer{Dst: img, Src: stdimage.NewUniform(color.Black), Face: face, Dot: fixed.P(at.X, at.Y)}
		d.DrawString(line)
	}
	return img
}

// page is a picture with two blocks of text, the second below the middle.
func page(t testing.TB) *stdimage.Gray {
	return written(t, 800, 600, map[stdimage.Point]string{
		{X: 60, Y: 80}:  "Annual report of the weather station",
		{X: 60, Y: 400}: "Rain fell in May and in June.",
		{X: 60, Y: 434}: "The harvest was good this year.",
	})
}

func encodePNG(t testing.TB, img stdimage.Image) []byte {
	t.Helper()
	return encoded(t, func(w io.Writer) error { return png.Encode(w, img) })
}

// stored returns how img is stored under an orientation.
func stored(img *stdimage.Gray, o exif.Orientation) *stdimage.Gray {
	width, height := o.Displayed(img.Rect.Dx(), img.Rect.Dy())
	out := stdimage.NewGray(stdimage.Rect(0, 0, width, height))
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			sx, sy := o.Stored(x, y, width, height)
			out.SetGray(sx, sy, img.GrayAt(x, y))
		}
	}
	return out
}

func TestMapBlocks(t *testing.T) {
	sharedtest.Tool(t, "tesseract")
	r := &image.Resolver{}
	for _, o := range []exif.Orientation{exif.TopLeft, exif.BottomRight, exif.LeftTop, exif.LeftBottom} {
		data := oriented(t, "a.png", encodePNG(t, stored(page(t), o)), byte(o))
		s, err := r.Map(t.Context(), source(data, "page.png"+string(rune('0'+o))), imageRequest)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"width": 800, "height": 600, "ocr": "tesseract"}
		if diff := cmp.Diff(want, s.Metadata); diff != "" || s.Method != "blocks" || len(s.Nodes) != 1 {
			t.Fatalf("orientation %d: %s by %s", o, diff, s.Method)
		}
		checkBlocks(t, s.Nodes[0])
	}
}

func checkBlocks(t *testing.T, whole *citekit.Node) {
	t.Helper()
	if !whole.Location.IsWhole() || whole.Type != "image" || whole.Title != "" || len(whole.Children) != 2 {
		for _, n := range whole.Children {
			t.Logf("block %q at %v", n.Title, n.Location.Box)
		}
		t.Fatalf("the whole is %+v", whole)
	}
	head, body := whole.Children[0], whole.Children[1]
	if head.Type != "block" || head.Title != "Annual report of the weather station" || head.Summary != "" {
		t.Errorf("the first block is %+v", head)
	}
	if body.Title != "Rain fell in May and in June." || body.Summary != "Rain fell in May and in June. The harvest was good this year." {
		t.Errorf("the second block is %+v", body)
	}
	if box := body.Location.Box; box.X1 < 50./800 || box.X1 > 65./800 || box.Y1 < 370./600 || box.Y1 > 385./600 || box.Y2 < 432./600 || box.Y2 > 446./600 {
		t.Errorf("the second block is at %v", box)
	}
}

func TestMapWithoutText(t *testing.T) {
	data := encodePNG(t, page(t))
	for name, r := range map[string]*image.Resolver{"switched off": {NoText: true}, "not installed": {}} {
		if name == "not installed" {
			t.Setenv("PATH", t.TempDir())
		}
		s, err := r.Map(t.Context(), source(data, "page.png"), imageRequest)
		if err != nil {
			t.Fatal(err)
		}
		want := &citekit.Draft{
			Method:   "whole",
			Metadata: map[string]any{"width": 800, "height": 600},
			Nodes:    []*citekit.Node{{ID: "image", Type: "image", Location: citekit.Location{Modality: citekit.Image}}},
		}
		if diff := cmp.Diff(want, s, cmp.AllowUnexported(citekit.Node{}, citekit.Location{})); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
		for _, err := range r.ReadText(t.Context(), source(data, "page.png"), citekit.Location{Modality: citekit.Image}) {
			if !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%s: ReadText: error %v", name, err)
			}
		}
	}
}

func TestMapWrongProgram(t *testing.T) {
	r := &image.Resolver{Tesseract: filepath.Join(t.TempDir(), "absent")}
	s, err := r.Map(t.Context(), source(encodePNG(t, page(t)), "page.png"), imageRequest)
	if err != nil {
		t.Fatal(err)
	}
	if said, _ := s.Metadata["ocr_error"].(string); !strings.Contains(said, "cannot be run") || len(s.Nodes) != 1 {
		t.Errorf("metadata %v", s.Metadata)
	}
}

func TestMapErrors(t *testing.T) {
	r := &image.Resolver{}
	for name, test := range map[string]struct {
		data []byte
		want error
	}{
		"empty":      {nil, citekit.ErrFormat},
		"text":       {[]byte("Rain fell in May.\n"), citekit.ErrFormat},
		"mislabeled": {[]byte("%PDF-1.7\n"), citekit.ErrFormat},
		"drawing":    {[]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), errors.ErrUnsupported},
	} {
		if _, err := r.Map(t.Context(), source(test.data, "a.png"), imageRequest); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want one matching %v", name, err, test.want)
		}
	}
}

// TestMapHuge checks that an image that is too large to be looked at can be
// cited as a whole.
func TestMapHuge(t *testing.T) {
	r := &image.Resolver{}
	src := source([]byte("GIF89a\xff\xff\xff\xff\x80\x00\x00"), "a.gif")
	s, err := r.Map(t.Context(), src, imageRequest)
	if err != nil || len(s.Nodes) != 1 || s.Metadata["width"] != 65535 {
		t.Fatalf("%+v, error %v", s, err)
	}
	if said, ok := s.Metadata["ocr_error"].(string); ok && !strings.Contains(said, "65535x65535 pixels") {
		t.Errorf("ocr_error %q", said)
	}
	if _, _, err := resolve(t, r, src, s.Nodes[0].Location); err != nil {
		t.Error(err)
	}
	if _, _, err := resolve(t, r, src, box(0, 0, 0.5, 0.5)); !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("a region: error %v, want one matching too large", err)
	}
}

func TestReadText(t *testing.T) {
	sharedtest.Tool(t, "tesseract")
	r := &image.Resolver{}
	src := source(encodePNG(t, page(t)), "page.png")
	for _, test := range []struct {
		loc  citekit.Location
		want string
	}{
		{citekit.Location{Modality: citekit.Image}, "Annual report of the weather station\nRain fell in May and in June.\nThe harvest was good this year.\n"},
		{box(0, 0, 1, 0.4), "Annual report of the weather station\n"},
		{box(0, 0.675, 1, 1), "The harvest was good this year.\n"},
		{box(0, 0.675, 0.24, 1), "The harvest\n"},
		{box(0.24, 0.6, 1, 0.8), "in May and in June.\nwas good this year.\n"},
		{box(0.3, 0.70, 0.31, 0.8), ""},
		{box(0.9, 0, 1, 1), ""},
	} {
		var got strings.Builder
		for run, err := range r.ReadText(t.Context(), src, test.loc) {
			if err != nil {
				t.Fatal(err)
			}
			got.WriteString(run.Text)
			if err := run.Location.Validate(); err != nil || run.Location.IsWhole() {
				t.Errorf("%v: a run at %v: %v", test.loc.Box, run.Location.Box, err)
			}
		}
		if diff := cmp.Diff(test.want, got.String()); diff != "" {
			t.Errorf("%v: -want +got:\n%s", test.loc.Box, diff)
		}
	}
}

// TestMapCorpus maps real pictures: photographs and drawings have no blocks.
func TestMapCorpus(t *testing.T) {
	sharedtest.Tool(t, "tesseract")
	files, err := filepath.Glob(sharedtest.Corpus(t, "image/*"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	refused := map[string]error{"corrupt-header.jpg": citekit.ErrFormat, "truncated.jpg": citekit.ErrFormat}
	withText := map[string]bool{"tiff-multipage-fax.tif": true, "jpeg-cmyk-adobe.jpg": true}
	r := &image.Resolver{}
	for _, file := range files {
		data := sharedtest.Read(t, file)
		name := filepath.Base(file)
		s, err := r.Map(t.Context(), source(data, name), imageRequest)
		if want, ok := refused[name]; ok || err != nil {
			if !errors.Is(err, want) {
				t.Errorf("%s: error %v, want one matching %v", name, err, want)
			}
			continue
		}
		if blocks := s.Nodes[0].Children; len(blocks) > 0 && !withText[name] {
			t.Errorf("%s: blocks where there is no text: %q", name, blocks[0].Title)
		}
		if name == "tiff-multipage-fax.tif" && len(s.Nodes[0].Children) < 5 {
			t.Errorf("%s: %d blocks", name, len(s.Nodes[0].Children))
		}
	}
}

// TestMapMetadata compares what is read from metadata that exiftool wrote with
// what exiftool reads.
func TestMapMetadata(t *testing.T) {
	tool := sharedtest.Tool(t, "exiftool")
	for _, test := range []struct {
		name, file string
		set        []string
		want       map[string]any
		title      string
	}{
		{"exif", "image/baseline.jpeg", []string{
			"-EXIF:ImageDescription=The old bridge. It stands.", "-EXIF:DateTimeOriginal=2019:07:06 05:04:03", "-EXIF:Make=Acme", "-EXIF:Model=Acme One",
			"-EXIF:GPSLatitude=48.8584", "-EXIF:GPSLatitudeRef=N", "-EXIF:GPSLongitude=2.2945", "-EXIF:GPSLongitudeRef=W",
			"-EXIF:Artist=Ada Lovelace; Charles Babbage", "-EXIF:XPKeywords=bridge;stone",
		}, map[string]any{"author": "Ada Lovelace; Charles Babbage", "keywords": []any{"bridge", "stone"}, "description": "The old bridge. It stands.", "date": "2019-07-06T05:04:03", "camera": "Acme One", "latitude": 48.8584, "longitude": -2.2945}, "The old bridge."},
		{"xmp", "image/jpeg-cmyk-adobe.jpg", []string{
			"-XMP-dc:Title=Ein Pinguin", "-XMP-dc:Title-de=Anders", "-XMP-dc:Description=Two words", "-XMP-photoshop:DateCreated=2018:01:02",
			"-XMP-exif:GPSLatitude=-33.5", "-XMP-exif:GPSLongitude=151.25",
			"-XMP-dc:Creator=Ada Lovelace", "-XMP-dc:Creator=Charles Babbage", "-XMP-dc:Subject=Pinguin", "-XMP-dc:Subject=Eis",
		}, map[string]any{"author": "Ada Lovelace; Charles Babbage", "keywords": []any{"Pinguin", "Eis"}, "description": "Two words", "date": "2018-01-02", "latitude": -33.5, "longitude": 151.25}, "Ein Pinguin"},
		{"iptc", "image/progressive.jpg", []string{
			"-IPTC:CodedCharacterSet=UTF8", "-IPTC:ObjectName=Über den Fluss", "-IPTC:Caption-Abstract=A caption", "-IPTC:DateCreated=2001:02:03", "-IPTC:TimeCreated=04:05:06+01:00",
			"-IPTC:By-line=Ada Lovelace", "-IPTC:Keywords=Fluß", "-IPTC:Keywords=river",
		}, map[string]any{"author": "Ada Lovelace", "keywords": []any{"Fluß", "river"}, "description": "A caption", "date": "2001-02-03T04:05:06+01:00"}, "Über den Fluss"},
		{"tiff", "image/tiff-tiled.tiff", []string{"-EXIF:XPTitle=Вид", "-EXIF:ImageDescription=Seen from above", "-EXIF:CreateDate=2010:11:12 13:14:15", "-EXIF:OffsetTimeDigitized=-03:00", "-EXIF:Model=Two", "-EXIF:XPAuthor=Пётр"},
			map[string]any{"author": "Пётр", "description": "Seen from above", "date": "2010-11-12T13:14:15-03:00", "camera": "Two"}, "Вид"},
		{"png", "image/png-palette.png", []string{"-PNG:Title=A map of colours", "-PNG:Description=Many", "-PNG:CreationTime=2003:04:05 06:07:08", "-PNG:Author=Ada"},
			map[string]any{"author": "Ada", "description": "Many", "date": "2003-04-05T06:07:08"}, "A map of colours"},
		{"png exif", "image/png-alpha.png", []string{"-EXIF:ImageDescription=A layer", "-EXIF:DateTimeOriginal=2003:04:05 06:07:08"},
			map[string]any{"description": "A layer", "date": "2003-04-05T06:07:08"}, "A layer"},
		{"says nothing", "image/baseline.jpeg", []string{"-EXIF:ImageDescription=OLYMPUS DIGITAL CAMERA         ", "-EXIF:DateTimeOriginal=0000:00:00 00:00:00"}, map[string]any{}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			copied := filepath.Join(t.TempDir(), filepath.Base(test.file))
			cmd := exec.CommandContext(t.Context(), tool, append(append([]string{"-q", "-o", copied}, test.set...), sharedtest.Corpus(t, test.file))...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
			}
			data := sharedtest.Read(t, copied)
			s, err := (&image.Resolver{NoText: true}).Map(t.Context(), source(data, copied), imageRequest)
			if err != nil {
				t.Fatal(err)
			}
			size := exiftool(t, tool, copied)
			test.want["width"], test.want["height"] = size.ImageWidth, size.ImageHeight
			if diff := cmp.Diff(test.want, s.Metadata); diff != "" || s.Title != test.title || s.Nodes[0].Title != test.title {
				t.Errorf("title %q, want %q; metadata -want +got:\n%s", s.Title, test.title, diff)
			}
		})
	}
}

type exiftoolSize struct{ ImageWidth, ImageHeight int }

func exiftool(t *testing.T, tool, file string) exiftoolSize {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), tool, "-j", "-ImageWidth", "-ImageHeight", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []exiftoolSize
	if err := json.Unmarshal(out, &all); err != nil || len(all) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	return all[0]
}

// FuzzMap checks that no metadata, however damaged, make a map fail that is
// possible without.
func FuzzMap(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(data)
	}
	sample := samples(f)["a.png"]
	f.Add(bytes.Join([][]byte{sample[:33], pngChunk("iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:dc='http://purl.org/dc/elements/1.1/'><rdf:Description dc:title='a'/></rdf:RDF></x:xmpmeta>")), pngChunk("tEXt", []byte("Title\x00b")), sample[33:]}, nil))
	f.Add(bytes.Join([][]byte{{0xff, 0xd8}, jpegSegment(0xed, []byte("Photoshop 3.0\x008BIM\x04\x04\x00\x00\x00\x00\x00\x0b\x1c\x02\x05\x00\x01a\x1c\x02\x78\x00\x00")), samples(f)["a.jpg"][2:]}, nil))
	r := &image.Resolver{NoText: true}
	f.Fuzz(func(t *testing.T, data []byte) {
		src := source(data, "")
		s, err := r.Map(t.Context(), src, imageRequest)
		_, measured := r.Measure(t.Context(), src)
		if (err == nil) != (measured == nil) && !errors.Is(measured, errors.ErrUnsupported) {
			t.Fatalf("Map: %v; Measure: %v", err, measured)
		}
		if err != nil {
			return
		}
		if len(s.Nodes) != 1 || len(s.Title) > 300 || strings.ContainsAny(s.Title, "\n\x00") {
			t.Fatalf("title %q, %d nodes", s.Title, len(s.Nodes))
		}
	})
}

// TestMapWebP reads the metadata chunks of a WebP.
func TestMapWebP(t *testing.T) {
	const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
		xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
		<rdf:Description xmp:CreateDate="2020-01-02T03:04:05.67Z"><dc:title><rdf:Alt>
		<rdf:li xml:lang="de">Ein Bild</rdf:li><rdf:li xml:lang="x-default">A picture &amp; more</rdf:li></rdf:Alt></dc:title>
		<dc:creator><rdf:Seq><rdf:li>Nobody</rdf:li></rdf:Seq></dc:creator></rdf:Description></rdf:RDF></x:xmpmeta>`
	data := bytes.Clone(lossyWebP)
	chunk := append([]byte("XMP \x00\x00\x00\x00"), packet...)
	binary.LittleEndian.PutUint32(chunk[4:], uint32(len(packet)))
	data = append(append(data, chunk...), make([]byte, len(packet)&1)...)
	binary.LittleEndian.PutUint32(data[4:], uint32(len(data)-8))
	s, err := (&image.Resolver{NoText: true}).Map(t.Context(), source(data, "a.webp"), imageRequest)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"width": 24, "height": 20, "date": "2020-01-02T03:04:05.67Z", "author": "Nobody"}
	if diff := cmp.Diff(want, s.Metadata); diff != "" || s.Title != "A picture & more" {
		t.Errorf("title %q; metadata -want +got:\n%s", s.Title, diff)
	}
}
