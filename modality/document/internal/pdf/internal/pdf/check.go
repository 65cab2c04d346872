package pdf

import "fmt"

// Check reads every object of a document. The error matches [ErrDamaged] if an object
// cannot be read or refers to a missing one. It is for documents made by this
// program; in others, missing references are allowed.
func (d *Document) Check(f *File) error {
	for c, chunk := range d.table.chunks {
		for i, e := range chunk {
			if e.kind != entryOffset && e.kind != entryInside {
				continue
			}
			o, err := d.Load(f, c*chunkSize+i)
			if err != nil {
				return err
			}
			if err := d.checkRefs(o); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Document) checkRefs(o Object) error {
	switch v := o.(type) {
	case Ref:
		if !d.Has(v.Num) {
			return fmt.Errorf("object %d is missing: %w", v.Num, ErrDamaged)
		}
	case Array:
		for _, o := range v {
			if err := d.checkRefs(o); err != nil {
				return err
			}
		}
	case Dict:
		for _, o := range v {
			if err := d.checkRefs(o); err != nil {
				return err
			}
		}
	case *Stream:
		return d.checkRefs(v.Dict)
	}
	return nil
}
