package ingest_test

import (
	"errors"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
)

// A source that fails again as before says so, and is tried each time. What was
// mapped of it before is not taken for its map.
func TestFailedBefore(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	var broken error
	f.mapper.maps = func(src *citekit.Source, _ *citekit.Draft) error {
		if src.Name() == "b.txt" {
			return broken
		}
		return nil
	}
	check := func(what string, status ingest.Status, before bool, paths ...string) {
		t.Helper()
		report, err := ingest.Run(t.Context(), f.lib, append([]string{}, paths...), nil)
		if err != nil {
			t.Fatal(err)
		}
		item := report.Items[len(report.Items)-1]
		if item.Path != "b.txt" || item.ResourceID != "b" || item.Status != status || item.FailedBefore != before {
			t.Errorf("%s: %+v; want %s, before: %t", what, item, status, before)
		}
	}
	check("at first", ingest.Mapped, false, ".")
	f.write(t, "b.txt", "two, changed\n")
	broken = errors.New("broken")
	check("it fails", ingest.Failed, false, ".")
	check("it fails again", ingest.Failed, true, ".")
	check("it is named", ingest.Failed, false, "b.txt")
	broken = errors.New("broken in another way")
	check("for another reason", ingest.Failed, false, ".")
	f.write(t, "b.txt", "two, changed again\n")
	check("another version", ingest.Failed, false, ".")
	check("that version again", ingest.Failed, true, ".")
	broken = nil
	check("it is mended", ingest.Mapped, false, ".")
	check("as it is", ingest.Unchanged, false, ".")
	f.write(t, "b.txt", "two, changed\n")
	broken = errors.New("broken")
	check("it fails anew", ingest.Failed, false, ".")
}

// A document of any modality that has nothing to cite is skipped in a folder.
func TestNothingToCite(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"b.txt": "two\n"})
	f.mapper.maps = func(*citekit.Source, *citekit.Draft) error { return citekit.ErrEmpty }
	f.want(t, f.ingest(t, nil), "skipped b.txt (there is nothing to cite)")
	f.want(t, f.ingest(t, nil), "skipped b.txt (there is nothing to cite)")
	f.want(t, f.ingest(t, nil, "b.txt"), "failed b.txt (there is nothing to cite)")
}
