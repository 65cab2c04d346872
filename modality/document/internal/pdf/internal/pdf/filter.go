package pdf

import (
	"bytes"
	"compress/flate"
	"compress/lzw"
	"encoding/ascii85"
	"errors"
	"fmt"
	"io"

	early "golang.org/x/image/tiff/lzw"
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

// unLZW reverses LZWDecode. The length of its codes grows one code early, unless
// the parameters say otherwise. The end code is often missing.
func unLZW(data []byte, parms Dict, max int) ([]byte, error) {
	var r io.Reader = early.NewReader(bytes.NewReader(data), early.MSB, 8)
	if n, ok := parms["EarlyChange"].(int64); ok && n == 0 {
		r = lzw.NewReader(bytes.NewReader(data), lzw.MSB, 8)
	}
	out, err := readLimited(r, len(data)*4, max)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return out, nil
	case err != nil && !errors.Is(err, ErrLimit):
		return out, fmt.Errorf("an LZW stream is damaged: %w", ErrDamaged)
	}
	return out, err
}

func decodeASCII85(data []byte) ([]byte, error) {
	data, _, _ = bytes.Cut(data, []byte("~"))
	out := make([]byte, len(data)/5*4+4*bytes.Count(data, []byte("z"))+8)
	n, read, err := ascii85.Decode(out, data, false)
	if err != nil {
		return nil, fmt.Errorf("an ASCII85 stream is damaged: %w", ErrDamaged)
	}
	last, _, _ := ascii85.Decode(out[n:], data[read:], true) // a single digit is no byte
	return out[:n+last], nil
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
