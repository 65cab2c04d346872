package pdf

import (
	"fmt"
	"strconv"
)

// An Object is a PDF object: nil for null, bool, int64, [Real], [String],
// [Name], [Array], [Dict], [Ref] or [*Stream] (ISO 32000-1, 7.3).
type Object any

// A Real is a number that is not an integer, as spelled in the file.
type Real string

// A String holds the bytes of a literal or hexadecimal string, decoded.
type String string

// A Name is a name without its slash, decoded.
type Name string

// An Array is a list of objects.
type Array []Object

// A Dict maps names to objects. Null entries are left out.
type Dict map[Name]Object

// A Ref refers to an indirect object.
type Ref struct{ Num, Gen int }

func (r Ref) String() string { return fmt.Sprintf("%d %d R", r.Num, r.Gen) }

// A Stream is a dictionary with data. The data stays in the file until it is
// read.
type Stream struct {
	Dict Dict

	ref    Ref   // the object whose key decrypts the data
	offset int64 // offset of the raw data in the file
	length int64
	crypt  bool // whether the data is encrypted
}

// Number returns the value of a numeric object.
func Number(o Object) (float64, bool) {
	switch v := o.(type) {
	case int64:
		return float64(v), true
	case Real:
		f, err := strconv.ParseFloat(string(v), 64)
		return f, err == nil
	}
	return 0, false
}
