package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
)

const (
	scanStep    = 1 << 20
	maxFound    = 1 << 20
	scanOverlap = 64 // bytes that "8388607 65535 obj" may take, including spaces

	maxTrailers    = 64       // trailers that are tried, from the last one
	maxTrailer     = 64 << 10 // bytes of a trailer
	maxSurveyed    = 1 << 20  // bytes of a dictionary
	surveyOverruns = 8        // dictionaries that are read although they seem to extend beyond the next object
)

// Rebuild opens a file whose cross-reference data is lost or wrong. It finds the
// objects by scanning the file. If an object occurs several times, the last one
// counts. The document is marked as Rebuilt.
//
// It scans the file once and reads only dictionaries that may be needed. The
// error for a file without a catalog or without pages matches [ErrEmpty] and
// [ErrDamaged]: nothing in it can be recovered.
func Rebuild(f *File) (*Document, error) {
	version, _, err := readHeader(f)
	if err != nil {
		return nil, err
	}
	d := &Document{Version: version, Rebuilt: true}
	found, err := d.findObjects(f)
	if err != nil {
		return nil, err
	}
	if d.Trailer, err = f.lastTrailer(); err != nil {
		return nil, err
	}
	containers, err := d.survey(f, found)
	if err != nil {
		return nil, err
	}
	if d.Trailer["Root"] == nil {
		return nil, fmt.Errorf("no document catalog: %w", ErrEmpty)
	}
	if err := d.openCrypt(f); err != nil {
		return nil, err
	}
	for _, num := range containers {
		if err := d.addContents(f, num); err != nil {
			return nil, err
		}
	}
	return d, d.open(f)
}

// A foundObject is an object found by a scan.
type foundObject struct {
	offset int64
	num    int32
	useful bool // whether it may be a catalog, an object stream or cross-reference data
}

// findObjects adds all objects to the table, and returns them in file order.
func (d *Document) findObjects(f *File) ([]foundObject, error) {
	var found []foundObject
	buffer := make([]byte, min(scanStep+scanOverlap, f.size))
	for start := int64(0); start < f.size; start += scanStep {
		data := buffer[:min(scanStep+scanOverlap, f.size-start)]
		if err := f.fill(data, start); err != nil {
			return nil, err
		}
		marks := marksOf(data)
		for from := 0; ; {
			i := bytes.Index(data[from:], []byte("obj"))
			if i < 0 {
				break
			}
			at := from + i
			from = at + 3
			num, gen, off, ok := objectBefore(data[:at])
			if !ok || int64(off) >= scanStep && start+scanStep < f.size {
				continue
			}
			offset := start + int64(off)
			if n := len(found); n > 0 {
				found[n-1].useful = found[n-1].useful || marks.before(off)
			}
			d.table.set(num, entry{offset: offset, gen: gen, kind: entryOffset})
			if found = append(found, foundObject{offset: offset, num: int32(num)}); len(found) > maxFound {
				return nil, fmt.Errorf("more than %d objects in a damaged file: %w", maxFound, ErrLimit)
			}
		}
		if n := len(found); n > 0 {
			found[n-1].useful = found[n-1].useful || marks.before(len(data))
		}
	}
	return found, nil
}

// marks are the offsets of words that make a dictionary useful, in ascending order.
type marks [][]int

// marksOf finds the types of useful objects, and names with escaped characters, which
// may stand for any type.
func marksOf(data []byte) marks {
	var all marks
	for _, word := range []string{"Catalog", "ObjStm", "XRef", "#"} {
		var places []int
		for from := 0; ; {
			i := bytes.Index(data[from:], []byte(word))
			if i < 0 {
				break
			}
			places = append(places, from+i)
			from += i + len(word)
		}
		all = append(all, places)
	}
	return all
}

// before reports whether a mark lies before place, and drops all such marks.
func (m marks) before(place int) bool {
	any := false
	for i := range m {
		for len(m[i]) > 0 && m[i][0] < place {
			m[i], any = m[i][1:], true
		}
	}
	return any
}

// objectBefore reads "1 0 " backwards from the end of data, and returns its offset.
func objectBefore(data []byte) (num int, gen uint16, off int, ok bool) {
	rest, g, ok := numberBefore(data)
	if !ok || g > 65535 {
		return 0, 0, 0, false
	}
	rest, n, ok := numberBefore(rest)
	if !ok || n > maxObjectNumber || len(rest) > 0 && class[rest[len(rest)-1]] == regular && !bytes.HasSuffix(rest, []byte("endobj")) {
		return 0, 0, 0, false
	}
	return n, uint16(g), len(rest), true
}

// numberBefore reads a number followed by space from the end of data.
func numberBefore(data []byte) (rest []byte, n int, ok bool) {
	trimmed := bytes.TrimRight(data, "\x00\t\n\f\r ")
	start := len(trimmed)
	for start > 0 && len(trimmed)-start < 8 && trimmed[start-1] >= '0' && trimmed[start-1] <= '9' {
		start--
	}
	for _, c := range trimmed[start:] {
		n = n*10 + int(c-'0')
	}
	return trimmed[:start], n, start < len(trimmed) && len(trimmed) < len(data)
}

// lastTrailer returns the last trailer that names a catalog, or an empty one if none
// of the last trailers does.
func (f *File) lastTrailer() (Dict, error) {
	const word = "trailer"
	tried := 0
	buffer := make([]byte, min(scanStep+int64(len(word)), f.size))
	for end := f.size; end > 0; {
		start := max(end-scanStep, 0)
		data := buffer[:min(end-start+int64(len(word)), f.size-start)]
		if err := f.fill(data, start); err != nil {
			return nil, err
		}
		for {
			i := bytes.LastIndex(data, []byte(word))
			if i < 0 {
				break
			}
			data = data[:i]
			trailer, err := f.trailerAt(start + int64(i+len(word)))
			if err != nil || trailer["Root"] != nil {
				return trailer, err
			}
			if tried++; tried == maxTrailers {
				return Dict{}, nil
			}
		}
		end = start
	}
	return Dict{}, nil
}

// trailerAt reads the dictionary of a trailer; nil if there is none.
func (f *File) trailerAt(off int64) (Dict, error) {
	var trailer Dict
	err := f.parseUpTo(off, maxTrailer, func(p *parser) error {
		o, err := p.object()
		trailer, _ = o.(Dict)
		return err
	})
	return trailer, f.unlessSpent(err)
}

// unlessSpent returns err, or nil if it only reports unreadable data.
func (f *File) unlessSpent(err error) error {
	if errors.Is(err, ErrDamaged) || errors.Is(err, ErrLimit) && f.budget.check() == nil {
		return nil
	}
	return err
}

// survey reads the objects that were found. It completes the trailer from
// cross-reference streams, and returns the object streams. Unreadable objects are
// treated as missing.
func (d *Document) survey(f *File, found []foundObject) (containers []int, err error) {
	catalog := Object(nil)
	overruns := surveyOverruns
	for i, object := range found {
		num := int(object.num)
		e := d.table.get(num)
		if !object.useful || e.kind != entryOffset || e.offset != object.offset {
			continue
		}
		end := f.size
		if i+1 < len(found) {
			end = found[i+1].offset
		}
		dict, err := f.dictAt(object.offset, end, &overruns)
		if err != nil {
			return nil, err
		}
		switch dict["Type"] {
		case Name("ObjStm"):
			containers = append(containers, num)
		case Name("XRef"):
			if d.Trailer["Root"] == nil || d.Trailer["Type"] == Name("XRef") && dict["Root"] != nil {
				d.Trailer = dict
			}
		case Name("Catalog"):
			catalog = Ref{Num: num, Gen: int(e.gen)}
		}
	}
	if d.Trailer["Root"] == nil && catalog != nil {
		d.Trailer = maps.Clone(d.Trailer)
		d.Trailer["Root"] = catalog
	}
	return containers, nil
}

// dictAt reads the dictionary of the object at off; nil if it has none or is damaged.
// The dictionary ends before the next object. A few may extend further, in case the
// scan was wrong about the next object.
func (f *File) dictAt(off, end int64, overruns *int) (dict Dict, err error) {
	data, err := f.view(off, int(min(end-off, maxSurveyed)))
	if err != nil {
		return nil, err
	}
	p := &parser{data: data, more: true}
	dict, err = p.objectDict()
	if err := f.parsed(p.pos); err != nil {
		return nil, err
	}
	switch {
	case !errors.Is(err, errShort):
		return dict, f.unlessSpent(err)
	case *overruns == 0:
		return nil, nil
	}
	*overruns--
	err = f.parseUpTo(off, maxSurveyed, func(p *parser) (err error) {
		dict, err = p.objectDict()
		return err
	})
	return dict, f.unlessSpent(err)
}

// objectDict reads an object that is a dictionary; nil for other objects.
func (p *parser) objectDict() (Dict, error) {
	if _, err := p.objectHeader(); err != nil {
		return nil, err
	}
	p.skip()
	if p.pos+1 >= len(p.data) {
		return nil, p.end()
	}
	if p.data[p.pos] != '<' || p.data[p.pos+1] != '<' {
		return nil, nil
	}
	o, err := p.object()
	dict, _ := o.(Dict)
	return dict, err
}

// addContents adds the objects in an object stream to the table, unless they were
// found elsewhere.
func (d *Document) addContents(f *File, num int) error {
	s, err := d.objectStream(f, num)
	if errors.Is(err, ErrDamaged) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := f.Visit(len(s.offsets)); err != nil {
		return err
	}
	for inside := range s.offsets {
		if d.table.get(inside).kind != entryOffset {
			d.table.set(inside, entry{offset: int64(num), kind: entryInside})
		}
	}
	return nil
}
