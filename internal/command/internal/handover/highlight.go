package handover

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/citekit/citekit"
)

// ErrUnmarked reports evidence in which the words cannot be marked: it is no PDF, or the
// places of its words are not known. It matches [errors.ErrUnsupported].
var ErrUnmarked error = unmarked{}

type unmarked struct{}

func (unmarked) Error() string        { return "the words cannot be marked in it" }
func (unmarked) Is(target error) bool { return target == errors.ErrUnsupported }

// PDF returns the evidence with its quotes as highlights, stored beside it. The bytes of
// the evidence are the beginning of the file, so that their SHA-256 can still be checked;
// the highlights are an incremental update behind them.
//
// Errors match [ErrUnmarked] if the evidence is no PDF, or if the places of the words
// are unknown, as on a scanned page.
func (m *Maker) PDF(ctx context.Context, p *Piece) (*citekit.Evidence, error) {
	if !p.isPDF() {
		return nil, fmt.Errorf("%s is evidence of type %s: %w", p.Evidence.Address, p.Evidence.MediaType, ErrUnmarked)
	}
	data, err := marked(ctx, p)
	if err != nil {
		return nil, err
	}
	return m.store(ctx, p, ".pdf", mediaPDF, data)
}

// marked returns the bytes of the evidence with the increment.
func marked(ctx context.Context, p *Piece) (data []byte, err error) {
	defer recovered(&err)
	doc, err := readPDF(ctx, p.data)
	if err != nil {
		return nil, err
	}
	pages, err := pagesOf(doc)
	if err != nil {
		return nil, err
	}
	doc.Write.Increment = true
	add := func(o types.Object) (types.IndirectRef, error) {
		ref, err := doc.IndRefForNewObject(o)
		if err != nil {
			return types.IndirectRef{}, err
		}
		doc.Write.IncrementWithObjNr(ref.ObjectNumber.Value())
		return *ref, nil
	}
	marks, found := p.marks(), false
	for i, page := range pages {
		var annots types.Array
		for _, q := range marks[i] {
			annot, err := annotate(add, spaceOf(doc, page.dict), page.ref, q)
			if err != nil {
				return nil, err
			}
			annots = append(annots, annot)
		}
		if annots == nil {
			continue
		}
		found = true
		before, err := doc.DereferenceArray(page.dict["Annots"])
		if err != nil {
			return nil, err
		}
		page.dict["Annots"] = slices.Concat(before, annots)
		doc.Write.IncrementWithObjNr(page.ref.ObjectNumber.Value())
	}
	if !found {
		return nil, fmt.Errorf("the places of the words on %s are not known, as on a scanned page: %w", p.Evidence.Address, ErrUnmarked)
	}
	slices.Sort(doc.Write.ObjNrs)
	id := sha256.Sum256([]byte(format + p.Evidence.SHA256 + fmt.Sprint(marks)))
	if len(doc.ID) == 2 {
		doc.ID[1] = types.HexLiteral(hex.EncodeToString(id[:16]))
	}
	out := bytes.NewBuffer(slices.Clone(p.data))
	doc.Write.Offset, doc.Write.Writer = int64(out.Len()), bufio.NewWriter(out)
	err = pdfcpu.WriteIncrement(doc)
	err = cmp.Or(err, doc.Write.Flush())
	return out.Bytes(), err
}

var disableConfig = sync.OnceFunc(func() { model.ConfigPath = "disable" })

// readPDF reads evidence, which our cutter has written.
func readPDF(ctx context.Context, data []byte) (doc *model.Context, err error) {
	defer recovered(&err)
	disableConfig()
	conf := model.NewDefaultConfiguration()
	conf.Offline, conf.Optimize, conf.OptimizeResourceDicts = true, false, false
	conf.WriteObjectStream, conf.WriteXRefStream = false, false
	return pdfcpu.ReadWithContext(ctx, bytes.NewReader(data), conf)
}

// recovered turns a panic of the library, which hostile files may cause, into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the library for PDF failed on this file (%v): %w", p, citekit.ErrFormat)
	}
}

// A page is a page of evidence.
type page struct {
	ref  types.IndirectRef
	dict types.Dict
}

// pagesOf returns the pages of evidence, whose page tree has one level.
func pagesOf(doc *model.Context) ([]page, error) {
	root, err := doc.DereferenceDict(*doc.Root)
	if err != nil {
		return nil, err
	}
	tree, err := doc.DereferenceDict(root["Pages"])
	if err != nil {
		return nil, err
	}
	kids, err := doc.DereferenceArray(tree["Kids"])
	if err != nil {
		return nil, err
	}
	all := make([]page, len(kids))
	for i, kid := range kids {
		ref, ok := kid.(types.IndirectRef)
		if !ok {
			return nil, fmt.Errorf("page %d is not an object of its own: %w", i+1, citekit.ErrFormat)
		}
		dict, err := doc.DereferenceDict(ref)
		if err != nil || dict == nil || dict["Kids"] != nil {
			return nil, errors.Join(fmt.Errorf("page %d is none: %w", i+1, citekit.ErrFormat), err)
		}
		all[i] = page{ref, dict}
	}
	return all, nil
}

// A mark is where the words of a quote are on a page.
type mark struct {
	about string // the address and the words
	boxes []citekit.Box
}

// marks returns the marks on the pages of evidence, by their index from 0. Quotes that
// do not hold have none.
func (p *Piece) marks() map[int][]mark {
	index := make(map[int]int) // of pages of the source in the evidence
	for _, run := range p.Evidence.Address.Location.Pages {
		for n := run.First; n <= run.Last; n++ {
			index[n] = len(index)
		}
	}
	all := make(map[int][]mark)
	for _, q := range p.Quotes {
		if q.Verdict == nil || !q.Verdict.Holds() {
			continue
		}
		on := make(map[int][]citekit.Box)
		for _, b := range q.Verdict.Boxes {
			i, ok := index[b.Page]
			box, inside := within(b.Box, p.Evidence.Address.Location.Box)
			if ok && inside {
				on[i] = append(on[i], box)
			}
		}
		for _, i := range slices.Sorted(maps.Keys(on)) {
			all[i] = append(all[i], mark{q.Address.String() + "\n" + q.Words, on[i]})
		}
	}
	return all
}

// annotate adds a highlight on a page and its appearance, which some viewers need. The
// colour is multiplied with what is below, so that the words stay as dark as they are.
func annotate(add func(types.Object) (types.IndirectRef, error), s space, page types.IndirectRef, m mark) (types.IndirectRef, error) {
	var content strings.Builder
	content.WriteString("/G gs 1 0.9 0.2 rg\n")
	var points types.Array
	var around rect
	for i, b := range m.boxes {
		q := s.quad(b)
		r := q.bounds()
		if i == 0 {
			around = r
		}
		around = around.union(r)
		points = append(points, numbers(q[:]...)...)
		fmt.Fprintf(&content, "%v %v %v %v re f\n", thousandth(r.x1), thousandth(r.y1), thousandth(r.x2-r.x1), thousandth(r.y2-r.y1))
	}
	look := newStream(types.Dict{
		"Type": types.Name("XObject"), "Subtype": types.Name("Form"), "BBox": around.array(),
		"Group":     types.Dict{"S": types.Name("Transparency")},
		"Resources": types.Dict{"ExtGState": types.Dict{"G": types.Dict{"BM": types.Name("Multiply")}}},
	}, []byte(content.String()))
	form, err := add(look)
	if err != nil {
		return form, err
	}
	name := sha256.Sum256([]byte(m.about))
	return add(types.Dict{
		"Type": types.Name("Annot"), "Subtype": types.Name("Highlight"), "Rect": around.array(), "QuadPoints": points,
		"P": page, "F": types.Integer(model.AnnPrint), "C": numbers(1, .9, .2), "AP": types.Dict{"N": form},
		"T": text("citekit"), "Contents": text(m.about), "NM": text(hex.EncodeToString(name[:8])),
	})
}

// newStream returns a stream that is stored as it is.
func newStream(d types.Dict, data []byte) types.StreamDict {
	length := int64(len(data))
	d["Length"] = types.Integer(length)
	s := types.NewStreamDict(d, 0, &length, nil, nil)
	s.Raw, s.Content = data, data
	return s
}

// text returns a text string in UTF-16.
func text(s string) types.HexLiteral {
	var b strings.Builder
	b.WriteString("FEFF")
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, "%04X", u)
	}
	return types.HexLiteral(b.String())
}
