package workspace

import (
	"context"
	"time"
)

// Now returns the time by that clock.
func (d *Directory) Now() time.Time { return d.now() }

// SetClock replaces the clock that last uses of evidence are told by.
func (d *Directory) SetClock(now func() time.Time) { d.now = now }

// LockMaps does what another writer of maps does while it writes.
func (d *Directory) LockMaps() (unlock func(), err error) {
	root, err := d.maps.make()
	if err != nil {
		return nil, err
	}
	return d.maps.lock(context.Background(), root)
}

// FileName returns the name of the file that WriteMap makes for a new map.
func FileName(id string) string { return fileName(id) }

// HoldListing does what one who reads a large maps directory does meanwhile.
func (d *Directory) HoldListing() (release func()) {
	d.listings.reading <- struct{}{}
	return func() { <-d.listings.reading }
}

// LoadKey returns the key kept in a directory, or that of the process.
func LoadKey(dir string) []byte {
	k, err := newKeyHolder(Options{KeyDir: dir}, private)
	if err != nil {
		panic(err)
	}
	key, err := k.load()
	if err != nil {
		panic(err)
	}
	return key
}

// ProcessKey returns the key where none can be kept.
func ProcessKey() []byte { return processKey() }

// MapKey returns the key of the object of a map.
func MapKey(id string) string { return mapKey(id) }
