package zipread

import (
	"encoding/binary"
	"hash/crc32"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/charset"
)

// nameFiles sets the names of all files in UTF-8.
func (a *Archive) nameFiles() {
	var stored []string
	for _, f := range a.files {
		f.text = unicodePath(f.header.Extra, f.header.Name)
		if f.text == "" && f.header.Flags&flagUTF8 == 0 {
			stored = append(stored, f.header.Name)
		}
	}
	decode := charset.Names(stored)
	for _, f := range a.files {
		switch {
		case f.text != "":
		case f.header.Flags&flagUTF8 != 0 && utf8.ValidString(f.header.Name):
			f.text = f.header.Name
		default:
			f.text = decode(f.header.Name)
		}
	}
}

// unicodePath returns the name in an Info-ZIP Unicode path extra field (APPNOTE.TXT,
// section 4.6.9), or "" if there is none that belongs to the name.
func unicodePath(extra []byte, name string) string {
	const id, head, fixed, version = 0x7075, 4, 5, 1
	for len(extra) >= head {
		is, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[head:]; size > len(extra) {
			return ""
		}
		field := extra[:size]
		extra = extra[size:]
		if is != id || size <= fixed || field[0] != version || binary.LittleEndian.Uint32(field[1:]) != crc32.ChecksumIEEE([]byte(name)) {
			continue
		}
		if utf8.Valid(field[fixed:]) {
			return string(field[fixed:])
		}
	}
	return ""
}
