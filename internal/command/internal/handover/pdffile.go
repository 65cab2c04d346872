package handover

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/citekit/citekit"
)

// A pdfFile is a PDF in the making. Its objects are written in the order of their
// numbers, so that the same objects give the same bytes. pdfcpu's own writer puts the
// time into each file.
type pdfFile struct {
	objects []types.Object // that of number 1 first
}

// reserve returns the reference to an object that is set later.
func (f *pdfFile) reserve() types.IndirectRef { return f.add(nil) }

func (f *pdfFile) add(o types.Object) types.IndirectRef {
	f.objects = append(f.objects, o)
	return *types.NewIndirectRef(len(f.objects), 0)
}

func (f *pdfFile) set(ref types.IndirectRef, o types.Object) { f.objects[ref.ObjectNumber-1] = o }

// object returns what a reference refers to, or the object itself.
func (f *pdfFile) object(o types.Object) types.Object {
	if ref, ok := o.(types.IndirectRef); ok {
		return f.objects[ref.ObjectNumber-1]
	}
	return o
}

// deflated adds a compressed stream.
func (f *pdfFile) deflated(d types.Dict, data []byte) types.IndirectRef {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write(data) // to memory
	w.Close()
	d["Filter"] = types.Name("FlateDecode")
	return f.add(newStream(d, b.Bytes()))
}

// bytes returns the file. Its identifier depends on all that is in it.
func (f *pdfFile) bytes(root, info types.IndirectRef) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(f.objects))
	for i, o := range f.objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n", i+1)
		switch o := o.(type) {
		case nil:
			b.WriteString("null")
		case types.StreamDict:
			b.WriteString(o.Dict.PDFString())
			b.WriteString("\nstream\n")
			b.Write(o.Raw)
			b.WriteString("\nendstream")
		default:
			b.WriteString(o.PDFString())
		}
		b.WriteString("\nendobj\n")
	}
	id := sha256.Sum256(b.Bytes())
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	name := hex.EncodeToString(id[:16])
	fmt.Fprintf(&b, "trailer\n<</ID[<%s><%s>]/Info %s/Root %s/Size %d>>\nstartxref\n%d\n%%%%EOF\n", name, name, info.PDFString(), root.PDFString(), len(offsets)+1, start)
	return b.Bytes()
}

// An importer copies pages of evidence into a file.
type importer struct {
	file *pdfFile
	doc  *model.Context
	refs map[types.Integer]types.IndirectRef // by the number in the evidence
	left []types.Integer                     // numbers still to be copied
}

// maxObjects bounds the objects of a dossier.
const maxObjects = 1 << 20

// An imported is evidence in a file.
type imported struct {
	pages []page // in the file, still without a parent
	space []space
	form  types.Dict // its interactive form, or nil
	looks types.Dict // its optional content, or nil
}

// importPages copies the pages of evidence. Nothing of them is changed, but that they
// get another parent.
func (f *pdfFile) importPages(doc *model.Context) (*imported, error) {
	pages, err := pagesOf(doc)
	if err != nil {
		return nil, err
	}
	root, err := doc.DereferenceDict(*doc.Root)
	if err != nil {
		return nil, err
	}
	im := &importer{file: f, doc: doc, refs: make(map[types.Integer]types.IndirectRef)}
	for _, p := range pages {
		im.refs[p.ref.ObjectNumber] = f.reserve()
	}
	got := &imported{}
	for _, p := range pages {
		got.space = append(got.space, spaceOf(doc, p.dict))
		annots, err := doc.DereferenceArray(p.dict["Annots"])
		if err != nil {
			return nil, err
		}
		dict := types.Dict{}
		for _, key := range sortedKeys(p.dict) {
			switch key {
			case "Parent":
			case "Annots":
				dict[key] = im.copy(annots)
			default:
				dict[key] = im.copy(p.dict[key])
			}
		}
		ref := im.refs[p.ref.ObjectNumber]
		f.set(ref, dict)
		got.pages = append(got.pages, page{ref, dict})
	}
	for _, of := range []struct {
		key string
		to  *types.Dict
	}{{"AcroForm", &got.form}, {"OCProperties", &got.looks}} {
		found, err := doc.DereferenceDict(root[of.key])
		if err != nil {
			return nil, err
		}
		if found != nil {
			*of.to, _ = im.copy(found).(types.Dict)
		}
	}
	return got, im.drain()
}

// drain copies the objects that what was copied refers to.
func (im *importer) drain() error {
	for len(im.left) > 0 {
		num := im.left[0]
		im.left = im.left[1:]
		if len(im.file.objects) > maxObjects {
			return fmt.Errorf("more than %d objects of PDF in a dossier; make it of fewer citations: %w", maxObjects, citekit.ErrTooLarge)
		}
		entry, ok := im.doc.Find(int(num))
		if !ok || entry.Free || entry.Object == nil {
			continue
		}
		im.file.set(im.refs[num], im.copy(entry.Object))
	}
	return nil
}

// copy returns an object as it is in the file. Objects that it refers to are copied
// later.
func (im *importer) copy(o types.Object) types.Object {
	switch o := o.(type) {
	case types.IndirectRef:
		if ref, ok := im.refs[o.ObjectNumber]; ok {
			return ref
		}
		ref := im.file.reserve()
		im.refs[o.ObjectNumber] = ref
		im.left = append(im.left, o.ObjectNumber)
		return ref
	case types.Array:
		out := make(types.Array, len(o))
		for i, item := range o {
			out[i] = im.copy(item)
		}
		return out
	case types.Dict:
		out := make(types.Dict, len(o))
		for _, key := range sortedKeys(o) {
			out[key] = im.copy(o[key])
		}
		return out
	case types.StreamDict:
		out := o
		out.Dict, _ = im.copy(o.Dict).(types.Dict)
		out.Dict["Length"] = types.Integer(len(o.Raw))
		return out
	}
	return o
}

func sortedKeys(d types.Dict) []string {
	keys := make([]string, 0, len(d))
	for key := range d {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
