package mapadapter

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/sniff"
)

// A found is the source of a map: the path that the input gives it, and the
// file, if it could be opened. A nil found means no source.
type found struct {
	path string
	src  *citekit.Source // nil if it could not be opened
	kind citekit.Modality
	text *sourceText // nil if the source is not searchable text
}

func (f *found) close() {
	if f != nil && f.src != nil {
		f.src.Close()
	}
}

// find opens the source that the input or the options name. It returns nil if
// neither names one. The caller closes it.
func (j *job) find(said string) (*found, error) {
	if j.opts.SourcePath != "" {
		f := &found{path: j.opts.SourcePath}
		if j.opts.Open == nil {
			return f, nil
		}
		src, err := j.opts.Open(j.ctx, f.path)
		if err != nil {
			return nil, fmt.Errorf("source: %w", err)
		}
		return f, f.look(src)
	}
	if said == "" {
		return nil, nil
	}
	for _, candidate := range candidates(said) {
		if j.opts.Open == nil {
			break
		}
		src, err := j.opts.Open(j.ctx, candidate)
		if err == nil {
			f := &found{path: candidate}
			return f, f.look(src)
		}
		if j.ctx.Err() != nil {
			return nil, j.ctx.Err()
		}
	}
	return &found{path: said}, nil
}

// candidates returns the paths at which to look for a source: the tool may have
// run elsewhere.
func candidates(said string) []string {
	if strings.Contains(said, "://") {
		return nil
	}
	paths := []string{said}
	if base := path.Base(strings.ReplaceAll(said, `\`, "/")); base != said && base != "." && base != "/" {
		paths = append(paths, base)
	}
	return paths
}

// look finds out the kind of src.
func (f *found) look(src *citekit.Source) error {
	f.src = src
	kind, _, err := sniff.Classify(src, src.Size(), src.Name())
	if err != nil {
		f.close()
		return localfile.WithoutPath(err)
	}
	f.kind = citekit.Modality(kind)
	if f.kind != citekit.Text || src.Size() > maxSource {
		return nil
	}
	data := make([]byte, src.Size())
	if n, err := src.ReadAt(data, 0); n < len(data) {
		f.close()
		if err == io.EOF || err == nil {
			return fmt.Errorf("the source is shorter than it was: %w", citekit.ErrStale)
		}
		return localfile.WithoutPath(err)
	}
	f.text = newSourceText(data)
	return nil
}

// modality returns the modality of a map with the nodes: that of its source if
// it could be opened, or else that of the locations, or else that of the name
// of the source.
func (f *found) modality(nodes []*citekit.Node) citekit.Modality {
	if f == nil {
		return citekit.Virtual
	}
	if f.kind != "" {
		return f.kind
	}
	if m := placed(nodes); m != "" {
		return m
	}
	if strings.EqualFold(path.Ext(f.path), ".pdf") {
		return citekit.Document
	}
	return citekit.Virtual
}

// placed returns the modality of the first location that is not virtual.
func placed(nodes []*citekit.Node) citekit.Modality {
	for _, n := range nodes {
		if m := n.Location.Modality; m != "" && m != citekit.Virtual {
			return m
		}
		if m := placed(n.Children); m != "" {
			return m
		}
	}
	return ""
}

// A sourceText finds lines in a text. Lines end with LF or CRLF; a search for
// text treats both alike.
type sourceText struct {
	text    []byte
	breaks  []int // offsets of the line feeds
	marks   []int // byte offsets of every markEvery-th character; made when needed
	scanned int   // bytes searched so far
}

// newSourceText returns nil if data is not UTF-8, or has lines that end with CR
// alone.
func newSourceText(data []byte) *sourceText {
	data = bytes.ReplaceAll(trimBOM(data), []byte("\r\n"), []byte("\n"))
	if !utf8.Valid(data) || bytes.IndexByte(data, '\r') >= 0 {
		return nil
	}
	t := &sourceText{text: data}
	for i, c := range data {
		if c == '\n' {
			t.breaks = append(t.breaks, i)
		}
	}
	return t
}

// lines returns the location of the text from one byte to another, without the
// white space around it.
func (t *sourceText) lines(from, to int) citekit.Location {
	first := t.line(from + len(t.text[from:to]) - len(bytes.TrimLeft(t.text[from:to], " \t\n")))
	last := t.line(from + max(len(bytes.TrimRight(t.text[from:to], " \t\n"))-1, 0))
	return citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: first, Last: max(first, last)}}
}

// line returns the number of the line with the byte at an offset.
func (t *sourceText) line(offset int) int {
	i, _ := slices.BinarySearch(t.breaks, offset)
	return i + 1
}

// count returns the number of lines.
func (t *sourceText) count() int {
	n := len(t.breaks)
	if len(t.text) > 0 && t.text[len(t.text)-1] != '\n' {
		n++
	}
	return n
}

// maxScanned is the total number of bytes that all searches of a text may read.
const maxScanned = 8 << 30

// search returns the offset at which a passage occurs word for word. It searches
// from offset after first, and then from the start.
func (t *sourceText) search(passage string, after int) (at, size int, ok bool) {
	if t == nil {
		return 0, 0, false
	}
	wanted := []byte(strings.TrimSpace(strings.ReplaceAll(passage, "\r\n", "\n")))
	if len(wanted) == 0 {
		return 0, 0, false
	}
	after = min(max(after, 0), len(t.text))
	for _, from := range []int{after, 0} {
		if t.scanned > maxScanned {
			break
		}
		i := bytes.Index(t.text[from:], wanted)
		if i >= 0 {
			t.scanned += i
			return from + i, len(wanted), true
		}
		t.scanned += len(t.text) - from
	}
	return 0, 0, false
}

// markEvery is the number of characters from one mark to the next.
const markEvery = 1024

// offset returns the byte at which a character begins, counted from 0, and
// whether the text has that many.
func (t *sourceText) offset(char int) (int, bool) {
	if t.marks == nil {
		t.mark()
	}
	if char < 0 || char/markEvery >= len(t.marks) {
		return 0, false
	}
	at := t.marks[char/markEvery]
	for range char % markEvery {
		if at == len(t.text) {
			return 0, false
		}
		_, size := utf8.DecodeRune(t.text[at:])
		at += size
	}
	return at, true
}

func (t *sourceText) mark() {
	chars := 0
	for at := range string(t.text) {
		if chars%markEvery == 0 {
			t.marks = append(t.marks, at)
		}
		chars++
	}
	if chars%markEvery == 0 {
		t.marks = append(t.marks, len(t.text))
	}
}
