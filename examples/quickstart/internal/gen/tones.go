package main

import (
	"bytes"
	"encoding/binary"
	"math"
)

const sampleRate = 8000

// notes are the tones, in hertz, each of one second: C, E, G and C.
var notes = []float64{261.63, 329.63, 392.00, 523.25}

// tones returns a WAV file, 16 bits mono.
func tones() ([]byte, error) {
	var samples []int16
	for _, hertz := range notes {
		for i := range sampleRate {
			t := float64(i) / sampleRate
			envelope := math.Min(1, math.Min(t, 1-t)*20)
			samples = append(samples, int16(math.Round(9000*envelope*math.Sin(2*math.Pi*hertz*t))))
		}
	}
	var b bytes.Buffer
	size := uint32(2 * len(samples))
	for _, field := range []any{
		[]byte("RIFF"), 36 + size, []byte("WAVE"),
		[]byte("fmt "), uint32(16), uint16(1), uint16(1), uint32(sampleRate), uint32(2 * sampleRate), uint16(2), uint16(16),
		[]byte("data"), size, samples,
	} {
		if err := binary.Write(&b, binary.LittleEndian, field); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
