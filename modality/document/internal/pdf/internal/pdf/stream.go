package pdf

import (
	"bytes"
	"errors"
	"fmt"
)

// streamStart returns the position of the data of a stream, or 0 if o is not the
// dictionary of a stream.
func (p *parser) streamStart(o Object) (int64, error) {
	p.skip()
	if p.pos+len("stream\r\n") > len(p.data) && p.more {
		return 0, errShort
	}
	if _, ok := o.(Dict); !ok || !p.keyword("stream") {
		return 0, nil
	}
	for p.pos < len(p.data) && p.data[p.pos] == ' ' {
		p.pos++ // not allowed, but some programs write it
	}
	if p.pos < len(p.data) && p.data[p.pos] == '\r' {
		p.pos++
	}
	if p.pos < len(p.data) && p.data[p.pos] == '\n' {
		p.pos++
	}
	return int64(p.pos), nil
}

// measure finds the length of a stream. If the declared length does not lead to the
// end of the stream, the data ends before the next "endstream".
func (d *Document) measure(f *File, s *Stream) error {
	length, err := d.declaredLength(f, s)
	if err != nil {
		return err
	}
	if length >= 0 && length <= f.size-s.offset {
		ok, err := f.endsStream(s.offset + length)
		if ok || err != nil {
			s.length = length
			return err
		}
	}
	end, err := f.findStreamEnd(s.offset)
	if err != nil {
		return err
	}
	s.length = end - s.offset
	return f.trimLineEnd(s)
}

// declaredLength returns the Length of s, or -1 if it has none.
func (d *Document) declaredLength(f *File, s *Stream) (int64, error) {
	o := s.Dict["Length"]
	if ref, ok := o.(Ref); ok {
		if f.measuring || ref.Num == s.ref.Num {
			return -1, nil // the length would depend on itself
		}
		f.measuring = true
		length, err := d.Load(f, ref.Num)
		f.measuring = false
		if err != nil && !errors.Is(err, ErrDamaged) {
			return 0, err
		}
		o = length
	}
	if n, ok := o.(int64); ok {
		return n, nil
	}
	return -1, nil
}

// endsStream reports whether "endstream" follows at off.
func (f *File) endsStream(off int64) (bool, error) {
	data, err := f.view(off, 24)
	if err != nil {
		return false, err
	}
	p := parser{data: data}
	return p.keyword("endstream") || p.keyword("endobj"), nil
}

// trimLineEnd removes the line end before "endstream" from the data of s.
func (f *File) trimLineEnd(s *Stream) error {
	n := min(s.length, 2)
	tail, err := f.view(s.offset+s.length-n, int(n))
	if err != nil {
		return err
	}
	s.length -= n - int64(len(bytes.TrimRight(tail, "\r\n")))
	return nil
}

// Raw returns the data of a stream as in the file, decrypted but not decoded.
func (d *Document) Raw(f *File, s *Stream) ([]byte, error) {
	if s.length > maxRaw {
		return nil, fmt.Errorf("a stream of %d bytes: %w", s.length, ErrLimit)
	}
	data, err := f.bytes(s.offset, int(s.length))
	if err != nil || !s.crypt {
		return data, err
	}
	if err := f.Spend(len(data)); err != nil {
		return nil, err
	}
	return d.crypt.stream(data, s)
}

// Extent returns the position of the data of s in the file. ok is false if the data
// is encrypted.
func (s *Stream) Extent() (offset, length int64, ok bool) {
	return s.offset, s.length, !s.crypt
}

// Encrypted reports whether the file of d is encrypted.
func (d *Document) Encrypted() bool { return d.crypt != nil }

// Filters returns the filters of a stream in the order of decoding.
func (d *Document) Filters(f *File, s *Stream) ([]Filter, error) {
	if s.Dict["F"] != nil {
		return nil, fmt.Errorf("a stream whose data is in another file: %w", errors.ErrUnsupported)
	}
	names, err := d.list(f, s.Dict["Filter"], maxFilters+1)
	if err != nil {
		return nil, err
	}
	if len(names) > maxFilters {
		return nil, fmt.Errorf("more than %d filters on a stream: %w", maxFilters, ErrLimit)
	}
	parms, err := d.list(f, s.Dict["DecodeParms"], len(names))
	if err != nil {
		return nil, err
	}
	filters := make([]Filter, len(names))
	for i, o := range names {
		name, ok := o.(Name)
		if !ok {
			return nil, fmt.Errorf("a filter without a name: %w", ErrDamaged)
		}
		filters[i].Name = name
		if i < len(parms) {
			filters[i].Parms, _ = parms[i].(Dict)
		}
	}
	return filters, nil
}

// list returns the elements of the array o, resolved and at most most, or o alone if
// it is not an array.
func (d *Document) list(f *File, o Object, most int) (Array, error) {
	o, err := d.Resolve(f, o)
	if err != nil || o == nil {
		return nil, err
	}
	array, ok := o.(Array)
	if !ok {
		return Array{o}, nil
	}
	resolved := make(Array, min(len(array), most))
	for i := range resolved {
		if resolved[i], err = d.Resolve(f, array[i]); err != nil {
			return nil, err
		}
	}
	return resolved, nil
}

// Data returns the decoded data of a stream. The error for more than max bytes
// matches [ErrLimit].
func (d *Document) Data(f *File, s *Stream, max int) ([]byte, error) {
	filters, err := d.Filters(f, s)
	if err != nil {
		return nil, err
	}
	data, err := d.Raw(f, s)
	if err != nil {
		return nil, err
	}
	for _, filter := range filters {
		data, err = filter.Apply(data, max)
		if spent := f.Spend(len(data)); spent != nil {
			return nil, spent
		}
		if err != nil {
			return nil, err
		}
	}
	return data, nil
}

// Sample returns the first bytes of the raw data of a stream, at most n.
func (d *Document) Sample(f *File, s *Stream, n int) ([]byte, error) {
	return f.bytes(s.offset, int(min(int64(n), s.length)))
}
