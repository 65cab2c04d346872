package pdf

import (
	"context"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/tesseract"
)

const ocrResolution = 300 // dots per inch

// orRecognised returns a run on one page, or the text recognised there if the page has no
// text at all.
func (r *Resolver) orRecognised(ctx context.Context, src *citekit.Source, run citekit.TextRun) (citekit.TextRun, error) {
	lacks, err := r.lacksText(ctx, src, run.Location, run.Text)
	if err != nil || !lacks {
		return run, err
	}
	run.Text, err = r.recognise(ctx, src, run.Location)
	run.Missing = ""
	return run, err
}

// recognise returns the text that tesseract recognises in a picture of a page
// without text, or of the box on it.
func (r *Resolver) recognise(ctx context.Context, src *citekit.Source, loc citekit.Location) (string, error) {
	command, err := r.tesseract()
	if err != nil {
		return "", err
	}
	blocks, err := command.Recognise(ctx, r.OCRLanguages, func(ctx context.Context) ([]byte, error) {
		return r.picture(ctx, src, loc)
	})
	if err != nil {
		return "", fmt.Errorf("recognising the text of page %d: %w", loc.Pages[0].First, err)
	}
	texts := make([]string, len(blocks))
	for i, b := range blocks {
		texts[i] = b.Text
	}
	return strings.Join(texts, "\n\n"), nil
}

// picture returns a picture of loc.
func (r *Resolver) picture(ctx context.Context, src *citekit.Source, loc citekit.Location) ([]byte, error) {
	j, end, err := r.start(ctx, src, textWork)
	if err != nil {
		return nil, err
	}
	defer end()
	out, err := j.cut(ctx, loc)
	if err != nil {
		return nil, err
	}
	if out.Excessive() {
		return nil, errLongContent
	}
	return j.pdfium.Render(ctx, out, out.Size(), 0, ocrResolution)
}

var errLongContent = fmt.Errorf("page content that is too long to draw: %w", citekit.ErrTooLarge)

// tesseract returns the program. It searches for it once.
func (r *Resolver) tesseract() (*tesseract.Command, error) {
	r.finding.Lock()
	defer r.finding.Unlock()
	if r.found == nil {
		command, err := tesseract.Find(r.Tesseract)
		if err != nil {
			return nil, err
		}
		if r.Children != nil {
			command.Slots = r.Children
		}
		r.found = command
	}
	return r.found, nil
}

// lacksText reports whether a page has no text layer, given the text at loc
// on it.
func (r *Resolver) lacksText(ctx context.Context, src *citekit.Source, loc citekit.Location, text string) (bool, error) {
	if strings.TrimSpace(text) != "" || loc.Box.IsZero() {
		return strings.TrimSpace(text) == "", nil
	}
	loc.Box = citekit.Box{}
	runs, _, err := r.textAt(ctx, src, loc)
	return err == nil && strings.TrimSpace(runs[0].Text) == "", err
}
