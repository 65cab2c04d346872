package text

import (
	"bytes"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sniff"
)

// signatureOf returns the format of a source that begins with text, by its
// signature, or "".
func signatureOf(text []byte) string {
	f, err := sniff.Detect(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return ""
	}
	return signature(f)
}

// signature returns the name of a format that is not text, or "".
func signature(f sniff.Format) string {
	if f.Kind == sniff.Text {
		return ""
	}
	return f.Name
}

func isKnownBinary(text []byte) bool { return signatureOf(text) != "" }

// byteCounts are the numbers of bytes of a text by kind.
type byteCounts struct {
	zero    int
	control int // ASCII controls that plain text does not have
	high    int // not ASCII
	letters int // of ASCII, and spaces
	other   int // all other bytes except zeros
}

func countBytes(text []byte) byteCounts {
	var n byteCounts
	for _, b := range text {
		switch {
		case b == 0:
			n.zero++
			continue
		case b < ' ' && b != 0x1b && (b < '\a' || b > shiftIn), b == 0x7f:
			n.control++
		case b >= 0x80:
			n.high++
		case b == ' ' || 'a' <= b|0x20 && b|0x20 <= 'z':
			n.letters++
		}
		n.other++
	}
	return n
}

const (
	maxControls = 50 // least bytes of a text with zeros for each control character
	fewControls = 20 // the same, if the text is UTF-8 or has no zeros
	minBinary   = 32 // without zeros, fewer bytes are too few to decide
)

// binaryReason returns why s is not text, or "". A text may have zero bytes,
// after a disk failure or between records. It has few other control characters.
func (s sample) binaryReason() string {
	if what := signatureOf(s.text); what != "" && s.head {
		return "it is " + what
	}
	n := countBytes(s.text)
	valid := isUTF8(s.text, s.all)
	switch {
	case n.other == 0 && n.zero > 0:
		return "it begins with nothing but zero bytes"
	case n.zero > 0 && valid && fewControls*n.control > n.other,
		n.zero > 0 && !valid && maxControls*n.control > n.other,
		n.zero == 0 && !valid && n.other >= minBinary && fewControls*n.control > n.other:
		return fmt.Sprintf("%d of its first %d bytes are control characters", n.zero+n.control, len(s.text))
	}
	return ""
}

// binaryError returns the error for a source that is not text.
func binaryError(reason string) error {
	return fmt.Errorf("binary, not text: %s; if it is text, name the file and its type (--type text): %w", reason, citekit.ErrFormat)
}
