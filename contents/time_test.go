package contents_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
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

// TestTimeBeyondTheEnd checks that a time past the end of a recording is refused
// where some of the words are before its end.
func TestTimeBeyondTheEnd(t *testing.T) {
	s := newShelf(t, map[string]string{
		"clock.wav": silence(10),
		"clock.srt": "1\n00:00:01,000 --> 00:00:03,000\nIt is one.\n\n2\n00:00:09,000 --> 00:00:10,000\nIt is nine.\n",
	})
	for _, c := range []struct {
		id, text string
		wrong    bool
	}{
		{"audio://clock-wav#t=9-10", "It is nine.", false},
		{"audio://clock-wav#t=9-10.05", "It is nine.", false},
		{"audio://clock-wav#t=9-", "It is nine.", false},
		{"audio://clock-wav#t=9-12", "", true},
		{"audio://clock-wav#t=11-12", "", true},
	} {
		item := s.read(t, contents.Request{IDs: []string{c.id}}).Items[0]
		if errors.Is(item.Err, citekit.ErrRange) != c.wrong || !c.wrong && item.Err != nil || c.text != "" && item.Text != c.text+"\n" && item.Text != c.text {
			t.Errorf("%s: %q, %v", c.id, item.Text, item.Err)
		}
	}
}
