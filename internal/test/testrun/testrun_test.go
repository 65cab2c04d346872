package main

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReachedBy(t *testing.T) {
	listed := []string{
		modulePath + " fmt",
		modulePath + "/search fmt " + modulePath,
		modulePath + "/internal/words fmt",
		modulePath + "/internal/words.test testing " + modulePath + "/internal/words",
		modulePath + "/search.test testing " + modulePath + "/search " + modulePath + "/internal/words",
	}
	for _, test := range []struct {
		changed []string
		want    string
	}{
		{[]string{"citekit.go"}, "./. ./search"},
		{[]string{"README.md", ".ci/run"}, ""},
		{[]string{"docs/search.md"}, ""},
		{[]string{"internal/words/testdata/fuzz/FuzzX/1"}, "./internal/words ./search"},
		{[]string{"search/index.go"}, "./search"},
		{[]string{"README.md", "go.mod"}, "./. ./internal/words ./search"},
	} {
		if got := strings.Join(reachedBy(test.changed, listed), " "); got != test.want {
			t.Errorf("%v reaches %q; want %q", test.changed, got, test.want)
		}
	}
}

// events are of a package with a test that passes, one that fails in a part, one that
// is left out, and one that is skipped; and of a package that cannot be built.
const events = `
{"Action":"start","Package":"github.com/citekit/citekit/a"}
{"Action":"run","Package":"github.com/citekit/citekit/a","Test":"TestGood"}
{"Action":"output","Package":"github.com/citekit/citekit/a","Test":"TestGood","Output":"nobody needs this\n"}
{"Action":"pass","Package":"github.com/citekit/citekit/a","Test":"TestGood","Elapsed":0.1}
{"Action":"output","Package":"github.com/citekit/citekit/a","Test":"TestBad/part","Output":"a_test.go:7: it broke\n"}
{"Action":"fail","Package":"github.com/citekit/citekit/a","Test":"TestBad/part","Elapsed":0.1}
{"Action":"fail","Package":"github.com/citekit/citekit/a","Test":"TestBad","Elapsed":0.1}
{"Action":"output","Package":"github.com/citekit/citekit/a","Test":"TestPeer/one","Output":"a_test.go:9: left out: qpdf is not installed\n"}
{"Action":"skip","Package":"github.com/citekit/citekit/a","Test":"TestPeer/one","Elapsed":0}
{"Action":"pass","Package":"github.com/citekit/citekit/a","Test":"TestPeer","Elapsed":0}
{"Action":"output","Package":"github.com/citekit/citekit/a","Test":"TestRoot","Output":"a_test.go:11: needs root\n"}
{"Action":"skip","Package":"github.com/citekit/citekit/a","Test":"TestRoot","Elapsed":0}
{"Action":"fail","Package":"github.com/citekit/citekit/a","Elapsed":0.4}
{"ImportPath":"github.com/citekit/citekit/b","Action":"build-output","Output":"b.go:1: no such thing\n"}
{"ImportPath":"github.com/citekit/citekit/b","Action":"build-fail"}
{"Action":"fail","Package":"github.com/citekit/citekit/b","Elapsed":0,"FailedBuild":"github.com/citekit/citekit/b"}
`

func TestReport(t *testing.T) {
	var out bytes.Buffer
	r := newReport(&out)
	for line := range strings.Lines(events[1:]) {
		r.take([]byte(line), job{})
	}
	if err := r.close(0, ""); err == nil || err.Error() != "2 tests failed" {
		t.Errorf("the report ends with %v", err)
	}
	said := out.String()
	for _, want := range []string{"FAIL  a TestBad/part\na_test.go:7: it broke\n", "b.go:1: no such thing\n", "FAIL  b  0.0s\n", "2 passed, 2 failed, 1 skipped\n", "1 tests, or parts"} {
		if !strings.Contains(said, want) {
			t.Errorf("the report lacks %q:\n%s", want, said)
		}
	}
	if strings.Contains(said, "nobody needs this") {
		t.Errorf("the report has what a test that passed printed:\n%s", said)
	}
	if got := r.leftOutTests(); !slices.Equal(got, []string{"./a TestPeer\n"}) {
		t.Errorf("left out: %q", got)
	}
}

func TestNoted(t *testing.T) {
	seconds := int64(0) // each look at the clock is a second later
	clock := func() time.Time { seconds++; return time.Unix(seconds, 0) }
	w := watcher{name: "a", clock: clock, running: make(map[string]testTime)}
	var out bytes.Buffer
	printed := "\x16=== RUN   TestOne\n\x16=== RUN   TestOne/part\n\x16    --- PASS: TestOne/part (0.00s)\n\x16--- PASS: TestOne (0.00s)\nPASS\n"
	w.copy(&out, strings.NewReader(printed))
	if out.String() != printed {
		t.Errorf("copied %q", out.String())
	}
	if len(w.ended) != 1 || w.ended[0].Test != "TestOne" || w.ended[0].Package != "a" {
		t.Errorf("noted %v", w.ended)
	}
	w.ended, seconds = nil, 0
	// The first runs from 1 to 3 and, after the other, from 6 to 7.
	w.copy(&out, strings.NewReader("\x16=== RUN   TestOne\n\x16=== RUN   TestOne/part\n\x16=== PAUSE TestOne\n\x16=== RUN   TestTwo\n\x16--- PASS: TestTwo (0.00s)\n\x16=== CONT  TestOne\n\x16--- PASS: TestOne (0.00s)\n"))
	if len(w.ended) != 2 || w.ended[0].Elapsed != time.Second || w.ended[1].Test != "TestOne" || w.ended[1].Elapsed != 3*time.Second {
		t.Errorf("with a pause, noted %v", w.ended)
	}
}

func TestBadOptions(t *testing.T) {
	if err := run(t.Context(), options{race: "shrt"}); err == nil || !strings.Contains(err.Error(), "short, all or no") {
		t.Errorf("an unknown -race: %v", err)
	}
	if err := printReached(t.Context(), io.Discard, "no-such-revision"); err == nil || !strings.Contains(err.Error(), "no-such-revision") {
		t.Errorf("an unknown revision: %v", err)
	}
}
