package verify_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/altertest"
	"github.com/citekit/citekit/internal/test/irtest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A kase is a quote with what is to be said of it.
type kase struct {
	kind, want string // want is a class, or two with a bar between
	quote      string
	address    citekit.Address
	src        *source
	place      citekit.Location // where the quote stands, or what was altered
	base       string           // what stands there
}

// A generator makes cases by a seed, and says where they are cited.
type generator struct {
	*altertest.Generator
	half []*source // the sources that quotes are taken from
	of   map[*altertest.Source]*source
}

func newGenerator(t testing.TB, st *stock, seed uint64, held bool) *generator {
	t.Helper()
	g := &generator{of: map[*altertest.Source]*source{}}
	var all, half []*altertest.Source
	for _, s := range st.sources {
		all = append(all, &s.Source)
		if s.held == held && len(s.Sentences) > 0 {
			half = append(half, &s.Source)
			g.half, g.of[&s.Source] = append(g.half, s), s
		}
	}
	g.Generator = altertest.New(rand.New(rand.NewPCG(seed, 1)), altertest.NewStock(all), half, foreign(t))
	return g
}

// foreign returns sentences of other collections, and of ours about other things.
func foreign(t testing.TB) (found []string) {
	t.Helper()
	found = strings.Split(altertest.Prose("invented"), "\n")
	dir, ok := sharedtest.Extra(t)
	if !ok {
		return found
	}
	for _, name := range []string{"cranfield", "med"} {
		c, err := irtest.Read(filepath.Join(dir, "ir", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range c.Documents {
			for _, s := range strings.SplitAfter(d.Text, ". ") {
				if n := len(strings.Fields(s)); n >= 8 && n < 40 {
					found = append(found, strings.TrimSpace(s))
				}
			}
		}
	}
	return found
}

// cases makes n quotes of each kind.
func (g *generator) cases(n int) (all []kase) {
	g.Cases(n, func(made altertest.Case) (ok bool) {
		s := g.of[made.Source]
		c := kase{kind: made.Kind.Name, want: made.Kind.Want, quote: made.Quote, src: s, place: s.location(made.At), base: made.Base}
		if c.address, ok = g.cite(made.Kind, s, c.place); ok {
			all = append(all, c)
		}
		return ok
	})
	return append(all, g.breakCases(n)...)
}

// cite chooses where a quote is said to stand: mostly where it does.
func (g *generator) cite(k altertest.Kind, s *source, place citekit.Location) (citekit.Address, bool) {
	whole := citekit.Address{Resource: s.id, Location: citekit.Location{Modality: s.layer.Modality()}}
	switch k.Elsewhere {
	case "page":
		loc, ok := g.farFrom(s, place)
		whole.Location = loc
		return whole, ok
	case "file":
		o := g.half[g.IntN(len(g.half))]
		whole.Resource, whole.Location.Modality = o.id, o.layer.Modality()
		return whole, o != s
	}
	switch n := g.IntN(20); {
	case n < 12 && !k.Beyond:
		whole.Location = place
	case n >= 17:
		return citekit.Address{}, true
	}
	return whole, true
}

// farFrom returns another part of a source.
func (g *generator) farFrom(s *source, place citekit.Location) (citekit.Location, bool) {
	at := s.Sentences[g.IntN(len(s.Sentences))]
	loc := s.location(at)
	if s.paged() {
		d := loc.Pages[0].First - place.Pages[0].First
		return loc, d > 1 || d < -1
	}
	d := loc.Lines.First - place.Lines.First
	return loc, d > 12 || d < -12
}

// breakCases makes quotes that go over the end of a page.
func (g *generator) breakCases(n int) (all []kase) {
	type place struct {
		s *source
		b acrossPages
	}
	var places [2][]place
	for _, s := range g.half {
		for _, b := range s.breaks {
			if g.broken(s, b) {
				places[map[bool]int{true: 1}[b.made]] = append(places[map[bool]int{true: 1}[b.made]], place{s, b})
			}
		}
	}
	for i, name := range []string{"page break, real", "page break, made"} {
		for _, j := range g.Perm(len(places[i]))[:min(len(places[i]), 3*n)] {
			p := places[i][j]
			c := kase{kind: name, want: "repaired", quote: p.b.quote, src: p.s, base: p.b.quote}
			c.place = citekit.Document.Pages(p.b.page, p.b.page+1)
			c.place.Modality = citekit.Document
			c.address = citekit.Address{Resource: p.s.id, Location: c.place}
			if g.IntN(3) == 0 {
				c.address.Location = citekit.Location{Modality: citekit.Document}
			}
			all = append(all, c)
			if altered, ok := altertest.ChangeWord(g.Generator, p.b.quote, &p.s.Source); ok && g.IntN(3) == 0 && g.Places(altered, 1) == 0 {
				c.kind, c.want, c.quote = name+", one word changed", "altered", altered
				all = append(all, c)
			}
		}
	}
	return all
}

// broken reports whether the two sides of a break stand on their pages, once.
func (g *generator) broken(s *source, b acrossPages) bool {
	var sides [2]string
	for _, r := range s.runs {
		for i := range sides {
			if r.Location.Pages[0].First == b.page+i {
				sides[i] = altertest.Letters(s.Text[r.From:r.To])
			}
		}
	}
	all := altertest.Letters(b.quote)
	for at := range all {
		if strings.Contains(sides[0], all[:at]) && strings.Contains(sides[1], all[at:]) && at > 12 && at < len(all)-12 {
			return g.Places(all[:at], 2) == 1 && g.Places(all[at:], 2) == 1
		}
	}
	return false
}

func (c kase) String() string {
	return fmt.Sprintf("%s in %s, cited as %q", c.kind, c.src.name, c.address)
}
