package message_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/message"
)

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b       string
		most, want int
	}{
		{"", "", 2, 0}, {"same", "same", 0, 0}, {"", "ab", 2, 2}, {"abc", "", 2, 3},
		{"poem", "pome", 2, 1}, // swapped
		{"strat", "start", 2, 1},
		{"kitten", "sitting", 5, 3}, {"kitten", "sitting", 2, 3}, {"kitten", "sitting", 1, 2},
		{"ca", "abc", 5, 3}, // no byte is edited twice
		{"abcd", "badc", 2, 2},
		{"für", "fur", 3, 2}, // bytes, not characters
	} {
		for _, pair := range [][2]string{{test.a, test.b}, {test.b, test.a}} {
			if got := message.Distance(pair[0], pair[1], test.most); got != test.want {
				t.Errorf("Distance(%q, %q, %d) = %d, want %d", pair[0], pair[1], test.most, got, test.want)
			}
		}
	}
}

func TestClosest(t *testing.T) {
	known := []string{"resolve", "inspect", "list", "structure", "check-map", "serve", "Version", strings.Repeat("x", 101)}
	for _, test := range []struct {
		wanted   string
		n, least int
		want     []string
	}{
		{"reslove", 1, 2, []string{"resolve"}},
		{"serve", 3, 3, []string{"serve"}},
		{"VERSION", 3, 1, []string{"Version"}},
		{"struct", 3, 1, []string{"structure"}},
		{"ap", 3, 1, nil}, // too short for a part
		{"map", 3, 1, []string{"check-map"}},
		{"", 3, 1, nil},
		{strings.Repeat("x", 200), 3, 1, nil},
		{"lost", 0, 1, nil},
	} {
		if got := message.Closest(test.wanted, slices.Values(known), test.n, test.least); !slices.Equal(got, test.want) {
			t.Errorf("Closest(%q, %d, %d) = %q, want %q", test.wanted, test.n, test.least, got, test.want)
		}
	}
}

// TestClosestMany checks that a list without an end is not read to its end.
func TestClosestMany(t *testing.T) {
	read := 0
	message.Closest(strings.Repeat("a", 100), func(yield func(string) bool) {
		for yield(strings.Repeat("b", 100)) {
			read++
		}
	}, 3, 2)
	if read == 0 || read > 10_000 {
		t.Errorf("read %d words", read)
	}
}

func FuzzDistance(f *testing.F) {
	f.Add("kitten", "sitting", 3)
	f.Add("ab", "ba", 0)
	f.Fuzz(func(t *testing.T, a, b string, most int) {
		a, b, most = a[:min(len(a), 12)], b[:min(len(b), 12)], min(max(most, 0), 30)
		if got, want := message.Distance(a, b, most), min(edits(a, b), most+1); got != want {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", a, b, most, got, want)
		}
	})
}

// edits is the distance by its definition, with the whole table.
func edits(a, b string) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
		for j := range table[i] {
			if i == 0 || j == 0 {
				table[i][j] = i + j
				continue
			}
			replaced := table[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			d := min(replaced, table[i-1][j]+1, table[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, table[i-2][j-2]+1)
			}
			table[i][j] = d
		}
	}
	return table[len(a)][len(b)]
}
