package xmlspan

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
)

// Decode returns a document in UTF-8. It converts UTF-16, and documents that declare
// ISO 8859-1 or US-ASCII, and then removes the declaration. Any other encoding is an
// error matching [ErrMalformed].
func Decode(data string) (string, error) {
	if order := byteOrder(data); order != nil {
		return withoutDeclaration(decode16(data, order)), nil
	}
	switch strings.ToLower(declaredEncoding(data)) {
	case "", "utf-8", "utf8":
		return data, nil
	case "iso-8859-1", "latin1", "us-ascii", "ascii":
		var b strings.Builder
		for i := range len(data) {
			b.WriteRune(rune(data[i]))
		}
		return withoutDeclaration(b.String()), nil
	}
	return "", fmt.Errorf("%w: its encoding is neither UTF-8 nor UTF-16", ErrMalformed)
}

func byteOrder(data string) binary.ByteOrder {
	if len(data) < 4 {
		return nil
	}
	switch data[:2] {
	case "\xff\xfe", "<\x00":
		return binary.LittleEndian
	case "\xfe\xff", "\x00<":
		return binary.BigEndian
	}
	return nil
}

func decode16(data string, order binary.ByteOrder) string {
	units := make([]uint16, 0, len(data)/2)
	for ; len(data) >= 2; data = data[2:] {
		units = append(units, order.Uint16([]byte(data[:2])))
	}
	return strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff")
}

// declaration returns the XML declaration at the start of a document, or "".
func declaration(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	if !strings.HasPrefix(text, "<?xml") {
		return ""
	}
	end := strings.Index(text, "?>")
	if end < 0 {
		return ""
	}
	return text[:end+len("?>")]
}

func declaredEncoding(text string) string {
	_, rest, found := strings.Cut(declaration(text), "encoding")
	rest = strings.TrimLeft(rest, " \t\r\n=")
	if !found || rest == "" {
		return ""
	}
	value, _, _ := strings.Cut(rest[1:], rest[:1])
	return value
}

func withoutDeclaration(text string) string {
	return strings.TrimPrefix(text, declaration(text))
}
