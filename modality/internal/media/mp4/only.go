package mp4

import "slices"

// Only returns the movie with only the tracks of the kinds. It is shorter if
// the dropped tracks last longer. It shares the index of m. The error matches
// [ErrEmpty] if no picture or sound is left.
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
