package mp4

import (
	"encoding/binary"

	"github.com/citekit/citekit/internal/charset"
)

// Tag keys of iTunes and QuickTime.
const (
	keyTitle  = "\xa9nam"
	keyArtist = "\xa9ART"
	keyDate   = "\xa9day"
	keyAlbum  = "\xa9alb"
	keyGenre  = "\xa9gen"
	keyWords  = "keyw"

	keyPrefix = "com.apple.quicktime."
)

const maxTag = 4 << 10 // bytes

// parseTags reads the tags of a movie from all places that may have them.
func (w *Words) parseTags(moov []byte) {
	udta, _ := find(moov, "udta")
	w.parseMeta(udta)
	w.parseMeta(moov)
	for x := range boxes(udta) {
		if len(x.data) < 4 { // a length and a language before the text
			continue
		}
		if n := int(be.Uint16(x.data)); n <= len(x.data)-4 && n <= maxTag {
			w.tag(x.kind, charset.UTF8(x.data[4:4+n]))
		}
	}
}

// tag keeps the value of a tag, unless the tag was found before.
func (w *Words) tag(key, value string) {
	field := map[string]*string{
		keyTitle: &w.Title, keyPrefix + "title": &w.Title,
		keyArtist: &w.Artist, keyPrefix + "artist": &w.Artist,
		keyDate: &w.Date, keyPrefix + "creationdate": &w.Date,
		keyAlbum: &w.Album, keyPrefix + "album": &w.Album,
		keyGenre: &w.Genre, keyPrefix + "genre": &w.Genre,
		keyWords: &w.Keywords, keyPrefix + "keywords": &w.Keywords,
	}[key]
	if field != nil && *field == "" {
		*field = value
	}
}

// parseMeta reads the items of a meta box. The box begins with a version in
// MP4, and without one in QuickTime.
func (w *Words) parseMeta(outer []byte) {
	meta, _ := find(outer, "meta")
	items, ok := find(meta, "ilst")
	if !ok && len(meta) >= 4 {
		meta = meta[4:]
		items, _ = find(meta, "ilst")
	}
	keys := metaKeys(meta)
	for x := range boxes(items) {
		key := x.kind
		if i := be.Uint32([]byte(x.kind)); i >= 1 && uint64(i) <= uint64(len(keys)) {
			key = keys[i-1]
		}
		if data, ok := find(x.data, "data"); ok && len(data) >= 8 && len(data) <= maxTag {
			w.tag(key, itemText(be.Uint32(data)&0xffffff, data[8:]))
		}
	}
}

// metaKeys reads the names that QuickTime items refer to by number.
func metaKeys(meta []byte) (names []string) {
	const maxKeys = 1 << 10
	keys, ok := find(meta, "keys")
	if !ok || len(keys) < 8 {
		return nil
	}
	for x := range boxes(keys[8:]) {
		if len(names) == maxKeys {
			break
		}
		names = append(names, string(x.data))
	}
	return names
}

// itemText decodes a value of a well-known type (QuickTime File Format,
// "Well-known data types").
func itemText(kind uint32, b []byte) string {
	switch kind {
	case 0, 1:
		return charset.UTF8(b)
	case 2:
		return charset.UTF16(b, binary.BigEndian)
	}
	return ""
}
