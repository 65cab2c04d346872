package archive_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/archive"
	"github.com/citekit/citekit/modality/modalitytest"
)

func fixture(name string, data []byte, r *archive.Resolver) modalitytest.Fixture {
	document := citekit.Location{Modality: citekit.Document}
	return modalitytest.Fixture{
		Name:   name,
		Source: data,
		Good: []modalitytest.Case{
			{Name: "an archive in it", Location: document.In("inner.zip")},
			{Name: "a text", Location: citekit.Location{Modality: citekit.Text}.In("docs/a.txt"), Want: []byte("one\ntwo\n"), WantText: "one\ntwo\n"},
			{Name: "a line", Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 2, Last: 2}}.In("docs/a.txt"), Want: []byte("two\n")},
			{Name: "a member of a member", Location: citekit.Location{Modality: citekit.Text}.In("inner.zip!/b.txt"), Want: []byte("beta\n")},
			{Name: "a folder", Location: document.In("docs/")},
		},
		OutOfRange: []citekit.Location{
			document.In("none.txt"),
			{Modality: citekit.Text, Member: "docs/a.txt", Lines: citekit.Range{First: 3, Last: 9}},
			citekit.Location{Modality: citekit.Text}.In("inner.zip!/c.txt"),
		},
		Members:      r.Members,
		LargeMembers: []string{"large.txt"},
		Extent:       citekit.Extent{Modality: citekit.Document, Members: 3, MediaType: "application/zip"},
	}
}

func TestConformance(t *testing.T) {
	files := []file{
		{"docs/a.txt", "one\ntwo\n"}, {"inner.zip", string(zipped(t, file{"b.txt", "beta\n"}))},
		{"large.txt", strings.Repeat("large ", 2000)},
	}
	t.Run("zip", func(t *testing.T) {
		r := newResolver()
		r.MaxMember = 10_000
		modalitytest.Test(t, r, fixture("a.zip", zipped(t, files...), r))
	})
	t.Run("tar", func(t *testing.T) {
		r := newResolver()
		r.MaxMember = 10_000
		f := fixture("a.tar", tarred(t, files...), r)
		f.Extent.MediaType = "application/x-tar"
		modalitytest.Test(t, r, f)
	})
}
