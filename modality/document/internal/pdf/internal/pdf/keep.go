package pdf

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
)

// KeptVersion names what [Document.Keep] writes. It changes with that, and with what
// [Open] reads.
const KeptVersion = "pdf structure 1"

const maxKept = 256 << 20 // bytes of a structure

// Keep returns the structure of a document, so that [Restore] opens it without reading
// each of its pages. It returns nil if the structure is not in the file as it is.
func (d *Document) Keep() []byte {
	if d.Rebuilt {
		return nil
	}
	w := new(keepWriter)
	w.text(d.Version)
	w.uint(uint64(d.base))
	w.object(d.Trailer)
	w.object(d.Catalog)
	w.table(&d.table)
	w.numbers(slices.Sorted(maps.Keys(d.nodes)))
	w.pages(d.Pages)
	if w.failed {
		return nil
	}
	var packed bytes.Buffer
	z, _ := flate.NewWriter(&packed, flate.DefaultCompression) // the level is valid
	if _, err := z.Write(w.out); err != nil || z.Close() != nil {
		return nil
	}
	return packed.Bytes()
}

// A keepWriter writes a structure.
type keepWriter struct {
	out    []byte
	failed bool
}

func (w *keepWriter) uint(n uint64) { w.out = binary.AppendUvarint(w.out, n) }

func (w *keepWriter) text(s string) {
	w.uint(uint64(len(s)))
	w.out = append(w.out, s...)
}

// Tags of objects.
const (
	tagNull = iota
	tagFalse
	tagTrue
	tagInt
	tagReal
	tagString
	tagName
	tagArray
	tagDict
	tagRef
)

func (w *keepWriter) object(o Object) {
	tag := func(t uint64) { w.uint(t) }
	switch v := o.(type) {
	case nil:
		tag(tagNull)
	case bool:
		if v {
			tag(tagTrue)
		} else {
			tag(tagFalse)
		}
	case int64:
		tag(tagInt)
		w.out = binary.AppendVarint(w.out, v)
	case Real:
		tag(tagReal)
		w.text(string(v))
	case String:
		tag(tagString)
		w.text(string(v))
	case Name:
		tag(tagName)
		w.text(string(v))
	case Array:
		tag(tagArray)
		w.uint(uint64(len(v)))
		for _, o := range v {
			w.object(o)
		}
	case Dict:
		if v == nil {
			tag(tagNull)
			return
		}
		tag(tagDict)
		w.uint(uint64(len(v)))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			w.text(string(key))
			w.object(v[key])
		}
	case Ref:
		tag(tagRef)
		w.uint(uint64(v.Num))
		w.uint(uint64(v.Gen))
	default:
		w.failed = true
	}
}

func (w *keepWriter) table(t *xrefTable) {
	w.uint(uint64(len(t.chunks)))
	var before int64
	for _, chunk := range t.chunks {
		w.uint(uint64(len(chunk)))
		for _, e := range chunk {
			w.uint(uint64(e.kind))
			w.uint(uint64(e.gen))
			w.out = binary.AppendVarint(w.out, e.offset-before)
			before = e.offset
		}
	}
}

func (w *keepWriter) numbers(all []int) {
	w.uint(uint64(len(all)))
	for _, n := range all {
		w.uint(uint64(n))
	}
}

// pages writes what pages inherit once for those that share it.
func (w *keepWriter) pages(pages []Page) {
	w.uint(uint64(len(pages)))
	var last uintptr
	for i, p := range pages {
		w.uint(uint64(p.Ref.Num))
		w.uint(uint64(p.Ref.Gen))
		if p.Ref == (Ref{}) {
			w.object(p.Dict)
		}
		if i > 0 && reflect.ValueOf(p.Inherited).Pointer() == last {
			w.uint(0)
			continue
		}
		w.uint(1)
		w.object(p.Inherited)
		last = reflect.ValueOf(p.Inherited).Pointer()
	}
}

// Restore opens a document by what [Document.Keep] returned for the same bytes. The error
// matches [ErrDamaged] if that is damaged.
func Restore(f *File, kept []byte) (*Document, error) {
	data, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(kept)), maxKept))
	if err != nil {
		return nil, fmt.Errorf("what is kept of the structure: %w", ErrDamaged)
	}
	r := &keepReader{data: data}
	d := &Document{Version: r.text(), base: int64(r.uint())}
	d.Trailer, _ = r.object(0).(Dict)
	d.Catalog, _ = r.object(0).(Dict)
	r.table(&d.table)
	d.nodes = make(map[int]bool)
	for range r.count(1) {
		d.nodes[int(r.uint())] = true
	}
	r.pages(d)
	if r.failed || len(r.data) > 0 || d.Trailer == nil || d.Catalog == nil || len(d.Pages) == 0 {
		return nil, fmt.Errorf("what is kept of the structure: %w", ErrDamaged)
	}
	if err := f.Visit(len(d.Pages)); err != nil {
		return nil, err
	}
	return d, d.openCrypt(f)
}

// A keepReader reads a structure.
type keepReader struct {
	data   []byte
	failed bool
}

func (r *keepReader) uint() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 || v > 1<<62 {
		r.failed, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *keepReader) int() int64 {
	v, n := binary.Varint(r.data)
	if n <= 0 {
		r.failed, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return v
}

// count reads a number of things that have at least so many bytes each.
func (r *keepReader) count(least int) int {
	n := r.uint()
	if n > uint64(len(r.data)/least) {
		r.failed, r.data = true, nil
		return 0
	}
	return int(n)
}

func (r *keepReader) text() string {
	n := r.count(1)
	s := string(r.data[:n])
	r.data = r.data[n:]
	return s
}

func (r *keepReader) object(depth int) Object {
	if depth > maxDepth {
		r.failed, r.data = true, nil
		return nil
	}
	switch r.uint() {
	case tagNull:
		return nil
	case tagFalse:
		return false
	case tagTrue:
		return true
	case tagInt:
		return r.int()
	case tagReal:
		return Real(r.text())
	case tagString:
		return String(r.text())
	case tagName:
		return Name(r.text())
	case tagArray:
		a := make(Array, r.count(1))
		for i := range a {
			a[i] = r.object(depth + 1)
		}
		return a
	case tagDict:
		d := make(Dict)
		for range r.count(2) {
			key := Name(r.text())
			d[key] = r.object(depth + 1)
		}
		return d
	case tagRef:
		num := r.uint()
		return Ref{int(num), int(r.uint())}
	}
	r.failed, r.data = true, nil
	return nil
}

func (r *keepReader) table(t *xrefTable) {
	var before int64
	for c := range r.count(1) {
		if c > maxObjectNumber/chunkSize {
			r.failed = true
			return
		}
		n := r.count(3)
		if n != 0 && n != chunkSize {
			r.failed = true
			return
		}
		for i := range n {
			kind, gen := r.uint(), r.uint()
			before += r.int()
			if kind != entryNone {
				t.set(c*chunkSize+i, entry{offset: before, gen: uint16(gen), kind: uint8(kind)})
			}
		}
	}
}

func (r *keepReader) pages(d *Document) {
	d.index = make(map[int]int)
	var inherited Dict
	for i := range r.count(3) {
		num := r.uint()
		page := Page{Ref: Ref{int(num), int(r.uint())}}
		if page.Ref == (Ref{}) {
			page.Dict, _ = r.object(0).(Dict)
		} else if _, again := d.index[page.Ref.Num]; !again {
			d.index[page.Ref.Num] = i
		}
		if r.uint() == 1 {
			inherited, _ = r.object(0).(Dict)
		}
		page.Inherited = inherited
		d.Pages = append(d.Pages, page)
	}
}
