package slides

import (
	"context"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/docfile"
	"github.com/citekit/citekit/preview"
)

// An odpReader reads the text of one slide.
type odpReader struct {
	ctx   context.Context
	pkg   *odf.Package
	spans odf.Spans
	left  int64 // bytes of charts that may still be read
	size  int   // of the text so far

	tables []preview.Table
}

// An odpShape is the text of a shape, and its class, such as "title".
type odpShape struct{ class, text string }

func (d *odp) readSlide(ctx context.Context, i int) (*content, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &odpReader{ctx: ctx, pkg: d.pkg, spans: d.spans, left: maxSlideBytes}
	c, err := r.slide(d.scope.Fragment(d.pages[i].pos, d.pages[i].stop))
	if err != nil {
		return nil, fmt.Errorf("slide %d: %w", i+1, err)
	}
	return c, nil
}

func (r *odpReader) slide(s *xmlspan.Scanner) (*content, error) {
	s.Next()
	shapes, notes, err := r.shapes(s)
	if err != nil {
		return nil, err
	}
	c := new(content)
	titled := false
	for _, shape := range shapes {
		if !titled && shape.class == "title" {
			titled, c.title = true, shape.text
		} else {
			c.bodies = append(c.bodies, shape.text)
		}
	}
	var texts []string
	for _, note := range notes {
		switch note.class {
		case "header", "footer", "date-time", "page-number", "page":
		default:
			texts = append(texts, note.text)
		}
	}
	c.notes, c.tables = strings.Join(texts, "\n"), r.tables
	return c, nil
}

// shapes reads the shapes with text in the element whose Start is the token at
// hand, also those in groups, and separately those of its notes.
func (r *odpReader) shapes(s *xmlspan.Scanner) (shapes, notes []odpShape, err error) {
	for range s.Starts() {
		switch {
		case s.Is("presentation", "notes"):
			tables := r.tables
			more, _, err := r.shapes(s)
			if err != nil {
				return nil, nil, err
			}
			notes, r.tables = append(notes, more...), tables
		case s.Is("draw", "g"), s.Is("draw", "a"), s.Is("dr3d", "scene"):
		case s.Space == "draw" || s.Space == "dr3d":
			shape, err := r.shape(s)
			if err != nil {
				return nil, nil, err
			}
			if shape.text != "" {
				shapes = append(shapes, shape)
			}
		default:
			s.Skip()
		}
	}
	return shapes, notes, xmlspan.Known(s.Err())
}

// shape reads the shape whose Start is the token at hand. An unfilled placeholder
// has no text, because presentations do not show its prompt.
func (r *odpReader) shape(s *xmlspan.Scanner) (odpShape, error) {
	shape := odpShape{class: s.Get("presentation", "class")}
	known := len(r.tables)
	if s.Get("presentation", "placeholder") == "true" {
		s.Skip()
		return shape, nil
	}
	pos, isFrame := s.Pos, s.Local == "frame"
	look := r.spans.Look(odf.OfShape, s.Get("draw", "style-name"), odf.Look{})
	look = r.spans.Look(odf.OfPlace, s.Get("presentation", "style-name"), look)
	t := odf.Texter{Spans: r.spans, Around: r.spans.Look(odf.OfParagraph, s.Get("draw", "text-style-name"), look)}
	t.AppendTables(&r.tables)
	t.Container(s, s.Depth)
	text := t.String()
	for i := known; i < len(r.tables); i++ {
		docfile.FitCells(&r.tables[i])
	}
	if isFrame {
		more, err := r.charts(s.Fragment(pos, s.Stop))
		if err != nil {
			return shape, err
		}
		text += more
	}
	if r.size += len(text); r.size > maxSlideText {
		return shape, fmt.Errorf("more than %d MiB of text: %w", maxSlideText>>20, citekit.ErrTooLarge)
	}
	if strings.TrimSpace(text) != "" {
		shape.text = strings.TrimSuffix(text, "\n")
	}
	return shape, nil
}

// charts reads the charts in a frame: their titles, and their values as a table.
func (r *odpReader) charts(frame *xmlspan.Scanner) (string, error) {
	var b strings.Builder
	for frame.Next() {
		if frame.Kind != xmlspan.Start || !frame.Is("draw", "object") {
			continue
		}
		file, ok := r.pkg.Shown(frame.Get("xlink", "href"))
		if !ok {
			continue
		}
		text, err := r.pkg.TextUpTo(r.ctx, file, r.left)
		if err != nil {
			return "", fmt.Errorf("a chart: %w", err)
		}
		r.left -= int64(len(text))
		var t odf.Texter
		s := odf.Scan(text)
		t.Container(s, 0)
		if err := s.Err(); err != nil {
			return "", fmt.Errorf("a chart: %w", xmlspan.Known(err))
		}
		b.WriteString(t.String())
	}
	return b.String(), xmlspan.Known(frame.Err())
}
