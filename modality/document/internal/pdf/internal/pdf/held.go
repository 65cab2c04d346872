package pdf

import "sync"

// heldObjects is the approximate memory for cached objects of a document.
const heldObjects = 16 << 20

// A place is the position of an object: an offset in the file or in an object stream.
type place struct {
	stream int // number of the object stream; 0 for the file
	offset int64
}

// A cached object is shared by all callers that load it.
type cached struct {
	ref  Ref // from its header; zero in an object stream
	o    Object
	cost int64 // approximate memory in bytes
}

// An objectCache caches the most recently used objects. It is safe for concurrent
// use.
type objectCache struct {
	mu          sync.Mutex
	recent, old map[place]cached
	cost        int64 // of the objects in recent
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

// put caches an object, unless it needs more than half of the cache.
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

// forget drops all cached objects and object streams.
func (d *Document) forget() {
	d.objects.forget()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.streams, d.damaged = nil, nil
}

// held returns the object at a place, from the cache or from load.
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

// costOf returns the approximate memory of an object with so many bytes and values.
func costOf(bytes, values int) int64 { return 100 + int64(bytes) + 64*int64(values) }
