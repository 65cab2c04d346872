package tesseract

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
)

const (
	maxElements = 1 << 20 // elements of an answer in markup
	maxDepth    = 256     // elements within each other
)

var errMarkup = fmt.Errorf("the answer of the program that recognises text is neither hOCR nor ALTO: %w", citekit.ErrFormat)

// parseMarkup reads hOCR (version 1.2) or ALTO (versions 1 to 4). Of several pages it
// reads the first.
func parseMarkup(out []byte) ([]Block, error) {
	d := xml.NewDecoder(bytes.NewReader(out))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	d.CharsetReader = func(string, io.Reader) (io.Reader, error) { return nil, errMarkup }
	m := markupReader{}
	elements := 0
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errMarkup
		}
		switch t := token.(type) {
		case xml.StartElement:
			if elements++; elements > maxElements || len(m.open) > maxDepth {
				return nil, fmt.Errorf("the answer of the program that recognises text has too many elements: %w", citekit.ErrTooLarge)
			}
			m.start(t)
		case xml.EndElement:
			m.end(t.Name.Local)
		case xml.CharData:
			into := m.word
			if into == nil {
				into = &m.loose
			}
			if m.isHOCR && m.pages == 1 && len(into.text) < maxWord {
				into.text += string(t[:min(len(t), maxWord)])
			}
		}
	}
	if m.pages == 0 {
		return nil, errMarkup
	}
	m.finishLine()
	m.endBlock()
	return m.blocks, nil
}

const maxWord = 4 << 10 // bytes

// A markupReader makes blocks from the elements of an answer.
type markupReader struct {
	builder
	open   []string // names of the open elements
	word   *row
	wordAt int // how many elements are open in that the word is
	loose  row // a line of hOCR with the text that is in none of its words
	pages  int
	isHOCR bool
}

// start begins an element.
func (m *markupReader) start(t xml.StartElement) {
	m.open = append(m.open, t.Name.Local)
	attributes := make(map[string]string, len(t.Attr))
	for _, a := range t.Attr {
		attributes[a.Name.Local] = a.Value
	}
	r, kind := hOCR(attributes)
	if kind != "" {
		m.isHOCR = true
	} else if !m.isHOCR {
		r, kind = alto(t.Name.Local, attributes)
	}
	if kind == "page" {
		m.pages++
	}
	if m.pages != 1 {
		return
	}
	switch kind {
	case "page":
		if r.width <= 0 || r.height <= 0 {
			m.pages = 0 // without a size there is no place
			return
		}
		m.width, m.height = r.width, r.height
	case "block":
		m.finishLine()
		m.endBlock()
		m.block.Box = m.box(r)
	case "paragraph":
		m.finishLine()
		m.paragraph++
	case "line":
		m.finishLine()
		m.loose = r
		if m.block.Box == (citekit.Box{}) { // it is in none
			m.block.Box = m.box(r)
		}
		m.line.Box = m.box(r)
		m.block.Box = around(m.block.Box, m.line.Box)
	case "word":
		m.endWord()
		m.word, m.wordAt = &r, len(m.open)
		if !m.isHOCR {
			m.endWord()
		}
	}
}

// end ends the innermost element of a name.
func (m *markupReader) end(name string) {
	for i := len(m.open) - 1; i >= 0; i-- {
		if m.open[i] == name {
			m.open = m.open[:i]
			break
		}
	}
	if m.word != nil && len(m.open) < m.wordAt {
		m.endWord()
	}
}

func (m *markupReader) endWord() {
	if m.word == nil {
		return
	}
	r := *m.word
	m.word = nil
	if r.text = plain.Line(strings.ToValidUTF8(r.text, "\ufffd")); r.text != "" {
		if flat(m.line.Box) { // it is in no line
			m.line.Box = m.box(r)
		}
		m.block.Box = around(m.block.Box, m.line.Box)
		m.addWord(r)
	}
}

// finishLine ends a line. One without words has those of its own text.
func (m *markupReader) finishLine() {
	m.endWord()
	if r := m.loose; len(m.line.Words) == 0 && !flat(m.line.Box) {
		for r.text = range strings.FieldsSeq(m.loose.text) {
			m.word = &r
			m.endWord()
		}
	}
	m.loose = row{}
	m.endLine()
}

func around(a, b citekit.Box) citekit.Box {
	switch {
	case flat(a):
		return b
	case flat(b):
		return a
	}
	return citekit.Box{X1: min(a.X1, b.X1), Y1: min(a.Y1, b.Y1), X2: max(a.X2, b.X2), Y2: max(a.Y2, b.Y2)}
}

// hOCR returns what an element of hOCR is: its place is in its title, as in "bbox 10 20
// 110 40; x_wconf 93".
func hOCR(attributes map[string]string) (r row, kind string) {
	for class := range strings.FieldsSeq(attributes["class"]) {
		switch class {
		case "ocr_page":
			kind = "page"
		case "ocr_carea", "ocr_column", "ocrx_block":
			kind = "block"
		case "ocr_par":
			kind = "paragraph"
		case "ocr_line", "ocrx_line", "ocr_header", "ocr_footer", "ocr_caption", "ocr_textfloat":
			kind = "line"
		case "ocrx_word", "ocr_word":
			kind = "word"
		}
	}
	if kind == "" {
		return r, ""
	}
	for property := range strings.SplitSeq(attributes["title"], ";") {
		fields := strings.Fields(property)
		switch {
		case len(fields) == 5 && fields[0] == "bbox":
			x1, y1, x2, y2 := number(fields[1]), number(fields[2]), number(fields[3]), number(fields[4])
			r.left, r.top, r.width, r.height = x1, y1, max(x2-x1, 0), max(y2-y1, 0)
		case len(fields) == 2 && fields[0] == "x_wconf":
			r.confidence = number(fields[1])
		}
	}
	return r, kind
}

// alto returns what an element of ALTO is: words have their text as CONTENT and their
// confidence as WC, from 0 to 1.
func alto(name string, attributes map[string]string) (r row, kind string) {
	r.left, r.top = number(attributes["HPOS"]), number(attributes["VPOS"])
	r.width, r.height = number(attributes["WIDTH"]), number(attributes["HEIGHT"])
	switch name {
	case "Page":
		return r, "page"
	case "TextBlock":
		return r, "block"
	case "TextLine":
		return r, "line"
	case "String":
		r.text, r.confidence = attributes["CONTENT"], 100*number(attributes["WC"])
		r.text = r.text[:min(len(r.text), maxWord)]
		return r, "word"
	}
	return r, ""
}

// number returns a number of an answer, or 0 if it is none.
func number(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}
