package modalitytest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/citekit/citekit"
)

// The maximum number of nodes of a map to resolve: the first, the last, and
// others spread between them.
const (
	maxNodes      = 60
	maxNodesBrief = 6
)

// checkNodes maps the source and variants of it: for each, Map returns an error
// of a known kind, or every node of the map resolves. The map of a truncated
// source must not have nodes for the part that was cut off.
func (s *suite) checkNodes(t testing.TB) {
	m, ok := s.resolver.(citekit.Mapper)
	if !ok {
		return
	}
	s.inspectMap(t, m)
	for _, v := range s.shortened() {
		s.inspectNodes(t, v, s.mapOf(t, m, v), false)
	}
	for _, v := range s.altered(16) {
		s.inspectNodes(t, v, s.mapOf(t, m, v), true)
	}
}

// A variant is a source made from that of the fixture.
type variant struct {
	name string
	data []byte
}

// inspectMap checks the map of the source itself.
func (s *suite) inspectMap(t testing.TB, m citekit.Mapper) {
	t.Helper()
	if _, err := s.callMap(t, cancelled(), m, s.Source); !errors.Is(err, context.Canceled) {
		t.Errorf("Map: the error %v, want %q", err, context.Canceled)
	}
	source := variant{"the source", s.Source}
	structure := s.mapOf(t, m, source)
	if again := s.mapOf(t, m, source); !reflect.DeepEqual(structure, again) {
		t.Errorf("Map: two maps of %s differ", source.name)
	}
	s.inspectNodes(t, source, structure, false)
}

// mapOf returns the map of a source, or nil if Map returns an error.
func (s *suite) mapOf(t testing.TB, m citekit.Mapper, v variant) *citekit.Draft {
	t.Helper()
	structure, err := s.callMap(t, t.Context(), m, v.data)
	if err != nil {
		s.inspectKnown(t, s.whole(), err)
		return nil
	}
	if structure == nil {
		t.Errorf("Map of %s: neither a structure nor an error", v.name)
	}
	return structure
}

// callMap calls Map. A panic is reported and becomes an error.
func (s *suite) callMap(t testing.TB, ctx context.Context, m citekit.Mapper, data []byte) (structure *citekit.Draft, err error) {
	t.Helper()
	defer catch(t, "Map", &err)
	return m.Map(ctx, s.memory(data, true), citekit.MapRequest{Modality: s.modality})
}

// inspectNodes resolves the nodes of a map. If damaged is set, a node may be in
// a damaged part of the source, but not outside the source.
func (s *suite) inspectNodes(t testing.TB, v variant, structure *citekit.Draft, damaged bool) {
	t.Helper()
	if structure == nil {
		return
	}
	src := s.memory(v.data, true)
	for _, loc := range s.someLocations(structure.Nodes) {
		if !s.belongs(loc) {
			t.Errorf("Map of %s: %v is not of modality %s", v.name, label(loc), s.modality)
			continue
		}
		out := s.resolve(t, t.Context(), src, citekit.Request{Location: loc}, largePiece)
		switch {
		case out.err == nil:
			s.inspect(t, loc, out, len(v.data) == 0 || s.EmptyParts)
		case damaged && errors.Is(out.err, citekit.ErrFormat):
		default:
			t.Errorf("Map of %s promises %v, which does not resolve: %v", v.name, label(loc), out.err)
		}
	}
}

// someLocations returns the locations of the nodes, with those of their
// children: all of them, or some spread evenly.
func (s *suite) someLocations(nodes []*citekit.Node) []citekit.Location {
	var all []citekit.Location
	var visit func(nodes []*citekit.Node)
	visit = func(nodes []*citekit.Node) {
		for _, n := range nodes {
			all = append(all, n.Location)
			visit(n.Children)
		}
	}
	visit(nodes)
	most := maxNodes
	if s.brief() {
		most = maxNodesBrief
	}
	if len(all) <= most {
		return all
	}
	var some []citekit.Location
	for i := range most {
		some = append(some, all[i*(len(all)-1)/(most-1)])
	}
	return some
}

// shortened returns truncations of the source.
func (s *suite) shortened() []variant {
	cuts := 16
	if s.brief() {
		cuts = 2
	}
	size := len(s.Source)
	sizes := []int{max(size-1, 0)}
	for i := range cuts {
		sizes = append(sizes, size*i/cuts)
	}
	var variants []variant
	for _, n := range sizes {
		variants = append(variants, variant{fmt.Sprintf("the first %d bytes", n), s.Source[:n]})
	}
	return variants
}

// altered returns variants of the source with changed bytes: some with one bit flipped,
// and the garbage of the fixture.
func (s *suite) altered(flips int) []variant {
	if s.brief() {
		flips /= 8
	}
	flips = min(flips, len(s.Source))
	var variants []variant
	for i := range flips {
		at, bit := len(s.Source)*i/flips, i%8
		flipped := bytes.Clone(s.Source)
		flipped[at] ^= 1 << bit
		variants = append(variants, variant{fmt.Sprintf("the source with bit %d of byte %d flipped", bit, at), flipped})
	}
	for i, data := range s.Garbage {
		variants = append(variants, variant{fmt.Sprintf("garbage %d of the fixture", i), data})
	}
	return variants
}
