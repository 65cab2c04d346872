// Package anchor finds where a part of a text stands in another version of it.
//
// The versions are aligned once, as "git diff --patience" does it: by what is
// in both exactly once, and between that again. Texts of lines are aligned by
// lines, and by words where lines differ. Texts that flow, such as those of
// pages, are aligned by words, so that a paragraph that is set otherwise is the
// same. A part that is kept whole is looked for in the whole text; of one that
// is not the words tell where it is now.
package anchor

// How says by what a part was found.
type How int

// The ways a part is found, the surest first.
const (
	Unique  How = iota // it stands in the new text once
	Context            // it stands there several times, and what is around it tells which
	Similar            // something like it stands there
	Gone               // half of it or more does not
)

// A Place is where a part of the old text is in the new one.
type Place struct {
	How      How
	From, To int // bytes of the new text; 0 if it is gone

	// Kept is the share of the words of the part that stand there in order,
	// from 0 to 1.
	Kept float64

	// Around reports whether what was beside it is beside it now.
	Around bool

	// Places is how often the very part stands in the new text, at most
	// [MaxPlaces].
	Places int
}

// MaxPlaces is how far places are counted.
const MaxPlaces = 100

// Options says what texts are like.
type Options struct {
	// Flows says that line ends mean nothing.
	Flows bool

	// OldPages and NewPages are where the pages of a text that flows begin, in
	// bytes and in order: what repeats at their edges is left out.
	OldPages, NewPages []int
}

// A Pair is two versions of a text. It is safe for concurrent use.
type Pair struct {
	flows    bool
	old, new *text
	lines    []int32 // new line of each old one, or -1
	words    []int32 // new word of each old one, or -1
}

// Align aligns two versions. It takes about linear time.
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

// Cost is about how much memory a pair takes, in bytes.
func (p *Pair) Cost() int64 {
	return p.old.cost() + p.new.cost() + int64(4*(len(p.lines)+len(p.words)))
}

// wordsOfLines aligns the words of lines that are the same.
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

// shingle is how many words are compared at once where line ends mean nothing.
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

// monotone drops what does not ascend.
func monotone(to []int32) {
	last := int32(-1)
	for i, j := range to {
		if j >= 0 && j <= last {
			to[i] = -1
		}
		last = max(last, to[i])
	}
}

// fillGaps aligns the words between those that are aligned.
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
