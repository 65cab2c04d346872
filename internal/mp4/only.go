package mp4

import "slices"

// Only returns the movie with its tracks of some kinds alone, which is shorter
// if the others last longer. It shares the index of m. A movie that shows and
// sounds nothing is an error matching [ErrEmpty].
func (m *Movie) Only(kinds ...Kind) (*Movie, error) {
	part := *m
	part.tracks, part.duration = nil, 0
	for _, t := range m.tracks {
		if !slices.Contains(kinds, t.Kind) {
			continue
		}
		part.tracks = append(part.tracks, t)
		if t.Kind != Subtitle {
			part.duration = max(part.duration, t.End)
		}
	}
	if part.duration == 0 {
		return nil, ErrEmpty
	}
	return &part, nil
}
