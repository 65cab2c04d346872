package verify_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/verify"
)

// silence returns a WAV file of some seconds.
func silence(seconds int) string {
	const rate = 8000 // frames of one byte a second
	le := binary.LittleEndian
	n := uint32(seconds * rate)
	b := append(le.AppendUint32([]byte("RIFF"), 36+n), "WAVEfmt "...)
	b = le.AppendUint16(le.AppendUint16(le.AppendUint32(b, 16), 1), 1)
	b = le.AppendUint16(le.AppendUint16(le.AppendUint32(le.AppendUint32(b, rate), rate), 1), 8)
	b = le.AppendUint32(append(b, "data"...), n)
	for range n {
		b = append(b, 0x80)
	}
	return string(b)
}

// TestTimeBeyondTheEnd checks that a quote does not hold at a time past the end
// of its recording, even if it is said before the end.
func TestTimeBeyondTheEnd(t *testing.T) {
	s := newShelf(t, map[string]string{
		"clock.wav": silence(10),
		"clock.srt": "1\n00:00:01,000 --> 00:00:03,000\nIt is one o'clock now.\n\n2\n00:00:09,000 --> 00:00:10,000\nIt is nine o'clock now.\n",
	})
	for address, holds := range map[string]bool{
		"audio://clock-wav#t=9-10":    true,
		"audio://clock-wav#t=9-10.05": true,
		"audio://clock-wav#t=9-12":    false,
	} {
		v := s.quote(t, "It is nine o'clock now.", address)
		if v.Holds() != holds || !holds && !errors.Is(v.Problem, citekit.ErrRange) || holds && v.Class != verify.Exact {
			t.Errorf("%s: %s, %v", address, v.Class, v.Problem)
		}
	}
}
