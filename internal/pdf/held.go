package pdf

import "sync"

// heldObjects is roughly the memory that a document keeps parsed objects in.
const heldObjects = 16 << 20

// A place is where an object is: at an offset of the file, or of an object
// stream.
type place struct {
	stream int // the number of the object stream, 0 for the file
	offset int64
}

// A cached object is shared by all who load it.
type cached struct {
	ref  Ref // by its header; zero in an object stream
	o    Object
	cost int64 // bytes of memory, roughly
}

// An objectCache keeps the objects that were used last. It is safe for
// concurrent use.
type objectCache struct {
	mu          sync.Mutex
	recent, old map[place]cached
	cost        int64 // of recent
}

func (c *objectCache) get(at place) (cached, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.recent[at]; ok {
		return found, true
	}
	found, ok := c.old[at]
	if ok {
		c.put(at, found)
	}
	return found, ok
}

// put keeps an object that costs no more than half of what is kept.
func (c *objectCache) put(at place, found cached) {
	if c.recent == nil || c.cost+found.cost > heldObjects/2 {
		c.old, c.recent, c.cost = c.recent, map[place]cached{}, 0
	}
	c.recent[at] = found
	c.cost += found.cost
}

// forget drops all objects.
func (c *objectCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.old, c.recent, c.cost = nil, nil, 0
}

// forget drops what is kept of objects and object streams.
func (d *Document) forget() {
	d.objects.forget()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.streams, d.damaged = nil, nil
}

// held returns the object at a place, which load reads if it is not kept.
func (d *Document) held(f *File, at place, load func() (cached, error)) (cached, error) {
	if err := f.Visit(1); err != nil {
		return cached{}, err
	}
	if found, ok := d.objects.get(at); ok {
		return found, nil
	}
	if f.large.of == d && f.large.at == at {
		return f.large.cached, nil
	}
	found, err := load()
	if err != nil {
		return cached{}, err
	}
	if found.cost > heldObjects/2 {
		f.large.of, f.large.at, f.large.cached = d, at, found
		return found, nil
	}
	d.objects.mu.Lock()
	defer d.objects.mu.Unlock()
	d.objects.put(at, found)
	return found, nil
}

// costOf returns roughly the memory of an object of so many bytes and values.
func costOf(bytes, values int) int64 { return 100 + int64(bytes) + 64*int64(values) }
