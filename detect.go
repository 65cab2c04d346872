package citekit

import (
	"bytes"
	"errors"
	"io"
)

const sniffed = 4096 // bytes looked at to tell a format

// DetectModality tells the modality of a source from its first bytes. What is
// no document, image, video or recording that it knows is [Text]; whether it
// can be read as such, the resolver says.
func DetectModality(src *Source) (Modality, error) {
	head := make([]byte, sniffed)
	n, err := src.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", hidePath(err)
	}
	return detectModality(head[:n]), nil
}

func detectModality(head []byte) Modality {
	switch {
	case bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")): // ISO 32000-1, annex H.3.4.1
		return Document
	case isISOMedia(head):
		return isoModality(head)
	case startsWith(head, "\x89PNG\r\n", "\xff\xd8\xff", "GIF87a", "GIF89a", "BM", "II*\x00", "MM\x00*"):
		return Image
	case startsWith(head, "\x1a\x45\xdf\xa3"): // EBML: Matroska, WebM
		return Video
	case startsWith(head, "ID3", "fLaC", "OggS"), isAudioSync(head):
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

func isISOMedia(head []byte) bool {
	if len(head) < 12 {
		return false
	}
	switch string(head[4:8]) {
	case "ftyp", "moov", "mdat", "wide":
		return true
	}
	return false
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
