package term_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/command/internal/term"
)

func TestBar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		b := term.NewBar(&out)
		b.Set(0.1, "1 of 10", "quick")
		if out.Len() > 0 {
			t.Fatalf("drawn at once: %q", out.String())
		}
		time.Sleep(time.Second)
		b.Set(0.5, "5 of 10", strings.Repeat("dir/", 20)+"a\x1b[31m.txt")
		b.Set(0.6, "6 of 10", "too soon")
		drawn := out.String()
		if want := "\r\x1b[K[████████████░░░░░░░░░░░░] 5 of 10 …"; !strings.HasPrefix(drawn, want) || !strings.HasSuffix(drawn, `/a\x1b[31m.txt`) {
			t.Errorf("drawn: %q", drawn)
		}
		out.Reset()
		b.Above(func() { out.WriteString("a line\n") })
		if got := out.String(); !strings.HasPrefix(got, "\r\x1b[Ka line\n[") {
			t.Errorf("above: %q", got)
		}
		out.Reset()
		b.Stop()
		b.Stop()
		if got := out.String(); got != "\r\x1b[K" {
			t.Errorf("stopped: %q", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		for _, name := range []string{"a.txt", strings.Repeat("dir/", 30), strings.Repeat("本", 60), strings.Repeat("本", 11) + ".txt"} {
			for _, text := range []string{"1 of 2", "100000 of 100000", strings.Repeat("x", 70)} {
				var out bytes.Buffer
				b := term.NewBar(&out)
				time.Sleep(time.Second)
				b.Set(0.5, text, name)
				line := strings.TrimPrefix(out.String(), "\r\x1b[K")
				if columns := utf8.RuneCountInString(line) + strings.Count(line, "本"); columns > 79 && len(text) < 50 {
					t.Errorf("%d columns: %q", columns, line)
				}
				if len(text) < 20 && !strings.HasSuffix(line, name[len(name)-3:]) {
					t.Errorf("the end of the name is missing: %q", line)
				}
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		b := term.NewBar(&out)
		time.Sleep(time.Second)
		b.Set(0.5, "1 of 2", "a.pdf")
		stop := b.Count("preparing\x1b[2J")
		time.Sleep(2500 * time.Millisecond)
		synctest.Wait()
		drawn := out.String()
		b.Set(0.6, "1 of 2", "held.pdf")
		b.Above(func() { out.WriteString("a line\n") })
		stop()
		stop()
		if !strings.HasSuffix(drawn, "\r\x1b[K"+`preparing\x1b[2J: 2 s`) || !strings.HasPrefix(strings.TrimPrefix(out.String(), drawn), "\r\x1b[Ka line\npreparing") {
			t.Errorf("drawn: %q", out.String())
		}
		if strings.Contains(out.String(), "held") || !strings.HasSuffix(out.String(), "\r\x1b[K") {
			t.Errorf("left: %q", out.String())
		}
		b.Set(0.7, "1 of 2", "after.pdf")
		if !strings.HasSuffix(out.String(), "after.pdf") {
			t.Errorf("after: %q", out.String())
		}
	})
	var none *term.Bar
	none.Count("")()
	none.Set(1, "", "")
	called := false
	none.Above(func() { called = true })
	none.Stop()
	if !called {
		t.Error("a nil bar keeps others from printing")
	}
}

// TestBarSaysHowLong: once it can be told, the bar says how long the rest takes.
func TestBarSaysHowLong(t *testing.T) {
	for _, test := range []struct {
		after time.Duration
		part  float64
		want  string
	}{
		{time.Second, .5, "] reading 3/9 a.txt"},
		{10 * time.Second, .01, "] reading 3/9 a.txt"},
		{10 * time.Second, .25, "] reading 3/9, 30 s left a.txt"},
		{time.Minute, .1, "] reading 3/9, 9 min left a.txt"},
		{time.Hour, .2, "] reading 3/9, 4 h left a.txt"},
		{time.Hour, 1, "] reading 3/9 a.txt"},
		{time.Hour, 7, "] reading 3/9 a.txt"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			b := term.NewBar(&out)
			time.Sleep(test.after)
			b.Set(test.part, "reading 3/9", "a.txt")
			if !strings.HasSuffix(out.String(), test.want) {
				t.Errorf("%v, %v: %q lacks %q", test.after, test.part, out.String(), test.want)
			}
		})
	}
}
