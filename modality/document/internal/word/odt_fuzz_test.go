package word_test

import (
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/word"
)

// FuzzODT puts other XML in the place of the content and the styles: whatever is
// read has cuts that are read.
func FuzzODT(f *testing.F) {
	files := odtFiles(odtBody)
	f.Add(files["content.xml"], files["styles.xml"])
	f.Fuzz(func(t *testing.T, content, styles string) {
		own := odtFiles(odtBody)
		own["content.xml"], own["styles.xml"], own["mimetype"] = content, styles, odtType
		data := doctest.ZipMap(own)
		r := new(word.Resolver)
		extent, err := r.Measure(t.Context(), doctest.Source("x.odt", data))
		for i := 1; err == nil && i <= min(extent.Blocks, 3); i++ {
			_, err = r.Resolve(t.Context(), doctest.Source("x.odt", data), citekit.Request{Location: blocks(i, extent.Blocks)})
		}
		if err != nil && citekit.CodeOf(err) == message.CodeInternal {
			t.Fatalf("an error of no kind: %v", err)
		}
	})
}
