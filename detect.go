package citekit

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

const (
	sniffed  = 4096 // bytes looked at, at the start, to tell a format
	pdfStart = 1024 // of them those in which a PDF must begin
	pdfEnd   = 2048 // bytes looked at, at the end, for the trailer of a PDF
)

// DetectModality tells the modality of a source from its content. What is no
// document, image, video or recording that it knows is [Text]; whether it can
// be read as such, the resolver says.
func DetectModality(src *Source) (Modality, error) {
	head, err := readPart(src, 0, sniffed)
	if err != nil {
		return "", err
	}
	modality := detectModality(head, src.Size())
	if modality != Text || !bytes.Contains(head[:min(len(head), pdfStart)], []byte("%PDF-")) {
		return modality, nil
	}
	// A PDF may stand behind something else (ISO 32000-1, annex H.3.4.1),
	// but a text may also speak of PDF.
	tail, err := readPart(src, max(src.Size()-pdfEnd, 0), pdfEnd)
	if err != nil {
		return "", err
	}
	if bytes.Contains(tail, []byte("startxref")) {
		return Document, nil
	}
	return Text, nil
}

func readPart(src *Source, offset, size int64) ([]byte, error) {
	part := make([]byte, size)
	n, err := src.ReadAt(part, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, hidePath(err)
	}
	return part[:n], nil
}

func detectModality(head []byte, size int64) Modality {
	switch {
	case startsWith(head, "%PDF-"):
		return Document
	case isISOMedia(head, size):
		return isoModality(head)
	case startsWith(head, "\x89PNG\r\n", "\xff\xd8\xff", "GIF87a", "GIF89a", "II*\x00", "MM\x00*"), isBMP(head):
		return Image
	case startsWith(head, "\x1a\x45\xdf\xa3"): // EBML: Matroska, WebM
		return Video
	case startsWith(head, "fLaC", "OggS"), isID3(head), isAudioSync(head):
		return Audio
	case isRIFF(head):
		return riffModality(head)
	case isTransportStream(head):
		return Video
	}
	return Text
}

func startsWith(head []byte, magics ...string) bool {
	for _, magic := range magics {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return false
}

// isISOMedia reports whether head begins with a box of ISO 14496-12, section
// 4.2, that fits into a file of the size.
func isISOMedia(head []byte, size int64) bool {
	if len(head) < 12 {
		return false
	}
	switch string(head[4:8]) {
	case "ftyp", "moov", "mdat", "wide":
		box := int64(binary.BigEndian.Uint32(head))
		return box <= 1 || box >= 8 && box <= size // 0: to the end, 1: a longer size follows
	}
	return false
}

// isBMP reports whether head has the magic of a BMP and its reserved zeros.
func isBMP(head []byte) bool {
	return startsWith(head, "BM") && len(head) >= 10 && string(head[6:10]) == "\x00\x00\x00\x00"
}

// isID3 reports whether head begins with an ID3v2 tag, whose version byte is
// small.
func isID3(head []byte) bool {
	return startsWith(head, "ID3") && len(head) > 3 && head[3] < 0x10
}

func isoModality(head []byte) Modality {
	if string(head[4:8]) != "ftyp" {
		return Video
	}
	switch string(head[8:12]) {
	case "avif", "avis", "heic", "heix", "mif1", "msf1":
		return Image
	case "M4A ", "M4B ", "M4P ":
		return Audio
	}
	return Video
}

func isRIFF(head []byte) bool {
	return len(head) >= 12 && startsWith(head, "RIFF", "RF64", "BW64")
}

func riffModality(head []byte) Modality {
	switch string(head[8:12]) {
	case "WAVE":
		return Audio
	case "WEBP":
		return Image
	case "AVI ":
		return Video
	}
	return Text
}

// isAudioSync reports whether head begins with an MPEG audio or ADTS frame.
func isAudioSync(head []byte) bool {
	return len(head) >= 4 && head[0] == 0xff && head[1]&0xe0 == 0xe0 && head[1] != 0xfe && head[1] != 0xff
}

// isTransportStream reports whether head has the sync bytes of ISO 13818-1.
func isTransportStream(head []byte) bool {
	const packet = 188
	return len(head) > 2*packet && head[0] == 0x47 && head[packet] == 0x47 && head[2*packet] == 0x47
}
