package citekit

import "math"

// Contains reports whether inner lies inside l, both being valid locations of
// one source. The whole contains everything; a box on a page lies inside that
// page. Locations of different modalities cannot be compared: Contains is then
// true. Ends of time may differ by a tenth of a second.
func (l Location) Contains(inner Location) bool {
	switch {
	case l.Modality != inner.Modality || l.IsWhole():
		return true
	case inner.IsWhole():
		return false
	}
	return containsPages(l, inner) &&
		(l.Lines.IsZero() || l.Lines.First <= inner.Lines.First && inner.Lines.Last <= l.Lines.Last) &&
		(l.Time.IsZero() || containsTime(l.Time, inner.Time)) &&
		(l.Box.IsZero() || containsBox(l.Box, inner.Box))
}

// containsPages reports whether every page of inner is one of outer. The runs
// of both are sorted and apart.
func containsPages(outer, inner Location) bool {
	if len(outer.Pages) == 0 {
		return true
	}
	i := 0
	for _, run := range inner.Pages {
		for i < len(outer.Pages) && outer.Pages[i].Last < run.First {
			i++
		}
		if i == len(outer.Pages) || run.First < outer.Pages[i].First || run.Last > outer.Pages[i].Last {
			return false
		}
	}
	return len(inner.Pages) > 0
}

func containsTime(outer, inner Span) bool {
	end := func(s Span) float64 {
		if s.End == 0 {
			return math.Inf(1)
		}
		return s.End
	}
	return outer.Start <= inner.Start+timeSlack && end(inner) <= end(outer)+timeSlack
}

func containsBox(outer, inner Box) bool {
	const rounding = 1e-6
	return !inner.IsZero() && outer.X1 <= inner.X1+rounding && outer.Y1 <= inner.Y1+rounding &&
		inner.X2 <= outer.X2+rounding && inner.Y2 <= outer.Y2+rounding
}
