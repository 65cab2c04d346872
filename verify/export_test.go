package verify

// SetParts makes texts of more than whole bytes looked through in parts of a length,
// of which two have some bytes in common.
func (v *Verifier) SetParts(whole, length, overlap int64) {
	v.parts = partition{whole, length, overlap}
}
