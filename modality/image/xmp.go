package image

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/modality/image/internal/exif"
	"github.com/citekit/citekit/modality/internal/xmp"
)

// addXMP reads an XMP packet.
func (c *cards) addXMP(packet []byte) {
	if len(packet) == 0 || c.xmp != (card{}) || !c.spend(len(packet)) {
		return
	}
	c.xmp = xmpCard(xmp.Read(packet))
}

func xmpCard(p xmp.Packet) card {
	c := card{
		title:       p.Text(xmp.DublinCore, "title"),
		description: p.Text(xmp.DublinCore, "description"),
		camera:      p.Text(xmp.TIFF, "Model"),
		place:       xmpPlace(p.Text(xmp.Exif, "GPSLatitude"), p.Text(xmp.Exif, "GPSLongitude")),
		authors:     strings.Join(p.List(xmp.DublinCore, "creator"), ";"),
		keywords:    strings.Join(p.List(xmp.DublinCore, "subject"), ";"),
	}
	if c.title == "" {
		c.title = p.Text(xmp.Photoshop, "Headline")
	}
	for _, date := range []string{p.Text(xmp.Exif, "DateTimeOriginal"), p.Text(xmp.Photoshop, "DateCreated"), p.Text(xmp.Basic, "CreateDate")} {
		setOnce(&c.date, isoDate(date))
	}
	return c
}

var isoForm = lazyregexp.New(`^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?$`)

// isoDate returns text if it is a date in ISO 8601, or else "". A day or time
// that does not exist, such as 30 February, is not a date.
func isoDate(text string) string {
	if !isoForm.MatchString(text) || strings.HasPrefix(text, "0000") {
		return ""
	}
	for _, layout := range []string{"2006", "2006-01", "2006-01-02", "2006-01-02T15:04", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00"} {
		if _, err := time.Parse(layout, text); err == nil {
			return text
		}
	}
	return ""
}

func xmpPlace(latitude, longitude string) *exif.Place {
	lat, lon := xmpDegrees(latitude, "N", "S"), xmpDegrees(longitude, "E", "W")
	if !(math.Abs(lat) <= 90) || !(math.Abs(lon) <= 180) {
		return nil
	}
	return &exif.Place{Latitude: lat, Longitude: lon}
}

// xmpDegrees returns an angle such as "51,30.5N" or "51,30,30N", or NaN.
func xmpDegrees(text, positive, negative string) float64 {
	sign := 1.0
	digits, ok := strings.CutSuffix(text, positive)
	if !ok {
		sign = -1
		if digits, ok = strings.CutSuffix(text, negative); !ok {
			return math.NaN()
		}
	}
	sum, unit := 0.0, 1.0
	for _, part := range strings.SplitN(digits, ",", 3) {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || n < 0 {
			return math.NaN()
		}
		sum += n / unit
		unit *= 60
	}
	return sign * math.Round(sum*1e7) / 1e7
}
