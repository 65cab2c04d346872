package sniff

import (
	"bytes"
	"encoding/binary"
	"io"
)

// tracks returns what a container holds: Video if there is a picture, Audio if
// there is only sound, and Other if that cannot be told.
func tracks(f Format, r io.ReaderAt, size int64) (Kind, error) {
	switch f.ID {
	case "mp4", "m4a", "mov":
		return movieTracks(r, size)
	case "matroska", "webm":
		return matroskaTracks(r, size)
	case "ts":
		return transportTracks(r, size)
	}
	const header = 64 << 10 // bytes
	b, err := readUpTo(r, 0, min(size, header))
	if err != nil {
		return Other, err
	}
	switch f.ID {
	case "avi":
		return aviTracks(b), nil
	case "asf":
		return asfTracks(b), nil
	case "mpeg-ps":
		return programTracks(b), nil
	case "flv":
		return flashTracks(b), nil
	}
	return Other, nil
}

func pictureOrSound(picture, sound bool) Kind {
	switch {
	case picture:
		return Video
	case sound:
		return Audio
	}
	return Other
}

// aviTracks looks for the stream headers of an AVI file.
func aviTracks(b []byte) Kind {
	has := func(kind string) bool {
		for rest := b; ; {
			_, after, ok := bytes.Cut(rest, []byte("strh"))
			if !ok {
				return false
			}
			if at(after, 4, kind) {
				return true
			}
			rest = after
		}
	}
	return pictureOrSound(has("vids") || has("iavs"), has("auds"))
}

// asfTracks looks for the types of streams in the header of an ASF file.
func asfTracks(b []byte) Kind {
	const (
		video = "\xc0\xef\x19\xbc\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b"
		audio = "\x40\x9e\x69\xf8\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b"
	)
	return pictureOrSound(bytes.Contains(b, []byte(video)), bytes.Contains(b, []byte(audio)))
}

// programTracks looks for the packets of a program stream (ISO/IEC 13818-1,
// section 2.5.3).
func programTracks(b []byte) Kind {
	var picture, sound bool
	for {
		_, after, ok := bytes.Cut(b, []byte("\x00\x00\x01"))
		if !ok || len(after) == 0 {
			return pictureOrSound(picture, sound)
		}
		switch id := after[0]; {
		case id >= 0xe0 && id <= 0xef:
			picture = true
		case id >= 0xc0 && id <= 0xdf:
			sound = true
		}
		b = after
	}
}

// flashTracks reads the flags of an FLV header.
func flashTracks(b []byte) Kind {
	if len(b) < 5 {
		return Other
	}
	return pictureOrSound(b[4]&1 != 0, b[4]&4 != 0)
}

// The elements of Matroska that lead to the types of tracks (RFC 9559).
const (
	matroskaEBML    = 0x1a45dfa3
	matroskaSegment = 0x18538067
	matroskaTrack   = 0xae
	matroskaType    = 0x83
	matroskaList    = 0x1654ae6b
)

// matroskaTracks reads the types of tracks.
func matroskaTracks(r io.ReaderAt, size int64) (Kind, error) {
	left := maxBoxes
	var picture, sound bool
	var walk func(from, to int64) error
	walk = func(from, to int64) error {
		for ; from < to && left > 0; left-- {
			b, err := readUpTo(r, from, min(16, to-from))
			if err != nil {
				return err
			}
			id, body, length, ok := ebmlElement(b)
			if !ok {
				return nil
			}
			end := to
			if length >= 0 && length < to-from-body {
				end = from + body + length
			}
			switch id {
			case matroskaSegment, matroskaList, matroskaTrack:
				if err := walk(from+body, end); err != nil {
					return err
				}
				if id == matroskaList && (picture || sound) {
					left = 0
				}
			case matroskaType:
				if value, err := readUpTo(r, end-1, 1); err != nil || len(value) == 0 {
					return err
				} else if value[0] == 1 {
					picture = true
				} else if value[0] == 2 {
					sound = true
				}
			}
			from = end
		}
		return nil
	}
	err := walk(0, size)
	return pictureOrSound(picture, sound), err
}

// ebmlElement reads the id and the length of an element (RFC 8794, sections 5
// and 6), and how many bytes they take. A length of -1 is unknown.
func ebmlElement(b []byte) (id uint32, body, length int64, ok bool) {
	if len(b) == 0 || b[0] < 0x10 {
		return 0, 0, 0, false
	}
	n := leadingZeros(b[0]) + 1
	if len(b) <= n {
		return 0, 0, 0, false
	}
	for _, c := range b[:n] {
		id = id<<8 | uint32(c)
	}
	m := leadingZeros(b[n]) + 1
	if m > 8 || len(b) < n+m {
		return 0, 0, 0, false
	}
	value := uint64(b[n]) & (1<<(8-m) - 1)
	for _, c := range b[n+1 : n+m] {
		value = value<<8 | uint64(c)
	}
	if value == 1<<(7*m)-1 {
		return id, int64(n + m), -1, true
	}
	return id, int64(n + m), int64(value), true
}

func leadingZeros(c byte) int {
	n := 0
	for ; n < 8 && c&(0x80>>n) == 0; n++ {
	}
	return n
}

// A packetFormat is how the packets of a transport stream are stored.
type packetFormat struct{ first, step int }

// packetFormats are packets alone, with the time stamp of some recorders before
// them, and with the parity of broadcasts after them.
var packetFormats = []packetFormat{{0, 188}, {4, 192}, {0, 204}}

var formatTS = Format{ID: "ts", Name: "MPEG transport stream", Kind: Timed, MediaType: "video/mp2t", Ext: ".ts"}

// transport knows the sync bytes of ISO/IEC 13818-1.
func transport(h head) (Format, error) {
	if _, ok := packetFormatOf(h.b, h.size); !ok || h.text {
		return Format{}, nil
	}
	return formatTS, nil
}

func packetFormatOf(b []byte, size int64) (packetFormat, bool) {
	for _, p := range packetFormats {
		syncs := 0
		for i := p.first; i < len(b) && b[i] == 0x47; i += p.step {
			syncs++
		}
		whole := (len(b)-p.first-1)/p.step + 1
		if syncs >= 5 || syncs == whole && syncs >= 2 && int64(len(b)) == size {
			return p, true
		}
	}
	return displacedPackets(b)
}

// displacedPackets finds the packets of a stream that does not begin with one,
// as a recording that starts anywhere: by more sync bytes in a row than chance
// puts there.
func displacedPackets(b []byte) (packetFormat, bool) {
	const enough = 8
	for _, step := range []int{188, 192, 204} {
	search:
		for first := 1; first+(enough-1)*step < len(b); first++ {
			for k := range enough {
				if b[first+k*step] != 0x47 {
					continue search
				}
			}
			return packetFormat{first, step}, true
		}
	}
	return packetFormat{}, false
}

// transportTracks reads the types of the streams from the tables of programs
// (ISO/IEC 13818-1, section 2.4.4).
func transportTracks(r io.ReaderAt, size int64) (Kind, error) {
	const window, chunk = 4 << 20, 188 * 192 * 17 // the tables come again twice a second
	var p packetFormat
	var picture, sound, ok bool
	maps := make(map[int]bool) // packet ids of the tables
	for off := int64(0); off < min(size, window); {
		b, err := readUpTo(r, off, chunk)
		if err != nil {
			return Other, err
		}
		if off == 0 {
			if p, ok = packetFormatOf(b, size); !ok {
				return Other, nil
			}
		}
		i := p.first
		for ; i+188 <= len(b); i += p.step {
			pid, payload := transportPacket(b[i : i+188])
			switch {
			case payload == nil:
			case pid == 0:
				for _, id := range programMaps(payload) {
					maps[id] = true
				}
			case maps[pid]:
				v, a := streamTypes(payload)
				picture, sound = picture || v, sound || a
			}
		}
		if picture || sound || i == p.first {
			break
		}
		off += int64(i - p.first)
	}
	return pictureOrSound(picture, sound), nil
}

// transportPacket returns the section that begins in a packet, or nil.
func transportPacket(b []byte) (pid int, section []byte) {
	if b[0] != 0x47 || b[1]&0x40 == 0 || b[3]&0x10 == 0 {
		return 0, nil
	}
	pid = int(b[1]&0x1f)<<8 | int(b[2])
	start := 4
	if b[3]&0x20 != 0 {
		start += 1 + int(b[4])
	}
	if start >= len(b) {
		return pid, nil
	}
	if start += 1 + int(b[start]); start >= len(b) {
		return pid, nil
	}
	return pid, b[start:]
}

// sectionBody returns what is between the header of a section of the table
// and its checksum, or the part of it that is in the packet.
func sectionBody(b []byte, table byte, header int) []byte {
	if len(b) < header || b[0] != table {
		return nil
	}
	end := 3 + int(b[1]&0xf)<<8 + int(b[2]) - 4
	return b[header:max(header, min(end, len(b)))]
}

func programMaps(section []byte) (ids []int) {
	for b := sectionBody(section, 0, 8); len(b) >= 4; b = b[4:] {
		if binary.BigEndian.Uint16(b) != 0 {
			ids = append(ids, int(binary.BigEndian.Uint16(b[2:])&0x1fff))
		}
	}
	return ids
}

func streamTypes(section []byte) (picture, sound bool) {
	b := sectionBody(section, 2, 12)
	if len(section) < 12 {
		return false, false
	}
	b = b[min(len(b), int(section[10]&0xf)<<8|int(section[11])):]
	for len(b) >= 5 {
		length := int(b[3]&0xf)<<8 | int(b[4])
		info := b[5:min(len(b), 5+length)]
		switch t := b[0]; t {
		case 0x01, 0x02, 0x10, 0x1b, 0x1e, 0x1f, 0x20, 0x21, 0x24, 0x25, 0x33, 0x42, 0xd1, 0xd2, 0xea:
			picture = true
		case 0x03, 0x04, 0x0f, 0x11, 0x1c, 0x2d, 0x2e, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0xa1, 0xa2, 0xc1, 0xc2:
			sound = true
		case 0x06: // private data, which its descriptors name
			picture = picture || bytes.Contains(info, []byte("HEVC")) || bytes.Contains(info, []byte("AV01"))
			sound = sound || hasSoundDescriptor(info)
		}
		b = b[min(len(b), 5+length):]
	}
	return picture, sound
}

// hasSoundDescriptor looks for the descriptors of AC-3, DTS, AAC (ETSI EN 300
// 468) and Opus.
func hasSoundDescriptor(info []byte) bool {
	for len(info) >= 2 {
		switch info[0] {
		case 0x6a, 0x7a, 0x7b, 0x7c:
			return true
		case 0x05:
			if at(info, 2, "Opus") || at(info, 2, "AC-3") || at(info, 2, "BSSD") || at(info, 2, "DTS") {
				return true
			}
		}
		info = info[min(len(info), 2+int(info[1])):]
	}
	return false
}
