package citekit

import (
	"context"
	"encoding/json"
	"math"

	"github.com/citekit/citekit/internal/decimal"
)

// A Summary is what the map of a resource says of it as a whole.
type Summary struct {
	ResourceID string
	Type       Modality
	Title      string
	Nodes      int // in the map

	// Extent is how large the source was when it was mapped, as far as the
	// metadata of the map tell: the source is not opened.
	Extent Extent
}

// Summary returns what the map of a resource says of it as a whole. A resource
// that does not exist is a [*NotFoundError].
func (l *Library) Summary(ctx context.Context, resourceID string) (Summary, error) {
	m, err := l.load(ctx, resourceID)
	if err != nil {
		return Summary{ResourceID: resourceID}, &ResolveError{Op: "open", Address: Address{Resource: resourceID}, Err: err}
	}
	return m.Summary(), nil
}

// Summary returns what the map says of its resource as a whole.
func (m *ResourceMap) Summary() Summary {
	s := Summary{ResourceID: m.ResourceID, Type: m.Type, Title: m.Title, Extent: m.Extent()}
	for range m.All() {
		s.Nodes++
	}
	return s
}

// Extent returns how large the metadata say the source is, in the members that
// its modality has; what they do not say is zero. The source is not opened.
func (m *ResourceMap) Extent() Extent {
	e := Extent{Modality: m.Type}
	switch m.Type {
	case Document:
		e.Pages = m.positive("pages")
	case Text:
		e.Lines = m.positive("lines")
	case Image:
		e.Width, e.Height = m.positive("width"), m.positive("height")
	case Video:
		e.Width, e.Height = m.positive("width"), m.positive("height")
		e.Duration = m.seconds("duration")
	case Audio:
		e.Duration = m.seconds("duration")
	}
	return e
}

// positive returns a whole number above zero in the metadata, or 0.
func (m *ResourceMap) positive(key string) int {
	n, ok := wholeNumber(m.Metadata[key])
	if !ok || n < 0 || n > math.MaxInt {
		return 0
	}
	return int(n)
}

// seconds returns a number of seconds in the metadata, or 0.
func (m *ResourceMap) seconds(key string) float64 {
	var v float64
	switch n := m.Metadata[key].(type) {
	case json.Number:
		v, _ = n.Float64()
	case float64:
		v = n
	}
	if v > 0 && v <= decimal.MaxSeconds {
		return v
	}
	return 0
}
