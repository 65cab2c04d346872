package ingest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
)

func TestResourcesOf(t *testing.T) {
	const byHand = `{"resource_id":"mine","type":"text","source_path":"c/d.txt","nodes":[]}`
	f := newIngestFixture(t, map[string]string{"a b.txt": "1\n", "x/n.txt": "2\n", "y/n.txt": "3\n", ".resource_maps/mine.json": byHand})
	f.ingest(t, nil)
	for source, want := range map[string][]string{"a b.txt": {"a-b"}, "x/n.txt": {"n"}, "c/d.txt": {"mine"}, "n.txt": nil, "a-b": nil} {
		got, err := ingest.ResourcesOf(t.Context(), f.lib, source)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("resources of %s: %v, error %v", source, got, err)
		}
	}
	got, err := ingest.ResourcesNamed(t.Context(), f.lib, "n.txt")
	if diff := cmp.Diff([]string{"n", "y-n"}, got); diff != "" || err != nil {
		t.Errorf("resources named n.txt: %v, error %v", got, err)
	}
	_, err = f.lib.Map(t.Context(), "A B.txt")
	var missing *citekit.NotFoundError
	if !errors.As(err, &missing) || len(missing.Suggestions) == 0 || missing.Suggestions[0] != "a-b" {
		t.Errorf("error %v", err)
	}
}

// TestWrongScheme checks that the error says which address would be right, and
// that nodes of another modality than their map can be cited.
func TestWrongScheme(t *testing.T) {
	const mixed = `{"resource_id":"mixed","type":"document","source_path":"a.txt","nodes":[
		{"id":"n","type":"x","location":{"modality":"text","lines":[1,1]},"children":[]}]}`
	f := newIngestFixture(t, map[string]string{"a.txt": "1\n2\n", ".resource_maps/mixed.json": mixed})
	f.ingest(t, nil, "a.txt")
	for address, want := range map[string]string{
		"doc://a#pages=2":       "a is a text: use text://a#lines=…",
		"image://a":             "a is a text: use text://a",
		"doc://a#v=00000000":    "a is a text: use text://a#v=00000000",
		"video://mixed#t=1-2":   "mixed is a document: use doc://mixed#pages=…",
		"text://mixed#lines=1":  "",
		"text://a#lines=2":      "",
		"https://a/b#pages=1":   "citekit reads files only: download it first",
		"FILE:///etc/passwd":    "citekit reads files only: download it first",
		"s3://bucket/key#lines": "citekit reads files only: download it first",
	} {
		a, err := citekit.ParseAddress(address)
		if err == nil {
			_, err = f.lib.ResolveAddress(t.Context(), a, nil)
			if want != "" && !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%s: error %v is not one of what is not supported", address, err)
			}
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %q", address, err, want)
		}
	}
}
