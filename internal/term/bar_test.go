package term_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citekit/citekit/internal/term"
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
	var none *term.Bar
	none.Set(1, "", "")
	called := false
	none.Above(func() { called = true })
	none.Stop()
	if !called {
		t.Error("a nil bar keeps others from printing")
	}
}
