package pdfcut

import (
	"errors"
	"maps"

	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
)

// catalog writes the page tree, the catalog and the objects that the catalog needs.
func (c *cutter) catalog(pages []int) error {
	kids := make(pdf.Array, len(pages))
	for i := range pages {
		kids[i] = pdf.Ref{Num: firstPage + i}
	}
	tree := pdf.Dict{"Type": pdf.Name("Pages"), "Count": int64(len(pages)), "Kids": kids}
	if err := c.w.object(pagesNumber, tree); err != nil {
		return err
	}
	root := pdf.Dict{"Type": pdf.Name("Catalog"), "Pages": pdf.Ref{Num: pagesNumber}}
	if lang, ok := c.d.Catalog["Lang"].(pdf.String); ok {
		root["Lang"] = lang
	}
	var err error
	if root["AcroForm"], err = c.form(); err != nil {
		return err
	}
	if root["PageLabels"], err = c.labels(pages); err != nil {
		return err
	}
	if err := c.drain(); err != nil {
		return err
	}
	if root["OCProperties"], err = c.layers(); err != nil {
		return err
	}
	if err := c.drain(); err != nil {
		return err
	}
	return c.w.object(catalogNumber, root)
}

// form returns the interactive form of the kept fields (12.7.2), or nil if there are
// none.
func (c *cutter) form() (pdf.Object, error) {
	if len(c.roots) == 0 {
		return nil, nil
	}
	source, err := c.d.Dict(c.f, c.d.Catalog["AcroForm"])
	if err != nil || source == nil {
		return nil, err
	}
	form := pdf.Dict{"Fields": pdf.Array(c.roots)}
	for _, key := range []pdf.Name{"DA", "DR", "NeedAppearances", "Q"} {
		if form[key], err = c.copy(source[key]); err != nil {
			return nil, err
		}
	}
	return form, nil
}

// labels returns the page labels of the kept pages (12.4.2), or nil if the document has
// none.
func (c *cutter) labels(pages []int) (pdf.Object, error) {
	ranges, err := c.d.Labels(c.f)
	if errors.Is(err, pdf.ErrLimit) {
		err = c.f.Visit(0) // the first labels suffice if any budget is left
	}
	if err != nil || len(ranges) == 0 {
		return nil, err
	}
	var nums pdf.Array
	current, last := -1, -1 // range and index of the previous page
	next := 0
	for i, page := range pages {
		for next < len(ranges) && ranges[next].First <= page {
			next++
		}
		if next == 0 {
			continue
		}
		if next-1 != current || page != last+1 {
			style, err := c.labelStyle(ranges[next-1], page)
			if err != nil {
				return nil, err
			}
			nums = append(nums, int64(i), style)
		}
		current, last = next-1, page
	}
	if nums == nil {
		return nil, nil
	}
	if nums[0] != int64(0) {
		nums = append(pdf.Array{int64(0), pdf.Dict{"S": pdf.Name("D")}}, nums...)
	}
	return pdf.Dict{"Nums": nums}, nil
}

// labelStyle returns the style of a range that begins at page.
func (c *cutter) labelStyle(r pdf.LabelRange, page int) (pdf.Object, error) {
	style := maps.Clone(r.Style)
	if style == nil {
		return pdf.Dict{}, nil
	}
	start, ok := style["St"].(int64)
	if !ok {
		start = 1
	}
	style["St"] = start + int64(page-r.First)
	return c.copy(style)
}

// layers returns the optional content properties (8.11.4) of the layers on the kept
// pages, so that hidden content stays hidden.
func (c *cutter) layers() (pdf.Object, error) {
	source, err := c.d.Dict(c.f, c.d.Catalog["OCProperties"])
	if err != nil || source == nil {
		return nil, err
	}
	groups, err := c.d.Array(c.f, source["OCGs"])
	if err != nil {
		return nil, err
	}
	kept, err := c.keptRefs(groups)
	if err != nil || len(kept) == 0 {
		return nil, err
	}
	config, err := c.d.Dict(c.f, source["D"])
	if err != nil {
		return nil, err
	}
	out := pdf.Dict{}
	for _, key := range []pdf.Name{"BaseState", "Intent", "ListMode", "Name"} {
		switch v := config[key].(type) {
		case pdf.Name, pdf.String:
			out[key] = v
		}
	}
	for _, key := range []pdf.Name{"ON", "OFF", "Locked", "Order"} {
		list, err := c.d.Array(c.f, config[key])
		if err != nil {
			return nil, err
		}
		refs, err := c.keptRefs(list)
		if err != nil {
			return nil, err
		}
		if len(refs) > 0 {
			out[key] = refs
		}
	}
	return pdf.Dict{"OCGs": kept, "D": out}, nil
}

// keptRefs returns the references in a list, and in the lists in it, to objects of the
// output.
func (c *cutter) keptRefs(list pdf.Array) (out pdf.Array, err error) {
	if err := c.f.Visit(len(list)); err != nil {
		return nil, err
	}
	for _, o := range list {
		switch v := o.(type) {
		case pdf.Ref:
			if number, ok := c.numbers[v.Num]; ok {
				out = append(out, pdf.Ref{Num: number})
			}
		case pdf.Array:
			inner, err := c.keptRefs(v)
			if err != nil {
				return nil, err
			}
			out = append(out, inner...)
		}
	}
	return out, nil
}
