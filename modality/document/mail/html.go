package mail

import (
	"bytes"
	"html"
	"io"
	"strings"

	"github.com/citekit/citekit/internal/markup"
)

// maxPage is how many bytes of HTML are read as a page; what is longer is read
// as it is written.
const maxPage = 8 << 20

// page returns the text that a reader of HTML sees, in UTF-8: for each line of
// the source one, that ends with LF. It is not ok if the page is too long.
func (t *decodedText) page() (text []byte, ok bool, err error) {
	src, err := io.ReadAll(io.LimitReader(t.open(), maxPage+1))
	if err != nil || len(src) > maxPage {
		return nil, false, err
	}
	page := decodeText(t.charset, src)
	if t.coding.cr {
		page = strings.ReplaceAll(strings.ReplaceAll(page, "\r\n", "\n"), "\r", "\n")
	}
	var out bytes.Buffer
	for line := range bytes.Lines(markup.PlainHTML([]byte(page))) {
		words := strings.Fields(html.UnescapeString(string(line)))
		out.WriteString(strings.Join(words, " "))
		out.WriteByte('\n')
	}
	return out.Bytes(), true, nil
}
