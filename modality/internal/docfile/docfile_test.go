package docfile_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/internal/docfile"
)

func TestChecks(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		loc  citekit.Location
		want error
	}{
		"fits":     {t.Context(), citekit.Location{Modality: citekit.Document}, nil},
		"done":     {done, citekit.Location{Modality: citekit.Document}, context.Canceled},
		"an image": {t.Context(), citekit.Location{Modality: citekit.Image}, errors.ErrUnsupported},
		"invalid":  {t.Context(), citekit.Location{}, citekit.ErrSyntax},
	} {
		if err := docfile.CheckLocation(c.ctx, c.loc, citekit.Document, "a workbook"); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		err := docfile.CheckMap(c.ctx, citekit.MapRequest{Modality: c.loc.Modality}, citekit.Document, "a workbook")
		if name != "invalid" && !errors.Is(err, c.want) {
			t.Errorf("map, %s: %v", name, err)
		}
	}
}

func TestBound(t *testing.T) {
	for option, want := range map[int64]int64{0: 9, 5: 5, -1: 0} {
		if got := docfile.Bound(option, 9); got != want {
			t.Errorf("%d: %d, want %d", option, got, want)
		}
	}
}

func TestKey(t *testing.T) {
	src := doctest.Source("a", []byte("abc"))
	if key := docfile.Key(src, ""); key != "" {
		t.Errorf("of a source that may change: %q", key)
	}
	src = citekit.NewSource(src, citekit.SourceInfo{Name: "a", Size: 3, Identity: "1"})
	if a, b := docfile.Key(src, "a"), docfile.Key(src, "b"); a == "" || a == b {
		t.Errorf("%q, %q", a, b)
	}
}

func TestContent(t *testing.T) {
	for _, c := range []*citekit.Content{
		docfile.Whole(t.Context(), doctest.Source("a", []byte("abc")), "a/b", ".c"),
		docfile.Cut(t.Context(), []byte("abc"), "a/b", ".c", nil),
	} {
		got, err := io.ReadAll(c.Body)
		if string(got) != "abc" || err != nil || c.Size != 3 || c.MediaType != "a/b" || c.Ext != ".c" {
			t.Errorf("%q, %v, %+v", got, err, c)
		}
	}
}
