package pdf

import (
	"bytes"
	"fmt"
	"sync"
)

const (
	maxStructure  = 32 << 20 // decoded bytes of a cross-reference or object stream
	maxRaw        = 96 << 20 // bytes of a stream that may be read
	maxChain      = 32       // references that lead to references
	heldStructure = 32 << 20 // bytes of decoded object streams that a Document caches
)

// A Document is the structure of a PDF file: the positions of its objects, their
// encryption, and its pages. It is safe for concurrent use.
type Document struct {
	Version string // from the header, such as "1.7"
	Trailer Dict
	Catalog Dict
	Pages   []Page

	// Rebuilt reports that the cross-reference data was lost and has been rebuilt.
	// Missing objects may then be due to damage.
	Rebuilt bool

	base  int64 // added to offsets
	table xrefTable
	crypt *decrypter   // nil if the file is not encrypted
	nodes map[int]bool // object numbers of the inner nodes of the page tree
	index map[int]int  // first index in Pages, by object number

	objects objectCache

	mu      sync.Mutex
	streams []*objectStream // the most recently used last
	damaged map[int]error   // errors of object streams that cannot be read
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

// open reads the structure that the trailer refers to.
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

// Cost returns the approximate largest memory of d in bytes.
func (d *Document) Cost() int64 {
	const perPage, perIndex, fixed = 40, 60, 64 << 10
	return d.table.bytes() + int64(len(d.Pages))*perPage + int64(len(d.index)+len(d.nodes))*perIndex + (heldStructure+heldObjects)/4 + fixed
}

// Has reports whether an object with a number exists.
func (d *Document) Has(num int) bool {
	kind := d.table.get(num).kind
	return kind == entryOffset || kind == entryInside
}

// Load returns the object with a number, or nil if there is none. The generation is
// ignored, as only the newest object with a number exists. The object is shared: the
// caller must not change it.
func (d *Document) Load(f *File, num int) (Object, error) {
	switch e := d.table.get(num); e.kind {
	case entryOffset:
		found, err := d.held(f, place{offset: d.base + e.offset}, func() (cached, error) {
			return d.objectAt(f, d.base+e.offset, true)
		})
		if err != nil {
			return nil, err
		}
		if found.ref.Num != num {
			return nil, fmt.Errorf("object %d where object %d should be: %w", found.ref.Num, num, ErrDamaged)
		}
		return found.o, nil
	case entryInside:
		s, err := d.objectStream(f, int(e.offset))
		if err != nil {
			return nil, err
		}
		off, ok := s.offsets[num]
		if !ok {
			return nil, fmt.Errorf("object %d is not in its object stream: %w", num, ErrDamaged)
		}
		found, err := d.held(f, place{stream: s.num + 1, offset: int64(off)}, func() (cached, error) {
			return s.object(f, off)
		})
		return found.o, err
	}
	return nil, nil
}

// Resolve follows references from o to an object that is not a reference.
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

// Dict resolves o and returns it if it is a dictionary. For a stream it returns the
// dictionary of the stream, for anything else nil.
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
func (d *Document) objectAt(f *File, off int64, decrypt bool) (cached, error) {
	var (
		ref    Ref
		o      Object
		stream int64
		cost   int64
	)
	err := f.parse(off, func(p *parser) (err error) {
		if ref, err = p.objectHeader(); err != nil {
			return err
		}
		if o, err = p.object(); err != nil {
			return err
		}
		cost = costOf(p.pos, p.values)
		stream, err = p.streamStart(o)
		return err
	})
	if err != nil {
		return cached{}, err
	}
	if decrypt && d.crypt != nil {
		o = d.crypt.strings(o, ref)
	}
	if stream == 0 {
		return cached{ref, o, cost}, nil
	}
	s := &Stream{Dict: o.(Dict), ref: ref, offset: off + stream, crypt: decrypt && d.crypt != nil}
	return cached{ref, s, cost}, d.measure(f, s)
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

// CheckHeader returns an error matching [ErrNotPDF] if a file does not begin like a
// PDF file.
func CheckHeader(f *File) error {
	_, _, err := readHeader(f)
	return err
}
