package textlayer

import (
	"math/rand/v2"
	"testing"

	"github.com/citekit/citekit"
)

// TestNear compares the runs that are looked at for a location with all that
// overlap it, where places go on and where they go back.
func TestNear(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	places := []func(a, b int) citekit.Location{
		func(a, b int) citekit.Location { return citekit.Pages(a+1, b+1) },
		func(a, b int) citekit.Location { return citekit.Lines(a+1, b+1) },
		func(a, b int) citekit.Location { return citekit.Seconds(float64(a), float64(b)+.5) },
		func(a, _ int) citekit.Location { return citekit.Seconds(float64(a), 0) },
		func(int, int) citekit.Location { return citekit.Location{} },
	}
	for round := range 2000 {
		place := places[random.IntN(len(places))]
		var x index
		at := 0
		for i := range random.IntN(20) {
			if round%3 == 0 {
				at = random.IntN(20)
			}
			loc := place(at, at+random.IntN(3))
			if random.IntN(40) == 0 {
				loc = places[random.IntN(len(places))](at, at)
			}
			x.add(run{from: int64(i), to: int64(i + 1), loc: loc}, 1, 1)
			at += random.IntN(3)
		}
		a := random.IntN(25)
		loc := place(a, a+random.IntN(4))
		near := make(map[int64]bool)
		for _, r := range x.near(loc) {
			near[r.from] = true
		}
		for _, r := range x.runs {
			if overlap(r.loc, loc) && !near[r.from] {
				t.Fatalf("round %d: %v overlaps %v, and is not near", round, r.loc, loc)
			}
		}
	}
}
