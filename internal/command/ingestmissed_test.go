package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/ingest"
)

func TestUnsearchedText(t *testing.T) {
	items := []ingest.Item{{Path: "small.zip"}, {Path: "big.zip", Unsearched: 3}}
	lines := unsearchedText(items)
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "big.zip: the text of 3 members is not searched") {
		t.Errorf("%q", lines)
	}
	lines = unsearchedText(slices.Repeat(items, 7))
	if len(lines) != 6 || !strings.HasPrefix(lines[5], "2 more archives") {
		t.Errorf("%q", lines)
	}
	if lines := unsearchedText(items[:1]); lines != nil {
		t.Errorf("%q", lines)
	}
}
