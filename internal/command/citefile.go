package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/command/internal/handover"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/verify"
)

// The forms of cite that are files.
const (
	asPDF  = "pdf"
	asHTML = "html"
)

// isFile reports whether the form is a file.
func (f *citeFlags) isFile() bool { return f.from == "" && (f.as == asPDF || f.as == asHTML) }

// A handedOver is the JSON output of a form that is a file.
type handedOver struct {
	Address    citekit.Address `json:"address"` // of the evidence
	Label      string          `json:"label"`
	As         string          `json:"as"`
	Verdict    *verify.Verdict `json:"verdict"`
	Path       string          `json:"output_path"`
	MediaType  string          `json:"media_type"`
	Size       int64           `json:"size"`
	SHA256     string          `json:"sha256"`
	Evidence   evidenceIn      `json:"evidence"`
	SourceHash string          `json:"source_hash,omitempty"`
	Check      string          `json:"check"` // what shows that the evidence is unchanged
}

// An evidenceIn is the evidence in a file that was handed over.
type evidenceIn struct {
	MediaType string `json:"media_type"`
	Size      int64  `json:"size"`
	SHA256    string `json:"sha256"`
}

// handOver makes the file of a citation and prints where it is.
func (c *citer) handOver(ctx context.Context, id string) error {
	if c.output == "-" && c.json {
		return usagef("cite", "--output - and --json both need the standard output")
	}
	if err := checkOutput(c.output, c.force); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	id, err := c.named(ctx, c.Library, id)
	if err != nil {
		return err
	}
	defer c.spin(ctx, "making the "+c.as)()
	maker := handover.New(c.Corpus)
	piece, err := maker.Cite(ctx, id, c.quote)
	if err != nil {
		return citeError(err)
	}
	make := maker.PDF
	if c.as == asHTML {
		make = maker.HTML
	}
	made, err := make(ctx, piece)
	if errors.Is(err, handover.ErrUnmarked) {
		return hinted{fmt.Errorf("--as pdf: %w", err), unmarkedHint(piece)}
	}
	if err != nil {
		return err
	}
	if err := c.localize(ctx, c.Library, made); err != nil {
		return err
	}
	path := made.OutputPath
	switch c.output {
	case "":
	case "-":
		return c.writeEvidence(ctx, made)
	default:
		if err := copyEvidence(ctx, made, c.output, c.force); err != nil {
			return fmt.Errorf("--output: %w", err)
		}
		path = c.output
	}
	return c.printHandedOver(piece, made, path)
}

// unmarkedHint says what a person can do about evidence that is not marked as PDF.
func unmarkedHint(p *handover.Piece) string {
	hint := "--as html shows its words and, where it can be drawn, a picture"
	if p.Evidence.MediaType != "application/pdf" {
		hint += "; 'citekit resolve --as pdf' lays it out as PDF, without marks, where LibreOffice is installed"
	}
	return hint
}

func (c *citer) printHandedOver(p *handover.Piece, made *citekit.Evidence, path string) error {
	check := fmt.Sprintf("head -c %d FILE | sha256sum", p.Evidence.Size)
	if c.as == asHTML {
		check = "the button in the page; without a browser, sha256sum of the evidence"
	}
	verdict := p.Quotes[0].Verdict
	if c.json {
		path, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		e := p.Evidence
		return c.printJSON(handedOver{
			Address: e.Address, Label: p.Label, As: c.as, Verdict: verdict, Path: path, MediaType: made.MediaType, Size: made.Size, SHA256: made.SHA256,
			Evidence: evidenceIn{e.MediaType, e.Size, e.SHA256}, SourceHash: p.SourceHash(), Check: check,
		})
	}
	c.printRows([]row{
		{"address", p.Evidence.Address.String()}, {"quote", string(verdict.Class) + "  " + shownWords(verdict.Quote)},
		{"path", path}, {"type", mediaType(made)}, {"size", byteSize(made.Size)}, {"sha256", made.SHA256},
		{"evidence", fmt.Sprintf("%s, %s, SHA-256 %s", term.Line(mediaType(p.Evidence)), byteSize(p.Evidence.Size), p.Evidence.SHA256)},
		{"check", check},
	})
	return nil
}
