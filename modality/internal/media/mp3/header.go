package mp3

import "encoding/binary"

// A header is the header of an MPEG audio frame of any layer (ISO/IEC 11172-3, section
// 2.4.1.3, and 13818-3; MPEG-2.5 is an extension).
type header struct {
	bits    uint32
	layer   int // 1 to 3
	length  int // bytes of the frame
	samples int // of each channel
	rate    int // samples per second
	side    int // bytes of side information of layer III
}

const headerLength = 4

// sameStream masks the bits that are constant in a stream: sync word, version, layer
// and sample rate.
const sameStream = 0xffe00000 | 3<<19 | 3<<17 | 3<<10

// Bit rates in kbit/s by layer and index: of MPEG-1, then of MPEG-2 and 2.5, which have
// lower sample rates.
var bitRates = [2][3][15]int{
	{
		{0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448},
		{0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
		{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	},
	{
		{0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
	},
}

var sampleRates = [3]int{44100, 48000, 32000}

// parseHeader reads a frame header. It returns false for frames of a free bit rate,
// whose length is unknown.
func parseHeader(b []byte) (h header, ok bool) {
	if len(b) < headerLength || b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return header{}, false
	}
	version, layer := b[1]>>3&3, b[1]>>1&3 // version 3 is MPEG-1, 2 is MPEG-2, 0 is MPEG-2.5; layer 3 is Layer I
	index, rate := b[2]>>4, b[2]>>2&3
	if version == 1 || layer == 0 || index == 0 || index == 15 || rate == 3 {
		return header{}, false
	}
	low, shift := 0, 0
	switch version {
	case 2:
		low, shift = 1, 1
	case 0:
		low, shift = 1, 2
	}
	h = header{bits: binary.BigEndian.Uint32(b), layer: 4 - int(layer), rate: sampleRates[rate] >> shift}
	bits, padding := bitRates[low][h.layer-1][index]*1000, int(b[2]>>1&1)
	switch h.layer {
	case 1:
		h.samples, h.length = 384, (bits*12/h.rate+padding)*4
	case 2:
		h.samples, h.length = 1152, bits*144/h.rate+padding
	default:
		h.samples, h.length = 1152>>low, bits*144/(h.rate<<low)+padding
	}
	h.side = [2][2]int{{32, 17}, {17, 9}}[low][bit(b[3]>>6 == 3)]
	return h, true
}

// bit is 1 for true.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
