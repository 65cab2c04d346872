package exif

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An entry is one of a directory to be written.
type entry struct {
	tag, kind uint16
	count     uint32
	value     []byte
}

func text(tag uint16, s string) entry {
	return entry{tag, asciiType, uint32(len(s) + 1), append([]byte(s), 0)}
}

func angle(tag uint16, parts ...uint32) entry {
	var b []byte
	for _, part := range parts {
		b = binary.BigEndian.AppendUint32(b, part)
	}
	return entry{tag, rationalType, uint32(len(parts) / 2), b}
}

// block writes a first directory and those it points to.
func block(first, photo, gps []entry) []byte {
	b := []byte("MM\x00*\x00\x00\x00\x08")
	pointer := func(tag uint16) entry { return entry{tag, longType, 1, make([]byte, 4)} }
	first = append(first, pointer(exifPointer), pointer(gpsPointer))
	size := func(entries []entry) uint32 {
		n := 2 + 12*len(entries) + 4
		for _, e := range entries {
			if len(e.value) > 4 {
				n += len(e.value)
			}
		}
		return uint32(n)
	}
	binary.BigEndian.PutUint32(first[len(first)-2].value, 8+size(first))
	binary.BigEndian.PutUint32(first[len(first)-1].value, 8+size(first)+size(photo))
	for _, entries := range [][]entry{first, photo, gps} {
		b = appendDirectory(b, entries)
	}
	return b
}

func appendDirectory(b []byte, entries []entry) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(len(entries)))
	values := uint32(len(b) + 12*len(entries) + 4)
	var rest []byte
	for _, e := range entries {
		b = binary.BigEndian.AppendUint16(b, e.tag)
		b = binary.BigEndian.AppendUint16(b, e.kind)
		b = binary.BigEndian.AppendUint32(b, e.count)
		if len(e.value) <= 4 {
			b = append(b, append(bytes.Clone(e.value), 0, 0, 0, 0)[:4]...)
			continue
		}
		b = binary.BigEndian.AppendUint32(b, values+uint32(len(rest)))
		rest = append(rest, e.value...)
	}
	return append(append(b, 0, 0, 0, 0), rest...)
}

func TestReadTags(t *testing.T) {
	b := block(
		[]entry{
			text(descriptionTag, "A bridge at dawn "), text(makeTag, "Acme"), text(modelTag, "One"),
			{titleTag, byteType, 8, []byte("B\x00r\x00\xfc\x00\x00\x00")},
		},
		[]entry{text(dateOriginalTag, "2021:03:04 05:06:07"), text(offsetOriginalTag, "+02:00"), text(dateDigitizedTag, "2022:01:01 00:00:00")},
		[]entry{
			text(latitudeRefTag, "S"), angle(latitudeTag, 33, 1, 51, 1, 354, 10),
			text(longitudeRefTag, "E"), angle(longitudeTag, 151, 1, 125, 10, 0, 0),
		})
	want := Tags{
		Title: "Brü", Description: "A bridge at dawn", Make: "Acme", Model: "One", Date: "2021-03-04T05:06:07+02:00",
		Place: &Place{Latitude: -33.8598333, Longitude: 151.2083333},
	}
	if diff := cmp.Diff(want, ReadTags(bytes.NewReader(b))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadTagsSenseless(t *testing.T) {
	for name, b := range map[string][]byte{
		"no time":        block(nil, []entry{text(dateOriginalTag, "0000:00:00 00:00:00"), text(dateDigitizedTag, "    :  :     :  :  ")}, nil),
		"no such place":  block(nil, nil, []entry{text(latitudeRefTag, "N"), angle(latitudeTag, 91, 1, 0, 1, 0, 1), text(longitudeRefTag, "E"), angle(longitudeTag, 0, 1, 0, 1, 0, 1)}),
		"no denominator": block(nil, nil, []entry{text(latitudeRefTag, "N"), angle(latitudeTag, 0, 0, 0, 0, 0, 0), text(longitudeRefTag, "E"), angle(longitudeTag, 0, 0, 0, 0, 0, 0)}),
		"no direction":   block(nil, nil, []entry{angle(latitudeTag, 1, 1, 0, 1, 0, 1), angle(longitudeTag, 1, 1, 0, 1, 0, 1)}),
		"wrong type":     block([]entry{{descriptionTag, shortType, 1, []byte("ab")}}, nil, nil),
		"lying count":    block([]entry{{descriptionTag, asciiType, math.MaxUint32, []byte{0xff, 0xff, 0xff, 0xff}}}, nil, nil),
		"empty":          nil,
		"loop":           []byte("II*\x00\x08\x00\x00\x00\x01\x00\x69\x87\x04\x00\x01\x00\x00\x00\x08\x00\x00\x00"),
	} {
		if diff := cmp.Diff(Tags{}, ReadTags(bytes.NewReader(b))); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

func TestLatin1(t *testing.T) {
	b := block([]entry{text(descriptionTag, "Caf\xe9")}, nil, nil)
	if got := ReadTags(bytes.NewReader(b)).Description; got != "Café" {
		t.Errorf("got %q", got)
	}
}

func FuzzTags(f *testing.F) {
	f.Add(block([]entry{text(descriptionTag, "A bridge")}, nil, []entry{text(latitudeRefTag, "S"), angle(latitudeTag, 33, 1, 51, 1, 354, 10)}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if place := ReadTags(bytes.NewReader(b)).Place; place != nil && !(math.Abs(place.Latitude) <= 90 && math.Abs(place.Longitude) <= 180) {
			t.Errorf("place %v", place)
		}
		Parse(b)
	})
}
