package pdf

import "fmt"

// Check reads every object of a document and returns an error matching
// [ErrDamaged] if one cannot be read, or refers to one that is not there. It
// is for documents made here: others may refer to nothing.
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
