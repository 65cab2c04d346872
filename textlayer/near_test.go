package textlayer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/citekit/citekit"
)

// rangesOfAll returns what [Layer.Ranges] returns, after a look at every run.
func rangesOfAll(x *index, loc citekit.Location) (parts []Bytes, unsupported bool) {
	joins := false
	for _, r := range x.runs {
		switch {
		case !overlap(r.loc, loc):
			joins = joins && r.from == r.to
			continue
		case !loc.Box.IsZero() && r.loc.Box.IsZero(), splits(loc, r.loc):
			return nil, true
		case joins:
			parts[len(parts)-1].To = r.to
		default:
			parts = append(parts, Bytes{r.from, r.to})
		}
		joins = true
	}
	return parts, false
}

// TestNear compares the ranges of a location with those that a look at every run gives,
// where places go on and where they go back, within names and without.
func TestNear(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	cells := func(a, b, from, to int) citekit.Location {
		return citekit.Location{Cells: citekit.Cells{First: citekit.Cell{Col: int32(from + 1), Row: int32(a + 1)}, Last: citekit.Cell{Col: int32(to + 1), Row: int32(b + 1)}}}
	}
	nothing := func(int, int) citekit.Location { return citekit.Location{} }
	pages := func(a, b int) citekit.Location { return citekit.Document.Pages(a+1, b+1) }
	lines := func(a, b int) citekit.Location { return citekit.Text.Lines(a+1, b+1) }
	blocks := func(a, b int) citekit.Location {
		return citekit.Location{Blocks: citekit.Range{First: a + 1, Last: b + 1}}
	}
	rows := func(a, b int) citekit.Location {
		return citekit.Location{Rows: citekit.Range{First: a + 1, Last: b + 1}}
	}
	within := func(loc citekit.Location, set func(*citekit.Location)) citekit.Location { set(&loc); return loc }
	formats := []struct {
		modality citekit.Modality
		places   []func(a, b int) citekit.Location // the first is that of most runs
		names    []func(n int, loc *citekit.Location)
	}{
		{modality: citekit.Document, places: []func(a, b int) citekit.Location{pages, nothing, func(a, b int) citekit.Location {
			return within(pages(a, a), func(l *citekit.Location) { l.Box = citekit.Box{X1: .1, Y1: .1, X2: .2, Y2: .2} })
		}}},
		{modality: citekit.Text, places: []func(a, b int) citekit.Location{lines, nothing}},
		{modality: citekit.Video, places: []func(a, b int) citekit.Location{
			func(a, b int) citekit.Location { return citekit.Video.Seconds(float64(a), float64(b)+.5) },
			func(a, b int) citekit.Location { return citekit.Video.Seconds(float64(a), 0) }, nothing,
		}},
		{modality: citekit.Document, places: []func(a, b int) citekit.Location{blocks, nothing}, names: []func(int, *citekit.Location){
			func(n int, l *citekit.Location) { l.Part = fmt.Sprint(n + 1) },
			func(n int, l *citekit.Location) { l.Part = fmt.Sprintf("%d-%d", n+1, n+3) },
			func(n int, l *citekit.Location) { l.Part = fmt.Sprintf("1.%d", n+1) },
		}},
		{modality: citekit.Text, places: []func(a, b int) citekit.Location{lines, nothing}, names: []func(int, *citekit.Location){
			func(n int, l *citekit.Location) { l.Message = n + 1 },
			func(n int, l *citekit.Location) { l.Message, l.Part = n/2+1, fmt.Sprint(n%2+1) },
			func(n int, l *citekit.Location) { l.Message, l.Part = n/2+1, fmt.Sprintf("1.%d", n%2+1) },
		}},
		{modality: citekit.Document, places: []func(a, b int) citekit.Location{
			func(a, b int) citekit.Location { return cells(a, b, 0, 3) },
			func(a, b int) citekit.Location { return cells(a, b, 1, 2) }, rows, nothing,
		}, names: []func(int, *citekit.Location){func(n int, l *citekit.Location) { l.Sheet = fmt.Sprint("S", n) }}},
		{modality: citekit.Document, places: []func(a, b int) citekit.Location{rows, nothing}, names: []func(int, *citekit.Location){
			func(n int, l *citekit.Location) { l.Table = fmt.Sprint("T", n) },
		}},
		{modality: citekit.Document, places: []func(a, b int) citekit.Location{pages, nothing}, names: []func(int, *citekit.Location){
			func(n int, l *citekit.Location) { l.Member = fmt.Sprint("m", n) },
			func(n int, l *citekit.Location) { l.Member = fmt.Sprint("d/m", n) },
			func(n int, l *citekit.Location) { l.Member = fmt.Sprintf("d/e%d/m", n) },
			func(n int, l *citekit.Location) { l.Member = fmt.Sprintf("m%d!/d/m%d", n%3, n) },
			func(n int, l *citekit.Location) { l.Member = "d/" },
			func(n int, l *citekit.Location) { l.Member = fmt.Sprintf("m%d!/d/", n%3) },
			func(n int, l *citekit.Location) { l.Member = fmt.Sprintf("d/e%d/", n) },
		}},
	}
	compared := 0
	for round := range 4_000 {
		format := formats[random.IntN(len(formats))]
		pick := func(at int) citekit.Location {
			place := format.places[0]
			if random.IntN(8) == 0 {
				place = format.places[random.IntN(len(format.places))]
			}
			return place(at, at+random.IntN(3))
		}
		x := &index{modality: format.modality}
		at, name := 0, 0
		var naming func(int, *citekit.Location)
		for range random.IntN(20) {
			if len(format.names) > 0 && random.IntN(4) == 0 {
				at, name, naming = 0, name+1, format.names[random.IntN(len(format.names))]
			}
			if round%3 == 0 {
				at, name = random.IntN(20), random.IntN(name+1)
			}
			loc := pick(at)
			if naming != nil && random.IntN(10) > 0 {
				naming(name, &loc)
			}
			loc.Modality = format.modality
			if loc.Validate() != nil || loc.Member != "" && loc.Member[len(loc.Member)-1] == '/' {
				continue
			}
			from, size := x.size, int64(random.IntN(3))
			x.add(run{from: from, to: from + size, loc: loc}, size, size)
			x.size = from + size
			at += random.IntN(3)
		}
		l := &Layer{index: x}
		for range 5 {
			loc := pick(random.IntN(25))
			if len(format.names) > 0 && random.IntN(8) > 0 {
				format.names[random.IntN(len(format.names))](random.IntN(name+2), &loc)
			}
			loc.Modality = format.modality
			if loc.IsWhole() || loc.Validate() != nil {
				continue
			}
			want, unsupported := rangesOfAll(x, loc)
			got, err := l.rangesAt(loc)
			compared++
			if !slices.Equal(got, want) || unsupported != (err != nil) {
				var all []string
				for _, r := range x.runs {
					all = append(all, fmt.Sprintf("%d-%d %v", r.from, r.to, r.loc))
				}
				t.Fatalf("round %d: %v is at %v, %v; a look at all runs gives %v, unsupported %v: %q", round, loc, got, err, want, unsupported, all)
			}
		}
	}
	if compared < 10_000 {
		t.Errorf("only %d locations were compared", compared)
	}
}
