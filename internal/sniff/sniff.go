// Package sniff tells from its content what a file is. It holds the one table
// of signatures that the library, the resolvers and the adapters go by, so
// that all of them give the same answer.
package sniff

import (
	"bytes"
	"errors"
	"io"
)

// A Kind says who reads a format. The kinds that are modalities are written as
// those.
type Kind string

const (
	Document Kind = "document"
	Video    Kind = "video"
	Audio    Kind = "audio"
	Image    Kind = "image"
	Text     Kind = "text"

	Timed Kind = "timed" // a container of sound or picture: its tracks decide, see Classify
	Other Kind = ""      // something else, or unknown
)

// A Format is what content is. The zero Format is that of content that says
// nothing.
type Format struct {
	ID        string // such as "heic"
	Name      string // for messages, such as "a PNG image" or "MIDI"
	Kind      Kind
	MediaType string // such as "image/heic"; "" if there is none
	Ext       string // such as ".heic"; "" if there is none

	// Lean is the kind of a Timed format whose tracks cannot be read, if the
	// header says it.
	Lean Kind

	// Office is what people call a format of documents that is not read, such
	// as "DOC", or "".
	Office string

	// Encrypted says that it takes a password to read.
	Encrypted bool

	// Unread says that the format is known and no resolver here reads it.
	Unread bool

	// Junk is how many bytes come before the first frame of MP3 or AAC that
	// are none of the format.
	Junk int64
}

// headLen is how many bytes at the start tell nearly all formats.
const headLen = 4 << 10

// A head is the start of a content, and the rest of it.
type head struct {
	b    []byte
	r    io.ReaderAt
	size int64
	text bool // b is plain text

	binary bool // b has characters that no text has, of whatever encoding
}

// Detect returns the format of content of the given size. Names do not count.
// The error is that of the reader.
func Detect(r io.ReaderAt, size int64) (Format, error) {
	b, err := readUpTo(r, 0, min(size, headLen))
	if err != nil || len(b) == 0 {
		return Format{}, err
	}
	h := head{b: b, r: r, size: size, text: isText(b), binary: bytes.ContainsFunc(b, isControlRune)}
	for _, detect := range []func(head) (Format, error){
		markedText, boxes, signed, transport, mail, displacedPDF, plainText, frames, legacyText,
	} {
		if f, err := detect(h); err != nil || f.ID != "" {
			return f, err
		}
	}
	return Format{}, nil
}

// Classify returns the kind of content, which is never Timed nor Other, and
// its format: first by the signature, and in containers of sound and picture
// by the tracks; then, where the content says nothing, by the extension of
// name; then it is text.
func Classify(r io.ReaderAt, size int64, name string) (Kind, Format, error) {
	f, err := Detect(r, size)
	if err != nil {
		return Other, Format{}, err
	}
	named := ByName(name)
	switch {
	case f.Kind == Timed:
		kind, err := tracks(f, r, size)
		return firstKind(kind, f.Lean, timedOnly(named), Video), f, err
	case f.ID == "":
		return firstKind(named, Text), f, nil
	case f.ID == "text" && named == Document:
		// The header of a PDF may be broken, and all of it be ASCII.
		ends, err := endsAsPDF(r, size)
		if ends {
			return Document, f, err
		}
		return Text, f, err
	case f.Kind == Other:
		return Text, f, nil
	}
	return f.Kind, f, nil
}

func timedOnly(k Kind) Kind {
	if k == Video || k == Audio {
		return k
	}
	return Other
}

func firstKind(kinds ...Kind) Kind {
	for _, k := range kinds {
		if k != Other {
			return k
		}
	}
	return Other
}

// displacedPDF knows a PDF behind something else (ISO 32000-1, annex H.3.4.1).
// A text may also speak of PDF.
func displacedPDF(h head) (Format, error) {
	const window = 1024
	i := bytes.Index(h.b[:min(len(h.b), window)], []byte("%PDF-"))
	if i < 0 {
		return Format{}, nil
	}
	if version := h.b[i+len("%PDF-"):]; !h.text && len(version) > 2 && isDigit(version[0]) && version[1] == '.' {
		return formatPDF, nil
	}
	if ends, err := endsAsPDF(h.r, h.size); !ends {
		return Format{}, err
	}
	return formatPDF, nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// endsAsPDF reports whether there is the end of a trailer.
func endsAsPDF(r io.ReaderAt, size int64) (bool, error) {
	const window = 2048
	tail, err := readUpTo(r, max(size-window, 0), min(size, window))
	return bytes.Contains(tail, []byte("startxref")), err
}

// readUpTo reads n bytes at off, or fewer if the content ends before.
func readUpTo(r io.ReaderAt, off, n int64) ([]byte, error) {
	if n <= 0 {
		return nil, nil
	}
	buf := make([]byte, n)
	got, err := r.ReadAt(buf, off)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return buf[:got], nil
}

func at(b []byte, offset int, text string) bool {
	return len(b) >= offset+len(text) && string(b[offset:offset+len(text)]) == text
}
