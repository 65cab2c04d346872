// Package view gives a part of a resource as a person looks at it: its text in spans, each
// with its address, the places of a quote in it, and which pictures show it.
//
// The text is that of package textlayer, which verify and search read too, so that all
// three have the same words. A [View] has the part that was asked for and what stands
// around it, within bounds; cursors lead on in both directions. Marks are exactly the
// words of a quote that package verify found at the address: a quote that is altered, or
// stands elsewhere, marks nothing.
package view

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/preview"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
)

// Bounds of a [View].
const (
	MaxText     = 64 << 10 // bytes of text in all spans
	MaxSpans    = 400      // of which a row with many cells takes several: one more for ten cells
	MaxPictures = 12
)

// Options configures a [Viewer]. The zero value is ready to use.
type Options struct {
	Layers   *textlayer.Store // the texts; nil means a new store with the defaults
	Verifier *verify.Verifier // nil means a new one over Layers
	Previews *preview.Maker   // nil means a new one
}

// A Viewer makes views of the resources of a Library. It is safe for concurrent use.
type Viewer struct {
	lib      *citekit.Library
	layers   *textlayer.Store
	verifier *verify.Verifier
	previews *preview.Maker
	tables   concurrent.Cache[*rowIndex]
}

// New returns a Viewer over a Library, whose workspace must be a
// [citekit.EvidenceOpener]. A nil opts means the defaults.
func New(lib *citekit.Library, opts *Options) *Viewer {
	v := &Viewer{lib: lib}
	v.tables.MaxCost = tablesKept
	if opts != nil {
		v.layers, v.verifier, v.previews = opts.Layers, opts.Verifier, opts.Previews
	}
	if v.layers == nil {
		v.layers = textlayer.New(lib, nil)
	}
	if v.verifier == nil {
		v.verifier = verify.New(lib, &verify.Options{Layers: v.layers})
	}
	if v.previews == nil {
		v.previews = preview.New(lib)
	}
	return v
}

// A Request names what to view.
type Request struct {
	// Address is an address, the id of a resource, or that of a node as "resource.node".
	Address string

	// Quote is words to mark, which stand at the address; "" marks nothing.
	Quote string

	// Cursor is View.Before or View.After of an answer to the same address; "" gives the
	// text at the address.
	Cursor string

	// Layout asks for the boxes of the lines of each page at the address.
	Layout bool
}

// View makes a view. A source that has changed since it was mapped, or is gone, is no
// error but a [State].
//
// Errors are those of [lookup.Find] for an address that means nothing; they match
// [citekit.ErrRange] for a place outside of the source, [citekit.ErrSyntax] for a wrong
// cursor or quote, and [citekit.ErrStale] for a cursor of an earlier version of the source.
func (v *Viewer) View(ctx context.Context, req Request) (*View, error) {
	part, err := lookup.Find(ctx, v.lib, req.Address)
	if err != nil {
		return nil, err
	}
	if err := lookup.CheckPlace(part.Map, part.Address); err != nil {
		return nil, &citekit.ResolveError{Op: "view", Address: part.Address, Err: err}
	}
	c := &call{Viewer: v, req: req, part: part, view: &View{State: Current, Spans: []Span{}}}
	if c.from, err = parseCursor(req.Cursor); err != nil {
		return nil, err
	}
	c.describe()
	if err := c.open(ctx); err != nil {
		return nil, err
	}
	if c.layer != nil {
		defer c.layer.Close()
		if err := c.locate(ctx); err != nil {
			return nil, err
		}
	}
	if err := c.quote(ctx); err != nil {
		return nil, err
	}
	if c.layer != nil {
		if err := c.fill(ctx); err != nil {
			return nil, err
		}
	}
	c.measure(ctx)
	if err := c.pictures(ctx); err != nil {
		return nil, err
	}
	return c.view, ctx.Err()
}

// A call is one call of [Viewer.View].
type call struct {
	*Viewer
	req  Request
	part lookup.Part
	from cursor
	view *View

	layer  *textlayer.Layer  // nil if there is no text that may be shown
	ranges []textlayer.Bytes // of the address in the layer
	table  *table            // that the spans are rows of, or nil
	marks  []textlayer.Bytes // of the quote in the layer
	pieces []piece           // of the spans

	ahead string           // text of the layer that was read
	start int64            // where that is, in bytes
	boxes []verify.PageBox // of the quote

	isAround   bool // the ranges may have text beside the address
	isUnplaced bool // which of the text is at the address is not known
}

func (c *call) address() citekit.Address { return c.part.Address }

// describe says what is looked at.
func (c *call) describe() {
	m, a, v := c.part.Map, c.address(), c.view
	v.Address, v.DocumentID = a.String(), m.ResourceID
	v.Document = Source{ID: m.ResourceID, Title: m.Title, Type: string(m.Type)}
	if c.part.Node != nil {
		v.NodeID = c.part.Node.ID
	}
	named := citation.Citation{Address: a, Work: citation.WorkOf(m, c.part.Node)}
	v.Label = named.Label()
	v.Format = formatOf(m, a.Location)
	v.Extent = extentOf(m, a.Location)
	v.Kind = c.kindOf(a.Location)
}

// formatOf returns the extension of the file that a location is in.
func formatOf(m *citekit.ResourceMap, loc citekit.Location) string {
	name := m.SourcePath
	if loc.Member != "" {
		name = loc.Member
	}
	return strings.ToLower(strings.TrimPrefix(path.Ext(path.Base(strings.ReplaceAll(name, `\`, "/"))), "."))
}

// measure adds the media type of a picture or a recording, which a player needs, and its
// size where the map does not say it.
func (c *call) measure(ctx context.Context) {
	v := c.view
	if v.State != Current || v.Kind != Image && v.Kind != Video && v.Kind != Audio || c.address().Location.Member != "" {
		return
	}
	e, err := c.lib.Measure(ctx, c.part.Map.ResourceID)
	if err != nil {
		return
	}
	v.MediaType = e.MediaType
	if v.Extent == nil && e.Width+e.Height+int(e.Duration) > 0 {
		v.Extent = &Extent{Width: e.Width, Height: e.Height, Seconds: e.Duration}
	}
}

// extentOf returns the size of the source of a map, or nil if the map does not say it, or
// the location is in a member of it.
func extentOf(m *citekit.ResourceMap, loc citekit.Location) *Extent {
	if loc.Member != "" {
		return nil
	}
	e := m.Extent()
	size := &Extent{Width: e.Width, Height: e.Height, Seconds: e.Duration}
	for _, unit := range []struct {
		name string
		n    int
	}{
		{"pages", e.Pages}, {"sheets", e.Sheets}, {"tables", e.Tables}, {"messages", e.Messages}, {"parts", e.Parts},
		{"members", e.Members}, {"blocks", e.Blocks}, {"rows", e.Rows}, {"lines", e.Lines},
	} {
		if unit.n > 0 {
			size.Unit, size.Total = unit.name, unit.n
			break
		}
	}
	if *size == (Extent{}) {
		return nil
	}
	return size
}

// open opens the text that may be shown: that of the version that was mapped, or that the
// address pins.
func (c *call) open(ctx context.Context) error {
	m, a := c.part.Map, c.address()
	layer, err := c.layers.Open(ctx, m.ResourceID)
	switch {
	case err == nil && strings.HasPrefix(layer.SourceHash(), a.Version):
		c.layer = layer
		return nil
	case err == nil:
		layer.Close()
		return c.openKept(ctx, Changed, "the address names another version than the present one")
	case errors.Is(err, citekit.ErrStale):
		return c.openKept(ctx, Changed, whyChanged)
	case textlayer.HasNoText(err):
		return c.checkSource(ctx)
	case errors.Is(err, fs.ErrNotExist):
		return c.openKept(ctx, Missing, whyMissing)
	}
	return err
}

// Why the present source is not shown.
const (
	whyChanged = "its bytes are not those that were mapped"
	whyMissing = "no file is where it was when it was mapped"
)

// note adds a sentence to the note.
func (c *call) note(text string) {
	if text == "" {
		return
	}
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	c.view.Note = strings.TrimLeft(c.view.Note+" "+text, " ")
}

// checkSource finds whether a source without text is there, and has the place.
func (c *call) checkSource(ctx context.Context) error {
	err := lookup.Check(ctx, c.lib, c.address())
	switch {
	case errors.Is(err, citekit.ErrStale):
		c.view.State = Changed
		c.note("its bytes are not those that were mapped or cited")
	case errors.Is(err, fs.ErrNotExist):
		c.view.State = Missing
		c.note(whyMissing)
	case errors.Is(err, errors.ErrUnsupported) && c.address().Location.IsWhole():
	default:
		return err
	}
	return ctx.Err()
}

// openKept opens the text of the version that was cited, or mapped, if it is kept. Any
// other text would not be what the address names.
func (c *call) openKept(ctx context.Context, state State, why string) error {
	m, a := c.part.Map, c.address()
	c.view.State = state
	c.note(why)
	hash := a.Version
	if mapped := m.SourceHash(); strings.HasPrefix(mapped, a.Version) {
		hash = mapped
	}
	layer, err := c.layers.OpenVersion(ctx, m.ResourceID, hash)
	if err != nil {
		c.note("no text of the earlier version is kept")
		return ctx.Err()
	}
	c.layer = layer
	c.note("this is the text of the earlier version, as it was kept")
	return nil
}

// locate finds the address in the text.
func (c *call) locate(ctx context.Context) (err error) {
	a := c.address()
	loc := a.Location
	failed := func(err error) error {
		if err == nil {
			return nil
		}
		return &citekit.ResolveError{Op: "view", Address: a, Err: lookup.Reason(err)}
	}
	if err := lookup.CheckTime(ctx, c.lib, a); err != nil && c.view.State == Current {
		return failed(err)
	}
	if c.ranges, err = c.layer.Ranges(loc); errors.Is(err, errors.ErrUnsupported) {
		c.ranges, err = c.layer.Around(loc)
		c.isAround = true
	}
	if err == nil {
		err = c.locateRows(ctx)
	}
	if c.isAround && err == nil && c.table == nil && !loc.Blocks.IsZero() {
		err = c.locateBlocks(ctx)
	}
	if c.view.State == Current && (err != nil || len(c.ranges) == 0 && !loc.IsWhole() || !c.layer.Reaches(loc)) {
		if outside := lookup.CheckEnd(ctx, c.lib, a); outside != nil {
			return failed(outside)
		}
	}
	if errors.Is(err, citekit.ErrRange) && c.view.State == Current && lookup.Check(ctx, c.lib, a) == nil {
		c.ranges, err = nil, nil // there is such a place, without text
	}
	if err != nil {
		return failed(err)
	}
	if isEmpty := !slices.ContainsFunc(c.ranges, func(r textlayer.Bytes) bool { return r.From < r.To }); isEmpty && c.view.Note == "" {
		c.note(lookup.NoText(loc))
	}
	c.note(c.layer.Missing(loc))
	if c.layer.Incomplete() {
		c.note(c.layer.Reason())
	}
	if c.isUnplaced {
		c.note(noteUnplaced)
	}
	if first, _ := c.at(); first >= 0 {
		for run := range c.layer.RunsIn(first, first+1) {
			c.view.Kind = c.kindOf(run.Location)
			c.view.LastRow = c.lastRow(run.Location)
			if c.table != nil && loc.Member == "" && c.layer.SourceHash() == c.part.Map.SourceHash() {
				c.view.LastRow = c.part.Map.Extent().Rows
			}
			break
		}
	}
	return nil
}

// lastRow returns the number of the last row with text of the sheet or the table that a
// row is in, or 0.
func (c *call) lastRow(row citekit.Location) int {
	if row.Sheet == "" && row.Table == "" {
		return 0
	}
	all, err := c.layer.Ranges(citekit.Location{Modality: row.Modality, Member: row.Member, Sheet: row.Sheet, Table: row.Table})
	if err != nil || len(all) == 0 {
		return 0
	}
	last := 0
	end := all[len(all)-1].To
	for run := range c.layer.RunsIn(max(end-1, 0), end) {
		last = int(max(run.Location.Cells.Last.Row, int32(run.Location.Rows.Last)))
	}
	return last
}

// at returns the bytes of the layer that the address begins and ends with, or -1.
func (c *call) at() (from, to int64) {
	if len(c.ranges) == 0 {
		return -1, -1
	}
	return c.ranges[0].From, c.ranges[len(c.ranges)-1].To
}

// slides are the extensions of presentations.
var slides = []string{"pptx", "pptm", "ppsx", "ppsm", "potx", "potm", "odp", "otp"}

// tables are the extensions of texts whose lines are rows.
var tables = []string{"csv", "tsv"}

// kindOf returns how to show what is at a location.
func (c *call) kindOf(loc citekit.Location) Kind {
	format, has := formatOf(c.part.Map, loc), c.part.Map.Extent()
	switch is := loc.Modality; {
	case is == citekit.Image:
		return Image
	case is == citekit.Video:
		return Video
	case is == citekit.Audio:
		return Audio
	case loc.Sheet != "":
		return Cells
	case loc.Table != "" || !loc.Rows.IsZero() || slices.Contains(tables, format):
		return Rows
	case slices.Contains(slides, format):
		return Slides
	case len(loc.Pages) > 0:
		return Pages
	case loc.Part != "" || loc.Message != 0 || loc.Member == "" && has.Parts+has.Messages > 0:
		return Parts
	case !loc.Blocks.IsZero():
		return Blocks
	case !loc.Lines.IsZero():
		return Lines
	case is == citekit.Document && format == "pdf":
		return Pages
	}
	return Text
}

// quote looks for the quote at the address.
func (c *call) quote(ctx context.Context) error {
	if c.req.Quote == "" {
		return nil
	}
	if c.view.State == Changed && c.layer == nil { // the present text is not the one that was cited
		c.view.Quote = &Quote{Class: string(verify.Unchecked), Stale: true, Problem: c.view.Note}
		return nil
	}
	found, err := c.verifier.Quote(ctx, verify.Request{Quote: c.req.Quote, Address: c.address(), Boxes: c.view.State == Current})
	if err != nil {
		if ctx.Err() == nil {
			err = &QuoteError{err}
		}
		return err
	}
	c.view.Quote = quoteOf(found)
	if c.layer == nil || found.Class != verify.Exact && found.Class != verify.Repaired {
		return nil
	}
	if found.Span.Bytes[1] == 0 && found.Stale == (c.view.State != Current) {
		note, err := c.markAlone(ctx, found.Text)
		if note != "" {
			c.view.Quote.Notes = append(c.view.Quote.Notes, note)
		}
		return err
	}
	text, err := c.textOf(ctx, found)
	if err != nil {
		return err
	}
	if text != found.Text { // it was found in another version
		c.view.Quote.Notes = append(c.view.Quote.Notes, noteUnknown)
		return nil
	}
	for _, p := range found.Parts {
		c.marks = append(c.marks, textlayer.Bytes{From: p[0], To: p[1]})
	}
	c.boxes = found.Boxes
	return nil
}

// textOf returns the text of the layer where a quote was found, "" if it is outside.
func (c *call) textOf(ctx context.Context, found *verify.Verdict) (string, error) {
	at := found.Span.Bytes
	if at[1] > c.layer.Len() || at[0] >= at[1] {
		return "", nil
	}
	return c.layer.Text(ctx, at[0], at[1])
}

// quoteOf describes a verdict.
func quoteOf(found *verify.Verdict) *Quote {
	q := &Quote{Class: string(found.Class), Text: found.Text, Notes: found.Notes, Stale: found.Stale, OCR: found.OCR, Confidence: found.Confidence, Transcribed: found.Transcribed}
	if found.Address.Resource != "" {
		q.Address = found.Address.String()
	}
	for _, o := range found.Others {
		q.Others = append(q.Others, o.String())
	}
	for _, d := range found.Difference {
		q.Difference = append(q.Difference, Change{d.Quote, d.Source, d.Note})
	}
	if found.Problem != nil {
		q.Problem = fmt.Sprint(lookup.Reason(found.Problem))
	}
	return q
}
