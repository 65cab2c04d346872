package workspace

import "sync"

const maxRecent = 16384

// recent caches values by key in bounded memory. When it is full it drops
// everything, because the values can be read again.
type recent[V any] struct {
	mu     sync.Mutex
	values map[string]V
}

func (r *recent[V]) get(key string) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.values[key]
	return v, ok
}

func (r *recent[V]) put(key string, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.values == nil || len(r.values) >= maxRecent {
		r.values = make(map[string]V)
	}
	r.values[key] = v
}

func (r *recent[V]) remove(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.values, key)
}
