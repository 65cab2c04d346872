package verify

// SetParts sets that texts of more than whole bytes are searched in parts of a length,
// and that neighbouring parts share overlap bytes.
func (v *Verifier) SetParts(whole, length, overlap int64) {
	v.parts = partition{whole, length, overlap}
}

// PartsMade returns how many parts of long texts were prepared so far.
func (v *Verifier) PartsMade() int { return int(v.partsMade.Load()) }
