package reanchor_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/reanchor"
	"github.com/citekit/citekit/workspace"
)

// A shelf is a library of files with what finds again what was cited of them.
type shelf struct {
	*citekit.Library
	*reanchor.Reanchorer
	dir string
}

func newShelf(t testing.TB, files map[string]string) *shelf {
	s := &shelf{dir: t.TempDir()}
	ws, err := workspace.Open(s.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Library = citekit.New(ws, modality.All(), nil)
	t.Cleanup(func() { s.Library.Close() })
	s.Reanchorer = reanchor.New(s.Library, nil)
	s.ingest(t, files)
	return s
}

func (s *shelf) ingest(t testing.TB, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ingest.Run(t.Context(), s.Library, []string{"."}, nil); err != nil {
		t.Fatal(err)
	}
}

// cite returns an address that pins the version of the source, which is kept.
func (s *shelf) cite(t testing.TB, address string) citekit.Address {
	t.Helper()
	a, err := citekit.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Map(t.Context(), a.Resource)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Keep(t.Context(), a.Resource); err != nil {
		t.Fatal(err)
	}
	a.Version = m.SourceHash()[:16]
	return a
}

func (s *shelf) find(t testing.TB, req reanchor.Request) *reanchor.Result {
	t.Helper()
	r, err := s.Find(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const guide = "# Kettles\n\nFill the kettle to the mark.\n\n# Chalk\n\nChalk settles where water boils away.\nIt is white and hard.\n\n# Vinegar\n\nVinegar dissolves chalk within an hour.\n"

func TestFind(t *testing.T) {
	s := newShelf(t, map[string]string{"guide.md": guide})
	chalk, vinegar, fill := s.cite(t, "text://guide#lines=7-8"), s.cite(t, "text://guide#lines=12"), s.cite(t, "text://guide#lines=3")
	if got := s.find(t, reanchor.Request{Address: chalk}); got.How != reanchor.Unchanged || !got.Address.Equal(chalk) || got.Confidence != 1 {
		t.Errorf("before the change: %+v", got)
	}
	changed := "# Contents\n\nAll about kettles.\n\n" + strings.NewReplacer("dissolves chalk", "dissolves no chalk", "Fill the kettle to the mark.\n", "").Replace(guide)
	s.ingest(t, map[string]string{"guide.md": changed})
	moved := s.find(t, reanchor.Request{Address: chalk})
	if want := s.cite(t, "text://guide#lines=10-11"); moved.How != reanchor.Unique || !moved.Address.Equal(want) || moved.Confidence < .95 {
		t.Errorf("moved: %+v, want %v", moved, want)
	}
	altered := s.find(t, reanchor.Request{Address: vinegar})
	if altered.How != reanchor.Similar || altered.Address.Location.String() != "lines=15-15" || len(altered.Difference) != 1 || altered.Difference[0].Source != "no" {
		t.Errorf("altered: %+v", altered)
	}
	if gone := s.find(t, reanchor.Request{Address: fill}); gone.How != reanchor.Gone || gone.Address.Resource != "" {
		t.Errorf("gone: %+v", gone)
	}
	data, err := json.Marshal(altered)
	if err != nil {
		t.Fatal(err)
	}
	var read struct{ Was, Address, How string }
	if err := json.Unmarshal(data, &read); err != nil || read.Was != vinegar.String() || read.Address != altered.Address.String() || read.How != "similar" {
		t.Errorf("%s, %v", data, err)
	}
}

func TestFindByTheQuote(t *testing.T) {
	s := newShelf(t, map[string]string{"guide.md": guide})
	at := func(address, version string) citekit.Address {
		a, err := citekit.ParseAddress(address)
		if err != nil {
			t.Fatal(err)
		}
		a.Version = version
		return a
	}
	const lost = "0123456789abcdef"
	for _, c := range []struct {
		name, quote, location string
		address               citekit.Address
		how                   reanchor.How
	}{
		{"no version, at its place", "It is white and hard.", "lines=8-8", at("text://guide#lines=8", ""), reanchor.Unchanged},
		{"no version, moved", "Chalk settles where water boils away.", "lines=7-7", at("text://guide#lines=3", ""), reanchor.Unique},
		{"beyond the end", "Chalk settles where water boils away.", "lines=7-7", at("text://guide#lines=99", ""), reanchor.Unique},
		{"a lost version", "Chalk settles where water boils away.", "lines=7-7", at("text://guide#lines=3", lost), reanchor.Unique},
		{"a lost version, at its place", "Chalk settles where water boils away.", "lines=7-7", at("text://guide#lines=7", lost), reanchor.Unique},
		{"altered", "Chalk settles where water never boils away.", "lines=7-7", at("text://guide#lines=3", lost), reanchor.Similar},
		{"few letters", "hard", "lines=8-8", at("text://guide#lines=3", ""), reanchor.Similar},
		{"invented", "Marmalade cures most ailments of elderly parrots.", "", at("text://guide#lines=3", lost), reanchor.Gone},
		{"no version and no quote", "", "", at("text://guide#lines=3", ""), reanchor.Unknown},
		{"a lost version and no quote", "", "", at("text://guide#lines=3", lost), reanchor.Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := s.find(t, reanchor.Request{Address: c.address, Quote: c.quote})
			if got.How != c.how || got.Address.Location.String() != c.location || (got.Problem != nil) != (c.how == reanchor.Unknown) {
				t.Errorf("%+v (%v)", got, got.Address)
			}
			if hasVersion := got.Address.Version != ""; got.Address.Resource != "" && hasVersion != (c.address.Version != "") {
				t.Errorf("the new address is %v", got.Address)
			}
		})
	}
}

func TestFindSaysWhatIsWrong(t *testing.T) {
	s := newShelf(t, map[string]string{"guide.md": guide})
	a := s.cite(t, "text://guide#lines=7")
	if err := os.WriteFile(filepath.Join(s.dir, "guide.md"), []byte("changed, and not mapped\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.find(t, reanchor.Request{Address: a}); got.How != reanchor.Unknown || !errors.Is(got.Problem, citekit.ErrStale) {
		t.Errorf("%+v", got)
	}
	a.Resource = "other"
	if got := s.find(t, reanchor.Request{Address: a}); got.How != reanchor.Unknown || citekit.CodeOf(got.Problem) != message.CodeNotFound {
		t.Errorf("%+v", got)
	}
	if _, err := s.Find(t.Context(), reanchor.Request{}); !errors.Is(err, citekit.ErrSyntax) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Find(ctx, reanchor.Request{Address: a}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestFindInOtherForms(t *testing.T) {
	sharedtest.NotShort(t)
	for name, changed := range map[string]string{
		"CRLF":   strings.ReplaceAll("New.\n\n"+guide, "\n", "\r\n"),
		"CR":     strings.ReplaceAll("New.\n\n"+guide, "\n", "\r"),
		"BOM":    "\ufeffNew.\n\n" + guide,
		"blanks": strings.ReplaceAll("New.\n\n"+guide, ".\n", ".  \n"),
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t, map[string]string{"guide.md": guide})
			a := s.cite(t, "text://guide#lines=7-8")
			s.ingest(t, map[string]string{"guide.md": changed})
			if got := s.find(t, reanchor.Request{Address: a}); got.How != reanchor.Unique || got.Address.Location.String() != "lines=9-10" {
				t.Errorf("%+v %v", got, got.Problem)
			}
		})
	}
	for name, changed := range map[string]string{"empty": "", "other": "Nothing of it is left here.\n"} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t, map[string]string{"guide.md": guide})
			a := s.cite(t, "text://guide#lines=7-8")
			s.ingest(t, map[string]string{"guide.md": changed})
			if got := s.find(t, reanchor.Request{Address: a}); got.How.Moves() || got.How == reanchor.Similar {
				t.Errorf("%+v %v", got, got.Problem)
			}
		})
	}
}

// A resource whose file is in another folder now, and changed, has the texts of before.
func TestFindInAFileThatMoved(t *testing.T) {
	s := newShelf(t, map[string]string{"guide.md": guide})
	a := s.cite(t, "text://guide#lines=7-8")
	m, err := s.Map(t.Context(), "guide")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(s.dir, "new"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(s.dir, "guide.md"), filepath.Join(s.dir, "new", "guide.md")); err != nil {
		t.Fatal(err)
	}
	changed := "New.\n\n" + guide
	if err := os.WriteFile(filepath.Join(s.dir, "new", "guide.md"), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(changed))
	m = m.Clone()
	m.SourcePath = "new/guide.md"
	m.Metadata = map[string]any{"source_hash": hex.EncodeToString(sum[:])}
	if err := s.Save(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if got := s.find(t, reanchor.Request{Address: a}); got.How != reanchor.Unique || got.Address.Location.String() != "lines=9-10" {
		t.Errorf("%+v %v", got, got.Problem)
	}
}

// TestQuoteOfAnother does not take the place of a quote in another resource for one
// in the cited resource.
func TestQuoteOfAnother(t *testing.T) {
	s := newShelf(t, map[string]string{"guide.md": guide, "other.md": "One.\n\nThe lid of the copper kettle rattles before it boils.\n"})
	a, err := citekit.ParseAddress("text://guide#lines=7&v=0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	for _, quote := range []string{"The lid of the copper kettle rattles before it boils.", "The lid of the copper kettle sings before it boils."} {
		if got := s.find(t, reanchor.Request{Address: a, Quote: quote}); got.How != reanchor.Gone || got.Address.Resource != "" {
			t.Errorf("%q: %+v", quote, got)
		}
	}
}

// TestOtherSelectors cites rows of a table. Their words are found in the lines of the new
// version, which say something else, so that a person has to look.
func TestOtherSelectors(t *testing.T) {
	table := "name,text\nada,The first note of the table is here\nbob,A second note that is as long\ncyd,And a third one that ends it\n"
	s := newShelf(t, map[string]string{"t.csv": table})
	rows, lines := s.cite(t, "text://t#rows=3"), s.cite(t, "text://t#lines=3")
	s.ingest(t, map[string]string{"t.csv": strings.Replace(table, "ada,", "abe,One more note comes before\nada,", 1)})
	for _, cited := range []citekit.Address{rows, lines} {
		found, err := s.Find(t.Context(), reanchor.Request{Address: cited})
		if err != nil || found.Problem != nil {
			t.Fatal(err, found.Problem)
		}
		if same := found.Address.Location.Rows.IsZero() == cited.Location.Rows.IsZero(); found.How.Moves() != same {
			t.Errorf("%s is moved to %s: %s", cited, found.Address, found.How)
		}
	}
}
