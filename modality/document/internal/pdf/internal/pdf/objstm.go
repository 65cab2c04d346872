package pdf

import (
	"errors"
	"fmt"
	"slices"
)

const maxContents = 1 << 18 // objects in an object stream

// An objectStream is a decoded object stream (7.5.7).
type objectStream struct {
	num     int
	data    []byte
	offsets map[int]int // by object number
}

// cost returns the approximate memory of s.
func (s *objectStream) cost() int { return cap(s.data) + len(s.offsets)*32 }

// object reads the object at an offset of s.
func (s *objectStream) object(f *File, off int) (cached, error) {
	p := &parser{data: s.data[:min(len(s.data), off+maxObject)], pos: off}
	o, err := p.object()
	if err := f.parsed(p.pos - off); err != nil {
		return cached{}, err
	}
	return cached{o: o, cost: costOf(p.pos-off, p.values)}, err
}

// objectStream returns a decoded object stream. Some are cached. A damaged one is not
// read again for each of its objects.
func (d *Document) objectStream(f *File, num int) (*objectStream, error) {
	if s, err := d.heldStream(num); s != nil || err != nil {
		return s, err
	}
	s, err := d.readObjectStream(f, num)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		if errors.Is(err, ErrDamaged) && len(d.damaged) < maxDamaged {
			if d.damaged == nil {
				d.damaged = map[int]error{}
			}
			d.damaged[num] = err
		}
		return nil, err
	}
	d.streams = append(d.streams, s)
	cost := 0
	for i := len(d.streams) - 1; i >= 0; i-- {
		cost += d.streams[i].cost()
		if len(d.streams)-i > maxHeldStreams || cost > heldStructure && i < len(d.streams)-1 {
			d.streams = slices.Clone(d.streams[i+1:])
			break
		}
	}
	return s, nil
}

const (
	maxHeldStreams = 1 << 10
	maxDamaged     = 1 << 12
)

// heldStream returns a cached object stream, the error of a damaged one, or nil.
func (d *Document) heldStream(num int) (*objectStream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, s := range slices.Backward(d.streams) {
		if s.num == num {
			d.streams = append(slices.Delete(d.streams, i, i+1), s)
			return s, nil
		}
	}
	return nil, d.damaged[num]
}

func (d *Document) readObjectStream(f *File, num int) (*objectStream, error) {
	e := d.table.get(num)
	if e.kind != entryOffset {
		return nil, fmt.Errorf("the object stream %d is missing: %w", num, ErrDamaged)
	}
	found, err := d.objectAt(f, d.base+e.offset, true)
	if err != nil {
		return nil, err
	}
	stream, ok := found.o.(*Stream)
	if !ok || found.ref.Num != num {
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
	if n > maxContents {
		return nil, fmt.Errorf("an object stream of %d objects: %w", n, ErrLimit)
	}
	if err := f.Visit(int(n)); err != nil {
		return nil, err
	}
	return indexObjectStream(num, data, int(n), int(first))
}

func indexObjectStream(num int, data []byte, n, first int) (*objectStream, error) {
	s := &objectStream{num: num, data: data, offsets: make(map[int]int, min(n, first/4+1))}
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
