package markup_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/citekit/citekit/modality/text/internal/markup"
)

// BenchmarkMap measures each format on 4 MiB of ordinary text.
func BenchmarkMap(b *testing.B) {
	const words = "Words of a paragraph that say *something* about `code` and [links](https://example.org), at some length.\n"
	for format, heading := range map[markup.Format]string{
		markup.Markdown: "## Heading %d of `many`\n\n",
		markup.ReST:     "Heading %d\n==========\n\n",
		markup.AsciiDoc: "== Heading %d\n\n",
		markup.HTML:     "<h2>Heading <b>%d</b></h2>\n<p>",
		markup.LaTeX:    "\\section{Heading %d}\n",
		markup.Org:      "* Heading %d\n",
	} {
		b.Run(string(format), func(b *testing.B) {
			var src bytes.Buffer
			for i := 0; src.Len() < 4<<20; i++ {
				fmt.Fprintf(&src, heading, i)
				for range 3 {
					src.WriteString(words + words + words + words + "\n")
				}
			}
			b.SetBytes(int64(src.Len()))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := markup.Map(context.Background(), format, src.Bytes()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
