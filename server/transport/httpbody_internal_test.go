package transport

import (
	"bytes"
	"testing"
	"testing/iotest"
)

// TestBodiesOfOneCaller: no caller ever has all the room there is.
func TestBodiesOfOneCaller(t *testing.T) {
	const size = 4<<20 + 1
	b := newBodies(size - 1)
	take := func(holder string) *body {
		one := &body{holder: holder, begun: b.pulse.Load(), extend: func() {}, stop: func() { t.Errorf("a body of %s was stopped", holder) }}
		if !b.grow(one, size) {
			return nil
		}
		b.arrived(one)
		return one
	}
	var all []*body
	for range 100 {
		if one := take("greedy"); one != nil {
			all = append(all, one)
		}
	}
	other := take("other")
	if len(all) < 1 || len(all) > 99 || other == nil {
		t.Fatalf("after %d long bodies of one caller there is no room for another", len(all))
	}
	for _, one := range append(all, other) {
		b.drop(one)
	}
	if b.memory.Taken() != 0 || b.memory.Holders() != 0 || len(b.arriving) != 0 {
		t.Errorf("left: %d bytes of %d", b.memory.Taken(), b.memory.Holders())
	}
}

// TestStalledBodies: where memory is short, a body of which nothing comes loses its
// own to one that moves; one that moves, or of who has less, does not.
func TestStalledBodies(t *testing.T) {
	b := newBodies(4 << 20)
	stopped := make(map[*body]bool)
	begin := func(holder string) *body {
		one := &body{holder: holder, begun: b.pulse.Load(), extend: func() {}}
		one.stop = func() { stopped[one] = true }
		return one
	}
	const part = 4 << 20
	var greedy []*body
	for range 4 {
		one := begin("greedy")
		if !b.grow(one, part) {
			t.Fatal("no room for a body of one caller")
		}
		greedy = append(greedy, one)
	}
	second := begin("second")
	if !b.grow(second, 2*part) {
		t.Fatal("no room for a body of a second caller")
	}
	if one := begin("third"); !b.grow(one, part) || len(stopped) > 0 { // there was room
		t.Fatalf("a third caller; %d bodies were stopped", len(stopped))
	} else {
		b.drop(one)
	}
	// The first of those that stall loses its memory, not the one that moves.
	third := begin("third")
	b.came(greedy[0])
	if !b.grow(third, 3*part) || !stopped[greedy[1]] || len(stopped) != 1 || b.arrived(greedy[1]) {
		t.Fatalf("stopped: %v", stopped)
	}
	// Who has most does not get what others have, but what stalls of its own.
	last := begin("greedy")
	for _, one := range []*body{greedy[0], greedy[2], greedy[3]} {
		b.came(one)
	}
	if b.grow(last, part) || len(stopped) != 1 || b.noRoom(last) != bodyOfMany {
		t.Errorf("stopped while all move: %v", stopped)
	}
	last = begin("greedy")
	b.came(greedy[0])
	if b.grow(last, 2*part) || len(stopped) != 3 || stopped[greedy[0]] || stopped[second] || stopped[third] {
		t.Errorf("stopped: %v", stopped)
	}
	for _, one := range append(greedy, second, third, last) {
		b.drop(one)
	}
	if b.memory.Taken() != 0 || b.memory.Holders() != 0 || len(b.arriving) != 0 {
		t.Errorf("left: %d bytes of %d", b.memory.Taken(), b.memory.Holders())
	}
}

// TestSlowBody: a body that keeps coming has time for each of its parts.
func TestSlowBody(t *testing.T) {
	const size = 40_000
	b := newBodies(4 << 20)
	extended := 0
	one := &body{holder: "slow", extend: func() { extended++ }}
	data, err := b.readAll(iotest.OneByteReader(bytes.NewReader(make([]byte, size))), one, size)
	if err != nil || len(data) != size || extended != size || !b.arrived(one) {
		t.Errorf("%d bytes, %v, of which %d had time", len(data), err, extended)
	}
}
