package verify_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/faulttest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/document"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
	"github.com/citekit/citekit/workspace"
)

// A shelf is a library of files with what verifies quotes of them.
type shelf struct {
	*citekit.Library
	*verify.Verifier
	dir string
}

func newShelf(t testing.TB, files map[string]string) *shelf {
	s := &shelf{dir: t.TempDir()}
	for name, text := range files {
		s.write(t, name, text)
	}
	ws, err := workspace.Open(s.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Library = citekit.New(ws, modality.All(), nil)
	t.Cleanup(func() { s.Library.Close() })
	if _, err := ingest.Run(t.Context(), s.Library, []string{"."}, nil); err != nil {
		t.Fatal(err)
	}
	searcher := search.New(s.Library, nil)
	t.Cleanup(func() { searcher.Close() })
	s.Verifier = verify.New(s.Library, &verify.Options{Searcher: searcher})
	return s
}

// TestOnly looks in no other resource than the one that is named.
func TestOnly(t *testing.T) {
	s := newShelf(t, map[string]string{"a.txt": "The kettle boils.\n", "b.txt": "The lid of the copper pot rattles at noon.\n"})
	for quote, want := range map[string]verify.Class{
		"The lid of the copper pot rattles at noon": verify.Elsewhere,
		"The lid of the copper pot sings at noon":   verify.NotFound,
	} {
		req := verify.Request{Quote: quote, Address: citekit.Address{Resource: "a"}}
		if v, err := s.Quote(t.Context(), req); err != nil || v.Class != want {
			t.Errorf("%q: %+v, %v", quote, v, err)
		}
		req.Only = true
		if v, err := s.Quote(t.Context(), req); err != nil || v.Class != verify.NotFound || v.Address.Resource != "" {
			t.Errorf("%q in a alone: %+v, %v", quote, v, err)
		}
	}
}

// TestAlteredInItsResource judges a quote at a stated place by the resource of the
// place, however much more similar another resource is.
func TestAlteredInItsResource(t *testing.T) {
	s := newShelf(t, map[string]string{
		"facts.md":  "# Facts\n\nThe liability is unlimited in scope.\n\nYou must not take the pills.\n",
		"manual.md": "# Manual\n\nIt is limited in time.\n\nYou must take care of options in scope, and of the old copper pot at noon.\n",
	})
	for _, c := range []struct {
		quote, address string
		class          verify.Class
		at, other      string
	}{
		{"must [not] take", "text://facts#lines=5", verify.Altered, "text://facts#lines=5-5", ""},
		{"limited in scope", "text://facts#lines=3", verify.Altered, "text://facts#lines=3-3", ""},
		{"limited in scope", "text://facts", verify.Altered, "text://facts#lines=3-3", ""},
		{"and of the old copper kettle at noon", "text://facts#lines=3", verify.NotFound, "", "text://manual#lines=5-5"},
		{"and of the old copper kettle at noon", "", verify.Altered, "text://manual#lines=5-5", ""},
	} {
		v := s.quote(t, c.quote, c.address)
		at, other := "", ""
		if v.Address.Resource != "" {
			at = v.Address.String()
		}
		if len(v.Others) > 0 {
			other = v.Others[0].String()
		}
		if v.Class != c.class || at != c.at || other != c.other {
			t.Errorf("%q at %q: %s at %q, others %q, %v; want %s at %q, %q", c.quote, c.address, v.Class, at, other, v.Difference, c.class, c.at, c.other)
		}
		report, err := s.Text(t.Context(), "As it says, \""+c.quote+"\" ["+c.address+"].", nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.address != "" && report.Entries[0].Class != c.class {
			t.Errorf("%q at %q in a text: %s", c.quote, c.address, report.Entries[0].Class)
		}
	}
}

func (s *shelf) write(t testing.TB, name, text string) {
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s *shelf) quote(t testing.TB, quote, address string) *verify.Verdict {
	t.Helper()
	req := verify.Request{Quote: quote}
	if address != "" {
		a, err := citekit.ParseAddress(address)
		if err != nil {
			t.Fatal(err)
		}
		req.Address = a
	}
	v, err := s.Quote(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var files = map[string]string{
	"tea.md": "# Tea\n\nThe kettle *must not* boil dry.\nIt holds 1.5 litres, and it was\nmade in 1911.\n\n" +
		"## Chalk\n\nChalk settles in the [kettle](https://example.com/kettle), and it should be removed twice a year.\nThe kettle is old.\n",
	"coffee.txt": "Coffee is brewed at 93 °C.\nThe grinder makes a noise that wakes the cat.\nThe kettle is old.\n",
	"say.srt":    "1\n00:00:01,000 --> 00:00:03,000\nGood evening to all of you\n\n2\n00:00:03,500 --> 00:00:06,000\nwho came in spite of the snow.\n",
}

func TestQuote(t *testing.T) {
	s := newShelf(t, files)
	for _, c := range []struct {
		quote, address string
		class          verify.Class
		at             string
	}{
		{"It holds 1.5 litres", "text://tea#lines=3-5", verify.Exact, "text://tea#lines=4-4"},
		{"It holds 1.5 litres", "text://tea", verify.Exact, "text://tea#lines=4-4"},
		{"It holds 1.5 litres", "", verify.Exact, "text://tea#lines=4-4"},
		{"and it was made in 1911", "text://tea#lines=4-5", verify.Exact, "text://tea#lines=4-5"},
		{"and it was made in 1911", "text://tea#lines=4", verify.Elsewhere, "text://tea#lines=4-5"},
		{"The kettle must not boil dry.", "text://tea", verify.Repaired, "text://tea#lines=3-3"},
		{"Chalk settles in the kettle, and it should be removed", "text://tea", verify.Repaired, "text://tea#lines=9-9"},
		{"The kettle must boil dry.", "text://tea", verify.Altered, "text://tea#lines=3-3"},
		{"It holds 15 litres, and it was made in 1911", "text://tea", verify.Altered, "text://tea#lines=4-5"},
		{"The grinder makes a noise", "text://tea", verify.Elsewhere, "text://coffee#lines=2-2"},
		{"the grinder makes no noise that wakes the cat", "", verify.Altered, "text://coffee#lines=2-2"},
		{"Nobody has ever seen the inside of the pot", "text://tea", verify.NotFound, ""},
		{"Nobody has ever seen the inside of the pot", "", verify.NotFound, ""},
		{"to all of you who came in spite of the snow", "text://say", verify.Repaired, "text://say#lines=3-7"},
	} {
		v := s.quote(t, c.quote, c.address)
		at := ""
		if v.Class != verify.NotFound {
			at = v.Address.String()
		}
		if v.Class != c.class || at != c.at {
			data, _ := json.Marshal(v)
			t.Errorf("%q at %q: %s; want %s at %q", c.quote, c.address, data, c.class, c.at)
		}
	}
}

// TestPlaces counts where short quotes stand.
func TestPlaces(t *testing.T) {
	s := newShelf(t, files)
	v := s.quote(t, "The kettle is old.", "text://coffee")
	if v.Class != verify.Exact || v.Places != 1 || !v.Counted {
		t.Errorf("%+v", v)
	}
	v = s.quote(t, "The kettle is old.", "")
	if v.Class != verify.Exact || v.Places != 2 || len(v.Others) != 1 {
		t.Errorf("%+v", v)
	}
	v = s.quote(t, "kettle", "text://tea")
	if v.Class != verify.Exact || v.Places != 4 || v.Span.Bytes != [2]int64{11, 17} {
		t.Errorf("%+v", v)
	}
}

// keepTexts keeps the texts of all resources as they are, however small they are.
func (s *shelf) keepTexts(t testing.TB) {
	t.Helper()
	layers := textlayer.New(s.Library, &textlayer.Options{SmallBytes: -1})
	ids, err := s.Resources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		layer, err := layers.Open(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if err := layer.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s.Verifier = verify.New(s.Library, &verify.Options{Layers: layers})
}

// TestStale verifies quotes of sources that changed or are gone: by the text that was cited,
// and never by another one.
func TestStale(t *testing.T) {
	changed := strings.Replace(files["tea.md"], "1.5 litres", "2 litres", 1)
	hash := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
	const old, new = "It holds 1.5 litres, and it was", "It holds 2 litres, and it was"
	for _, isKept := range []bool{false, true} {
		s := newShelf(t, files)
		if isKept {
			s.keepTexts(t)
		}
		s.write(t, "tea.md", changed)
		mapped := []verify.Class{verify.Exact, verify.Exact, verify.Altered}
		if !isKept {
			mapped = []verify.Class{verify.Unchecked, verify.Unchecked, verify.Unchecked}
		}
		for _, one := range []struct {
			version string
			want    []verify.Class // of words that both have, of old ones, and of new ones
		}{
			{"", mapped},
			{hash(files["tea.md"])[:12], mapped},
			{hash(changed)[:12], []verify.Class{verify.Exact, verify.Altered, verify.Exact}},
			{hash("never seen")[:12], []verify.Class{verify.Unchecked, verify.Unchecked, verify.Unchecked}},
		} {
			for i, quote := range []string{"The kettle is old.", old, new} {
				address := "text://tea"
				if one.version != "" {
					address += "#v=" + one.version
				}
				v := s.quote(t, quote, address)
				if !v.Stale || v.Holds() || v.Class != one.want[i] || (v.Class == verify.Unchecked) != errors.Is(v.Problem, citekit.ErrStale) {
					t.Errorf("kept: %v, %q at %s: %+v", isKept, quote, address, v)
				}
			}
		}
	}
	s := newShelf(t, files)
	if err := os.Remove(filepath.Join(s.dir, "coffee.txt")); err != nil {
		t.Fatal(err)
	}
	v := s.quote(t, "The kettle is old.", "text://coffee")
	if v.Problem == nil || v.Holds() || v.Class != verify.Unchecked {
		t.Errorf("%+v", v)
	}
	v = s.quote(t, "words", "text://milk")
	if !errors.Is(v.Problem, os.ErrNotExist) || v.Class != verify.Unchecked {
		t.Errorf("%+v", v)
	}
}

// TestBadQuotes verifies quotes that are empty, too long or made to be slow.
func TestBadQuotes(t *testing.T) {
	s := newShelf(t, files)
	for quote, want := range map[string]error{
		"": citekit.ErrSyntax, " \n": citekit.ErrSyntax, "“”": nil, "\xff": citekit.ErrSyntax,
		strings.Repeat("a", verify.MaxQuote+1): citekit.ErrTooLarge,
	} {
		if _, err := s.Quote(t.Context(), verify.Request{Quote: quote}); !errors.Is(err, want) {
			t.Errorf("%.20q: %v, want %v", quote, err, want)
		}
	}
	for _, quote := range []string{
		"x", ".", "…", "!?!?", strings.Repeat("a", verify.MaxQuote), strings.Repeat("kettle ", 9000), strings.Repeat("(a+)+", 10_000),
		strings.Repeat("…kettle", 5000), strings.Repeat("\u0301", 10_000), strings.Repeat("[", 60_000),
	} {
		v := s.quote(t, quote, "text://tea")
		if v.Class != verify.NotFound && quote != "." {
			t.Errorf("%.20q: %+v", quote, v)
		}
	}
}

// TestUnsearched has an archive that is only partly unpacked: a quote from the rest
// is not denied, and is found at its own address.
func TestUnsearched(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"a.txt", "b.txt"} {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, strings.Repeat("The kettle of "+name+" boils at noon.\n", 100))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	archives := &document.Archive{MaxUnpacked: 4000}
	archives.Members = citekit.Resolvers{citekit.Document: archives, citekit.Text: new(text.Resolver)}
	ws := workspace.NewMemory(nil)
	ws.AddSource("a.zip", b.Bytes())
	lib := citekit.New(ws, archives.Members, nil)
	defer lib.Close()
	if _, err := ingest.Run(t.Context(), lib, []string{"a.zip"}, nil); err != nil {
		t.Fatal(err)
	}
	s := &shelf{Library: lib, Verifier: verify.New(lib, nil)}
	for _, c := range []struct {
		quote, address string
		class          verify.Class
		problem        bool
	}{
		{"The kettle of a.txt boils at noon.", "doc://a", verify.Exact, false},
		{"The kettle of b.txt boils at noon.", "doc://a", verify.Altered, true},
		{"Nobody has ever seen the pot", "doc://a", verify.Unchecked, true},
		{"The kettle of b.txt boils at noon.", "text://a#member=b.txt", verify.Exact, false},
		{"The kettle of b.txt boils at noon.", "text://a#member=b.txt&lines=7", verify.Exact, false},
		{"The kettle of b.txt boils at noon.", "text://a#member=a.txt&lines=7", verify.Altered, false},
	} {
		v := s.quote(t, c.quote, c.address)
		if v.Class != c.class || (v.Problem != nil) != c.problem || c.problem && !errors.Is(v.Problem, citekit.ErrTooLarge) {
			t.Errorf("%q at %s: %+v", c.quote, c.address, v)
		}
	}
	report, err := s.Text(t.Context(), "The kettle is shown in the picture [doc://a].", nil)
	if err != nil || !report.Holds() {
		t.Errorf("a claim: %+v, %v", report, err)
	}
}

// TestNothingToLookInto checks that a quote without a source is a problem, and not
// merely missing, where no text can be opened.
func TestNothingToLookInto(t *testing.T) {
	s := newShelf(t, map[string]string{"a.txt": "The kettle boils.\n"})
	closed := citekit.New(struct{ citekit.Workspace }{s.Workspace()}, modality.All(), nil) // no EvidenceOpener
	verdict, err := verify.New(closed, nil).Quote(t.Context(), verify.Request{Quote: "The kettle boils"})
	if err != nil || verdict.Problem == nil {
		t.Errorf("%+v, %v", verdict, err)
	}
}

// TestLeftOut has sources that changed and are gone, and one without text: a quote that
// is in none of the others is not denied without a word, with a Searcher and
// without.
func TestLeftOut(t *testing.T) {
	s := newShelf(t, map[string]string{
		"a.txt": "The kettle boils at noon.\n", "b.txt": "The lid rattles.\n", "c.txt": "Nobody drinks.\n", "d.txt": "Somebody sings.\n",
	})
	s.write(t, "e.png", picture(t))
	if _, err := ingest.Run(t.Context(), s.Library, []string{"e.png"}, nil); err != nil {
		t.Fatal(err)
	}
	both := func(quote string, class verify.Class, out int) {
		t.Helper()
		for name, v := range map[string]*verify.Verifier{"a Searcher": s.Verifier, "no Searcher": verify.New(s.Library, nil)} {
			got, err := v.Quote(t.Context(), verify.Request{Quote: quote})
			if err != nil || got.Class != class || got.LeftOut != out {
				t.Errorf("%q with %s: %+v, %v; want %s and %d left out", quote, name, got, err, class, out)
			}
			if data, err := json.Marshal(got); err != nil || strings.Contains(string(data), fmt.Sprintf(`"left_out":%d`, out)) != (out > 0) {
				t.Errorf("%s, %v", data, err)
			}
		}
	}
	both("Elephants never sleep", verify.NotFound, 0)
	s.write(t, "b.txt", "Elephants never sleep.\n")
	if err := os.Remove(filepath.Join(s.dir, "c.txt")); err != nil {
		t.Fatal(err)
	}
	both("Elephants never sleep", verify.NotFound, 2)
	both("The kettle boils at night", verify.Altered, 2)
	both("The kettle boils at noon", verify.Exact, 0)
}

func picture(t *testing.T) string {
	var b strings.Builder
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestUnread checks that a quote is not denied while texts are still being read.
func TestUnread(t *testing.T) { synctest.Test(t, testUnread) }

func testUnread(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("a.txt", []byte("The kettle boils at noon.\n"))
	ws.AddSource("stuck.txt", []byte("Elephants never sleep.\n"))
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: faulttest.StuckText{Resolver: new(text.Resolver)}}, nil)
	defer lib.Close()
	if _, err := ingest.Run(t.Context(), lib, []string{"."}, nil); err != nil {
		t.Fatal(err)
	}
	searcher := search.New(lib, nil)
	defer searcher.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	v, err := verify.New(lib, &verify.Options{Searcher: searcher}).Quote(ctx, verify.Request{Quote: "Elephants never sleep"})
	if err != nil || v.Class != verify.Unchecked || citekit.CodeOf(v.Problem) != message.CodeTimeout {
		t.Errorf("%+v, %v", v, err)
	}
}
