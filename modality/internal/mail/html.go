package mail

import (
	"io"

	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// maxPage is how many bytes of HTML are read as a page. Longer HTML is read as it
// is written.
const maxPage = 8 << 20

// page returns the words of a page of HTML, as people see them. Ok is false if the
// page is too long.
func (t *decodedText) page() (text string, ok bool, err error) {
	src, err := io.ReadAll(io.LimitReader(t.open(), maxPage+1))
	if err != nil || len(src) > maxPage {
		return "", false, err
	}
	return htmlblocks.Text([]byte(decodeText(t.charset, src)), false), true, nil
}
