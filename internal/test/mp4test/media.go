package mp4test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math"
)

// PCM returns a QuickTime file of uncompressed 16-bit sound: a rising tone, so
// that every instant sounds different. The sample of channel c at frame n is
// [Tone](n, c, rate).
func PCM(seconds float64, rate, channels int) []byte {
	return Movie{Brand: "qt  ", Tracks: []Track{PCMTrack(seconds, rate, channels)}}.Bytes()
}

// PCMTrack returns the track of a [PCM] file.
func PCMTrack(seconds float64, rate, channels int) Track {
	t := Track{
		Handler: "soun", Codec: "sowt", Timescale: uint32(rate),
		Entry: bytes.Join([][]byte{make([]byte, 6), u16(1), make([]byte, 8),
			u16(uint16(channels), 16, 0, 0), u32(uint32(rate) << 16)}, nil),
	}
	total := int(math.Round(seconds * float64(rate)))
	for n := 0; n < total; {
		count := min(rate/2, total-n)
		var data []byte
		for range count {
			for c := range channels {
				data = binary.LittleEndian.AppendUint16(data, uint16(Tone(n, c, rate)))
			}
			n++
		}
		t.Samples = append(t.Samples, Sample{Data: data, Duration: 1, Sync: true, Count: count})
	}
	return t
}

// Tone returns a sample of the sound of [PCM] files.
func Tone(n, channel, rate int) int16 {
	seconds := float64(n) / float64(rate)
	phase := 2 * math.Pi * seconds * (220 + 20*seconds + 110*float64(channel))
	return int16(math.Round(12000 * math.Sin(phase)))
}

// Video returns a QuickTime file of frames at fps. Each is a PNG picture of its
// own number ([Frame]), which every QuickTime player decodes.
func Video(frames, fps, width, height int) []byte {
	return Movie{Brand: "qt  ", Tracks: []Track{VideoTrack(frames, fps, width, height)}}.Bytes()
}

// VideoTrack returns the track of a [Video] file.
func VideoTrack(frames, fps, width, height int) Track {
	t := Track{
		Handler: "vide", Codec: "png ", Timescale: uint32(fps) * 512, Width: width, Height: height, PerChunk: max(1, fps/2),
		Entry: bytes.Join([][]byte{make([]byte, 6), u16(1), make([]byte, 16),
			u16(uint16(width), uint16(height)), u32(72<<16, 72<<16, 0), u16(1), make([]byte, 32), u16(24, 0xffff)}, nil),
	}
	for n := range frames {
		t.Samples = append(t.Samples, Sample{Data: Frame(n, width, height), Duration: 512, Sync: true})
	}
	return t
}

// Frame returns frame n of [Video] files: the bits of n as a grid of light
// and dark, four across and four down.
func Frame(n, width, height int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			bit := y*4/height*4 + x*4/width
			c := color.RGBA{uint8(40 + n%128), 30, uint8(x * 255 / width), 255}
			if n>>bit&1 == 1 {
				c = color.RGBA{230, 220, uint8(y * 255 / height), 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // cannot fail for an image of positive size in memory
	}
	return b.Bytes()
}
