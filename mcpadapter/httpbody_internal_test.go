package mcpadapter

import "testing"

// TestBodiesOfOneCaller: a caller that authenticated never has all the room there is.
func TestBodiesOfOneCaller(t *testing.T) {
	b := newBodies(4 << 20)
	const body = 4<<20 + 1
	n := 0
	for ; b.take("greedy", body); n++ {
		if n > 100 {
			t.Fatal("no end")
		}
	}
	b.take("greedy", -body)
	if n < 1 || !b.take("other", body) {
		t.Errorf("after %d long bodies of one caller there is no room for another", n)
	}
	b.take("other", -body)
	b.take("greedy", -int64(n)*body)
	if b.taken != 0 || len(b.callers) != 0 {
		t.Errorf("left: %d bytes of %d callers", b.taken, len(b.callers))
	}
}
