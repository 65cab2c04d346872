package handover

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
)

var (
	//go:embed page/page.css
	pageCSS string
	//go:embed page/page.js
	pageJS string
)

const mediaHTML = "text/html"

// HTML returns a page that shows the quotes with a picture of their place, or with the
// words around them, and checks the hash of the evidence, stored beside the evidence. It
// is one file without links to others.
//
// Errors are those of [preview.Maker.Make], but for those of pictures that cannot be
// made.
func (m *Maker) HTML(ctx context.Context, p *Piece) (*citekit.Evidence, error) {
	shown, err := m.shownPiece(ctx, p)
	if err != nil {
		return nil, err
	}
	data := writePage(&shownPage{Title: p.Label, Pieces: []*shownPiece{shown}})
	return m.store(ctx, p, ".html", mediaHTML, data)
}

// A shownPage is what a page shows.
type shownPage struct {
	Title  string
	Cover  *cover // of a dossier; or nil
	Pieces []*shownPiece
}

// A shownPiece is a piece as a page shows it.
type shownPiece struct {
	ID       int
	Numbered bool // the numbers of its quotes are shown
	Label    string
	Quotes   []shownQuote
	Text     string // of a place without a quote that holds
	Pictures []shownPicture

	Address, Link      string
	Source, SourceHash string
	Mapped             string
	Type, SHA256, File string // of the evidence
	Size               int64
	Embedded           bool

	data []byte
}

type shownQuote struct {
	Number              int
	Words, Address      string
	State               string // "holds", "fails" or "open"
	Verdict, Remark     string
	Passage             bool
	Before, Text, After string
}

type shownPicture struct {
	Source        string // a data: URL
	Width, Height int
	About         string
}

// shownPiece returns a piece as a page shows it.
func (m *Maker) shownPiece(ctx context.Context, p *Piece) (*shownPiece, error) {
	e := p.Evidence
	s := &shownPiece{
		ID: 1, Label: p.Label, Address: e.Address.String(), Source: p.Source, SourceHash: p.sourceHash, Mapped: p.Mapped,
		Type: e.MediaType, SHA256: e.SHA256, Size: e.Size, File: e.Name, Embedded: len(p.data) <= maxEmbedded, data: p.data,
	}
	if m.Link != nil {
		words := ""
		if len(p.Quotes) > 0 {
			words = p.Quotes[0].Words
		}
		s.Link = m.Link(e.Address, words)
	}
	pictures, err := m.pictures(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, made := range pictures {
		about := p.Label
		if len(made.Shown) == 1 && len(pictures) > 1 {
			about = citation.Place(made.Shown[0])
		}
		s.Pictures = append(s.Pictures, shownPicture{
			"data:" + made.MediaType + ";base64," + base64.StdEncoding.EncodeToString(made.Data), made.Width, made.Height, about,
		})
	}
	holding := false
	for _, q := range p.Quotes {
		one := shownQuote{
			Number: q.Number, Words: q.Words, Address: q.Address.String(), State: q.state(), Verdict: q.summary(), Remark: q.remark(),
			Before: q.Before, Text: q.Text, After: q.After,
		}
		one.Passage = q.marked() && q.Text != ""
		holding = holding || one.Passage
		s.Quotes = append(s.Quotes, one)
	}
	if !holding && len(pictures) == 0 {
		s.Text = cmp.Or(m.text(ctx, p), nothingShown)
	}
	return s, nil
}

// writePage returns a page, which is one file: the policy of its content allows only the
// style and the script that it has in itself, and pictures in it.
func writePage(p *shownPage) []byte {
	var m markup
	m.put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-%s'; script-src 'sha256-%s'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<style>`, hashOf(pageCSS), hashOf(pageJS), p.Title)
	m.WriteString(pageCSS)
	m.put("</style>\n</head>\n<body>\n")
	m.body(p)
	for _, piece := range p.Pieces {
		if piece.Embedded {
			m.put("<script type=\"application/octet-stream\" id=\"evidence-%d\">", piece.ID)
			m.WriteString(base64.StdEncoding.EncodeToString(piece.data))
			m.put("</script>\n")
		}
	}
	m.WriteString("<script>" + pageJS + "</script>\n</body>\n</html>\n")
	return m.Bytes()
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}
