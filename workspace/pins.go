package workspace

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"unicode/utf8"

	"github.com/citekit/citekit"
)

// A pinRecord is a note of the kind [PinNotes], in a file of its own: a
// damaged pin must be distinguishable from a missing one, whatever the damage.
type pinRecord struct {
	Name  string `json:"name"`
	Stamp string `json:"stamp"`
	Text  string `json:"text,omitempty"`  // the data, if it is UTF-8
	Bytes []byte `json:"bytes,omitempty"` // other data
}

func newPinRecord(name string, data []byte) pinRecord {
	r := pinRecord{Name: name, Stamp: rand.Text()}
	if utf8.Valid(data) {
		r.Text = string(data)
	} else {
		r.Bytes = data
	}
	return r
}

func (r pinRecord) data() []byte {
	if r.Bytes != nil {
		return r.Bytes
	}
	return []byte(r.Text)
}

// A damagedPin describes a fault in the record of a pin. It matches
// [citekit.ErrDamaged].
type damagedPin struct{ cause error }

func (e *damagedPin) Error() string {
	return e.cause.Error() + "; to accept the source as it is now, remove .meta/pins from the evidence directory"
}

func (e *damagedPin) Is(target error) bool { return target == citekit.ErrDamaged }

func (e *damagedPin) Unwrap() error { return e.cause }

// readPin returns a pin with its stamp, as [citekit.NoteStore.ReadNote]
// describes. A whole record that this user's citekit did not make here is
// treated as missing: it came with a copied folder, or somebody planted it.
func (d *Directory) readPin(root *os.Root, name string) ([]byte, citekit.Stamp, error) {
	var r pinRecord
	err := d.readOwn(root, pinName(name), &r)
	if err == nil && (r.Name != name || r.Stamp == "") {
		err = errDamaged
	}
	switch {
	case err == nil:
		return r.data(), citekit.Stamp{Identity: r.Stamp}, nil
	case errors.Is(err, fs.ErrNotExist), err == errForeign:
		return nil, citekit.Stamp{}, missing("note")
	case mayPass(err): // not a fault of the record
		return nil, citekit.Stamp{}, withoutPath(err)
	}
	stamp := citekit.Stamp{Identity: "damaged"}
	if info, err := root.Lstat(pinName(name)); err == nil {
		stamp.Identity += "." + identity(info)
	}
	return nil, stamp, &damagedPin{withoutPath(d.evidence.fault(evidenceUnreadable, err))}
}

// changePins makes all changes of pins, or none. The evidence directory must be
// locked.
func (d *Directory) changePins(root *os.Root, changes []citekit.NoteChange) ([]citekit.Stamp, error) {
	err := compareNotes(changes, func(name string) ([]byte, citekit.Stamp, error) { return d.readPin(root, name) })
	if err != nil {
		return nil, err
	}
	stamps := make([]citekit.Stamp, len(changes))
	for i, c := range changes {
		switch {
		case isVain(c):
			continue
		case c.Data == nil:
			err = removeFile(root, pinName(c.Name))
		default:
			r := newPinRecord(c.Name, c.Data)
			stamps[i] = citekit.Stamp{Identity: r.Stamp}
			err = d.writeOwn(root, pinName(c.Name), r, true)
		}
		if err != nil {
			return nil, err
		}
	}
	return stamps, nil
}

// conflictOf returns the error for a note that has changed since the caller
// read it.
func conflictOf(now citekit.Stamp) error {
	if now == (citekit.Stamp{}) {
		return fmt.Errorf("the note is not there any more: %w", citekit.ErrConflict)
	}
	return fmt.Errorf("the note is another one: %w", citekit.ErrConflict)
}

// eachPin calls f with the pins that can be read, and the names of their files.
func (k *keeper) eachPin(f func(name string, r pinRecord) bool) bool {
	return k.each(k.d.evidence, pinsDir, func(root *os.Root, name string) bool {
		var r pinRecord
		if k.d.readOwn(root, path.Join(pinsDir, name), &r) != nil || r.Stamp == "" || pinName(r.Name) != path.Join(pinsDir, name) {
			return true
		}
		return f(name, r)
	})
}

func pinName(name string) string { return recordName(pinsDir, checksum([]byte(name))) }
