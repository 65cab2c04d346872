package ingest_test

import (
	"errors"
	"fmt"
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

// A source in a folder that cannot be mapped is not tried again while it, its
// companions and the program are the same, and the error is the one that it had; but
// one that failed for a passing reason is.
func TestNotTriedAgain(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n"})
	tried := 0
	broken := fmt.Errorf("it is broken: %w", citekit.ErrTooLarge)
	f.mapper.maps = func(*citekit.Source, *citekit.Draft) error {
		tried++
		return broken
	}
	run := func(what string, wantTried int, before bool, opts ingest.Options, paths ...string) {
		t.Helper()
		tried = 0
		report, err := ingest.Run(t.Context(), f.lib, append([]string{}, paths...), &opts)
		if err != nil {
			t.Fatal(err)
		}
		item := report.Items[len(report.Items)-1]
		if item.Path != "a.txt" || item.Status != ingest.Failed || item.FailedBefore != before || tried != wantTried ||
			item.Err.Error() != broken.Error() || citekit.CodeOf(item.Err) != citekit.CodeOf(broken) {
			t.Errorf("%s: tried %d times, %+v; want %d, before: %t", what, tried, item, wantTried, before)
		}
	}
	one := ingest.Options{Program: "one"}
	run("at first", 1, false, one, ".")
	run("again", 0, true, one, ".")
	run("another program", 1, true, ingest.Options{Program: "two"}, ".")
	run("that program again", 0, true, ingest.Options{Program: "two"}, ".")
	run("named", 1, false, ingest.Options{Program: "two"}, "a.txt")
	run("after it was named", 1, true, ingest.Options{Program: "two"}, ".")
	run("forced", 1, true, ingest.Options{Program: "two", Force: true}, ".")
	run("a program that is not known", 1, true, ingest.Options{}, ".")
	f.write(t, "a.txt", "one, changed\n")
	run("changed", 1, false, one, ".")
	run("not changed", 0, true, one, ".")
	broken = errors.New("the disk is slow")
	f.write(t, "a.txt", "one, changed again\n")
	run("a passing reason", 1, false, one, ".")
	run("a passing reason again", 1, true, one, ".")
}
