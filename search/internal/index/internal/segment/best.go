package segment

// A candidate is a document with its score so far.
type candidate struct {
	score float32
	view  int
	doc   uint32
}

// less reports whether a is worse than b. Of equal candidates the later one is worse.
func (a candidate) less(b candidate) bool {
	if a.score != b.score {
		return a.score < b.score
	}
	if a.view != b.view {
		return a.view > b.view
	}
	return a.doc > b.doc
}

// A topCandidates keeps the best candidates, as a heap with the worst on top.
type topCandidates struct {
	limit int
	heap  []candidate
}

func (b *topCandidates) full() bool { return len(b.heap) == b.limit }

// threshold returns the score that a later candidate must exceed.
func (b *topCandidates) threshold() float32 {
	if !b.full() {
		return 0
	}
	return b.heap[0].score
}

func (b *topCandidates) add(c candidate) {
	if !b.full() {
		b.heap = append(b.heap, c)
		b.up()
		return
	}
	if b.heap[0].less(c) {
		b.heap[0] = c
		b.down()
	}
}

func (b *topCandidates) up() {
	for i := len(b.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !b.heap[i].less(b.heap[parent]) {
			return
		}
		b.heap[i], b.heap[parent] = b.heap[parent], b.heap[i]
		i = parent
	}
}

func (b *topCandidates) down() {
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < len(b.heap) && b.heap[child+1].less(b.heap[child]) {
			child++
		}
		if child >= len(b.heap) || !b.heap[child].less(b.heap[i]) {
			return
		}
		b.heap[i], b.heap[child] = b.heap[child], b.heap[i]
		i = child
	}
}
