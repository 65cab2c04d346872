package topics

import (
	"context"
	"sync"

	"github.com/citekit/citekit"
)

// A sourceStamper is a workspace that tells whether a source may have changed without
// opening it. The stamp may be "", which says nothing.
type sourceStamper interface {
	SourceStamp(ctx context.Context, path string) string
}

// stampOf returns a stamp that changes when the source of a part or its map may have
// changed; "" if that is not known.
func (r *Reader) stampOf(ctx context.Context, p Part) string {
	ws, ok := r.lib.Workspace().(sourceStamper)
	if !ok {
		return ""
	}
	source := ws.SourceStamp(ctx, p.source)
	mapped, err := r.lib.Workspace().StatMap(ctx, p.Address.Resource)
	if err != nil || source == "" {
		return ""
	}
	return source + "\x00" + mapped.Identity
}

// The limits of a memory. What exceeds one begins again with none.
const (
	maxMemory      = 32 << 20 // bytes of texts
	maxMemoryParts = 20_000   // of selections
)

// A memory holds texts by their addresses, and selections. It is safe for concurrent
// use. The zero value is ready to use.
type memory struct {
	mu           sync.Mutex
	texts        map[string]Text
	bytes        int
	selections   map[string]Selection
	parts        int
	hits, misses int64 // of texts
}

func (m *memory) text(key, stamp string) (Text, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t, ok := m.texts[key]; ok && stamp != "" && t.stamp == stamp {
		m.hits++
		return t, true
	}
	m.misses++
	return Text{}, false
}

func (m *memory) keepText(key string, t Text) {
	if t.stamp == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes += len(key) + len(t.Text) + len(t.stamp)
	if m.texts == nil || m.bytes > maxMemory {
		m.texts, m.bytes = make(map[string]Text), len(key)+len(t.Text)+len(t.stamp)
	}
	m.texts[key] = t
}

func (m *memory) hitRate() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return float64(m.hits) / float64(max(1, m.hits+m.misses))
}

func (m *memory) selection(folder, topic string, stamp citekit.Stamp) (Selection, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.selections[folder+"\x00"+topic]
	return s, ok && s.stamp == stamp && stamp != (citekit.Stamp{})
}

func (m *memory) keepSelection(folder, topic string, s Selection) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.parts += len(s.Parts); m.selections == nil || m.parts > maxMemoryParts {
		m.selections, m.parts = make(map[string]Selection), len(s.Parts)
	}
	m.selections[folder+"\x00"+topic] = s
}
