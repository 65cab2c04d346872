package pdf

import "fmt"

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
