package cloud

import (
	"sync"
	"time"
)

const (
	stockSize = 16        // keys; more are reserved when half of them are used
	stockFor  = time.Hour // how long a key that was reserved can be used: far from when it is cleared away
)

// A stock has keys of objects that are reserved, see [Workspace.reserve]. What is left at
// the end is cleared away as any garbage is.
type stock struct {
	w       *Workspace
	filling sync.WaitGroup

	mu    sync.Mutex
	on    bool
	busy  bool // it is being filled
	keys  []string
	since time.Time // the first of keys was reserved
}

// take returns a key, or "" if there is none.
func (s *stock) take() (key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.since) > stockFor {
		s.keys = nil
	}
	if len(s.keys) > 0 {
		key, s.keys = s.keys[0], s.keys[1:]
	}
	if s.on && !s.busy && len(s.keys) <= stockSize/2 {
		s.busy = true
		s.filling.Go(s.reserve)
	}
	return key
}

// fill begins to keep keys in stock.
func (s *stock) fill() {
	s.mu.Lock()
	s.on = true
	s.mu.Unlock()
	s.take()
}

// reserve reserves more keys. Without them, each is reserved when it is used.
func (s *stock) reserve() {
	keys := make([]string, stockSize)
	for i := range keys {
		keys[i] = s.w.newContent()
	}
	since := time.Now().Round(0) // by the wall clock, which goes on while a machine sleeps
	_, err := s.w.exec(s.w.notices.ctx, repeating, `INSERT INTO {s}.garbage (key, size) SELECT unnest($1::text[]), -1 ON CONFLICT DO NOTHING`, keys)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = false
	if err != nil {
		return
	}
	if len(s.keys) == 0 {
		s.since = since
	}
	s.keys = append(s.keys, keys...)
}
