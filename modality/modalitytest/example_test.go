package modalitytest_test

import (
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/modalitytest"
	"github.com/citekit/citekit/modality/text"
)

// The body of a TestConformance in the package of the resolver.
func ExampleTest() {
	var t *testing.T // of TestConformance
	modalitytest.Test(t, new(text.Resolver), modalitytest.Fixture{
		Name:   "poem.txt",
		Source: []byte("a\nb\nc\n"),
		Good: []modalitytest.Case{{
			Name:     "middle",
			Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 2, Last: 2}},
			Want:     []byte("b\n"),
			WantText: "b\n",
		}},
		OutOfRange: []citekit.Location{{Modality: citekit.Text, Lines: citekit.Range{First: 3, Last: 9}}},
		Foreign:    citekit.Location{Modality: citekit.Video, Time: citekit.Span{Start: 1, End: 2}},
	})
}
