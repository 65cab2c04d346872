package textlayer_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	textresolver "github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// letters are characters of one to four bytes, and what lines end in.
var letters = []string{"a", "b", "é", "€", "𝄞", " ", "\n", "\r\n", "\r", "\u2028", "\x00"}

func randomText(random *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(letters[random.IntN(len(letters))])
	}
	return b.String()
}

// TestConvert compares offsets with those in whole texts.
func TestConvert(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		var runs []citekit.TextRun
		for n := range random.IntN(6) {
			runs = append(runs, page(n+1, randomText(random, random.IntN(12))))
		}
		l := open(t, textlayer.New(newDesk(t, citekit.Document, runs...).Library, nil), "a")
		all := text(t, l)
		points, units := int64(0), int64(0)
		for i, c := range all + "." {
			for _, want := range []struct {
				unit textlayer.Unit
				off  int64
			}{{textlayer.InBytes, int64(i)}, {textlayer.InCodePoints, points}, {textlayer.InUTF16, units}} {
				for from, off := range map[textlayer.Unit]int64{textlayer.InBytes: int64(i), textlayer.InCodePoints: points, textlayer.InUTF16: units} {
					if got, err := l.Convert(off, from, want.unit); err != nil || got != want.off {
						t.Fatalf("%q: offset %d in unit %d is %d, %v in unit %d; want %d", all, off, from, got, err, want.unit, want.off)
					}
				}
			}
			for inside := i + 1; inside < i+utf8.RuneLen(c) && inside < len(all); inside++ {
				if got, err := l.Convert(int64(inside), textlayer.InBytes, textlayer.InUTF16); err == nil {
					t.Fatalf("%q: byte %d, inside a character, is unit %d", all, inside, got)
				}
			}
			points++
			units += int64(utf16.RuneLen(c))
		}
		for _, unit := range []textlayer.Unit{textlayer.InBytes, textlayer.InCodePoints, textlayer.InUTF16} {
			if _, err := l.Convert(1<<40, unit, textlayer.InBytes); err == nil {
				t.Errorf("an offset beyond the text, in unit %d", unit)
			}
		}
	}
}

// textLibrary returns a Library with the resource "a", a text.
func textLibrary(t testing.TB, content string) (*citekit.Library, *workspace.Memory) {
	t.Helper()
	ws := workspace.NewMemory(nil)
	ws.AddSource("a.txt", []byte(content))
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(textresolver.Resolver)}, nil)
	t.Cleanup(func() { lib.Close() })
	if err := lib.Save(t.Context(), &citekit.ResourceMap{ResourceID: "a", Type: citekit.Text, SourcePath: "a.txt"}); err != nil {
		t.Fatal(err)
	}
	return lib, ws
}

// TestLines compares the lines of parts of texts with those that the resolver
// gives, whose text must be the same.
func TestLines(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	long := strings.Repeat("a line of some length that is repeated often\n", 9000) + strings.Repeat("x", 700_000) + "\nend"
	texts := []string{"", "\n", "one", "one\n", "\r\none\r\n\r\n", "one\rtwo\rthree\r", "\xef\xbb\xbfone\ntwo", long}
	for range 30 {
		texts = append(texts, strings.ReplaceAll(randomText(random, 60), "\x00", "."))
	}
	for _, content := range texts {
		for _, copied := range []int64{0, -1} {
			lib, _ := textLibrary(t, content)
			l := open(t, textlayer.New(lib, &textlayer.Options{CopyBytes: copied, SmallBytes: -1}), "a")
			if extent, err := lib.Measure(t.Context(), "a"); err == nil {
				checkLines(t, lib, l, extent.Lines, random)
			}
		}
	}
}

func checkLines(t *testing.T, lib *citekit.Library, l *textlayer.Layer, count int, random *rand.Rand) {
	t.Helper()
	for range min(count, 20) {
		first := 1 + random.IntN(count)
		loc := citekit.Text.Lines(first, min(first+random.IntN(4), count))
		var want strings.Builder
		for run, err := range lib.ReadText(t.Context(), "a", loc) {
			if err != nil {
				t.Fatal(err)
			}
			want.WriteString(run.Text)
		}
		parts, err := l.Ranges(loc)
		if err != nil || len(parts) != 1 {
			t.Fatalf("lines %v of %.40q are at %v, %v", loc.Lines, text(t, l), parts, err)
		}
		got, err := l.Text(t.Context(), parts[0].From, parts[0].To)
		if err != nil || got != want.String() {
			t.Fatalf("lines %v of %.40q: %.80q, %v; want %.80q", loc.Lines, text(t, l), got, err, want.String())
		}
		back, err := l.Location(parts[0].From, parts[0].To)
		if err != nil || back.Lines != loc.Lines {
			t.Fatalf("lines %v of %.40q are on %v, %v", loc.Lines, text(t, l), back.Lines, err)
		}
		at := parts[0].From + random.Int64N(max(parts[0].To-parts[0].From, 1))
		back, err = l.Location(at, at)
		if err != nil || !loc.Contains(back) {
			t.Fatalf("byte %d of %.40q is on %v, %v; it is in %v", at, text(t, l), back.Lines, err, loc.Lines)
		}
	}
}

// TestMirrored reads texts that are not copied, until their source changes.
func TestMirrored(t *testing.T) {
	const content = "\xef\xbb\xbfone\ntwo\nthree\n"
	lib, ws := textLibrary(t, content)
	s := textlayer.New(lib, &textlayer.Options{CopyBytes: -1, SmallBytes: -1})
	l := open(t, s, "a")
	if text(t, l) != content[3:] {
		t.Errorf("the text is %q", text(t, l))
	}
	if n := keptBytes(t, lib); n > 300 {
		t.Errorf("%d bytes are kept", n)
	}
	again, err := s.OpenVersion(t.Context(), "a", l.SourceHash())
	if err != nil || text(t, again) != content[3:] {
		t.Errorf("by its version: %v", err)
	}
	ws.AddSource("a.txt", []byte("another"))
	if _, err := s.OpenVersion(t.Context(), "a", l.SourceHash()); citekit.CodeOf(err) != message.CodeStale {
		t.Errorf("a version that is gone: %v", err)
	}
	for name, other := range map[string]string{
		"UTF-16":      "\xff\xfeo\x00n\x00e\x00\n\x00",
		"not UTF-8":   strings.Repeat("one\n", 50_000) + "f\xffr",
		"windows-125": "caf\xe9 ferm\xe9\n",
	} {
		lib, _ := textLibrary(t, other)
		copied := open(t, textlayer.New(lib, nil), "a")
		lib, _ = textLibrary(t, other)
		mirrored := open(t, textlayer.New(lib, &textlayer.Options{CopyBytes: -1, SmallBytes: -1}), "a")
		if text(t, copied) != text(t, mirrored) || !utf8.ValidString(text(t, mirrored)) {
			t.Errorf("%s: %.40q, copied %.40q", name, text(t, mirrored), text(t, copied))
		}
	}
}
