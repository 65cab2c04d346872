package relations

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestNodeFinder compares the nodes that are found with those that a look at all gives.
func TestNodeFinder(t *testing.T) {
	sharedtest.Once(t)
	random := rand.New(rand.NewPCG(5, 6))
	r := func(a, b int) citekit.Range { return citekit.Range{First: a + 1, Last: b + 1} }
	formats := []func(a, b, name int) citekit.Location{
		func(a, b, _ int) citekit.Location { return citekit.Text.Lines(a+1, b+1) },
		func(a, b, _ int) citekit.Location { return citekit.Document.Pages(a+1, b+1) },
		func(a, b, _ int) citekit.Location { return citekit.Video.Seconds(float64(a), float64(b)+.95) },
		func(a, b, name int) citekit.Location {
			return citekit.Location{Part: fmt.Sprint(name + 1), Blocks: r(a, b)}
		},
		func(a, b, name int) citekit.Location { return citekit.Location{Part: fmt.Sprint(name + 1)} },
		func(a, b, name int) citekit.Location {
			return citekit.Location{Part: fmt.Sprintf("%d-%d", name+1, name+3)}
		},
		func(a, b, name int) citekit.Location {
			return citekit.Location{Message: name + 1, Part: fmt.Sprintf("1.%d", a+1), Lines: r(a, b)}
		},
		func(a, b, name int) citekit.Location { return citekit.Location{Message: name + 1, Part: "1"} },
		func(a, b, name int) citekit.Location {
			return citekit.Location{Sheet: fmt.Sprint("S", name), Rows: r(a, b)}
		},
		func(a, b, name int) citekit.Location {
			return citekit.Location{Member: fmt.Sprintf("d/m%d", name), Pages: []citekit.Range{r(a, b)}}
		},
		func(a, b, name int) citekit.Location { return citekit.Location{Member: "d/"} },
		func(a, b, name int) citekit.Location {
			return citekit.Location{Member: fmt.Sprintf("d/m%d!/x", name), Lines: r(a, b)}
		},
		func(a, b, name int) citekit.Location { return citekit.Location{Member: fmt.Sprintf("d/m%d", name)} },
		func(int, int, int) citekit.Location { return citekit.Location{} },
	}
	contained := 0
	for round := range 600 {
		kinds := []int{random.IntN(len(formats)), random.IntN(len(formats)), random.IntN(len(formats))}
		place := func(at int) citekit.Location {
			loc := formats[kinds[random.IntN(1+round%3)]](at, at+random.IntN(4), random.IntN(4))
			loc.Modality = citekit.Document
			return loc
		}
		m := new(citekit.ResourceMap)
		at := 0
		for i := range 3 * few {
			if at += random.IntN(3); round%4 == 0 {
				at = random.IntN(40)
			}
			m.Nodes = append(m.Nodes, &citekit.Node{ID: fmt.Sprint(i), Location: place(at)})
		}
		m.Nodes[1].Children = m.Nodes[few : 2*few+5]
		f := &nodeFinder{m: m}
		for range 20 {
			loc := place(random.IntN(40))
			want, got := NodeAt(m, loc), f.at(loc)
			if got != want {
				t.Fatalf("round %d: %v is in %v, want %v", round, loc, got, want)
			}
			if want != nil {
				contained++
			}
		}
	}
	if contained < 1000 {
		t.Errorf("only %d locations are in a node", contained)
	}
}

// TestNodeFinderLinear counts the looks at nodes for a place in each of n of them.
func TestNodeFinderLinear(t *testing.T) {
	for name, place := range map[string]func(i int) citekit.Location{
		"lines":   func(i int) citekit.Location { return citekit.Text.Lines(4*i+1, 4*i+4) },
		"parts":   func(i int) citekit.Location { return citekit.Text.Part(fmt.Sprint(i + 1)) },
		"chapter": func(int) citekit.Location { return citekit.Document.Part("1") },
		"members": func(i int) citekit.Location { return citekit.Document.Member(fmt.Sprint("a/b", i)) },
	} {
		for _, n := range []int{1000, 2000, 4000} {
			m := new(citekit.ResourceMap)
			for i := range n {
				m.Nodes = append(m.Nodes, &citekit.Node{ID: fmt.Sprint(i), Location: place(i)})
			}
			f := &nodeFinder{m: m}
			for i := range n {
				if f.at(place(i)) == nil {
					t.Fatalf("%s: %v is in no node", name, place(i))
				}
			}
			if f.looked > 4*n {
				t.Errorf("%s: %d looks for %d places among %d nodes", name, f.looked, n, n)
			}
		}
	}
}
