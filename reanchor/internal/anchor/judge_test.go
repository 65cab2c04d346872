package anchor_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/reanchor/internal/anchor"
)

// The kinds of citations, by what "git diff --patience" says became of their
// lines.
const (
	unmoved  = "unchanged, not moved"
	moved    = "unchanged, moved"
	inside   = "changed inside"
	boundary = "a boundary changed, half kept"
	fewKept  = "less than half kept"
	noneKept = "no line kept"
)

// A tally counts what was found of one kind of citations.
type tally struct{ n, right, gone int }

// A judge holds what is found to what git says.
type judge struct {
	kinds   map[string]*tally
	unique  tally
	context tally
	similar tally
	misses  []string
}

func newJudge() *judge { return &judge{kinds: make(map[string]*tally)} }

// truth returns the new line of each old one, from 0, or -1.
func truth(t *testing.T, oldPath, newPath string, n int) []int {
	out, err := exec.Command("git", "diff", "--no-index", "--patience", "-U0", "--no-color", "--no-ext-diff", oldPath, newPath).Output()
	if failed := new(exec.ExitError); err != nil && (!asExit(err, &failed) || failed.ExitCode() != 1) {
		t.Fatal(err)
	}
	to := make([]int, n)
	at, shift := 0, 0
	for _, h := range hunk.FindAllStringSubmatch(string(out), -1) {
		first, count, added := number(h[1], 0), number(h[2], 1), number(h[4], 1)
		if count > 0 {
			first--
		}
		for ; at < first; at++ {
			to[at] = at + shift
		}
		for ; at < first+count; at++ {
			to[at] = -1
		}
		shift += added - count
	}
	for ; at < n; at++ {
		to[at] = at + shift
	}
	return to
}

var hunk = regexp.MustCompile(`(?m)^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

func number(s string, without int) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return without
}

func asExit(err error, to **exec.ExitError) (ok bool) {
	*to, ok = err.(*exec.ExitError)
	return ok
}

// pair judges citations of one file in two versions.
func (j *judge) pair(t *testing.T, name, oldPath, newPath string, each int) {
	a, err := os.ReadFile(oldPath)
	b, err2 := os.ReadFile(newPath)
	if err != nil || err2 != nil || string(a) == string(b) || bytes.Count(a, []byte("\n")) < 20 {
		return
	}
	j.texts(name, string(a), string(b), truth(t, oldPath, newPath, bytes.Count(a, []byte("\n"))+1), each)
}

// texts judges citations of a text. The new line of each old one is known.
func (j *judge) texts(name, a, b string, to []int, each int) {
	old, now := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	r := rand.New(rand.NewPCG(3, hashOf(name)))
	p := anchor.Align(a, b, anchor.Options{})
	for range each {
		n := 1 + r.IntN(25)
		from := r.IntN(max(1, len(old)-n))
		end := min(len(old), from+n)
		for from < end && strings.TrimSpace(old[from]) == "" {
			from++
		}
		for end > from && strings.TrimSpace(old[end-1]) == "" {
			end--
		}
		if from < end {
			j.citation(name, p, old, now, to, from, end)
		}
	}
}

// hashOf makes the seed of a file from its name, with slashes.
func hashOf(name string) uint64 {
	h := fnv.New64()
	h.Write([]byte(filepath.ToSlash(name)))
	return h.Sum64()
}

func offset(lines []string, n int) int { return len(strings.Join(lines[:n], "")) }

func (j *judge) citation(name string, p *anchor.Pair, old, now []string, to []int, from, end int) {
	f := p.Find(offset(old, from), offset(old, end))
	gotFrom, gotEnd := lineAt(now, f.From), lineAt(now, f.To)
	kind := kindOf(to, from, end)
	right := f.How != anchor.Gone && to[from] == gotFrom && to[end-1]+1 == gotEnd
	switch kind {
	case fewKept, noneKept:
		same := f.How == anchor.Unique && sameText(old[from:end], now[gotFrom:gotEnd])
		right = f.How == anchor.Gone || same
	case boundary:
		wantFrom, wantEnd := around(to, from, end, len(now))
		right = f.How != anchor.Gone && gotFrom == wantFrom && gotEnd == wantEnd
	}
	if !right && f.How == anchor.Unique { // what is shown as inserted or deleted could be shown some lines further
		right = sameText(old[from:end], now[gotFrom:gotEnd]) && mapped(to[from:end], gotFrom, gotEnd)*2 > end-from
	}
	k := j.kinds[kind]
	if k == nil {
		k = new(tally)
		j.kinds[kind] = k
	}
	k.add(right, f.How == anchor.Gone)
	switch f.How {
	case anchor.Unique:
		j.unique.add(right, false)
	case anchor.Context:
		j.context.add(right, false)
	case anchor.Similar:
		j.similar.add(right, false)
	}
	if !right {
		j.misses = append(j.misses, fmt.Sprintf("%s: %s lines %d-%d: %v %d-%d (kept %.2f, places %d)\n%s", kind, name, from+1, end, f.How, gotFrom+1, gotEnd, f.Kept, f.Places, strings.Join(old[from:end], "")))
	}
}

func sameText(a, b []string) bool {
	return strings.TrimSpace(strings.Join(a, "")) == strings.TrimSpace(strings.Join(b, ""))
}

// mapped returns how many lines are at the new ones from first up to end.
func mapped(to []int, first, end int) (n int) {
	for _, j := range to {
		if j >= first && j < end {
			n++
		}
	}
	return n
}

func (t *tally) add(right, gone bool) {
	t.n++
	if right {
		t.right++
	}
	if gone {
		t.gone++
	}
}

func (t *tally) share() float64 { return float64(t.right) / float64(max(1, t.n)) }

// lineAt returns the line that a byte begins, from 0.
func lineAt(lines []string, at int) int {
	n := 0
	for n < len(lines) && at > 0 {
		at -= len(lines[n])
		n++
	}
	return n
}

func kindOf(to []int, from, end int) string {
	kept, run := 0, true
	for i := from; i < end; i++ {
		if to[i] >= 0 {
			kept++
		}
		run = run && to[i] >= 0 && to[i] == to[from]+i-from
	}
	switch {
	case run && to[from] == from:
		return unmoved
	case run:
		return moved
	case to[from] >= 0 && to[end-1] >= 0:
		return inside
	case kept*2 >= end-from:
		return boundary
	case kept > 0:
		return fewKept
	}
	return noneKept
}

// around returns what is between the neighbours of a citation that are kept.
func around(to []int, from, end, lines int) (int, int) {
	a, b := 0, lines
	for i := from - 1; i >= 0; i-- {
		if to[i] >= 0 {
			a = to[i] + 1
			break
		}
	}
	for i := end; i < len(to); i++ {
		if to[i] >= 0 {
			b = to[i]
			break
		}
	}
	if to[from] >= 0 {
		a = to[from]
	}
	if to[end-1] >= 0 {
		b = to[end-1] + 1
	}
	return a, b
}

// directories judges the files of two directories that have the same path.
func (j *judge) directories(t *testing.T, oldDir, newDir, ext string, each int) {
	names, err := filesBelow(oldDir, ext)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		j.pair(t, name, filepath.Join(oldDir, name), filepath.Join(newDir, name), each)
	}
}

// filesBelow returns the names inside dir of its files with an extension, without
// those in testdata.
func filesBelow(dir, ext string) (names []string, err error) {
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(name) == ext && !strings.Contains(name, "testdata") {
			names = append(names, filepath.FromSlash(name))
		}
		return err
	})
	return names, err
}

// mustReach checks the shares that are right, and reports all.
func (j *judge) mustReach(t *testing.T, changedInside float64) {
	t.Helper()
	for _, kind := range []string{unmoved, moved, inside, boundary, fewKept, noneKept} {
		if k := j.kinds[kind]; k != nil {
			t.Logf("%-30s n %5d right %.4f gone %.3f", kind, k.n, k.share(), float64(k.gone)/float64(k.n))
		}
	}
	t.Logf("unique: n %d right %.4f; context: n %d right %.4f; similar: n %d right %.4f",
		j.unique.n, j.unique.share(), j.context.n, j.context.share(), j.similar.n, j.similar.share())
	whole := tally{}
	for _, kind := range []string{unmoved, moved} {
		if k := j.kinds[kind]; k != nil {
			whole.n, whole.right = whole.n+k.n, whole.right+k.right
		}
	}
	if whole.n == 0 || whole.share() < .995 {
		t.Errorf("unchanged or moved: %d of %d are right", whole.right, whole.n)
	}
	if k := j.kinds[inside]; k == nil || k.share() < changedInside {
		t.Errorf("changed inside: %+v are right", k)
	}
	if wrong := j.unique.n - j.unique.right; wrong*1000 > j.unique.n {
		t.Errorf("%d of %d unique ones are wrong", wrong, j.unique.n)
	}
	if t.Failed() {
		t.Log(strings.Join(j.misses[:min(len(j.misses), 20)], "\n"))
	}
}
