package pdf

import (
	"bytes"
	"compress/flate"
	"compress/lzw"
	"errors"
	"fmt"
	"io"
)

const maxFilters = 8

// A Filter is one step of decoding a stream (7.4).
type Filter struct {
	Name  Name
	Parms Dict // nil if there are none
}

// filterNames maps the abbreviations of inline images to filter names. Other readers
// accept them in all streams.
var filterNames = map[Name]Name{
	"Fl": "FlateDecode", "LZW": "LZWDecode", "A85": "ASCII85Decode",
	"AHx": "ASCIIHexDecode", "RL": "RunLengthDecode",
}

// Apply reverses the filter. The error matches [ErrLimit] if the output exceeds max
// bytes. With an error, the output so far is returned, so that its size can be
// charged.
func (f Filter) Apply(data []byte, max int) ([]byte, error) {
	name := f.Name
	if full, ok := filterNames[name]; ok {
		name = full
	}
	switch name {
	case "FlateDecode":
		out, err := inflate(data, max)
		if err != nil {
			return out, err
		}
		return f.unpredict(out)
	case "LZWDecode":
		out, err := unLZW(data, f.Parms, max)
		if err != nil {
			return out, err
		}
		return f.unpredict(out)
	case "ASCII85Decode":
		return decodeASCII85(data)
	case "ASCIIHexDecode":
		return decodeASCIIHex(data)
	case "RunLengthDecode":
		return decodeRunLength(data, max)
	case "Crypt":
		return data, nil
	}
	return nil, fmt.Errorf("the filter %q: %w", clip([]byte(f.Name)), errors.ErrUnsupported)
}

// inflate reverses FlateDecode. Like other readers, it ignores the checksum at the
// end. Truncated data is an error.
func inflate(data []byte, max int) ([]byte, error) {
	data = bytes.TrimLeft(data, "\r\n")
	if len(data) < 2 || data[0]&0x0f != 8 || (int(data[0])<<8|int(data[1]))%31 != 0 {
		return nil, fmt.Errorf("a stream without a zlib header: %w", ErrDamaged)
	}
	out, err := readLimited(flate.NewReader(bytes.NewReader(data[2:])), len(data)*4, max)
	if err != nil && !errors.Is(err, ErrLimit) {
		return out, fmt.Errorf("a deflate stream is damaged: %w", ErrDamaged)
	}
	return out, err
}

// readLimited reads all of r, at most max bytes. With an error it also returns the
// bytes read so far.
func readLimited(r io.Reader, hint, max int) ([]byte, error) {
	out := make([]byte, 0, min(hint, max)+512)
	for {
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		if len(out) > max {
			return out, fmt.Errorf("a stream of more than %d bytes: %w", max, ErrLimit)
		}
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		if len(out) == cap(out) {
			out = append(out, 0)[:len(out)]
		}
	}
}

// unLZW reverses LZWDecode. It supports only the default early change of the code
// length, which practically all files use.
func unLZW(data []byte, parms Dict, max int) ([]byte, error) {
	if n, ok := parms["EarlyChange"].(int64); ok && n == 0 {
		out, err := readLimited(lzw.NewReader(bytes.NewReader(data), lzw.MSB, 8), len(data)*4, max)
		if err != nil && !errors.Is(err, ErrLimit) {
			return out, fmt.Errorf("an LZW stream is damaged: %w", ErrDamaged)
		}
		return out, err
	}
	return lzwEarly(data, max)
}

// Codes of LZW with 8-bit symbols (7.4.4).
const (
	lzwClear = 256
	lzwEnd   = 257
	lzwFirst = 258
	lzwMax   = 4096
)

// lzwEarly decodes LZW whose code length grows one code early.
func lzwEarly(data []byte, max int) ([]byte, error) {
	var (
		out           []byte
		start, length [lzwMax]int // the phrase of a code, as a range of out
		next          = lzwFirst
		width         = uint(9)
		bits, held    uint
		last          = -1 // range of the phrase of the previous code
		lastLen       int
	)
	for i := 0; ; {
		for held < width {
			if i == len(data) {
				return out, nil // the end code is often missing
			}
			bits = bits<<8 | uint(data[i])
			held += 8
			i++
		}
		code := int(bits >> (held - width) & (1<<width - 1))
		held -= width
		if code == lzwEnd {
			return out, nil
		}
		if code == lzwClear {
			next, width, last = lzwFirst, 9, -1
			continue
		}
		at := len(out)
		switch {
		case code < lzwClear:
			out = append(out, byte(code))
		case code < next:
			out = append(out, out[start[code]:start[code]+length[code]]...)
		case code == next && last >= 0:
			out = append(out, out[last:last+lastLen]...)
			out = append(out, out[last])
		default:
			return out, fmt.Errorf("an LZW stream is damaged: %w", ErrDamaged)
		}
		if len(out) > max {
			return out, fmt.Errorf("a stream of more than %d bytes: %w", max, ErrLimit)
		}
		if last >= 0 && next < lzwMax {
			start[next], length[next] = last, lastLen+1
			next++
		}
		last, lastLen = at, len(out)-at
		width = lzwWidth(next + 1)
	}
}

func lzwWidth(next int) uint {
	switch {
	case next >= 2048:
		return 12
	case next >= 1024:
		return 11
	case next >= 512:
		return 10
	}
	return 9
}

func decodeASCII85(data []byte) ([]byte, error) {
	out := make([]byte, 0, len(data)*4/5+4)
	var group uint32
	n := 0
	for _, c := range data {
		switch {
		case class[c] == space:
			continue
		case c == '~':
			return ascii85End(out, group, n)
		case c == 'z' && n == 0:
			out = append(out, 0, 0, 0, 0)
			continue
		case c < '!' || c > 'u':
			return nil, fmt.Errorf("%q in an ASCII85 stream: %w", c, ErrDamaged)
		}
		group = group*85 + uint32(c-'!')
		if n++; n == 5 {
			out = append(out, byte(group>>24), byte(group>>16), byte(group>>8), byte(group))
			group, n = 0, 0
		}
	}
	return ascii85End(out, group, n)
}

// ascii85End appends the bytes of the last n digits, n-1 in number.
func ascii85End(out []byte, group uint32, n int) ([]byte, error) {
	if n < 2 {
		return out, nil
	}
	for range 5 - n {
		group = group*85 + 84
	}
	return append(out, []byte{byte(group >> 24), byte(group >> 16), byte(group >> 8)}[:n-1]...), nil
}

func decodeASCIIHex(data []byte) ([]byte, error) {
	if i := bytes.IndexByte(data, '>'); i >= 0 {
		data = data[:i]
	}
	p := parser{data: append(bytes.Clone(data), '>'), pos: -1}
	o, err := p.hex()
	if err != nil {
		return nil, err
	}
	return []byte(o.(String)), nil
}

func decodeRunLength(data []byte, max int) ([]byte, error) {
	var out []byte
	for i := 0; i < len(data) && data[i] != 128; {
		n := int(data[i])
		i++
		if n < 128 {
			end := min(i+n+1, len(data))
			out = append(out, data[i:end]...)
			i = end
		} else if i < len(data) {
			out = append(out, bytes.Repeat(data[i:i+1], 257-n)...)
			i++
		}
		if len(out) > max {
			return out, fmt.Errorf("a stream of more than %d bytes: %w", max, ErrLimit)
		}
	}
	return out, nil
}
