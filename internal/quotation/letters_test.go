package quotation

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// lettersText returns a text of what letters are made of.
func lettersText(r *rand.Rand, n int) string {
	pieces := []string{"the ", "The", "other ", "e\u0301", "ab", "9", "[12]", "[x ", "ﬁ", "½", "²", "_", "-", "\n", "界", "\u0301", "there, ", "the\u0301 "}
	var b strings.Builder
	for range n {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// TestSkip checks that skipping letters ends where reading them one by one does.
func TestSkip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		text := lettersText(r, 60)
		var skips []part
		for at := r.IntN(20); at < len(text); at += 1 + r.IntN(40) {
			to := min(len(text), at+r.IntN(6))
			skips = append(skips, part{at, to})
			at = to
		}
		for _, raised := range []bool{false, true} {
			start := scanner{text: text, skips: skips, raised: raised}
			slow, n := start, 0
			for {
				quick := start
				if ok := quick.skip(n); !ok || quick.at != slow.at || !slices.Equal(quick.skips, slow.skips) {
					t.Fatalf("%q without %v: %d bytes of letters end at %d, skipped to %d, %v", text, skips, n, slow.at, quick.at, ok)
				}
				l, ok := slow.next()
				if !ok {
					break
				}
				n += l.n
			}
			if end := start; end.skip(n + 1) {
				t.Fatalf("%q: skipped more letters than there are", text)
			}
		}
	}
}

// TestStarts checks which starts are known, asked for in any order.
func TestStarts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		s, known := &starts{}, make(map[int]bool)
		for at := range 100 {
			if r.IntN(3) == 0 {
				s.exact = append(s.exact, at)
				known[at] = true
			}
		}
		for range 200 {
			at := r.IntN(100)
			if s.has(at) != known[at] {
				t.Fatalf("%d in %v: %v", at, s.exact, s.has(at))
			}
			if r.IntN(10) == 0 {
				s.add(at)
				known[at] = true
			}
		}
	}
}

// TestExactPlaces checks that exact places of a word take of the budget what comparing
// them would take.
func TestExactPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	checked := 0
	for range 300 {
		text := Prepare(lettersText(r, 80), Options{})
		exact := text.findExact("the", part{0, len(text.raw)}, &Places{most: 1})
		text.whole.find([]byte("the"), 0, len(text.whole.letters), func(key int) bool {
			s, ok := text.whole.scannerAt(key)
			if !ok {
				return true
			}
			ahead := s
			l, _ := ahead.next()
			if !slices.Contains(exact, l.from) || !strings.HasPrefix(text.raw[l.from:], "the") {
				return true
			}
			checked++
			m, took, letters, _ := text.compare("the", s)
			if !letters || m.From != l.from || took != len("the")+l.from+len("the")-s.at {
				t.Fatalf("%q at %d: %+v took %d", text.raw, l.from, m, took)
			}
			return true
		})
	}
	if checked < 100 {
		t.Errorf("%d exact places", checked)
	}
}

// TestPreparedAsRead checks that letters, marks and words of a text are what its letters,
// read one by one, are.
func TestPreparedAsRead(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		text := lettersText(r, 120)
		var skips []part
		for at := r.IntN(60); at < len(text); at += 1 + r.IntN(60) {
			to := min(len(text), at+r.IntN(6))
			skips = append(skips, part{at, to})
			at = to
		}
		f, got := newForm(text, skips, false), wordsOf(text)
		var letters []byte
		var marks []mark
		s := scanner{text: text, skips: skips}
		for l, ok := s.next(); ok; l, ok = s.next() {
			for len(letters) >= step*len(marks) {
				marks = append(marks, mark{int32(l.from), int32(len(letters))})
			}
			letters = append(letters, l.find()...)
		}
		if string(f.letters) != string(letters) || !slices.Equal(f.marks, marks) {
			t.Fatalf("%q without %v: %q %v, read %q %v", text, skips, f.letters, f.marks, letters, marks)
		}
		var want words
		var key []byte
		var last letter
		s = scanner{text: text}
		for l, ok := s.next(); ok; l, ok = s.next() {
			if len(key) == 0 || !goesOn(text, last, l) {
				want.at, want.keys, key = append(want.at, int32(l.from)), append(want.keys, 0), nil
			} else if l.from > last.to && isNumeric(text, last) {
				key = append(key, text[last.to:l.from]...)
			}
			key = append(key, l.find()...)
			want.keys[len(want.keys)-1] = hash(key)
			last = l
		}
		if !slices.Equal(got.at, want.at) || !slices.Equal(got.keys, want.keys) {
			t.Fatalf("%q: words %v, read %v", text, got, want)
		}
	}
}
