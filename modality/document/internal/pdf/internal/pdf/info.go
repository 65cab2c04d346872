package pdf

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/modality/internal/xmp"
)

const (
	maxXMP     = 1 << 20 // bytes of a metadata stream that may be read
	maxXMPText = 4 << 10 // bytes of one value in it
)

// Info is the metadata of a document, as stored in the file. Missing values are "".
type Info struct {
	Title    string
	Author   string // several are joined by "; "
	Language string // a tag such as "en-US"
	Keywords string // several are joined by "; "
	Date     string // creation date, in ISO 8601
}

// Info returns the metadata from the metadata stream of the document (14.3.2), else
// from its information dictionary (14.3.3). Damaged values count as missing.
func (d *Document) Info(f *File) (Info, error) {
	info, err := d.xmp(f)
	if err := spared(err); err != nil {
		return Info{}, err
	}
	dict, err := d.Dict(f, d.Trailer["Info"])
	if err := spared(err); err != nil {
		return Info{}, err
	}
	date := ""
	for _, entry := range []struct {
		field *string
		value Object
	}{{&info.Title, dict["Title"]}, {&info.Author, dict["Author"]}, {&info.Keywords, dict["Keywords"]}, {&date, dict["CreationDate"]}} {
		if strings.TrimSpace(*entry.field) != "" {
			continue
		}
		if *entry.field, err = d.text(f, entry.value); err != nil {
			return Info{}, err
		}
	}
	if info.Date == "" {
		info.Date = isoDate(date)
	}
	language, err := d.text(f, d.Catalog["Lang"])
	if language != "" {
		info.Language = language
	}
	return info, err
}

// text returns the text string o; "" if it is not one, or damaged.
func (d *Document) text(f *File, o Object) (string, error) {
	o, err := d.Resolve(f, o)
	if err := spared(err); err != nil {
		return "", err
	}
	s, _ := o.(String)
	return s.Text(), nil
}

// spared returns err, or nil if it only reports unreadable data.
func spared(err error) error {
	for _, spare := range []error{ErrDamaged, ErrLimit, errors.ErrUnsupported} {
		if errors.Is(err, spare) {
			return nil
		}
	}
	return err
}

func (d *Document) xmp(f *File) (Info, error) {
	o, err := d.Resolve(f, d.Catalog["Metadata"])
	if err != nil {
		return Info{}, err
	}
	s, ok := o.(*Stream)
	if !ok {
		return Info{}, nil
	}
	data, err := d.Data(f, s, maxXMP)
	if err != nil {
		return Info{}, err
	}
	return infoOf(xmp.Read(data)), nil
}

// isoDate converts a date such as "D:20240501120000+02'00'" (7.9.4) to ISO 8601.
// Without a time it returns a day; for an invalid date "".
func isoDate(date string) string {
	date = strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(date), "D:"), "'", "")
	const day, second = len("20240501"), len("20240501120000")
	if len(date) >= second {
		zone := date[second:]
		if len(zone) == len("+02") {
			zone += "00"
		}
		for _, form := range []struct{ from, to string }{{"20060102150405Z0700", time.RFC3339}, {"20060102150405", "2006-01-02T15:04:05"}} {
			if t, err := time.Parse(form.from, date[:second]+zone); err == nil && t.Year() > 0 {
				return t.Format(form.to)
			}
		}
	}
	if t, err := time.Parse("20060102", date[:min(len(date), day)]); err == nil && t.Year() > 0 {
		return t.Format(time.DateOnly)
	}
	return ""
}

// infoOf returns the metadata in a packet. A text of more than maxXMPText bytes
// counts as missing.
func infoOf(p xmp.Packet) Info {
	date := short(p.Text(xmp.Basic, "CreateDate"))
	if _, known := about.Time(map[string]any{about.DateKey: date}); !known {
		date = ""
	}
	info := Info{
		Title:    short(p.Text(xmp.DublinCore, "title")),
		Author:   joined(p.List(xmp.DublinCore, "creator")),
		Language: short(p.Text(xmp.DublinCore, "language")),
		Keywords: joined(p.List(xmp.DublinCore, "subject")),
		Date:     date,
	}
	if info.Keywords == "" {
		info.Keywords = short(p.Text(xmp.PDF, "Keywords"))
	}
	return info
}

// short returns text, or "" if it is too long.
func short(text string) string {
	if len(text) > maxXMPText {
		return ""
	}
	return text
}

// joined joins the texts that are not too long.
func joined(texts []string) string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return short(text) == "" })
	return strings.Join(texts, "; ")
}
