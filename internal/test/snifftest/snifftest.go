// Package snifftest has the start of a file of every format that package sniff
// knows. Tests use these samples to check that other packages give the same
// answer as sniff.
package snifftest

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/citekit/citekit/internal/sniff"
)

// A Sample is a content with its format.
type Sample struct {
	Name string
	Data []byte
	ID   string // of its format
	Kind sniff.Kind
}

// Box returns an ISO box with its content.
func Box(kind string, body ...string) string {
	all := strings.Join(body, "")
	return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(all)))) + kind + all
}

// Movie returns a movie box with one track of each handler type, such as
// "vide".
func Movie(handlers ...string) string {
	var tracks []string
	for i, handler := range handlers {
		tracks = append(tracks, Box("trak",
			Box("tkhd", "\x00\x00\x00\x07", strings.Repeat("\x00", 8), "\x00\x00\x00"+string(rune(i+1)), strings.Repeat("\x00", 68)),
			Box("mdia", Box("hdlr", strings.Repeat("\x00", 8), handler, strings.Repeat("\x00", 13)))))
	}
	return Box("moov", tracks...)
}

func brand(major string, compatible ...string) string {
	return Box("ftyp", major, "\x00\x00\x00\x00", strings.Join(compatible, ""))
}

// element returns an EBML element of less than 16,000 bytes.
func element(id, body string) string {
	return id + string([]byte{0x40 | byte(len(body)>>8), byte(len(body))}) + body
}

func matroska(kind string, tracks ...byte) string {
	var entries string
	for _, t := range tracks {
		entries += element("\xae", element("\xd7", "\x01")+element("\x83", string([]byte{t})))
	}
	return element("\x1a\x45\xdf\xa3", element("\x42\x82", kind)) +
		element("\x18\x53\x80\x67", element("\x11\x4d\x9b\x74", "\x00\x00")+element("\x16\x54\xae\x6b", entries))
}

func ogg(packet string) string {
	return "OggS\x00\x02" + strings.Repeat("\x00", 20) + "\x01" + string([]byte{byte(len(packet))}) + packet
}

// Transport returns a transport stream with a table that names a stream of the
// type. Each packet has before bytes before it and after bytes after it.
func Transport(before, after int, streamType byte) string {
	packet := func(pid int, section string) string {
		p := string([]byte{0x47, 0x40 | byte(pid>>8), byte(pid), 0x10, 0}) + section
		p += strings.Repeat("\xff", 188-len(p))
		return strings.Repeat("\x01", before) + p + strings.Repeat("\x02", after)
	}
	programs := "\x00\xb0\x0d\x00\x01\xc1\x00\x00\x00\x01\xe1\x00crc4"
	streams := "\x02\xb0\x12\x00\x01\xc1\x00\x00\xe1\x01\xf0\x00" + string([]byte{streamType}) + "\xe1\x01\xf0\x00crc4"
	return packet(0x1fff, "") + packet(0, programs) + packet(0x100, streams) + strings.Repeat(packet(0x1fff, ""), 40)
}

func riff(form, kind, body string) string {
	return form + string(binary.LittleEndian.AppendUint32(nil, uint32(4+len(body)))) + kind + body
}

func zip(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		name, content, _ := strings.Cut(name, "=")
		b.WriteString("PK\x03\x04\x14\x00\x00\x00\x00\x00" + strings.Repeat("\x00", 16) + string([]byte{byte(len(name)), 0, 0, 0}) + name + content)
	}
	for _, name := range names {
		name, _, _ = strings.Cut(name, "=")
		b.WriteString("PK\x01\x02" + strings.Repeat("\x00", 24) + string([]byte{byte(len(name)), 0}) + strings.Repeat("\x00", 16) + name)
	}
	return b.String() + "PK\x05\x06" + strings.Repeat("\x00", 18)
}

func utf16(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, r := range "\ufeff" + text {
		b = order.AppendUint16(b, uint16(r))
	}
	return string(b)
}

// All returns samples of all formats. Kinds are those of the library's
// classification, in which content without a known signature counts as text.
func All() []Sample {
	zeros := strings.Repeat("\x00", 64)
	frame := "\xff\xfb\x90\x00" + strings.Repeat("\x00", 413)
	adts := "\xff\xf1\x50\x80\x02\x1f\xfc" + strings.Repeat("\x01", 9)
	asf := "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c" + zeros
	asfType := "\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b"
	trailer := "\nstartxref\n9\n%%EOF\n"
	var all []Sample
	add := func(kind sniff.Kind, id, name, data string) {
		all = append(all, Sample{Name: name, Data: []byte(data), ID: id, Kind: kind})
	}

	add(sniff.Document, "pdf", "PDF", "%PDF-1.7\n"+trailer)
	add(sniff.Document, "pdf", "PDF after text", "From: me\r\n\r\n%PDF-1.4\n1 0 obj"+trailer)
	add(sniff.Document, "pdf", "PDF after a mark", "\xef\xbb\xbf%PDF-1.4\n1 0 obj"+trailer)
	add(sniff.Document, "pdf", "cut PDF after binary", zeros+"%PDF-1.4\n1 0 obj")

	image := func(id, name, data string) { add(sniff.Image, id, name, data) }
	image("png", "PNG", "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"+zeros)
	image("png", "APNG", "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"+zeros+"\x00\x00\x00\x08acTL")
	image("jpeg", "JPEG", "\xff\xd8\xff\xe0\x00\x10JFIF\x00"+zeros)
	image("gif", "GIF", "GIF89a\x01\x00\x01\x00\x00"+zeros)
	image("gif", "GIF of 1987", "GIF87a\x01\x00\x01\x00\x00"+zeros)
	image("tiff", "TIFF", "II*\x00\x08\x00\x00\x00"+zeros)
	image("tiff", "TIFF of the other byte order", "MM\x00*\x00\x00\x00\x08"+zeros)
	image("webp", "WebP", riff("RIFF", "WEBP", "VP8 "+zeros))
	image("bmp", "BMP", "BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28"+zeros)
	for _, b := range []string{"heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"} {
		image("heic", "HEIC "+b, brand(b, "mif1", "isom"))
	}
	image("heic", "HEIC by a compatible brand", brand("mif1", "mif1", "heic"))
	image("heic", "HEIC sequence by a compatible brand", brand("msf1", "iso8", "hevc"))
	image("heic", "HEIC of an unknown major brand", brand("zzzz", "mif1", "heix"))
	image("avif", "AVIF", brand("avif", "mif1", "miaf"))
	image("avif", "AVIF sequence", brand("avis", "msf1", "iso8"))
	image("avif", "AVIF by a compatible brand", brand("mif1", "miaf", "avif"))
	image("heif", "HEIF", brand("mif1", "miaf"))
	image("heif", "HEIF sequence", brand("msf1"))
	image("heif", "HEIF with JPEG", brand("jpeg", "mif1"))
	image("dicom", "DICOM", strings.Repeat("\x00", 128)+"DICM\x02\x00"+zeros)
	image("cr3", "Canon raw", brand("crx ", "isom"))
	image("jp2", "JPEG 2000", "\x00\x00\x00\x0cjP  \r\n\x87\n"+brand("jp2 ", "jp2 "))
	image("j2k", "JPEG 2000 codestream", "\xff\x4f\xff\x51\x00\x2f"+zeros)
	image("jxl", "JPEG XL", "\x00\x00\x00\x0cJXL \r\n\x87\n"+brand("jxl ", "jxl "))
	image("jxl", "JPEG XL codestream", "\xff\x0a\x00\x10"+zeros)
	image("jxr", "JPEG XR", "II\xbc\x01\x08\x00\x00\x00"+zeros)
	image("bigtiff", "BigTIFF", "II+\x00\x08\x00\x00\x00"+zeros)
	image("psd", "Photoshop", "8BPS\x00\x01"+zeros)
	image("ico", "icon", "\x00\x00\x01\x00\x01\x00\x10\x10\x00\x00\x01\x00\x20\x00\x00\x04\x00\x00\x16\x00\x00\x00"+zeros)
	image("exr", "OpenEXR", "\x76\x2f\x31\x01\x02\x00\x00\x00"+zeros)
	image("anymap", "PPM", "P6\n2 2\n255\n"+zeros)
	image("ani", "animated cursor", riff("RIFF", "ACON", zeros))
	image("eps", "EPS for DOS", "\xc5\xd0\xd3\xc6\x20\x00\x00\x00"+zeros)
	image("xcf", "GIMP", "gimp xcf v011\x00"+zeros)
	image("dds", "DDS", "DDS \x7c\x00\x00\x00"+zeros)
	image("raw", "Fuji raw", "FUJIFILMCCD-RAW 0201"+zeros)

	audio := func(id, name, data string) { add(sniff.Audio, id, name, data) }
	for _, form := range []string{"RIFF", "RF64", "BW64"} {
		audio("wav", "WAV "+form, riff(form, "WAVE", "fmt \x10\x00\x00\x00"+zeros))
	}
	audio("rifx", "WAV RIFX", riff("RIFX", "WAVE", "fmt \x00\x00\x00\x10"+zeros))
	audio("flac", "FLAC", "fLaC\x00\x00\x00\x22"+zeros)
	audio("flac", "FLAC after ID3", "ID3\x04\x00\x00\x00\x00\x00\x05hellofLaC\x00\x00\x00\x22"+zeros)
	audio("mp3", "MP3", strings.Repeat(frame, 5))
	audio("mp3", "MP3 after ID3", "ID3\x03\x00\x00\x00\x00\x00\x05hello"+strings.Repeat(frame, 5))
	audio("mp3", "MP3 after junk", strings.Repeat("\xde\xad\xbe\xef", 500)+strings.Repeat(frame, 5))
	audio("adts", "AAC", strings.Repeat(adts, 8))
	audio("mpeg-frame", "one frame of MP3", frame)
	audio("id3", "ID3 alone", "ID3\x04\x00\x00\x00\x00\x00\x05hello")
	audio("opus", "Opus", ogg("OpusHead\x01\x02"+zeros))
	audio("ogg-audio", "Vorbis", ogg("\x01vorbis"+zeros))
	audio("ogg-audio", "FLAC in Ogg", ogg("\x7fFLAC\x01\x00"+zeros))
	audio("ogg", "Ogg cut off", "OggS\x00\x02")
	audio("m4a", "M4A", brand("M4A ", "isom")+Movie("soun"))
	audio("m4a", "M4B cut off", brand("M4B ", "isom"))
	audio("m4a", "F4A", brand("F4A ", "isom")+Movie("soun"))
	audio("mp4", "MP4 with sound only", brand("isom", "mp42")+Movie("soun"))
	audio("mov", "QuickTime with sound only", brand("qt  ")+Movie("soun", "text"))
	audio("matroska", "Matroska with sound only", matroska("matroska", 2))
	audio("webm", "WebM with sound only", matroska("webm", 2))
	audio("ts", "transport stream with sound only", Transport(0, 0, 0x0f))
	audio("avi", "AVI with sound only", riff("RIFF", "AVI ", "LIST\x40\x00\x00\x00hdrlstrh\x38\x00\x00\x00auds"+zeros))
	audio("asf", "ASF with sound only", asf+"\x40\x9e\x69\xf8"+asfType)
	audio("flv", "FLV with sound only", "FLV\x01\x04\x00\x00\x00\x09"+zeros)
	audio("mpeg-ps", "program stream with sound only", "\x00\x00\x01\xba\x44"+zeros+"\x00\x00\x01\xc0"+zeros)
	audio("aiff", "AIFF", "FORM\x00\x00\x00\x46AIFFCOMM\x00\x00\x00\x12"+zeros)
	audio("aiff", "AIFC", "FORM\x00\x00\x00\x46AIFCFVER\x00\x00\x00\x04"+zeros)
	audio("w64", "Wave64", "riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb"+zeros)
	audio("midi", "MIDI", "MThd\x00\x00\x00\x06\x00\x01\x00\x02\x00\x60")
	audio("midi", "MIDI in RIFF", riff("RIFF", "RMID", "data"+zeros))
	audio("amr", "AMR", "#!AMR\n\x0c"+zeros)
	audio("caf", "CAF", "caff\x00\x01\x00\x00desc"+zeros)
	audio("au", "AU", ".snd\x00\x00\x00\x18"+zeros)
	audio("wv", "WavPack", "wvpk\x10\x00\x00\x00"+zeros)
	audio("ape", "APE", "MAC \x96\x0f"+zeros)
	audio("mpc", "Musepack", "MPCKSH\x0e\x00"+zeros)
	audio("tta", "TTA", "TTA1\x01\x00"+zeros)
	audio("ac3", "AC-3", "\x0b\x77\x00\x00"+zeros)
	audio("dsd", "DSF", "DSD \x1c\x00\x00\x00"+zeros)

	video := func(id, name, data string) { add(sniff.Video, id, name, data) }
	for _, b := range []string{"isom", "mp42", "dash", "3gp4", "3gp6", "M4V ", "avc1", "iso6", "zzzz"} {
		video("mp4", "MP4 "+b, brand(b, "isom")+Movie("soun", "vide"))
	}
	video("m4a", "M4A with a picture track", brand("M4A ", "isom")+Movie("soun", "vide"))
	video("mp4", "MP4 with its tracks at the end", brand("isom")+Box("mdat", zeros)+Movie("vide"))
	video("mp4", "MP4 cut off", brand("isom")+"\x00\x00\x10\x00mdat")
	video("mp4", "a segment", Box("styp", "msdh", "\x00\x00\x00\x00")+Box("moof", zeros))
	video("mov", "QuickTime", brand("qt  ")+Movie("vide"))
	video("mov", "QuickTime without a brand", Box("wide")+Box("mdat", zeros)+Movie("vide"))
	video("mov", "QuickTime with a long box", "\x00\x00\x00\x01mdat\x00\x00\x00\x00\x00\x00\x00\x18"+zeros[:8]+Movie("vide"))
	video("matroska", "Matroska", matroska("matroska", 1, 2))
	video("matroska", "Matroska cut off", "\x1a\x45\xdf\xa3\x01")
	video("webm", "WebM", matroska("webm", 1))
	video("ts", "transport stream", Transport(0, 0, 0x1b))
	video("ts", "M2TS", Transport(4, 0, 0x1b))
	video("ts", "transport stream with parity", Transport(0, 16, 0x02))
	video("ts", "transport stream without tables", strings.Repeat("\x47\x1f\xff\x10"+strings.Repeat("\xff", 184), 3))
	video("avi", "AVI", riff("RIFF", "AVI ", "LIST\x40\x00\x00\x00hdrlstrh\x38\x00\x00\x00vids"+zeros))
	video("ogg-video", "Theora", ogg("\x80theora\x03\x02"+zeros))
	video("asf", "ASF", asf+"\xc0\xef\x19\xbc"+asfType)
	video("flv", "FLV", "FLV\x01\x05\x00\x00\x00\x09"+zeros)
	video("mpeg-ps", "program stream", "\x00\x00\x01\xba\x44"+zeros+"\x00\x00\x01\xe0"+zeros)
	video("mpeg-video", "MPEG video", "\x00\x00\x01\xb3\x16\x01\x20"+zeros)
	video("raw-video", "H.264", "\x00\x00\x00\x01\x67\x42\x00\x1e"+zeros)
	video("cdxa", "Video CD", riff("RIFF", "CDXA", zeros))
	video("rm", "RealMedia", ".RMF\x00\x00\x00\x12"+zeros)
	video("mxf", "MXF", "\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02\x01\x01\x02"+zeros)
	video("ivf", "IVF", "DKIF\x00\x00\x20\x00VP80"+zeros)
	video("y4m", "YUV4MPEG", "YUV4MPEG2 W2 H2 F25:1\nFRAME\n"+zeros)

	text := func(id, name, data string) { add(sniff.Text, id, name, data) }
	text("text", "text", "Once upon a time\n")
	text("text", "text in UTF-8 with a mark", "\xef\xbb\xbfOnce upon a time\n")
	text("text", "text in UTF-16LE", utf16("Once upon a time\n", binary.LittleEndian))
	text("text", "text in UTF-16BE", utf16("Once upon a time\n", binary.BigEndian))
	text("text", "text in UTF-32LE", "\xff\xfe\x00\x00O\x00\x00\x00n\x00\x00\x00")
	text("text", "text in UTF-32BE", "\x00\x00\xfe\xff\x00\x00\x00O\x00\x00\x00n")
	text("text", "text of PDF", "# how a PDF begins: %PDF-1.7\n")
	for _, word := range []string{"GIF89a", "OggS", "fLaC", "BM", "MZ", "ID3", "RIFF", "8BPS", "true", "Rar!", "caff", "FLV", "MThd", "MAC "} {
		text("text", "text that begins with "+word, word+" is a word at the start of this text\n")
	}
	text("text", "text with the name of a box", "the wide world of boxes\n")
	text("text", "text with G in places", strings.Repeat("G"+strings.Repeat("a", 186)+"\n", 30))
	text("svg", "SVG", "<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg'/>\n")
	text("anymap", "PGM as text", "P2\n# made by hand\n2 2\n")
	text("mvg", "MVG", "push graphic-context\nviewbox 0 0 1 1\n")
	text("m3u", "HLS", "#EXTM3U\n")
	text("ffconcat", "list to join", "ffconcat version 1.0\n")
	text("sdp", "SDP", "v=0\r\no=- 0 0 IN IP4 0\r\n")
	text("vtt", "WebVTT", "WEBVTT\n\n")
	text("ass", "ASS", "[Script Info]\n")
	text("rtf", "RTF", "{\\rtf1 hello}\n")
	text("ps", "PostScript", "%!PS-Adobe-3.0\n")
	text("xml", "XML", "<?xml version='1.0'?>\n<a/>\n")
	text("mpd", "DASH", "<MPD xmlns='urn:mpeg:dash:schema:mpd:2011'>\n")
	text("html", "HTML", "<!DOCTYPE html>\n<title>x</title>\n")
	text("eml", "a message", "From: a@example.org\nDate: Mon, 1 Jan 2001 00:00:00 +0000\nSubject: x\n\nhello\n")
	text("mbox", "a mailbox", "From a@example.org Mon Jan  1 00:00:00 2001\nSubject: x\n\nhello\n")
	for _, word := range []string{"MZ", "true", "MAC ", "P5 1", "BZh", "RIFF", "OTTO", "Rar!", "wvpk", "PAR1", "caff"} {
		text("", "torn text that begins with "+word, word+" is a word, and\x00 a torn write\n")
	}
	text("", "nothing known", "\x01\x02\x03\x04\x05\x06\x07"+zeros)
	text("text", "legacy text", "na\xefve caf\xe9\n")

	for id, data := range map[string]string{
		"docx": zip("[Content_Types].xml=", "word/document.xml="),
		"xlsx": zip("[Content_Types].xml=", "xl/workbook.xml="),
		"pptx": zip("[Content_Types].xml=", "ppt/presentation.xml="),
		"odt":  zip("mimetype=application/vnd.oasis.opendocument.text"),
		"ods":  zip("mimetype=application/vnd.oasis.opendocument.spreadsheet"),
		"odp":  zip("mimetype=application/vnd.oasis.opendocument.presentation"),
		"epub": zip("mimetype=application/epub+zip"),
		"jar":  zip("META-INF/MANIFEST.MF="),
		"zip":  zip("notes.txt=hello"),
		"xlsb": zip("[Content_Types].xml=", "xl/workbook.bin="),
		"ole":  "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + zeros,
		"doc":  compound("WordDocument"), "xls": compound("Workbook"), "ppt": compound("PowerPoint Document"),
		"msg": compound("__properties_version1.0"), "ooxml-encrypted": compound("EncryptedPackage"),
		"djvu": "AT&TFORM\x00\x00\x00\x10DJVM" + zeros,
		"mobi": "a title" + strings.Repeat("\x00", 53) + "BOOKMOBI" + zeros,
		"gzip": "\x1f\x8b\x08\x00" + zeros, "bzip2": "BZh91AY&SY\x00" + zeros, "xz": "\xfd7zXZ\x00" + zeros,
		"zstd": "\x28\xb5\x2f\xfd" + zeros, "lz4": "\x04\x22\x4d\x18" + zeros, "7z": "7z\xbc\xaf\x27\x1c" + zeros,
		"rar": "Rar!\x1a\x07\x00" + zeros, "cab": "MSCF\x00\x00" + zeros, "ar": "!<arch>\ndebian-binary\x00" + zeros,
		"tar": "a.txt" + strings.Repeat("\x00", 252) + "ustar\x00",
		"elf": "\x7fELF\x02\x01\x01" + zeros, "exe": "MZ\x90\x00\x03" + zeros, "macho": "\xcf\xfa\xed\xfe\x07\x00" + zeros,
		"class": "\xca\xfe\xba\xbe\x00\x00" + zeros, "wasm": "\x00asm\x01\x00" + zeros, "dex": "dex\n035\x00" + zeros,
		"sqlite": "SQLite format 3\x00" + zeros, "woff": "wOF2\x00\x01\x00\x00" + zeros, "otf": "OTTO\x00\x0b" + zeros,
		"ttf": "\x00\x01\x00\x00\x00\x0f\x00\x80" + zeros, "parquet": "PAR1\x15\x04" + zeros, "parquet-encrypted": "PARE\x15\x04" + zeros + "PARE", "hdf5": "\x89HDF\r\n\x1a\n" + zeros,
		"npy": "\x93NUMPY\x01\x00" + zeros, "swf": "CWS\x0a\x00" + zeros, "riff": riff("RIFF", "sfbk", zeros),
		"bitcode": "BC\xc0\xde\x35\x14" + zeros, "compress": "\x1f\x9d\x90" + zeros, "rpm": "\xed\xab\xee\xdb\x03\x00" + zeros,
		"mo": "\xde\x12\x04\x95\x00" + zeros, "terminfo": "\x1a\x01\x25\x00" + zeros, "git-index": "DIRC\x00\x00\x00\x02" + zeros,
		"git-pack": "PACK\x00\x00\x00\x02" + zeros, "java-object": "\xac\xed\x00\x05" + zeros, "pcap": "\xd4\xc3\xb2\xa1\x02\x00" + zeros,
		"qcow": "QFI\xfb\x00\x00" + zeros, "cpio": "070701" + strings.Repeat("0", 104) + "a\x00" + zeros, "pyc": "\x6f\x0d\r\n\x00\x00\x00\x00" + zeros,
		"ebml": element("\x1a\x45\xdf\xa3", element("\x42\x82", "other")),
	} {
		if documents[id] {
			all = append(all, Sample{id, []byte(data), id, sniff.Document})
			continue
		}
		text(id, id, data)
	}
	return all
}

// documents are the document formats that are not text.
var documents = map[string]bool{
	"docx": true, "odt": true, "xlsx": true, "ods": true, "pptx": true, "odp": true, "epub": true,
	"zip": true, "jar": true, "tar": true, "gzip": true, "bzip2": true, "zstd": true, "sqlite": true, "ooxml-encrypted": true,
	"parquet": true, "parquet-encrypted": true,
}

// compound returns a compound file with a stream of a name.
func compound(stream string) string {
	le := binary.LittleEndian
	b := make([]byte, 3*512)
	copy(b, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	le.PutUint16(b[30:], 9)          // sectors of 512 bytes
	le.PutUint32(b[48:], 1)          // the directory
	le.PutUint32(b[76:], 0)          // the allocation table
	le.PutUint32(b[512:], 1<<32-3)   // the first sector is the table itself
	le.PutUint32(b[512+4:], 1<<32-2) // the end of the directory
	for i, name := range []string{"Root Entry", stream} {
		entry := b[1024+128*i:]
		for j := range len(name) {
			entry[2*j] = name[j]
		}
		le.PutUint16(entry[64:], uint16(2*len(name)+2))
	}
	return string(b)
}

// Reader returns a reader of the content.
func (s Sample) Reader() *bytes.Reader { return bytes.NewReader(s.Data) }
