package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
)

const (
	maxStructure  = 64 << 20 // decoded bytes of a cross-reference or object stream
	maxRaw        = 1 << 30  // bytes of a stream that is read
	maxChain      = 32       // references that refer to references
	heldStructure = 32 << 20 // decoded object streams that a Document keeps
)

// A Document is the structure of a PDF file: where its objects are, how they
// are encrypted, and its pages. It is safe for concurrent use.
type Document struct {
	Version string // of the header, such as "1.7"
	Trailer Dict
	Catalog Dict
	Pages   []Page

	// Rebuilt reports that the cross-reference data was lost and has been
	// made anew, so that an object that is missing is missing because of
	// damage.
	Rebuilt bool

	base  int64 // what offsets are relative to
	table xrefTable
	crypt *decrypter   // nil if the file is not encrypted
	nodes map[int]bool // object numbers of the inner nodes of the page tree
	index map[int]int  // the first index in Pages of an object number

	mu   sync.Mutex
	held map[int]*objectStream
	cost int64 // decoded bytes in held
}

// Open reads the structure of a file. It returns an error matching
// [ErrNotPDF], [ErrDamaged], [ErrPassword], [ErrEncryption] or [ErrLimit].
func Open(f *File) (*Document, error) {
	version, header, err := readHeader(f)
	if err != nil {
		return nil, err
	}
	x, err := readXref(f, header)
	if err != nil {
		return nil, err
	}
	d := &Document{Version: version, Trailer: x.trailer, base: x.base, table: x.table}
	return d, d.open(f)
}

// open reads what the trailer leads to.
func (d *Document) open(f *File) error {
	if err := d.openCrypt(f); err != nil {
		return err
	}
	catalog, err := d.Dict(f, d.Trailer["Root"])
	if err != nil {
		return err
	}
	if catalog == nil {
		return fmt.Errorf("no document catalog: %w", ErrDamaged)
	}
	d.Catalog = catalog
	return d.readPages(f)
}

func readHeader(f *File) (version string, offset int64, err error) {
	data, err := f.bytes(0, headerWindow)
	if err != nil {
		return "", 0, err
	}
	i := bytes.Index(data, []byte("%PDF-"))
	if i < 0 {
		return "", 0, fmt.Errorf("no PDF header in the first %d bytes: %w", headerWindow, ErrNotPDF)
	}
	version = "1.4"
	if v := data[i+5:]; len(v) >= 3 && v[1] == '.' && (v[0] == '1' || v[0] == '2') && v[2] >= '0' && v[2] <= '9' {
		version = string(v[:3])
	}
	return version, int64(i), nil
}

// Cost returns roughly the bytes of memory that d takes at most.
func (d *Document) Cost() int64 {
	const perPage, fixed = 200, 64 << 10
	return d.table.bytes() + int64(len(d.Pages))*perPage + heldStructure/4 + fixed
}

// Has reports whether there is an object with a number.
func (d *Document) Has(num int) bool {
	kind := d.table.get(num).kind
	return kind == entryOffset || kind == entryInside
}

// Load returns the object with a number, or nil if there is none. Its
// generation does not matter, as only the newest object of a number exists.
func (d *Document) Load(f *File, num int) (Object, error) {
	switch e := d.table.get(num); e.kind {
	case entryOffset:
		ref, o, err := d.objectAt(f, d.base+e.offset, true)
		if err != nil {
			return nil, err
		}
		if ref.Num != num {
			return nil, fmt.Errorf("object %d where object %d should be: %w", ref.Num, num, ErrDamaged)
		}
		return o, nil
	case entryInside:
		s, err := d.objectStream(f, int(e.offset))
		if err != nil {
			return nil, err
		}
		return s.object(f, num)
	}
	return nil, nil
}

// Resolve follows o as long as it is a reference.
func (d *Document) Resolve(f *File, o Object) (Object, error) {
	for range maxChain {
		ref, ok := o.(Ref)
		if !ok {
			return o, nil
		}
		var err error
		if o, err = d.Load(f, ref.Num); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("references that refer to each other: %w", ErrDamaged)
}

// Dict resolves o and returns it if it is a dictionary, or that of a stream;
// else nil.
func (d *Document) Dict(f *File, o Object) (Dict, error) {
	o, err := d.Resolve(f, o)
	switch v := o.(type) {
	case Dict:
		return v, err
	case *Stream:
		return v.Dict, err
	}
	return nil, err
}

// Array resolves o and returns it if it is an array, else nil.
func (d *Document) Array(f *File, o Object) (Array, error) {
	o, err := d.Resolve(f, o)
	array, _ := o.(Array)
	return array, err
}

// objectAt reads the indirect object at an offset.
func (d *Document) objectAt(f *File, off int64, decrypt bool) (Ref, Object, error) {
	var (
		ref    Ref
		o      Object
		stream int64
	)
	err := f.parse(off, func(p *parser) (err error) {
		if ref, err = p.objectHeader(); err != nil {
			return err
		}
		if o, err = p.object(); err != nil {
			return err
		}
		stream, err = p.streamStart(o)
		return err
	})
	if err != nil {
		return ref, nil, err
	}
	if decrypt && d.crypt != nil {
		o = d.crypt.strings(o, ref)
	}
	if stream == 0 {
		return ref, o, nil
	}
	s := &Stream{Dict: o.(Dict), ref: ref, offset: off + stream, crypt: decrypt && d.crypt != nil}
	return ref, s, d.measure(f, s)
}

// objectHeader reads "1 0 obj".
func (p *parser) objectHeader() (Ref, error) {
	num, okNum := p.integer()
	gen, okGen := p.integer()
	if !okNum || !okGen || !p.keyword("obj") || num > maxObjectNumber {
		return Ref{}, p.damaged("no object where one should be")
	}
	return Ref{int(num), int(gen)}, nil
}

// streamStart returns the position of the data of a stream, or 0 if o is not
// a stream's dictionary.
func (p *parser) streamStart(o Object) (int64, error) {
	p.skip()
	if p.pos+len("stream\r\n") > len(p.data) && p.more {
		return 0, errShort
	}
	if _, ok := o.(Dict); !ok || !p.keyword("stream") {
		return 0, nil
	}
	for p.pos < len(p.data) && p.data[p.pos] == ' ' {
		p.pos++ // not allowed, but written by some
	}
	if p.pos < len(p.data) && p.data[p.pos] == '\r' {
		p.pos++
	}
	if p.pos < len(p.data) && p.data[p.pos] == '\n' {
		p.pos++
	}
	return int64(p.pos), nil
}

// measure finds the length of a stream. Where the declared one does not lead
// to the end of the stream, the data ends before the next "endstream".
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

// declaredLength returns the Length of s, -1 if it has none.
func (d *Document) declaredLength(f *File, s *Stream) (int64, error) {
	o := s.Dict["Length"]
	if ref, ok := o.(Ref); ok {
		if f.measuring || ref.Num == s.ref.Num {
			return -1, nil // it would be needed to find itself
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
	data, err := f.bytes(off, 24)
	if err != nil {
		return false, err
	}
	p := parser{data: data}
	return p.keyword("endstream") || p.keyword("endobj"), nil
}

// trimLineEnd takes the line end before "endstream" off the data of s.
func (f *File) trimLineEnd(s *Stream) error {
	n := min(s.length, 2)
	tail, err := f.bytes(s.offset+s.length-n, int(n))
	if err != nil {
		return err
	}
	s.length -= n - int64(len(bytes.TrimRight(tail, "\r\n")))
	return nil
}

// Raw returns the data of a stream as it is in the file, decrypted but not
// decoded.
func (d *Document) Raw(f *File, s *Stream) ([]byte, error) {
	if s.length > maxRaw {
		return nil, fmt.Errorf("a stream of %d bytes: %w", s.length, ErrLimit)
	}
	data, err := f.bytes(s.offset, int(s.length))
	if err != nil || !s.crypt {
		return data, err
	}
	return d.crypt.stream(data, s)
}

// Extent returns where the data of s lies in the file. It is not ok if the
// data is encrypted.
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
	names, err := d.list(f, s.Dict["Filter"])
	if err != nil {
		return nil, err
	}
	parms, err := d.list(f, s.Dict["DecodeParms"])
	if err != nil {
		return nil, err
	}
	if len(names) > maxFilters {
		return nil, fmt.Errorf("%d filters on a stream: %w", len(names), ErrLimit)
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

// list returns the elements of the array o, resolved, or o itself.
func (d *Document) list(f *File, o Object) (Array, error) {
	o, err := d.Resolve(f, o)
	if err != nil || o == nil {
		return nil, err
	}
	array, ok := o.(Array)
	if !ok {
		return Array{o}, nil
	}
	resolved := make(Array, len(array))
	for i := range array {
		if resolved[i], err = d.Resolve(f, array[i]); err != nil {
			return nil, err
		}
	}
	return resolved, nil
}

// Data returns the decoded data of a stream, at most max bytes of it; more is
// an error matching [ErrLimit].
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
		if data, err = filter.Apply(data, max); err != nil {
			return nil, err
		}
		if err := f.Spend(len(data)); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// An objectStream is a decoded object stream (7.5.7).
type objectStream struct {
	data    []byte
	offsets map[int]int // of each object number
}

func (s *objectStream) object(f *File, num int) (Object, error) {
	off, ok := s.offsets[num]
	if !ok {
		return nil, fmt.Errorf("object %d is not in its object stream: %w", num, ErrDamaged)
	}
	p := &parser{data: s.data, pos: off}
	o, err := p.object()
	if err != nil {
		return nil, err
	}
	return o, f.Spend(p.pos - off)
}

// objectStream returns an object stream, decoded. Some are kept.
func (d *Document) objectStream(f *File, num int) (*objectStream, error) {
	d.mu.Lock()
	s, ok := d.held[num]
	d.mu.Unlock()
	if ok {
		return s, nil
	}
	s, err := d.readObjectStream(f, num)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	cost := int64(len(s.data) + len(s.offsets)*32)
	if d.held == nil || d.cost+cost > heldStructure {
		d.held, d.cost = map[int]*objectStream{}, 0
	}
	d.held[num] = s
	d.cost += cost
	return s, nil
}

func (d *Document) readObjectStream(f *File, num int) (*objectStream, error) {
	e := d.table.get(num)
	if e.kind != entryOffset {
		return nil, fmt.Errorf("the object stream %d is missing: %w", num, ErrDamaged)
	}
	ref, o, err := d.objectAt(f, d.base+e.offset, true)
	if err != nil {
		return nil, err
	}
	stream, ok := o.(*Stream)
	if !ok || ref.Num != num {
		return nil, fmt.Errorf("object %d is no object stream: %w", num, ErrDamaged)
	}
	data, err := d.Data(f, stream, maxStructure)
	if err != nil {
		return nil, err
	}
	n, okCount := stream.Dict["N"].(int64)
	first, okFirst := stream.Dict["First"].(int64)
	if !okCount || !okFirst || n < 0 || n > int64(len(data)) || first < 0 || first > int64(len(data)) {
		return nil, fmt.Errorf("the object stream %d has a wrong header: %w", num, ErrDamaged)
	}
	return indexObjectStream(data, int(n), int(first))
}

func indexObjectStream(data []byte, n, first int) (*objectStream, error) {
	s := &objectStream{data: data, offsets: make(map[int]int, n)}
	p := &parser{data: data[:first]}
	for range n {
		num, okNum := p.integer()
		off, okOff := p.integer()
		if !okNum || !okOff || off > int64(len(data)-first) {
			return nil, fmt.Errorf("an object stream with a wrong index: %w", ErrDamaged)
		}
		s.offsets[int(num)] = first + int(off)
	}
	return s, nil
}

// Sample returns the first bytes of the raw data of a stream, at most n.
func (d *Document) Sample(f *File, s *Stream, n int) ([]byte, error) {
	return f.bytes(s.offset, int(min(int64(n), s.length)))
}

// CheckHeader returns an error matching [ErrNotPDF] if a file does not begin
// as a PDF file does.
func CheckHeader(f *File) error {
	_, _, err := readHeader(f)
	return err
}
