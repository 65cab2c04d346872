package mail

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/citekit/citekit"
)

// A decodedText is a part that is text, or a message, as lines.
type decodedText struct {
	open    func() io.Reader
	charset string
	guessed bool
	coding  lineEnds
}

// textOf returns the text that open reads, in the charset that is declared, if
// one is.
func textOf(open func() io.Reader, declared string, html bool) (*decodedText, error) {
	sample, err := io.ReadAll(io.LimitReader(open(), judgement))
	if err != nil {
		return nil, err
	}
	all := len(sample) < judgement
	if html && knownCharset(declared) == "" {
		declared = htmlCharset(sample)
	}
	t := &decodedText{open: open}
	t.charset, t.guessed = charsetOf(declared, sample, all)
	t.coding = codingOf(t.charset, sample, all)
	return t, nil
}

// text returns the body of e as lines of text.
func (e *entity) text(ctx context.Context, src io.ReaderAt) (*decodedText, error) {
	return textOf(func() io.Reader { return e.decoded(ctx, src) }, firstWord(e.params["charset"]), e.kind == "text/html")
}

// firstWord returns a value of a parameter without a comment behind it.
func firstWord(text string) string {
	word, _, _ := bytes.Cut(bytes.TrimSpace([]byte(text)), []byte(" "))
	return string(word)
}

// span returns the offsets of lines in the decoded bytes. If they are past the
// last line, the error matches [citekit.ErrRange].
func (t *decodedText) span(lines citekit.Range) (start, end int64, err error) {
	s := newScanner(t.open(), t.coding, -1)
	number := 0 // of the line that was read
	start = -1
	for {
		l, err := s.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, 0, err
		}
		if l.begins {
			number++
		}
		if number == lines.First && start < 0 {
			start = l.off
		}
		end = l.off + int64(len(l.text))
		if number == lines.Last && l.ends {
			return start, end, nil
		}
	}
	extent := citekit.Extent{Modality: citekit.Text, Lines: number}
	return 0, 0, extent.Check(citekit.Location{Modality: citekit.Text, Lines: lines})
}

// A tail reads a part of what another reader gives.
type tail struct {
	r    io.Reader
	skip int64
}

func (t *tail) Read(p []byte) (int, error) {
	if t.skip > 0 {
		n, err := io.CopyN(io.Discard, t.r, t.skip)
		t.skip -= n
		if errors.Is(err, io.EOF) {
			err = errCut
		}
		if err != nil {
			return 0, err
		}
	}
	return t.r.Read(p)
}

// between reads the decoded bytes between two offsets.
func (t *decodedText) between(start, end int64) io.Reader {
	return &exactReader{io.LimitReader(&tail{t.open(), start}, end-start), end - start}
}

// count returns the number of lines.
func (t *decodedText) count() (int, error) {
	s, n := newScanner(t.open(), t.coding, -1), 0
	for {
		switch l, err := s.next(); {
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return 0, err
		case l.begins:
			n++
		}
	}
}
