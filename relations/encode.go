package relations

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/citekit/citekit"
)

// The links of a source are stored as a header, the number of links, and for
// each link its two locations and three texts. Numbers are varints; a text has
// its length before it.

const header = "citekit links 1\n"

const maxDecoded = 1 << 20 // links

// The encodings of a location.
const (
	placeNone byte = iota
	placeLines
	placePage
	placeBox   // a box on a page
	placeOther // as JSON
)

var errLinks = errors.New("the links are damaged")

func encodeLinks(links []Link) []byte {
	data := binary.AppendUvarint([]byte(header), uint64(len(links)))
	for _, l := range links {
		data = appendPlace(data, l.From)
		data = appendPlace(data, l.To)
		for _, text := range []string{l.Kind, l.Text, l.Target} {
			data = appendText(data, text)
		}
	}
	return data
}

func appendText(data []byte, text string) []byte {
	return append(binary.AppendUvarint(data, uint64(len(text))), text...)
}

func appendPlace(data []byte, loc citekit.Location) []byte {
	lines := citekit.Location{Modality: citekit.Text, Lines: loc.Lines}
	page := citekit.Location{Modality: citekit.Document, Pages: loc.Pages, Box: loc.Box}
	switch {
	case loc.Equal(citekit.Location{}):
		return append(data, placeNone)
	case !loc.Lines.IsZero() && loc.Equal(lines):
		data = binary.AppendUvarint(append(data, placeLines), uint64(loc.Lines.First))
		return binary.AppendUvarint(data, uint64(loc.Lines.Len()))
	case loc.PageCount() == 1 && loc.Equal(page) && loc.Box.IsZero():
		return binary.AppendUvarint(append(data, placePage), uint64(loc.Pages[0].First))
	case loc.PageCount() == 1 && loc.Equal(page):
		data = binary.AppendUvarint(append(data, placeBox), uint64(loc.Pages[0].First))
		for _, v := range []float64{loc.Box.X1, loc.Box.Y1, loc.Box.X2, loc.Box.Y2} {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
		return data
	}
	text, err := loc.MarshalJSON()
	if err != nil {
		return append(data, placeNone)
	}
	return appendText(append(data, placeOther), string(text))
}

// decodeLinks decodes the output of encodeLinks. It accepts any input safely.
func decodeLinks(data []byte) ([]Link, error) {
	d := decoder{data: data}
	if d.text(len(header)) != header {
		return nil, errLinks
	}
	n := d.number()
	if n > maxDecoded || n > len(data) {
		return nil, errLinks
	}
	links := make([]Link, 0, n)
	for range n {
		l := Link{From: d.place(), To: d.place()}
		for _, text := range []*string{&l.Kind, &l.Text, &l.Target} {
			*text = d.text(d.number())
		}
		links = append(links, l)
	}
	if d.failed || len(d.data) > 0 {
		return nil, errLinks
	}
	return links, nil
}

// A decoder reads from the start of data. Once it has failed, it returns zero
// values.
type decoder struct {
	data   []byte
	failed bool
}

func (d *decoder) fail() { d.data, d.failed = nil, true }

func (d *decoder) number() int {
	v, n := binary.Uvarint(d.data)
	if n <= 0 || v > math.MaxInt32 {
		d.fail()
		return 0
	}
	d.data = d.data[n:]
	return int(v)
}

func (d *decoder) text(n int) string {
	if n > len(d.data) {
		d.fail()
		return ""
	}
	text := string(d.data[:n])
	d.data = d.data[n:]
	return text
}

func (d *decoder) place() citekit.Location {
	var loc citekit.Location
	switch kind := d.text(1); kind {
	case string(placeNone):
		return loc
	case string(placeLines):
		first := d.number()
		loc = citekit.Text.Lines(first, first+d.number()-1)
	case string(placePage), string(placeBox):
		page := d.number()
		loc = citekit.Document.Pages(page, page)
		if kind == string(placeBox) {
			for _, v := range []*float64{&loc.Box.X1, &loc.Box.Y1, &loc.Box.X2, &loc.Box.Y2} {
				if bits := d.text(8); !d.failed {
					*v = math.Float64frombits(binary.LittleEndian.Uint64([]byte(bits)))
				}
			}
		}
	case string(placeOther):
		if err := loc.UnmarshalJSON([]byte(d.text(d.number()))); err != nil {
			d.fail()
		}
	default:
		d.fail()
	}
	if loc.Validate() != nil {
		d.fail()
	}
	return loc
}
