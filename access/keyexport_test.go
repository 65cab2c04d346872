package access

import "time"

// Parse and its like are for tests alone.
var ParseUses = parseUses

// Reencode reads a file and writes it.
func Reencode(data []byte) ([]byte, error) {
	records, err := parse(data, nil)
	if err != nil {
		return nil, err
	}
	return encode(records)
}

// IDOf is what is taken from a token.
func IDOf(token string) (string, bool) { return idOf(token) }

// SetNow sets the clock of a file.
func (f *KeyFile) SetNow(now func() time.Time) { f.now = now }

// FlushUses writes when keys were last used.
func (f *KeyFile) FlushUses() { f.uses.write() }
