package sniff

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
)

var (
	formatPDF  = Format{ID: "pdf", Name: "a PDF document", Kind: Document, MediaType: "application/pdf", Ext: ".pdf"}
	formatFLAC = Format{ID: "flac", Name: "FLAC", Kind: Audio, MediaType: "audio/flac", Ext: ".flac"}
	formatEBML = Format{ID: "ebml", Name: "an EBML file other than Matroska", Kind: Other}
)

// A row is a format with the signatures that it begins with. They count only
// where something follows that is in no text, or where nothing follows; those
// that are marked as weak, for a text may well begin so, need the former.
type row struct {
	signs string // separated by "|"
	Format
	also func(h head) bool // must hold too; nil if the signature is enough
	weak bool
}

var table = []row{
	{signs: "%PDF-", Format: formatPDF},

	{signs: "\x89PNG\r\n", Format: Format{ID: "png", Name: "a PNG image", Kind: Image, MediaType: "image/png", Ext: ".png"}},
	{signs: "\xff\xd8\xff", Format: Format{ID: "jpeg", Name: "a JPEG image", Kind: Image, MediaType: "image/jpeg", Ext: ".jpg"}},
	{signs: "GIF87a|GIF89a", Format: Format{ID: "gif", Name: "a GIF image", Kind: Image, MediaType: "image/gif", Ext: ".gif"}},
	{signs: "II*\x00|MM\x00*", Format: Format{ID: "tiff", Name: "a TIFF image", Kind: Image, MediaType: "image/tiff", Ext: ".tiff"}},
	{signs: "RIFF", also: form("WEBP"), Format: Format{ID: "webp", Name: "a WebP image", Kind: Image, MediaType: "image/webp", Ext: ".webp"}},
	{signs: "BM", also: isBMP, Format: Format{ID: "bmp", Name: "a BMP image", Kind: Image, MediaType: "image/bmp", Ext: ".bmp"}},
	{signs: "\xff\x0a", also: isBinary, Format: formatJXL},
	{signs: "\xff\x4f\xff\x51", Format: Format{ID: "j2k", Name: "a JPEG 2000 codestream", Kind: Image, MediaType: "image/j2c", Ext: ".j2k", Unread: true}},
	{signs: "II\xbc\x01|II\xbc\x00", Format: Format{ID: "jxr", Name: "a JPEG XR image", Kind: Image, MediaType: "image/jxr", Ext: ".jxr", Unread: true}},
	{signs: "II+\x00|MM\x00+", Format: Format{ID: "bigtiff", Name: "a BigTIFF image", Kind: Image, MediaType: "image/tiff", Ext: ".tiff", Unread: true}},
	{signs: "8BPS\x00\x01|8BPS\x00\x02", weak: true, Format: Format{ID: "psd", Name: "a Photoshop file", Kind: Image, MediaType: "image/vnd.adobe.photoshop", Ext: ".psd", Unread: true}},
	{signs: "\x00\x00\x01\x00|\x00\x00\x02\x00", also: isIcon, Format: Format{ID: "ico", Name: "an icon file", Kind: Image, MediaType: "image/vnd.microsoft.icon", Ext: ".ico", Unread: true}},
	{signs: "\x76\x2f\x31\x01", Format: Format{ID: "exr", Name: "an OpenEXR image", Kind: Image, MediaType: "image/x-exr", Ext: ".exr", Unread: true}},
	{signs: "P4|P5|P6|P7", weak: true, also: isBinaryAnymap, Format: Format{ID: "anymap", Name: "a portable anymap", Kind: Image, MediaType: "image/x-portable-anymap", Ext: ".pnm", Unread: true}},
	{signs: "RIFF", also: form("ACON"), Format: Format{ID: "ani", Name: "an animated cursor", Kind: Image, MediaType: "application/x-navi-animation", Ext: ".ani", Unread: true}},
	{signs: "FUJIFILMCCD-RAW |IIRO\x08\x00|IIRS\x08\x00|MMOR\x00|IIU\x00", weak: true, Format: Format{ID: "raw", Name: "a raw image of a camera", Kind: Image, Unread: true}},
	{signs: "\xc5\xd0\xd3\xc6", Format: Format{ID: "eps", Name: "an EPS drawing", Kind: Image, MediaType: "application/postscript", Ext: ".eps", Unread: true}},
	{signs: "gimp xcf", weak: true, Format: Format{ID: "xcf", Name: "a GIMP image", Kind: Image, MediaType: "image/x-xcf", Ext: ".xcf", Unread: true}},
	{signs: "DDS ", also: func(h head) bool { return at(h.b, 4, "\x7c\x00\x00\x00") }, weak: true, Format: Format{ID: "dds", Name: "a DDS texture", Kind: Image, MediaType: "image/vnd.ms-dds", Ext: ".dds", Unread: true}},

	{signs: "RIFF|RF64|BW64", also: form("WAVE"), Format: Format{ID: "wav", Name: "WAV", Kind: Audio, MediaType: "audio/vnd.wave", Ext: ".wav"}},
	{signs: "fLaC", also: flacInfo, Format: formatFLAC},
	{signs: "FORM", also: form("AIFF"), Format: Format{ID: "aiff", Name: "AIFF", Kind: Audio, MediaType: "audio/aiff", Ext: ".aiff", Unread: true}},
	{signs: "FORM", also: form("AIFC"), Format: Format{ID: "aiff", Name: "AIFF", Kind: Audio, MediaType: "audio/aiff", Ext: ".aifc", Unread: true}},
	{signs: "RIFX", also: form("WAVE"), Format: Format{ID: "rifx", Name: "WAV of the other byte order (RIFX)", Kind: Audio, Ext: ".wav", Unread: true}},
	{signs: "riff\x2e\x91\xcf\x11", Format: Format{ID: "w64", Name: "Sony Wave64", Kind: Audio, Ext: ".w64", Unread: true}},
	{signs: "MThd\x00\x00\x00\x06", weak: true, Format: Format{ID: "midi", Name: "MIDI", Kind: Audio, MediaType: "audio/midi", Ext: ".mid", Unread: true}},
	{signs: "RIFF", also: form("RMID"), Format: Format{ID: "midi", Name: "MIDI", Kind: Audio, MediaType: "audio/midi", Ext: ".rmi", Unread: true}},
	{signs: "#!AMR\n|#!AMR-", weak: true, Format: Format{ID: "amr", Name: "AMR", Kind: Audio, MediaType: "audio/amr", Ext: ".amr", Unread: true}},
	{signs: "caff\x00\x01", weak: true, Format: Format{ID: "caf", Name: "Core Audio", Kind: Audio, MediaType: "audio/x-caf", Ext: ".caf", Unread: true}},
	{signs: ".snd\x00\x00", weak: true, Format: Format{ID: "au", Name: "Sun audio", Kind: Audio, MediaType: "audio/basic", Ext: ".au", Unread: true}},
	{signs: "wvpk", also: zeroAt(7), weak: true, Format: Format{ID: "wv", Name: "WavPack", Kind: Audio, MediaType: "audio/x-wavpack", Ext: ".wv", Unread: true}},
	{signs: "MAC ", also: func(h head) bool { return len(h.b) > 5 && h.b[5] >= 0x0e && h.b[5] <= 0x10 }, weak: true, Format: Format{ID: "ape", Name: "Monkey's Audio", Kind: Audio, MediaType: "audio/x-ape", Ext: ".ape", Unread: true}},
	{signs: "MPCKSH|MP+\x07|MP+\x17", weak: true, Format: Format{ID: "mpc", Name: "Musepack", Kind: Audio, MediaType: "audio/x-musepack", Ext: ".mpc", Unread: true}},
	{signs: "TTA1\x01\x00|TTA1\x02\x00", weak: true, Format: Format{ID: "tta", Name: "True Audio", Kind: Audio, MediaType: "audio/x-tta", Ext: ".tta", Unread: true}},
	{signs: "\x0b\x77", Format: Format{ID: "ac3", Name: "raw AC-3", Kind: Audio, MediaType: "audio/ac3", Ext: ".ac3", Unread: true}},
	{signs: "DSD \x1c\x00|FRM8\x00\x00", weak: true, Format: Format{ID: "dsd", Name: "DSD audio", Kind: Audio, MediaType: "audio/dsd", Ext: ".dsf", Unread: true}},

	{signs: "RIFF", also: form("AVI "), Format: Format{ID: "avi", Name: "AVI", Kind: Timed, MediaType: "video/vnd.avi", Ext: ".avi"}},
	{signs: "RIFF", also: form("CDXA"), Format: Format{ID: "cdxa", Name: "Video CD", Kind: Video, Ext: ".dat", Unread: true}},
	{signs: "\x30\x26\xb2\x75\x8e\x66\xcf\x11", Format: Format{ID: "asf", Name: "Windows Media (ASF)", Kind: Timed, MediaType: "video/x-ms-asf", Ext: ".asf", Unread: true}},
	{signs: "FLV\x01", Format: Format{ID: "flv", Name: "Flash video", Kind: Timed, MediaType: "video/x-flv", Ext: ".flv", Unread: true}},
	{signs: "\x00\x00\x01\xba", Format: Format{ID: "mpeg-ps", Name: "MPEG program stream", Kind: Timed, MediaType: "video/mpeg", Ext: ".mpg", Unread: true}},
	{signs: "\x00\x00\x01\xb3", Format: Format{ID: "mpeg-video", Name: "raw MPEG video", Kind: Video, MediaType: "video/mpeg", Ext: ".m2v", Unread: true}},
	{signs: "\x00\x00\x00\x01", also: isRawVideo, Format: Format{ID: "raw-video", Name: "raw video without a container", Kind: Video, Unread: true}},
	{signs: ".RMF\x00\x00", weak: true, Format: Format{ID: "rm", Name: "RealMedia", Kind: Video, MediaType: "application/vnd.rn-realmedia", Ext: ".rm", Unread: true}},
	{signs: "\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02", Format: Format{ID: "mxf", Name: "MXF", Kind: Video, MediaType: "application/mxf", Ext: ".mxf", Unread: true}},
	{signs: "DKIF\x00\x00", weak: true, Format: Format{ID: "ivf", Name: "IVF", Kind: Video, Ext: ".ivf", Unread: true}},
	{signs: "YUV4MPEG2 ", also: isBinary, Format: Format{ID: "y4m", Name: "raw video (YUV4MPEG)", Kind: Video, Ext: ".y4m", Unread: true}},

	{signs: "\x1f\x8b", Format: Format{ID: "gzip", Name: "a gzip file", Kind: Document, MediaType: "application/gzip", Ext: ".gz"}},
	{signs: "BZh", also: func(h head) bool { return at(h.b, 4, "1AY&SY") || at(h.b, 4, "\x17\x72\x45\x38\x50\x90") }, weak: true, Format: Format{ID: "bzip2", Name: "a bzip2 file", Kind: Document, MediaType: "application/x-bzip2", Ext: ".bz2"}},
	{signs: "\xfd7zXZ\x00", Format: other("xz", "an xz archive", ".xz")},
	{signs: "\x28\xb5\x2f\xfd", Format: Format{ID: "zstd", Name: "a Zstandard file", Kind: Document, MediaType: "application/zstd", Ext: ".zst"}},
	{signs: "\x04\x22\x4d\x18", Format: other("lz4", "an LZ4 archive", ".lz4")},
	{signs: "7z\xbc\xaf\x27\x1c|7z\xbc\xaf", Format: other("7z", "a 7z archive", ".7z")},
	{signs: "Rar!\x1a\x07", weak: true, Format: other("rar", "a RAR archive", ".rar")},
	{signs: "MSCF\x00\x00", weak: true, Format: other("cab", "a cabinet archive", ".cab")},
	{signs: "!<arch>\n", weak: true, Format: other("ar", "an ar archive", ".a")},
	{signs: "\x7fELF", Format: other("elf", "an executable (ELF)", "")},
	{signs: "MZ", also: func(h head) bool { return len(h.b) > 3 && h.b[3] <= 1 }, weak: true, Format: other("exe", "an executable of Windows", ".exe")},
	{signs: "\xfe\xed\xfa\xce|\xfe\xed\xfa\xcf|\xce\xfa\xed\xfe|\xcf\xfa\xed\xfe", Format: other("macho", "an executable of macOS", "")},
	{signs: "\xca\xfe\xba\xbe", Format: other("class", "compiled code (Java or macOS)", ".class")},
	{signs: "\x00asm", Format: other("wasm", "a WebAssembly module", ".wasm")},
	{signs: "dex\n0", weak: true, Format: other("dex", "an executable of Android", ".dex")},
	{signs: "SQLite format 3\x00", Format: formatSQLite},
	{signs: "wOFF|wOF2", also: func(h head) bool { return at(h.b, 4, "\x00\x01\x00\x00") || at(h.b, 4, "OTTO") || at(h.b, 4, "true") }, weak: true, Format: other("woff", "a font (WOFF)", ".woff")},
	{signs: "OTTO\x00|ttcf\x00|true\x00", also: isTrueType, weak: true, Format: other("otf", "a font (OpenType)", ".otf")},
	{signs: "\x00\x01\x00\x00", also: isTrueType, Format: other("ttf", "a font (TrueType)", ".ttf")},
	{signs: "AT&TFORM", weak: true, Format: Format{ID: "djvu", Name: "a DjVu file", MediaType: "image/vnd.djvu", Ext: ".djvu", Office: "DjVu"}},
	{signs: "PAR1", also: func(h head) bool { return len(h.b) > 4 && h.b[4] < 0x20 }, weak: true, Format: formatParquet},
	{signs: "PARE", also: endsAs("PARE"), weak: true, Format: lockedParquet},
	{signs: "\x89HDF\r\n\x1a\n", Format: other("hdf5", "an HDF5 file", ".h5")},
	{signs: "\x93NUMPY", Format: other("npy", "a NumPy array", ".npy")},
	{signs: "FWS|CWS|ZWS", also: func(h head) bool { return len(h.b) > 3 && h.b[3] < 0x20 }, weak: true, Format: other("swf", "a Flash program", ".swf")},
	{signs: "BC\xc0\xde", Format: other("bitcode", "LLVM bitcode", ".bc")},
	{signs: "\x1f\x9d", Format: other("compress", "a compress archive", ".Z")},
	{signs: "\xed\xab\xee\xdb", Format: other("rpm", "an RPM package", ".rpm")},
	{signs: "\xde\x12\x04\x95|\x95\x04\x12\xde", Format: other("mo", "a message catalogue", ".mo")},
	{signs: "\x1a\x01|\x1e\x02", Format: other("terminfo", "a terminal description", "")},
	{signs: "DIRC\x00\x00\x00", weak: true, Format: other("git-index", "a git index", "")},
	{signs: "PACK\x00\x00\x00", weak: true, Format: other("git-pack", "a git pack", ".pack")},
	{signs: "\xac\xed\x00\x05", Format: other("java-object", "a serialized Java object", "")},
	{signs: "\xd4\xc3\xb2\xa1|\x0a\x0d\x0d\x0a\x1c\x00", Format: other("pcap", "a packet capture", ".pcap")},
	{signs: "QFI\xfb", Format: other("qcow", "a virtual disk", ".qcow2")},
	{signs: "070701|070702|070707|\xc7\x71", also: isBinary, weak: true, Format: other("cpio", "a cpio archive", ".cpio")},
	{signs: "RIFF", also: func(h head) bool { return len(h.b) > 7 && h.b[7] < 0x20 }, weak: true, Format: other("riff", "a RIFF file of another kind", "")},
}

func other(id, name, ext string) Format { return Format{ID: id, Name: name, Ext: ext} }

// signed knows what begins with a signature of the table, and the containers
// whose header says more.
func signed(h head) (Format, error) {
	for _, r := range table {
		if r.matches(h) {
			return r.Format, nil
		}
	}
	switch {
	case at(h.b, 0, "PK\x03\x04") || at(h.b, 0, "PK\x05\x06"):
		return zipped(h)
	case at(h.b, 0, "\x1a\x45\xdf\xa3"):
		return matroska(h.b), nil
	case at(h.b, 0, "OggS") && (len(h.b) < 5 || h.b[4] == 0):
		return ogg(h)
	case h.binary && (at(h.b, 257, "ustar") || isTar(h.b)):
		return formatTar, nil
	case at(h.b, 0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") && h.binary:
		return compound(h)
	case at(h.b, 2, "\r\n\x00\x00") && (h.b[1] < ' ' || h.b[1] > '~'): // the second line of a text may be zeros
		return other("pyc", "compiled Python", ".pyc"), nil
	case at(h.b, 128, "DICM") && h.binary:
		return Format{ID: "dicom", Name: "a DICOM image", Kind: Image, MediaType: "application/dicom", Ext: ".dcm", Unread: true}, nil
	case at(h.b, 60, "BOOKMOBI") && h.binary:
		return Format{ID: "mobi", Name: "a MOBI book", Ext: ".mobi", Office: "MOBI"}, nil
	}
	return Format{}, nil
}

// maxBareText is how long a text may be that is taken for a signature cut off.
const maxBareText = 8

func (r row) matches(h head) bool {
	if !h.binary && (r.weak || len(h.b) > maxBareText && r.ID != formatPDF.ID) {
		return false
	}
	for sign := range strings.SplitSeq(r.signs, "|") {
		if len(h.b) >= len(sign) && string(h.b[:len(sign)]) == sign {
			return r.also == nil || r.also(h)
		}
	}
	return false
}

// isTar reports whether b begins with a header of tar of any kind, by its
// check sum.
func isTar(b []byte) bool {
	const size, sumAt, sumLen = 512, 148, 8
	if len(b) < size || b[0] == 0 {
		return false
	}
	want, err := strconv.ParseInt(strings.Trim(string(b[sumAt:sumAt+sumLen]), " \x00"), 8, 32)
	if err != nil {
		return false
	}
	sum := int64(sumLen * ' ')
	for i, c := range b[:size] {
		if i < sumAt || i >= sumAt+sumLen {
			sum += int64(c)
		}
	}
	return sum == want
}

// isBinaryAnymap reports whether there is the width of a PBM, PGM or PPM file
// and its height, or the header of a PAM file.
func isBinaryAnymap(h head) bool {
	if !isAnymap(h.b) || h.b[1] == '7' {
		return isAnymap(h.b)
	}
	fields := bytes.Fields(h.b[2:min(len(h.b), 64)])
	if len(fields) > 0 && fields[0][0] == '#' {
		return true
	}
	return len(fields) > 1 && isDigits(fields[0]) && isDigits(fields[1])
}

func isDigits(b []byte) bool { return len(bytes.Trim(b, "0123456789")) == 0 }

// zeroAt matches a zero byte, such as the highest of a small number.
func zeroAt(i int) func(head) bool {
	return func(h head) bool { return len(h.b) > i && h.b[i] == 0 }
}

func isBinary(h head) bool { return h.binary }

// form matches the kind of a RIFF or IFF file, which is in bytes 8 to 11.
func form(kind string) func(head) bool {
	return func(h head) bool { return at(h.b, 8, kind) }
}

// isBMP looks at the reserved zeros and the size of the second header.
func isBMP(h head) bool {
	if !at(h.b, 6, "\x00\x00\x00\x00") || len(h.b) < 18 {
		return at(h.b, 6, "\x00\x00\x00\x00")
	}
	size := binary.LittleEndian.Uint32(h.b[14:])
	return size >= 12 && size <= 256
}

// flacInfo reports whether the first block is that of the stream.
func flacInfo(h head) bool { return len(h.b) < 5 || h.b[4]&0x7f == 0 }

// isIcon reports whether there is a first entry, whose reserved byte is zero
// and whose offset is behind the directory.
func isIcon(h head) bool {
	if len(h.b) < 22 {
		return len(h.b) < 6 || h.b[5] == 0
	}
	count := int(h.b[4]) | int(h.b[5])<<8
	return count > 0 && h.b[9] == 0 && int64(binary.LittleEndian.Uint32(h.b[18:])) >= int64(6+16*count)
}

// isRawVideo reports whether a NAL unit of H.264 or H.265 begins.
func isRawVideo(h head) bool {
	if len(h.b) < 8 || h.b[4]&0x80 != 0 {
		return false
	}
	switch h.b[4] & 0x1f {
	case 6, 7, 9: // H.264: information, parameters, a delimiter
		return true
	}
	return h.b[4] == 0x40 || h.b[4] == 0x42 || h.b[4] == 0x46
}

// isTrueType reports whether the number of tables is sensible.
func isTrueType(h head) bool { return len(h.b) < 6 || h.b[4] == 0 && h.b[5] > 0 && h.b[5] < 64 }

var (
	formatMatroska = Format{ID: "matroska", Name: "Matroska", Kind: Timed, MediaType: "video/x-matroska", Ext: ".mkv"}
	formatWebM     = Format{ID: "webm", Name: "WebM", Kind: Timed, MediaType: "video/webm", Ext: ".webm"}
)

// matroska looks for the document type of an EBML header (RFC 8794), which a
// header that was cut off may lack.
func matroska(b []byte) Format {
	i := bytes.Index(b, []byte("\x42\x82"))
	if i < 0 {
		return formatMatroska
	}
	_, skip, _, ok := ebmlElement(b[i:])
	switch kind := i + int(skip); {
	case !ok, at(b, kind, "matroska"):
		return formatMatroska
	case at(b, kind, "webm"):
		return formatWebM
	}
	return formatEBML
}

var (
	formatOgg      = Format{ID: "ogg", Name: "Ogg", Kind: Timed, Lean: Audio, MediaType: "application/ogg", Ext: ".ogx"}
	formatOggVideo = Format{ID: "ogg-video", Name: "Ogg video", Kind: Video, MediaType: "video/ogg", Ext: ".ogv"}
	formatOggAudio = Format{ID: "ogg-audio", Name: "Ogg audio", Kind: Audio, MediaType: "audio/ogg", Ext: ".ogg"}
	formatOpus     = Format{ID: "opus", Name: "Opus", Kind: Audio, MediaType: "audio/ogg", Ext: ".opus"}
)

// ogg looks at the first packets of the streams, which all come first (RFC
// 3533, section 4).
func ogg(h head) (Format, error) {
	found := formatOgg
	for off, pages := int64(0), 0; pages < 64; pages++ {
		b, err := readUpTo(h.r, off, min(h.size-off, 27+255+16))
		if err != nil {
			return Format{}, err
		}
		if len(b) < 27 || !at(b, 0, "OggS") || b[5]&2 == 0 {
			break
		}
		body := 27 + int(b[26])
		length := int64(body)
		for _, n := range b[27:min(body, len(b))] {
			length += int64(n)
		}
		switch packet := b[min(body, len(b)):]; {
		case at(packet, 0, "\x80theora"), at(packet, 0, "OVP80"), at(packet, 0, "BBCD\x00"), at(packet, 0, "\x01video"):
			return formatOggVideo, nil
		case at(packet, 0, "OpusHead"):
			found = formatOpus
		case at(packet, 0, "\x01vorbis"), at(packet, 0, "\x7fFLAC"), at(packet, 0, "Speex   "), at(packet, 0, "\x01audio"):
			if found.ID == formatOgg.ID {
				found = formatOggAudio
			}
		}
		off += length
	}
	return found, nil
}

// endsAs returns what a content that ends in a text has.
func endsAs(text string) func(h head) bool {
	return func(h head) bool {
		end, err := readUpTo(h.r, max(h.size-int64(len(text)), 0), int64(len(text)))
		return err == nil && string(end) == text
	}
}
