package subtitle

import (
	"bytes"
	"encoding/json"

	"github.com/citekit/citekit/internal/plain"
)

// A spoken is a segment of a JSON transcript, with the names of the podcast namespace
// or of speech recognizers such as Whisper.
type spoken struct {
	StartTime *float64 `json:"startTime"`
	EndTime   float64  `json:"endTime"`
	Body      string   `json:"body"`
	Speaker   string   `json:"speaker"`

	Start *float64 `json:"start"`
	End   float64  `json:"end"`
	Text  string   `json:"text"`
}

func isTranscript(head []byte) bool {
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	_, after, found := bytes.Cut(head, []byte(`"segments"`))
	if !found {
		return false
	}
	has := func(key string) bool { return bytes.Contains(after, []byte(key)) }
	return has(`"startTime"`) && has(`"body"`) || has(`"start"`) && has(`"end"`) && has(`"text"`)
}

// readTranscript reads the array "segments" of the top-level object of src. It stops at
// damage.
func (p *parser) readTranscript(src []byte) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(src, []byte("\ufeff"))))
	offset := len(src) - len(bytes.TrimPrefix(src, []byte("\ufeff")))
	if !findSegments(d) {
		return
	}
	at := newCounter(src)
	for d.More() && !p.full {
		start := offset + int(d.InputOffset())
		start += len(src[start:]) - len(bytes.TrimLeft(src[start:], ", \t\r\n"))
		var s spoken
		if err := d.Decode(&s); err != nil && !isTypeError(err) {
			return
		}
		c, ok := s.cue()
		c.First = at.line(start)
		c.Last = at.line(offset + int(d.InputOffset()) - 1)
		if ok {
			p.add(c)
		}
	}
}

// isTypeError reports whether the JSON was well-formed but of another type.
func isTypeError(err error) bool {
	_, ok := err.(*json.UnmarshalTypeError)
	return ok
}

// findSegments moves d into the array "segments".
func findSegments(d *json.Decoder) bool {
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return false
		}
		if key == "segments" {
			t, err := d.Token()
			return err == nil && t == json.Delim('[')
		}
		var other json.RawMessage
		if err := d.Decode(&other); err != nil {
			return false
		}
	}
	return false
}

// maxSeconds keeps times within the bounds of a location.
const maxSeconds = 1000 * 365 * 24 * 3600

func (s spoken) cue() (Cue, bool) {
	c := Cue{End: s.EndTime, Text: plain.Line(s.Body), Speaker: plain.Line(s.Speaker)}
	switch {
	case s.StartTime != nil:
		c.Start = *s.StartTime
	case s.Start != nil:
		c.Start, c.End, c.Text = *s.Start, s.End, plain.Line(s.Text)
	default:
		return c, false
	}
	c.Start, c.End = max(c.Start, 0), max(c.End, 0)
	return c, c.Start <= maxSeconds && c.End <= maxSeconds
}

// A counter finds the line numbers of ascending offsets.
type counter struct {
	src    []byte
	cr     bool
	offset int
	number int
}

func newCounter(src []byte) *counter {
	return &counter{src: src, cr: usesCR(src), number: 1}
}

// line returns the number of the line with the byte at offset.
func (c *counter) line(offset int) int {
	between := c.src[c.offset:max(offset, c.offset)]
	c.number += bytes.Count(between, []byte("\n"))
	if c.cr {
		pairs := bytes.Count(c.src[c.offset:min(offset+1, len(c.src))], []byte("\r\n"))
		c.number += bytes.Count(between, []byte("\r")) - pairs
	}
	c.offset = max(offset, c.offset)
	return c.number
}
