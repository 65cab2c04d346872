package ingest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/ingest"
)

// TestIngestSlugs checks that files whose names look alike get ids that
// differ also where case and the form of letters do not count.
func TestIngestSlugs(t *testing.T) {
	f := newIngestFixture(t, map[string]string{
		"A.txt": "1\n", "a.txt": "2\n",
		"caf\u00e9.txt": "3\n", "cafe\u0301.txt": "4\n",
		"Smith (2020).txt": "5\n", "smith-2020.txt": "6\n", "SMITH 2020.md": "7\n",
		"\u212a.txt": "8\n", "k.txt": "9\n", "\ufb01t.txt": "10\n", "fit.txt": "11\n",
		"a/b.txt": "12\n", "a_b.txt": "13\n", "a-b.txt": "14\n", "b.txt": "15\n",
		"!.txt": "16\n", "?!.txt": "17\n",
	})
	report, err := ingest.Run(t.Context(), f.lib, []string{"."}, nil)
	if err != nil || report.Count(ingest.Mapped) != 17 {
		t.Fatalf("%v, error %v", report.Items, err)
	}
	seen := make(map[string]string)
	for _, item := range report.Items {
		folded := strings.ToLower(item.ResourceID)
		if folded != item.ResourceID || strings.ContainsAny(folded, " '()") {
			t.Errorf("%s: id %q is no slug", item.Path, item.ResourceID)
		}
		if other, taken := seen[folded]; taken {
			t.Errorf("%s and %s have the id %q", other, item.Path, folded)
		}
		seen[folded] = item.Path
		if m, err := f.lib.Map(t.Context(), item.ResourceID); err != nil || m.SourcePath != item.Path {
			t.Errorf("%s: %v", item.Path, err)
		}
	}
	for _, want := range []string{"smith-2020", "café", "a", "a_b", "a-b", "k", "fit", "file"} {
		if seen[want] == "" {
			t.Errorf("no id %q in %v", want, seen)
		}
	}
	f.want(t, f.ingest(t, nil, "Smith (2020).txt"), "unchanged Smith (2020).txt as smith-2020-txt: 1")
}

// TestIngestOlderIDs checks that sources keep the maps they have under ids
// that are no slugs, also when nothing is remembered of how those were made.
func TestIngestOlderIDs(t *testing.T) {
	const older = `{"resource_id":"My Book","type":"text","title":"Mine","source_path":"My Book.txt","nodes":[],"metadata":{"mapper":"old"}}`
	f := newIngestFixture(t, map[string]string{"My Book.txt": "one\n", ".resource_maps/My Book.json": older})
	f.want(t, f.ingest(t, nil, "My Book.txt"), "skipped My Book.txt as My Book (the map 'My Book' of this source may have been changed by hand; force replaces it: file already exists)")
	f.want(t, f.ingest(t, &ingest.Options{Force: true}, "My Book.txt"), "mapped My Book.txt as My Book: 1")
	f.write(t, "My Book.txt", "two\ntwo\n")
	f.want(t, f.ingest(t, nil), "mapped My Book.txt as My Book: 2")
	if err := os.RemoveAll(filepath.Join(f.dir, ".citekit_output")); err != nil {
		t.Fatal(err)
	}
	f.want(t, f.ingest(t, nil), "unchanged My Book.txt as My Book: 2")
	f.write(t, "your book.txt", "three\n")
	f.want(t, f.ingest(t, nil, "your book.txt"), "mapped your book.txt as your-book: 1")

	byHand := strings.Replace(older, `,"metadata":{"mapper":"old"}`, "", 1)
	f = newIngestFixture(t, map[string]string{"My Book.txt": "one\n", ".resource_maps/My Book.json": byHand})
	f.want(t, f.ingest(t, nil, "My Book.txt"), "skipped My Book.txt as My Book (the map 'My Book' of this source was made by hand; force replaces it: file already exists)")
	f.want(t, f.ingest(t, &ingest.Options{Force: true}, "My Book.txt"), "mapped My Book.txt as My Book: 1")
}
