package pdf

import (
	"errors"
	"strings"

	"github.com/citekit/citekit/internal/xmp"
)

const (
	maxXMP     = 1 << 20 // bytes of a metadata stream that is read
	maxXMPText = 4 << 10 // bytes of one value in it
)

// Info is what a document says of itself, as it stands in the file; what it
// does not say is "".
type Info struct {
	Title    string
	Author   string // several are joined by "; "
	Language string // a tag such as "en-US"
}

// Info returns what the metadata stream of the document (14.3.2) says, else
// its information dictionary (14.3.3). What is damaged counts as missing.
func (d *Document) Info(f *File) (Info, error) {
	info, err := d.xmp(f)
	if err := spared(err); err != nil {
		return Info{}, err
	}
	dict, err := d.Dict(f, d.Trailer["Info"])
	if err := spared(err); err != nil {
		return Info{}, err
	}
	for _, entry := range []struct {
		field *string
		value Object
	}{{&info.Title, dict["Title"]}, {&info.Author, dict["Author"]}} {
		if strings.TrimSpace(*entry.field) != "" {
			continue
		}
		if *entry.field, err = d.text(f, entry.value); err != nil {
			return Info{}, err
		}
	}
	language, err := d.text(f, d.Catalog["Lang"])
	if language != "" {
		info.Language = language
	}
	return info, err
}

// text returns the text string o; "" if it is none, or damaged.
func (d *Document) text(f *File, o Object) (string, error) {
	o, err := d.Resolve(f, o)
	if err := spared(err); err != nil {
		return "", err
	}
	s, _ := o.(String)
	return s.Text(), nil
}

// spared returns err unless it only says that something cannot be read.
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

// infoOf returns what the properties of a packet say. A text of more than
// maxXMPText bytes counts as missing.
func infoOf(p xmp.Packet) Info {
	var creators []string
	for _, name := range p.List(xmp.DublinCore, "creator") {
		if len(name) <= maxXMPText {
			creators = append(creators, name)
		}
	}
	title, language := p.Text(xmp.DublinCore, "title"), p.Text(xmp.DublinCore, "language")
	if len(title) > maxXMPText {
		title = ""
	}
	if len(language) > maxXMPText {
		language = ""
	}
	return Info{Title: title, Author: strings.Join(creators, "; "), Language: language}
}
