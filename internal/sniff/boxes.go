package sniff

import (
	"encoding/binary"
	"io"
	"sync"
)

// Formats of boxes: ISO/IEC 14496-12, 15444-1, 18181-2, 23008-12 and
// QuickTime.
var (
	formatMP4       = Format{ID: "mp4", Name: "MP4", Kind: Timed, MediaType: "video/mp4", Ext: ".mp4"}
	formatM4A       = Format{ID: "m4a", Name: "MP4 audio", Kind: Timed, Lean: Audio, MediaType: "audio/mp4", Ext: ".m4a"}
	formatQuickTime = Format{ID: "mov", Name: "QuickTime", Kind: Timed, MediaType: "video/quicktime", Ext: ".mov"}
	formatAVIF      = Format{ID: "avif", Name: "an AVIF image", Kind: Image, MediaType: "image/avif", Ext: ".avif"}
	formatHEIC      = Format{ID: "heic", Name: "a HEIC image", Kind: Image, MediaType: "image/heic", Ext: ".heic"}
	formatHEIF      = Format{ID: "heif", Name: "an image in HEIF", Kind: Image, MediaType: "image/heif", Ext: ".heif"}
	formatCR3       = Format{ID: "cr3", Name: "a Canon raw image", Kind: Image, MediaType: "image/x-canon-cr3", Ext: ".cr3", Unread: true}
	formatJP2       = Format{ID: "jp2", Name: "a JPEG 2000 image", Kind: Image, MediaType: "image/jp2", Ext: ".jp2"}
	formatJXL       = Format{ID: "jxl", Name: "a JPEG XL image", Kind: Image, MediaType: "image/jxl", Ext: ".jxl"}
)

// brands returns those of the registry at mp4ra.org that say more than that a
// file is made of boxes. Image sequences are images here.
var brands = sync.OnceValue(func() map[string]Format {
	return map[string]Format{
		"avif": formatAVIF, "avis": formatAVIF, "MA1A": formatAVIF, "MA1B": formatAVIF,
		"heic": formatHEIC, "heix": formatHEIC, "heim": formatHEIC, "heis": formatHEIC,
		"hevc": formatHEIC, "hevx": formatHEIC, "hevm": formatHEIC, "hevs": formatHEIC, "heio": formatHEIC,
		"mif1": formatHEIF, "mif2": formatHEIF, "mif3": formatHEIF, "msf1": formatHEIF, "miaf": formatHEIF, "MiHB": formatHEIF,
		"avci": formatHEIF, "avcs": formatHEIF, "jpeg": formatHEIF, "jpgs": formatHEIF, "j2ki": formatHEIF, "j2is": formatHEIF,
		"vvic": formatHEIF, "vvis": formatHEIF, "evbi": formatHEIF, "evmi": formatHEIF,
		"crx ": formatCR3,
		"jp2 ": formatJP2, "jpx ": formatJP2, "jpm ": formatJP2, "jph ": formatJP2, "jxl ": formatJXL,
		"M4A ": formatM4A, "M4B ": formatM4A, "M4P ": formatM4A, "F4A ": formatM4A, "F4B ": formatM4A, "aax ": formatM4A,
		"qt  ": formatQuickTime,
		"isom": formatMP4, "iso2": formatMP4, "iso3": formatMP4, "iso4": formatMP4, "iso5": formatMP4, "iso6": formatMP4,
		"iso7": formatMP4, "iso8": formatMP4, "iso9": formatMP4, "mp41": formatMP4, "mp42": formatMP4, "avc1": formatMP4,
		"dash": formatMP4, "M4V ": formatMP4, "M4VH": formatMP4, "M4VP": formatMP4, "F4V ": formatMP4, "F4P ": formatMP4,
		"mmp4": formatMP4, "MSNV": formatMP4, "f4v ": formatMP4, "3gp4": formatMP4, "3gp5": formatMP4, "3gp6": formatMP4, "3g2a": formatMP4,
	}
})

// boxes knows what begins with a box.
func boxes(h head) (Format, error) {
	if len(h.b) < 8 {
		return Format{}, nil
	}
	kind := string(h.b[4:8])
	switch {
	case kind == "jP  " && at(h.b, 8, "\r\n\x87\n"):
		return formatJP2, nil
	case kind == "JXL " && at(h.b, 8, "\r\n\x87\n"):
		return formatJXL, nil
	case kind == "ftyp" && isBoxSize(h):
		return branded(h.b), nil
	case !isBoxSize(h):
		return Format{}, nil
	}
	switch kind {
	case "moov", "mdat":
		return formatQuickTime, nil
	case "wide", "pnot", "free", "skip": // a text may go on with a word after zeros
		if binary.BigEndian.Uint32(h.b) >= 8 {
			return formatQuickTime, nil
		}
	case "styp", "moof", "sidx":
		return formatMP4, nil
	}
	return Format{}, nil
}

// isBoxSize reports whether the first four bytes can be the size of a box: it
// fits, or is no text. A file may have been cut short.
func isBoxSize(h head) bool {
	size := int64(binary.BigEndian.Uint32(h.b))
	return size <= 1 || size >= 8 && (size <= h.size || !isText(h.b[:4])) // 0: to the end, 1: a longer size follows
}

// branded returns the format that the brands of an ftyp box say: the major
// one, or the first of the compatible ones that is known. The major brands of
// images that say nothing of their coding leave it to the compatible ones.
func branded(b []byte) Format {
	major, known := brandAt(b, 8)
	if known && major.ID != formatHEIF.ID {
		return major
	}
	end := min(int64(binary.BigEndian.Uint32(b)), int64(len(b)))
	for off := 16; int64(off)+4 <= end; off += 4 {
		f, ok := brandAt(b, off)
		switch {
		case !ok:
		case !known && f.ID != formatHEIF.ID:
			return f
		case !known:
			major, known = f, true
		case f.ID == formatAVIF.ID || f.ID == formatHEIC.ID:
			return f
		}
	}
	if !known {
		return formatMP4
	}
	return major
}

func brandAt(b []byte, off int) (Format, bool) {
	if len(b) < off+4 {
		return Format{}, false
	}
	f, ok := brands()[string(b[off:off+4])]
	return f, ok
}

// movieTracks returns what the tracks of a movie box hold. Tracks that only
// name or show chapters do not count.
func movieTracks(r io.ReaderAt, size int64) (Kind, error) {
	s := &boxScan{r: r, left: maxBoxes}
	var tracks []movieTrack
	chapters := make(map[uint32]bool)
	err := s.each(0, size, func(kind string, from, to int64) error {
		if kind != "moov" {
			return nil
		}
		return s.each(from, to, func(kind string, from, to int64) error {
			if kind != "trak" {
				return nil
			}
			t, err := s.track(from, to, chapters)
			tracks = append(tracks, t)
			return err
		})
	})
	if err != nil {
		return Other, err
	}
	best := Other
	for _, t := range tracks {
		if !chapters[t.id] && (t.kind == Video || t.kind == Audio && best == Other) {
			best = t.kind
		}
	}
	return best, nil
}

// maxBoxes is how many boxes are looked at: a movie box comes first or last,
// after as many fragments as there are.
const maxBoxes = 1 << 14

type movieTrack struct {
	id   uint32
	kind Kind
}

// A boxScan walks boxes.
type boxScan struct {
	r    io.ReaderAt
	left int // boxes that may still be looked at
}

// each calls f with each box between two offsets, until there is none.
func (s *boxScan) each(from, to int64, f func(kind string, from, to int64) error) error {
	for ; from+8 <= to && s.left > 0; s.left-- {
		b, err := readUpTo(s.r, from, min(16, to-from))
		if err != nil || len(b) < 8 {
			return err
		}
		size, body := int64(binary.BigEndian.Uint32(b)), int64(8)
		switch {
		case size == 0:
			size = to - from
		case size == 1 && len(b) == 16:
			size, body = int64(binary.BigEndian.Uint64(b[8:])), 16
		}
		if size < body {
			return nil
		}
		end := to
		if size < to-from {
			end = from + size
		}
		if err := f(string(b[4:8]), from+body, end); err != nil {
			return err
		}
		from = end
	}
	return nil
}

// track reads one trak box, and notes which tracks are its chapters.
func (s *boxScan) track(from, to int64, chapters map[uint32]bool) (t movieTrack, err error) {
	err = s.each(from, to, func(kind string, from, to int64) error {
		switch kind {
		case "tkhd":
			b, err := readUpTo(s.r, from, min(24, to-from))
			if len(b) == 24 {
				t.id = binary.BigEndian.Uint32(b[12:])
				if b[0] == 1 {
					t.id = binary.BigEndian.Uint32(b[20:])
				}
			}
			return err
		case "tref":
			return s.each(from, to, func(kind string, from, to int64) error {
				if kind != "chap" {
					return nil
				}
				b, err := readUpTo(s.r, from, min(to-from, 64))
				for ; len(b) >= 4; b = b[4:] {
					chapters[binary.BigEndian.Uint32(b)] = true
				}
				return err
			})
		case "mdia":
			return s.each(from, to, func(kind string, from, to int64) error {
				if kind != "hdlr" {
					return nil
				}
				b, err := readUpTo(s.r, from, min(12, to-from))
				switch {
				case at(b, 8, "vide"):
					t.kind = Video
				case at(b, 8, "soun"):
					t.kind = Audio
				}
				return err
			})
		}
		return nil
	})
	return t, err
}
