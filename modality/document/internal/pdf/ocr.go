package pdf

import (
	"context"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/modality/internal/tesseract"
)

const ocrResolution = 300 // dots per inch

// withRecognised returns the runs of a run on one page: the text recognised there if the
// page has no text or letters that are not known, behind its own if it has a few words,
// or else only its own.
func (r *Resolver) withRecognised(ctx context.Context, src *citekit.Source, run citekit.TextRun) ([]citekit.TextRun, error) {
	state, lacks, err := r.lacksText(ctx, src, run)
	if err != nil || !lacks {
		return []citekit.TextRun{run}, err
	}
	read := citekit.TextRun{Location: run.Location, TextState: state, OCR: true}
	if read.Text, read.Confidence, err = r.recognise(ctx, src, run.Location); err != nil {
		return nil, err
	}
	if run.Missing = ""; state != about.TextPartial || strings.TrimSpace(run.Text) == "" {
		return []citekit.TextRun{read}, nil
	}
	run.Text = strings.TrimRight(run.Text, "\n") + "\n"
	return []citekit.TextRun{run, read}, nil
}

// recognise returns the text that is recognised in a picture of a page, or of the box on
// it, and its mean confidence from 0 to 1.
func (r *Resolver) recognise(ctx context.Context, src *citekit.Source, loc citekit.Location) (string, float64, error) {
	command, err := r.tesseract()
	if err != nil {
		return "", 0, err
	}
	blocks, err := command.Recognise(ctx, r.OCRLanguages, func(ctx context.Context) ([]byte, error) {
		return r.picture(ctx, src, loc)
	})
	if err != nil {
		return "", 0, fmt.Errorf("recognising the text of page %d: %w", loc.Pages[0].First, err)
	}
	texts := make([]string, len(blocks))
	for i, b := range blocks {
		texts[i] = b.Text
	}
	return strings.Join(texts, "\n\n"), tesseract.Confidence(blocks), nil
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
		find, path := tesseract.Find, r.Tesseract
		if r.OCRProgram != "" {
			find, path = tesseract.FindProgram, r.OCRProgram
		}
		command, err := find(path)
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

// lacksText returns the state of the page of a run, and whether its text is to be
// recognised: it has none at all, or not all.
func (r *Resolver) lacksText(ctx context.Context, src *citekit.Source, run citekit.TextRun) (state string, lacks bool, err error) {
	if !run.Location.Box.IsZero() {
		loc := run.Location
		loc.Box = citekit.Box{}
		page, _, err := r.textAt(ctx, src, loc)
		if err != nil {
			return "", false, err
		}
		run = page[0]
	}
	return run.TextState, run.TextState != about.TextFull || strings.TrimSpace(run.Text) == "", nil
}
