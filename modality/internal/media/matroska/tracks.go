package matroska

// A Type is the kind of a track (RFC 9559, section 5.1.4.1.3).
type Type uint8

// Some types.
const (
	Video    Type = 1
	Audio    Type = 2
	Subtitle Type = 17
)

// A Track is a track of a file.
type Track struct {
	Type     Type
	Codec    string // codec id, such as "S_TEXT/UTF8"
	Language string // BCP 47 tag or ISO 639-2 code; "" if unknown
	Name     string
	Forced   bool // only what is needed even by those who understand the sound

	number uint64
	coding contentEncoding
}

// A contentEncoding is how the blocks of a track were encoded for storage (RFC 9559, section
// 5.1.4.1.31).
type contentEncoding struct {
	kind  codingKind
	strip []byte // bytes that begin every block and are not stored
}

type codingKind uint8

const (
	plain codingKind = iota
	deflated
	stripped
	unreadable
)

// Readable reports whether the blocks of t can be read: they are stored unchanged, or
// in an encoding that this package undoes.
func (t Track) Readable() bool { return t.coding.kind != unreadable }

func (f *File) parseTracks(b []byte) {
	for e := range elements(b) {
		if e.id == 0xAE && len(f.Tracks) < MaxTracks {
			f.Tracks = append(f.Tracks, parseTrack(e.data))
		}
	}
}

func parseTrack(b []byte) Track {
	t := Track{Language: "eng"} // the default of RFC 9559
	tag := ""
	for e := range elements(b) {
		switch e.id {
		case 0xD7:
			t.number = integer(e.data)
		case 0x83:
			t.Type = Type(min(integer(e.data), 255))
		case 0x86:
			t.Codec = text(e.data)
		case 0x22B59C:
			t.Language = text(e.data)
		case 0x22B59D:
			tag = text(e.data)
		case 0x536E:
			t.Name = text(e.data)
		case 0x55AA:
			t.Forced = integer(e.data) != 0
		case 0x6D80:
			t.coding = parseCoding(e.data)
		}
	}
	if tag != "" {
		t.Language = tag
	}
	if t.Language == "und" {
		t.Language = ""
	}
	return t
}

// parseCoding reads content encodings. Several encodings, encryption, and compression
// other than zlib are unreadable.
func parseCoding(b []byte) (c contentEncoding) {
	for e := range elements(b) {
		if e.id != 0x6240 {
			continue
		}
		if c.kind != plain {
			return contentEncoding{kind: unreadable}
		}
		if c = parseEncoding(e.data); c.kind == unreadable {
			return c
		}
	}
	return c
}

func parseEncoding(b []byte) contentEncoding {
	scope, c := uint64(1), contentEncoding{kind: deflated}
	for e := range elements(b) {
		switch e.id {
		case 0x5032: // ContentEncodingScope: 1 is the blocks
			scope = integer(e.data)
		case 0x5033: // ContentEncodingType
			if integer(e.data) != 0 {
				return contentEncoding{kind: unreadable}
			}
		case 0x5034: // ContentCompression
			for field := range elements(e.data) {
				switch field.id {
				case 0x4254:
					c.kind = compression(integer(field.data))
				case 0x4255:
					c.strip = field.data
				}
			}
		}
	}
	if scope&1 == 0 {
		return contentEncoding{}
	}
	return c
}

func compression(algorithm uint64) codingKind {
	switch algorithm {
	case 0:
		return deflated
	case 3:
		return stripped
	}
	return unreadable
}
