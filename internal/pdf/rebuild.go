package pdf

import (
	"bytes"
	"errors"
	"fmt"
)

const (
	scanStep    = 1 << 20
	maxFound    = 1 << 20
	scanOverlap = 64 // bytes that "8388607 65535 obj" may take, with space
)

// Rebuild opens a file whose cross-reference data is lost or wrong: it finds
// the objects by looking for them. Where an object is there several times the
// last one counts. The document is marked as Rebuilt.
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
		return nil, fmt.Errorf("no document catalog: %w", ErrDamaged)
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

// findObjects enters all objects into the table and returns their numbers in
// the order of the file.
func (d *Document) findObjects(f *File) ([]int, error) {
	var found []int
	for start := int64(0); start < f.size; start += scanStep {
		data, err := f.bytes(start, scanStep+scanOverlap)
		if err != nil {
			return nil, err
		}
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
			d.table.set(num, entry{offset: start + int64(off), gen: gen, kind: entryOffset})
			if found = append(found, num); len(found) > maxFound {
				return nil, fmt.Errorf("more than %d objects in a damaged file: %w", maxFound, ErrLimit)
			}
		}
	}
	return found, nil
}

// objectBefore reads "1 0 " backwards from the end of data and returns where
// it begins.
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

// numberBefore reads a number that space follows from the end of data.
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

// lastTrailer returns the last trailer that names a catalog; an empty one if
// there is none.
func (f *File) lastTrailer() (Dict, error) {
	const word = "trailer"
	for end := f.size; end > 0; {
		start := max(end-scanStep, 0)
		data, err := f.bytes(start, int(end-start)+len(word))
		if err != nil {
			return nil, err
		}
		for {
			i := bytes.LastIndex(data, []byte(word))
			if i < 0 {
				break
			}
			data = data[:i]
			x := xrefReader{f: f}
			trailer, err := x.readTrailer(start + int64(i+len(word)))
			if err == nil && trailer["Root"] != nil {
				return trailer, nil
			}
			if err != nil && !errors.Is(err, ErrDamaged) {
				return nil, err
			}
		}
		end = start
	}
	return Dict{}, nil
}

// survey looks at the objects that were found: it completes the trailer from
// cross-reference streams and returns the object streams. Objects that cannot
// be read are left out, as if they were not there.
func (d *Document) survey(f *File, found []int) (containers []int, err error) {
	catalog := Object(nil)
	for _, num := range found {
		e := d.table.get(num)
		if e.kind != entryOffset {
			continue
		}
		dict, err := f.dictAt(e.offset)
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
		d.Trailer["Root"] = catalog
	}
	return containers, nil
}

// dictAt reads the dictionary of the object at an offset; nil if it has none
// or is damaged.
func (f *File) dictAt(off int64) (Dict, error) {
	var dict Dict
	err := f.parse(off, func(p *parser) error {
		if _, err := p.objectHeader(); err != nil {
			return err
		}
		p.skip()
		if p.pos+1 >= len(p.data) {
			return p.end()
		}
		if p.data[p.pos] != '<' || p.data[p.pos+1] != '<' {
			return nil
		}
		o, err := p.object()
		dict, _ = o.(Dict)
		return err
	})
	if errors.Is(err, ErrDamaged) || errors.Is(err, ErrLimit) && f.read <= maxRead {
		return nil, nil
	}
	return dict, err
}

// addContents enters the objects in an object stream that are not found
// elsewhere into the table.
func (d *Document) addContents(f *File, num int) error {
	s, err := d.objectStream(f, num)
	if errors.Is(err, ErrDamaged) {
		return nil
	}
	if err != nil {
		return err
	}
	for inside := range s.offsets {
		if d.table.get(inside).kind != entryOffset {
			d.table.set(inside, entry{offset: int64(num), kind: entryInside})
		}
	}
	return nil
}
