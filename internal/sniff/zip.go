package sniff

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
	"strings"
)

// How many bytes come before a name in the list of members and in the archive
// (APPNOTE.TXT 6.3.10, sections 4.3.12 and 4.3.7).
const (
	listedHeader = 46
	memberHeader = 30
)

// A zipList is the part of the list of members of a ZIP archive that was read, and
// where that is cut off, the start and the end of the archive.
type zipList struct {
	head
	list  []byte
	names []byte // list as names are compared: in lower case, with slashes
}

// foldNames returns a list of members as names are compared (ISO/IEC 29500-2,
// section 6.2.2.3; some programs write backslashes).
func foldNames(list []byte) []byte {
	folded := bytes.Clone(list)
	for i, c := range folded {
		switch {
		case 'A' <= c && c <= 'Z':
			folded[i] += 'a' - 'A'
		case c == '\\':
			folded[i] = '/'
		}
	}
	return folded
}

// listOf reads the list of members.
func listOf(h head) (zipList, error) {
	const maxEnd, maxList = 64<<10 + 22, 256 << 10
	end, err := readUpTo(h.r, max(h.size-maxEnd, 0), min(h.size, maxEnd))
	if err != nil {
		return zipList{}, err
	}
	i := bytes.LastIndex(end, []byte("PK\x05\x06"))
	if i >= 0 && len(end) >= i+22 {
		size, off := int64(binary.LittleEndian.Uint32(end[i+12:])), int64(binary.LittleEndian.Uint32(end[i+16:]))
		list, err := readUpTo(h.r, off, min(size, maxList))
		if err != nil {
			return zipList{}, err
		}
		if at(list, 0, "PK\x01\x02") {
			if size > maxList {
				list = append(list, h.b...)
			}
			return zipList{h, list, foldNames(list)}, nil
		}
	}
	list := append(end, h.b...)
	return zipList{h, list, foldNames(list)}, nil // cut off, or ZIP64, whose list ends here too
}

// find returns where the name of a member begins that starts with prefix, after
// a slash if it has one, or -1. Only members of the archive itself count:
// folders and archives in it may have members of such names, too.
func (z zipList) find(prefix string) int { return z.index(prefix, false) }

// has reports whether there is a member of a name, where find has those whose
// names begin so.
func (z zipList) has(name string) bool { return z.index(name, true) >= 0 }

// index is like find; if whole is set, prefix is the whole name.
func (z zipList) index(prefix string, whole bool) int {
	prefix = strings.ToLower(prefix)
	for from := 0; ; {
		i := bytes.Index(z.names[from:], []byte(prefix))
		if i < 0 {
			return -1
		}
		i += from
		from = i + 1
		end := i + len(prefix)
		if i > 0 && z.names[i-1] == '/' {
			i--
		}
		length := -1
		switch {
		case z.isListed(i):
			length = int(binary.LittleEndian.Uint16(z.list[i-listedHeader+28:]))
		case i >= memberHeader && at(z.list, i-memberHeader, "PK\x03\x04"):
			length = int(binary.LittleEndian.Uint16(z.list[i-memberHeader+26:]))
		}
		if length >= 0 && (!whole || i+length == end) {
			return i
		}
	}
}

// isListed reports whether the name at i is that of an entry of the list.
func (z zipList) isListed(i int) bool {
	return i >= listedHeader && at(z.list, i-listedHeader, "PK\x01\x02")
}

// read returns the start of the member of a name, at most 1 MiB. It returns ""
// if there is no such member in the list, or the member is damaged.
func (z zipList) read(name string) (string, error) {
	const most = 1 << 20
	i := z.index(name, true)
	if i < 0 || !z.isListed(i) {
		return "", nil
	}
	entry := z.list[i-listedHeader:]
	size, off := int64(binary.LittleEndian.Uint32(entry[20:])), int64(binary.LittleEndian.Uint32(entry[42:]))
	header, err := readUpTo(z.r, off, memberHeader)
	if err != nil || !at(header, 0, "PK\x03\x04") || len(header) < memberHeader {
		return "", err
	}
	off += memberHeader + int64(binary.LittleEndian.Uint16(header[26:])) + int64(binary.LittleEndian.Uint16(header[28:]))
	b, err := readUpTo(z.r, off, min(size, most))
	if err != nil {
		return "", err
	}
	switch binary.LittleEndian.Uint16(entry[10:]) {
	case 0:
	case 8:
		b, _ = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), most)) // what comes before any damage
	default:
		return "", nil
	}
	return string(b), nil
}
