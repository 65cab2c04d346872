package term_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/command/internal/term"
)

func TestLine(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Chapter 1: \\n is kept", "Chapter 1: \\n is kept"},
		{"letters", "Übersicht — 概要 — مرحبا", "Übersicht — 概要 — مرحبا"},
		{"emoji sequence", "👩\u200d🔬", "👩\u200d🔬"},
		{"line ends", "a\r\nb\tc", `a\r\nb\tc`},
		{"escape sequence", "\x1b[31mred\x1b]8;;http://x\x07", `\x1b[31mred\x1b]8;;http://x\x07`},
		{"delete", "a\x7fb", `a\x7fb`},
		{"C1", "a\u009b31m", `a\u009b31m`},
		{"C1 as a byte", "a\x9b31m", `a\x9b31m`},
		{"bidirectional", "user\u202egnp.exe\u2066x", `user\u202egnp.exe\u2066x`},
		{"line separators", "a\u2028b\u2029c\u0085d", `a\u2028b\u2029c\u0085d`},
		{"tags", "a\U000e0041\U000e0100", `a\U000e0041\U000e0100`},
		{"zero width", "a\u200bb\ufeff", `a\u200bb\ufeff`},
		{"not UTF-8", "a\xff\xc3", `a\xff\xc3`},
		{"replacement character", "a\ufffdb", "a\ufffdb"},
	} {
		if got := term.Line(c.in); got != c.want {
			t.Errorf("%s: Line(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"plain", "\x1b]0;x\x07", "\u202e", "\xff", "\U000e0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line := term.Line(s)
		if !utf8.ValidString(line) {
			t.Fatalf("Line(%q) = %q is not UTF-8", s, line)
		}
		for _, r := range line {
			if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) {
				t.Fatalf("Line(%q) has %U", s, r)
			}
		}
		if again := term.Line(line); again != line {
			t.Fatalf("Line(%q) = %q, and of that %q", s, line, again)
		}
		checkJSON(t, s)
	})
}

// checkJSON checks that JSON keeps the value and has nothing that could be
// seen as a control.
func checkJSON(t *testing.T, s string) {
	data, err := json.Marshal(map[string]string{"key": s})
	if err != nil {
		t.Fatal(err)
	}
	safe := term.JSON(data)
	var before, after map[string]string
	if err := json.Unmarshal(data, &before); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(safe, &after); err != nil {
		t.Fatalf("JSON(%q) = %q: %v", data, safe, err)
	}
	if before["key"] != after["key"] {
		t.Fatalf("JSON(%q) = %q, another value", data, safe)
	}
	if line := term.Line(string(safe)); line != string(safe) {
		t.Fatalf("JSON(%q) = %q", data, safe)
	}
}

func TestJSON(t *testing.T) {
	for in, want := range map[string]string{
		"{\n  \"a\": \"b\"\n}":             "{\n  \"a\": \"b\"\n}",
		`"a\u0026b \u003ci\u003e \\u0026"`: `"a&b <i> \\u0026"`,
		"\"\u202e\u009b\x7f\"":             `"\u202e\u009b\u007f"`,
		"\"Ü \U000e0041 👩\u200d🔬\"":        "\"Ü \\udb40\\udc41 👩\u200d🔬\"",
	} {
		if got := string(term.JSON([]byte(in))); got != want {
			t.Errorf("JSON(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSpinShowsNothingAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		stop := term.Spin(context.Background(), &out, "resolving")
		time.Sleep(time.Millisecond)
		stop()
		if out.Len() > 0 {
			t.Errorf("wrote %q", out.String())
		}
	})
}

func TestSpin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		stop := term.Spin(context.Background(), &out, "resolving\x1b[2J")
		time.Sleep(3 * time.Second)
		stop()
		shown := out.String()
		if !strings.Contains(shown, `resolving\x1b[2J 2s`) {
			t.Errorf("no label and time in %q", shown)
		}
		if !strings.HasSuffix(shown, "\r\x1b[K") {
			t.Errorf("left behind on the line: %q", shown)
		}
	})
}

func TestIsTerminal(t *testing.T) {
	if term.IsTerminal(new(bytes.Buffer)) {
		t.Error("a buffer is no terminal")
	}
}
