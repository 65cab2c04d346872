package image

import (
	"bytes"
	"encoding/xml"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/citekit/citekit/internal/exif"
)

// The namespaces of XMP (ISO 16684-1) that are read.
const (
	nsRDF       = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	nsDC        = "http://purl.org/dc/elements/1.1/"
	nsXMP       = "http://ns.adobe.com/xap/1.0/"
	nsPhotoshop = "http://ns.adobe.com/photoshop/1.0/"
	nsExif      = "http://ns.adobe.com/exif/1.0/"
	nsTIFF      = "http://ns.adobe.com/tiff/1.0/"
	nsXML       = "http://www.w3.org/XML/1998/namespace"
)

// addXMP reads an XMP packet. No entities are known but those of XML itself,
// and nothing is fetched.
func (c *cards) addXMP(packet []byte) {
	if len(packet) == 0 || c.xmp != (card{}) || !c.spend(len(packet)) {
		return
	}
	c.xmp = readXMP(packet).card()
}

// xmpProperties are texts by namespace and name.
type xmpProperties map[xml.Name]string

// maxXMPDepth is how deep the elements looked at may be nested: a text in
// several languages is at 6.
const maxXMPDepth = 16

// readXMP returns the properties of a packet up to where it is damaged. Of
// texts in several languages it takes the default, else the first.
func readXMP(packet []byte) xmpProperties {
	decoder := xml.NewDecoder(bytes.NewReader(packet))
	properties := make(xmpProperties)
	var open []xml.Name // elements that are open
	isDefault := false  // the innermost is a text in the default language
	for {
		token, err := decoder.Token()
		if err != nil {
			return properties
		}
		switch token := token.(type) {
		case xml.StartElement:
			if len(open) == maxXMPDepth {
				return properties
			}
			open = append(open, token.Name)
			isDefault = attribute(token, nsXML, "lang") == "x-default"
			if token.Name == (xml.Name{Space: nsRDF, Local: "Description"}) {
				properties.addAttributes(token.Attr)
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			properties.addText(propertyOf(open), string(token), isDefault)
		}
	}
}

func attribute(e xml.StartElement, space, local string) string {
	for _, a := range e.Attr {
		if a.Name.Space == space && a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

func (p xmpProperties) addAttributes(attributes []xml.Attr) {
	for _, a := range attributes {
		p.addText(a.Name, a.Value, false)
	}
}

func (p xmpProperties) addText(name xml.Name, text string, replace bool) {
	if text = strings.TrimSpace(text); text == "" || name.Local == "" {
		return
	}
	if _, ok := p[name]; !ok || replace {
		p[name] = text
	}
}

// propertyOf returns the name of the property whose text stands in the
// innermost open element: that element, or the one around a list. It is zero
// for texts inside structures.
func propertyOf(open []xml.Name) xml.Name {
	n := len(open)
	if n >= 3 && open[n-1] == (xml.Name{Space: nsRDF, Local: "li"}) && open[n-2].Space == nsRDF {
		n -= 2
	}
	if n >= 2 && open[n-2] == (xml.Name{Space: nsRDF, Local: "Description"}) {
		return open[n-1]
	}
	return xml.Name{}
}

func (p xmpProperties) card() card {
	get := func(space, local string) string { return p[xml.Name{Space: space, Local: local}] }
	c := card{
		title:       get(nsDC, "title"),
		description: get(nsDC, "description"),
		camera:      get(nsTIFF, "Model"),
		place:       xmpPlace(get(nsExif, "GPSLatitude"), get(nsExif, "GPSLongitude")),
	}
	if c.title == "" {
		c.title = get(nsPhotoshop, "Headline")
	}
	for _, date := range []string{get(nsExif, "DateTimeOriginal"), get(nsPhotoshop, "DateCreated"), get(nsXMP, "CreateDate")} {
		setOnce(&c.date, isoDate(date))
	}
	return c
}

var isoForm = regexp.MustCompile(`^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?$`)

// isoDate returns text if it is a date in ISO 8601, else "". A day or time that
// does not exist, such as 30 February, is not a date.
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
