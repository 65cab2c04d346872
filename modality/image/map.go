package image

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/sentence"
	"github.com/citekit/citekit/modality/internal/tesseract"
)

const (
	maxTitle      = 300 // bytes
	maxSummary    = 300 // bytes
	maxTextBlocks = 2000
)

// Map implements [citekit.Mapper]. The map has one node for the image, of the
// type "image", titled by its metadata: the title, or else the first sentence
// of the description, in XMP, IPTC, Exif or the texts of a PNG. Below it are
// nodes of the type "block" for the text that tesseract recognises in the image
// as displayed, titled by their first line. Blocks are left out if the average
// confidence of their words is less than 60 of 100, or if they have fewer than
// three letters and digits. In animations and files of several pages, only the
// first frame or page is read.
//
// The metadata of the map have those of these values that are known: "width"
// and "height" in pixels as displayed, "description", "date" in ISO 8601,
// "latitude" and "longitude" in degrees, and "camera". "ocr" is "tesseract" if
// text recognition was run, or "program" if another one was given. If that failed, "ocr_error" gives the reason, and
// the image still has its node.
func (r *Resolver) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if req.Modality != citekit.Image {
		return nil, fmt.Errorf("a map of %s of an image: %w", req.Modality, errors.ErrUnsupported)
	}
	if src.Size() == 0 {
		return nil, fmt.Errorf("empty; %w", citekit.ErrEmpty)
	}
	f, err := sniff(ctx, src)
	if err != nil {
		return nil, err
	}
	about := readCards(ctx, src, f).joined()
	s := &citekit.Draft{Method: "whole", Metadata: about.metadata()}
	s.Title = plain.Words(about.title, maxTitle)
	if s.Title == "" {
		s.Title = sentence.First(about.description, maxTitle)
	}
	whole := &citekit.Node{ID: "image", Title: s.Title, Type: "image", Location: citekit.Location{Modality: citekit.Image}}
	if summary := sentence.Lead(about.description, maxSummary); summary != s.Title {
		whole.Summary = summary
	}
	s.Nodes = []*citekit.Node{whole}
	if f.open == nil {
		return s, ctx.Err()
	}
	p, err := r.open(ctx, src, f)
	if err != nil {
		return nil, err
	}
	s.Metadata["width"], s.Metadata["height"] = p.displayed()
	if err := r.addBlocks(ctx, src, p, s); err != nil {
		return nil, err
	}
	return s, nil
}

func (c card) metadata() map[string]any {
	m := make(map[string]any)
	for key, value := range map[string]string{"description": c.description, "date": c.date, "camera": c.camera} {
		if value != "" {
			m[key] = value
		}
	}
	var facts about.Facts
	facts.AddAuthors(strings.Split(c.authors, ";")...)
	facts.AddKeywordList(c.keywords)
	facts.Note(m)
	if c.place != nil {
		m["latitude"], m["longitude"] = c.place.Latitude, c.place.Longitude
	}
	return m
}

// addBlocks adds the blocks of text, or records why there are none. It fails
// only if ctx is done, or if a clock ended the program: a map must not depend on
// how busy the machine is.
func (r *Resolver) addBlocks(ctx context.Context, src *citekit.Source, p *picture, s *citekit.Draft) error {
	if p.format.read == nil {
		return ctx.Err()
	}
	if _, err := r.program(); r.NoText || err != nil && r.Tesseract == "" && r.OCRProgram == "" {
		return ctx.Err()
	}
	blocks, err := r.blocks(ctx, src, p)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if citekit.CodeOf(err) == message.CodeTimeout {
		return err
	}
	if err != nil {
		s.Metadata["ocr_error"] = err.Error()
		return nil
	}
	s.Metadata["ocr"] = "tesseract"
	if r.OCRProgram != "" {
		s.Metadata["ocr"] = "program"
	}
	whole := s.Nodes[0]
	for _, b := range blocks[:min(len(blocks), maxTextBlocks)] {
		whole.Children = append(whole.Children, blockNode(b))
		s.Method = "blocks"
	}
	return nil
}

func blockNode(b tesseract.Block) *citekit.Node {
	n := &citekit.Node{
		Title:    plain.Words(b.Lines[0].Text, maxTitle),
		Type:     "block",
		Location: citekit.Location{Modality: citekit.Image, Box: b.Box},
	}
	if summary := sentence.Lead(b.Text, maxSummary); summary != n.Title {
		n.Summary = summary
	}
	return n
}

// ReadText implements [citekit.TextReader] with the text that tesseract
// recognises. Each run is a block of the image, or those of its words whose
// middle lies in the box. It leaves out the same blocks as [Resolver.Map].
// Without tesseract, or with NoText, the error matches [errors.ErrUnsupported].
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		blocks, err := r.textAt(ctx, src, loc)
		if err != nil {
			yield(citekit.TextRun{}, err)
			return
		}
		for _, b := range blocks {
			run, ok := runIn(b, loc.Box)
			if ok && !yield(run, nil) {
				return
			}
		}
	}
}

func (r *Resolver) textAt(ctx context.Context, src *citekit.Source, loc citekit.Location) ([]tesseract.Block, error) {
	f, err := formatAt(ctx, src, loc)
	if err != nil {
		return nil, err
	}
	p, err := r.open(ctx, src, f)
	if err != nil {
		return nil, err
	}
	return r.blocks(ctx, src, p)
}

// runIn returns the words of a block whose middle lies in box, and whether there
// are any. The lines of a run each end with a line feed.
func runIn(b tesseract.Block, box citekit.Box) (citekit.TextRun, bool) {
	var text strings.Builder
	var boxes []citekit.Box
	for _, line := range b.Lines {
		if !box.IsZero() {
			line = lineIn(line, box)
		}
		if len(line.Words) == 0 {
			continue
		}
		text.WriteString(line.Text + "\n")
		boxes = append(boxes, line.Box)
	}
	if len(boxes) == 0 {
		return citekit.TextRun{}, false
	}
	return citekit.TextRun{
		Text: text.String(), Location: citekit.Location{Modality: citekit.Image, Box: boxOf(boxes...)},
		TextState: about.TextNone, OCR: true, Confidence: b.Confidence / 100,
	}, true
}

// lineIn returns a line with only those words whose middle lies in box.
func lineIn(line tesseract.Line, box citekit.Box) tesseract.Line {
	var words []tesseract.Word
	var boxes []citekit.Box
	for _, w := range line.Words {
		x, y := (w.Box.X1+w.Box.X2)/2, (w.Box.Y1+w.Box.Y2)/2
		if x >= box.X1 && x < box.X2 && y >= box.Y1 && y < box.Y2 {
			words, boxes = append(words, w), append(boxes, w.Box)
		}
	}
	if len(words) == len(line.Words) {
		return line
	}
	line.Words, line.Text = words, tesseract.Join(words)
	if len(words) > 0 {
		if around := boxOf(boxes...); around.X1 < around.X2 && around.Y1 < around.Y2 {
			line.Box = around
		}
	}
	return line
}
