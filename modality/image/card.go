package image

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/modality/image/internal/exif"
)

// A card holds the metadata of an image in one of their forms. Missing values
// are zero.
type card struct {
	title, description string
	date               string // date of the picture, in ISO 8601
	camera             string
	place              *exif.Place

	authors, keywords string // separated by ";"
}

// A cards holds the forms of metadata that an image can have side by side.
type cards struct {
	xmp, iptc, exif, text card

	spent int // bytes read so far
}

// maxCardBytes is the maximum size of the metadata of one image that are
// inflated and parsed.
const maxCardBytes = 16 << 20

// spend reports whether n more bytes may be read.
func (c *cards) spend(n int) bool {
	c.spent += n
	return c.spent <= maxCardBytes
}

// Limits on metadata.
const (
	maxMetadata = 4 << 20 // bytes of one block
	maxCardText = 8 << 10 // bytes of a title or description
)

// readCards reads the metadata of an image. Damaged metadata are ignored,
// because they do not affect the image.
func readCards(ctx context.Context, src *citekit.Source, f *format) cards {
	var c cards
	if f.cards != nil {
		f.cards(newInput(ctx, src), &c)
	}
	return c
}

// joined merges the forms. A form made for descriptions takes precedence over
// one that cameras fill, except for the time, which the camera knows best.
func (c cards) joined() card {
	all := []card{c.xmp, c.iptc, c.exif, c.text}
	first := func(text func(card) string, cards ...card) string {
		for _, c := range cards {
			if s := text(c); s != "" {
				return s
			}
		}
		return ""
	}
	joined := card{
		title:       first(func(c card) string { return plain.Words(c.title, maxCardText) }, all...),
		description: first(func(c card) string { return saying(c.description) }, all...),
		camera:      first(func(c card) string { return plain.Words(c.camera, maxCardText) }, all...),
		date:        first(func(c card) string { return c.date }, c.exif, c.xmp, c.iptc, c.text),
		place:       c.exif.place,
		authors:     first(func(c card) string { return c.authors }, all...),
		keywords:    first(func(c card) string { return c.keywords }, all...),
	}
	if joined.place == nil {
		joined.place = c.xmp.place
	}
	return joined
}

// saying returns a description, or "" for a description that a camera or a
// program writes into every image.
func saying(description string) string {
	text := plain.Words(description, maxCardText)
	switch strings.ToLower(text) {
	case "olympus digital camera", "konica minolta digital camera", "minolta digital camera", "kodak digital still camera",
		"samsung digital camera", "digital camera", "sony dsc", "dcim", "default", "untitled":
		return ""
	}
	if strings.HasPrefix(text, "Created with ") {
		return ""
	}
	return text
}

// addExif reads an Exif block, if none was read before.
func (c *cards) addExif(r io.ReaderAt) {
	if c.exif == (card{}) {
		c.exif = exifCard(exif.ReadTags(r))
	}
}

func (c *cards) addExifBlock(block []byte) {
	c.addExif(bytes.NewReader(bytes.TrimPrefix(block, []byte("Exif\x00\x00"))))
}

func exifCard(t exif.Tags) card {
	camera := t.Model
	if !strings.HasPrefix(strings.ToLower(camera), strings.ToLower(t.Make)) {
		camera = t.Make + " " + camera
	}
	return card{title: t.Title, description: t.Description, date: t.Date, camera: camera, place: t.Place, authors: t.Artist, keywords: t.Keywords}
}

// read returns a block of metadata, or nil if it is too large or missing.
func (in *input) read(offset, size int64) []byte {
	if size <= 0 || size > maxMetadata || offset+size > in.src.Size() {
		return nil
	}
	b := make([]byte, size)
	if in.full(b, offset) != nil {
		return nil
	}
	return b
}
