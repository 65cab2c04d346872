package mp4

import "strings"

// packetLayout tells how the bytes of a QuickTime sound track are divided into
// packets if its size table does not tell.
type packetLayout struct {
	bytes   int64 // per packet
	samples int   // per packet
}

// prerollNeed is how much a decoder must have decoded before its output is
// correct.
type prerollNeed struct {
	packets int
	seconds float64
}

// parseDescriptions checks stsd (8.5.2) and returns its number of entries.
func (t *track) parseDescriptions() (int, error) {
	if len(t.stsd) < 16 {
		return 0, damaged("no sample description (stsd)")
	}
	n := 0
	for x := range boxes(t.stsd[16:]) {
		if strings.HasPrefix(x.kind, "enc") || x.kind == "drmi" || x.kind == "drms" {
			return 0, unsupported("encrypted media (%s)", printable(x.kind))
		}
		if n++; n == 1 {
			t.Codec = printable(x.kind)
			t.parseEntry(x)
		}
	}
	if n == 0 || int64(n) < int64(be.Uint32(t.stsd[12:])) {
		return 0, damaged("%d sample descriptions where %d are declared", n, be.Uint32(t.stsd[12:]))
	}
	return n, nil
}

// parseEntry reads the first sample entry (8.5.2.2 and 12).
func (t *track) parseEntry(x box) {
	switch t.Kind {
	case Video:
		if len(x.data) >= 28 {
			t.Width, t.Height = int(be.Uint16(x.data[24:])), int(be.Uint16(x.data[26:]))
		}
	case Audio:
		t.packed = sampleBits(x.kind, x.data) > 0
		t.preroll = prerollOf(x)
	}
}

// sampleBits returns the bits of one sample of one channel if the sample entry
// describes uncompressed sound, or 0.
func sampleBits(codec string, entry []byte) int {
	switch codec {
	case "raw ", "ulaw", "alaw":
		return 8
	case "sowt", "twos":
		if len(entry) >= 20 && be.Uint16(entry[18:]) == 8 {
			return 8
		}
		return 16
	case "in24":
		return 24
	case "in32", "fl32":
		return 32
	case "fl64":
		return 64
	case "lpcm", "ipcm", "fpcm", "NONE":
		if len(entry) >= 20 {
			return int(be.Uint16(entry[18:]))
		}
	}
	return 0
}

// soundLayout returns the packets declared by a QuickTime sound description of
// version 1, and those of uncompressed sound. Such files may list every sample
// with a size of one byte.
func (t *track) soundLayout() packetLayout {
	if t.Kind != Audio {
		return packetLayout{}
	}
	var entry box
	for x := range boxes(t.stsd[16:]) {
		entry = x
		break
	}
	b := entry.data
	if len(b) < 28 {
		return packetLayout{}
	}
	channels, bits := int64(be.Uint16(b[16:])), sampleBits(entry.kind, b)
	variable := int16(be.Uint16(b[20:])) == -2
	if be.Uint16(b[8:]) == 1 && len(b) >= 44 && !variable {
		samples, bytes := be.Uint32(b[28:]), int64(be.Uint32(b[36:]))
		if samples > 0 && samples <= 1<<16 && bytes > 0 && bytes <= 1<<24 {
			return packetLayout{bytes, int(samples)}
		}
	}
	if bits >= 8 && channels > 0 && be.Uint16(b[8:]) != 2 {
		return packetLayout{channels * int64(bits/8), 1}
	}
	return packetLayout{}
}

// prerollOf returns the preroll of a sound codec. Packets of transform codecs
// overlap by one; two packets also cover codecs that extrapolate (SBR). MP3
// stores bits of a frame in up to nine frames before it. Opus requires 80 ms
// (RFC 7845, 4.6).
func prerollOf(x box) prerollNeed {
	switch x.kind {
	case "Opus":
		return prerollNeed{seconds: 0.08}
	case ".mp3", "mp3 ", "ms\x00U":
		return prerollNeed{packets: 10}
	case "mp4a":
		if isMP3(x.data) {
			return prerollNeed{packets: 10}
		}
	case "fLaC", "alac":
		return prerollNeed{}
	}
	if sampleBits(x.kind, x.data) > 0 {
		return prerollNeed{}
	}
	return prerollNeed{packets: 2}
}

// isMP3 reports whether an mp4a entry holds MPEG-1 or MPEG-2 audio: object
// type 0x6B or 0x69 in the decoder configuration of its esds
// (ISO/IEC 14496-1, 7.2.6.6).
func isMP3(entry []byte) bool {
	if len(entry) < 28 {
		return false
	}
	esds, ok := find(entry[28:], "esds")
	for i := 4; ok && i+6 < len(esds) && i < 64; i++ {
		if esds[i] != 4 { // DecoderConfigDescriptor
			continue
		}
		j := i + 1
		for j < i+4 && esds[j]&0x80 != 0 {
			j++
		}
		return esds[j+1] == 0x6B || esds[j+1] == 0x69
	}
	return false
}
