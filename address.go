package citekit

// An Address names a part of a resource in one line.
type Address struct {
	Resource string   // resource id
	Location Location // Modality gives the scheme

	// Version pins the version of the source: 8 to 64 leading hex digits,
	// in lower case, of its SHA-256; "" pins nothing.
	Version string
}

// ParseAddress parses an address.
func ParseAddress(s string) (Address, error) { return Address{}, syntaxError("address %q", s) }

// String returns the canonical form of a.
func (a Address) String() string { return "" }
