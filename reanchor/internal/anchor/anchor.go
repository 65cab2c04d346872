// Package anchor finds a part of a text in another version of it.
//
// The versions are aligned once, as by "git diff --patience": by what occurs exactly
// once in both, and then recursively between. Texts of lines are aligned by lines, and
// by words where lines differ. Flowing texts, such as pages, are aligned by words, so
// that a reflowed paragraph counts as unchanged. A part that is kept whole is searched
// for in the whole text. Otherwise its words show where it is now.
package anchor

// How says how a part was found.
type How int

// The ways in which a part is found, most certain first.
const (
	Unique  How = iota // it occurs once in the new text
	Context            // it occurs several times, and its surroundings show which one it is
	Similar            // something similar occurs
	Gone               // half of it or more is missing
)

// A Place is the place of a part of the old text in the new one.
type Place struct {
	How      How
	From, To int // bytes of the new text; 0 if How is Gone

	// Kept is the share of the part's words that occur there in order, from 0 to 1.
	Kept float64

	// Around reports whether what was beside the part still is.
	Around bool

	// Places is how often the unchanged part occurs in the new text, at most
	// [MaxPlaces].
	Places int
}

// MaxPlaces is the number up to which places are counted.
const MaxPlaces = 100

// Options describe the texts.
type Options struct {
	// Flows means that line ends have no meaning.
	Flows bool

	// OldPages and NewPages are the offsets of the pages of a flowing text, in bytes
	// and ascending. Lines repeated at page edges are ignored.
	OldPages, NewPages []int
}

// A Pair is two versions of a text. It is safe for concurrent use.
type Pair struct {
	flows    bool
	old, new *text
	lines    []int32 // new line for each old one, or -1
	words    []int32 // new word for each old one, or -1
}

// Align aligns two versions, in about linear time.
func Align(oldText, newText string, opts Options) *Pair {
	names := make(names)
	p := &Pair{flows: opts.Flows,
		old: read(oldText, opts.Flows, opts.OldPages, names), new: read(newText, opts.Flows, opts.NewPages, names)}
	al := newAligner(len(names))
	if p.flows {
		p.alignShingles(al)
	} else {
		p.lines = al.align(p.old.lineIDs(), p.new.lineIDs())
		p.wordsOfLines()
	}
	p.fillGaps(al)
	p.old.count(len(names), p.flows)
	p.new.count(len(names), p.flows)
	return p
}

// Cost estimates the memory that a pair uses, in bytes.
func (p *Pair) Cost() int64 {
	return p.old.cost() + p.new.cost() + int64(4*(len(p.lines)+len(p.words)))
}

// wordsOfLines aligns the words of equal lines.
func (p *Pair) wordsOfLines() {
	p.words = none(len(p.old.words))
	for i, j := range p.lines {
		if j < 0 {
			continue
		}
		from, to := p.old.wordsOn(i, i+1)
		at, _ := p.new.wordsOn(int(j), int(j)+1)
		for k := from; k < to; k++ {
			p.words[k] = int32(at + k - from)
		}
	}
}

// shingle is how many words are compared at once in flowing texts.
const shingle = 4

// alignShingles aligns runs of several words that occur in both texts.
func (p *Pair) alignShingles(al *aligner) {
	p.words = none(len(p.old.words))
	seen := make(map[[shingle]uint32]uint32)
	a, b := shinglesOf(p.old, seen), shinglesOf(p.new, seen)
	for i, j := range newAligner(len(seen)).align(a, b) {
		for k := 0; j >= 0 && k < shingle; k++ {
			p.words[i+k] = j + int32(k)
		}
	}
	monotone(p.words)
}

func shinglesOf(t *text, seen map[[shingle]uint32]uint32) []uint32 {
	var ids []uint32
	for i := 0; i+shingle <= len(t.words); i++ {
		var key [shingle]uint32
		for k := range key {
			key[k] = t.words[i+k].id
		}
		id, ok := seen[key]
		if !ok {
			id = uint32(len(seen))
			seen[key] = id
		}
		ids = append(ids, id)
	}
	return ids
}

// monotone drops places that do not ascend.
func monotone(to []int32) {
	last := int32(-1)
	for i, j := range to {
		if j >= 0 && j <= last {
			to[i] = -1
		}
		last = max(last, to[i])
	}
}

// fillGaps aligns the words between aligned ones.
func (p *Pair) fillGaps(al *aligner) {
	a, b := p.old.wordIDs(), p.new.wordIDs()
	for i := 0; i < len(a); {
		if p.words[i] >= 0 {
			i++
			continue
		}
		end := i
		for end < len(a) && p.words[end] < 0 {
			end++
		}
		from, to := 0, len(b)
		if i > 0 {
			from = int(p.words[i-1]) + 1
		}
		if end < len(a) {
			to = int(p.words[end])
		}
		al.fill(a, b, block{i, end, from, to}, p.words)
		i = end
	}
}

func none(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = -1
	}
	return all
}
